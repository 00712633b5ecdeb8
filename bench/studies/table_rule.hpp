// Measured tables as data: of records, by problems and solvers, or of values as claims have them.
#pragma once

#include <perp/bench/studies/claim.hpp>
#include <string>
#include <vector>

namespace perp {

/// A column of a table of records: which records of a row count, and what is told of them.
struct RecordColumn {
  std::string head;
  std::string cell;  ///< text with "{NAME}" or "{NAME:FORMAT}" in it, see docs/how-to/studies.md
  std::string solver, suite, family, problems, kind, where;  ///< "": all
  std::string label;
  bool any_label = true;
  int size = 0;  ///< 0: all
};

/// A row of values.
struct ValueRow {
  std::vector<ClaimValue> values;
  std::vector<std::string> cells;
};

struct TableRule {
  std::string name, title, caption;
  // Of records: a row for each combination of what `by` names that there is.
  std::vector<std::string> runs, by;
  std::string where;
  std::vector<RecordColumn> columns;
  // Of values.
  std::vector<std::string> head;
  std::vector<ValueRow> rows;
};

/// @throws InputError naming file and field
TableRule read_table_rule(const Field& field);

}  // namespace perp
