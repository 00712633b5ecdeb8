// Measured tables as data: of records, by problems and solvers, or of values like those of claims.
#pragma once

#include <perp/bench/studies/claim.hpp>
#include <string>
#include <vector>

namespace perp {

/// A column of a table of records: the records of a row that count, and the text of the cell.
struct RecordColumn {
  std::string head;
  std::string cell;  ///< text with "{NAME}" or "{NAME:FORMAT}", see docs/how-to/studies.md
  std::string solver, suite, family, problems, kind, where;  ///< conditions on records; "": all
  std::string label;
  bool any_label = true;
  int size = 0;  ///< 0: all
};

/// A row of a table of values.
struct ValueRow {
  std::vector<ClaimValue> values;
  std::vector<std::string> cells;
};

/// The rule for one table.
struct TableRule {
  std::string name, title, caption;
  // For a table of records: a row for each combination of the keys in `by` that occurs.
  std::vector<std::string> runs, by;
  std::string where;
  std::vector<RecordColumn> columns;
  // For a table of values.
  std::vector<std::string> head;
  std::vector<ValueRow> rows;
};

/// Reads the rule of a table. @throws InputError with file and field if it is wrong
TableRule read_table_rule(const Field& field);

}  // namespace perp
