// Claims as data: values from the runs, and conditions under which a claim holds.
#pragma once

#include <functional>
#include <map>
#include <perp/bench/report/claims.hpp>
#include <perp/problems/json/field.hpp>
#include <string>
#include <utility>
#include <vector>

namespace perp {

/// Reduces many numbers to one. These use the order of the rows, and of several simulations the
/// largest result counts: `kFirst`, `kLast`, `kChange` (last minus first), `kTurn` (the same for an
/// angle in rad, with whole turns), `kRise` (the largest increase from row to row), `kRoughness`
/// (the sum of the absolute second differences).
enum class Reduce {
  kMax,
  kMin,
  kSum,
  kMean,
  kMedian,
  kCount,
  kFirst,
  kLast,
  kChange,
  kTurn,
  kRise,
  kRoughness
};

/// A number on which a claim depends.
struct ClaimValue {
  enum class From {
    kRecords,    ///< records of the run `of` of the study
    kRun,        ///< members of run.json of the simulations that match `of`
    kTable,      ///< rows of a CSV file of the simulations that match `of`
    kDistance,   ///< distance of rows of two simulations at the same times
    kExpression  ///< expression in the values before it
  } from = From::kExpression;
  std::string name;
  std::string of;        ///< a run's name, or a pattern of GROUP/NAME
  std::string other;     ///< kDistance: the second simulation
  std::string table;     ///< "steps", "trajectory", "joints" or "contacts"
  std::string value;     ///< an expression in the names of a record, a row, run.json or values
  std::string where;     ///< condition for records or rows to count; "": all count
  std::string body;      ///< only rows of this body; "": all
  bool by_step = false;  ///< only the last row of each step
  std::vector<std::string> columns;     ///< kDistance: the coordinates
  std::vector<std::string> kinds;       ///< kRecords: kinds of problems; empty: all
  std::string solver, label, sequence;  ///< kRecords; sequence: a part of its name
  std::string family;                   ///< kRecords; "": all families
  bool any_label = false;               ///< kRecords: `label` was not given
  Reduce reduce = Reduce::kMax;
};

/// A claim of a paper. Expressions are those of evaluate_expression.
struct ClaimRule {
  std::string name, claim, experiment;
  std::string measured;  ///< text with "{NAME:FORMAT}" for values; FORMAT as in fmt, or "time"
  std::string holds, in_part;  ///< conditions; in_part may be ""
  std::vector<ClaimValue> values;
};

/// The claims of one paper.
struct ClaimTableRule {
  std::string name, title, caption;
  std::vector<ClaimRule> claims;
};

/// Reads the claims of a paper. @throws InputError with file and field if something is wrong, also
/// if an expression has an unknown name
ClaimTableRule read_claim_table(const Field& field);

/// The values of a claim or of a row of a table, in their order. @throws InputError as above
std::vector<ClaimValue> read_claim_values(const Field& field);

/// An expression about records. @throws InputError if one of its names is not in
/// names_about_records()
std::string read_record_expression(const Field& field);

/// A number as text. @param format as in fmt, or "time" (value in s)
/// @throws std::invalid_argument for other formats
std::string number_text(double value, const std::string& format);

/// The text with "{NAME}" and "{NAME:FORMAT}" replaced by the results of `value`.
/// @throws std::invalid_argument if a '}' is missing
std::string filled(
    const std::string& text,
    const std::function<std::string(const std::string& name, const std::string& format)>& value);

/// The text `measured` with the numbers filled in.
/// @throws std::invalid_argument for a name without value or a wrong format
std::string with_values(const std::string& measured, const std::map<std::string, double>& values);

}  // namespace perp
