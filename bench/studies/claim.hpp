// Claims as data: values taken from what was run, and when the claim holds.
#pragma once

#include <functional>
#include <map>
#include <perp/bench/report/claims.hpp>
#include <perp/problems/json/field.hpp>
#include <string>
#include <utility>
#include <vector>

namespace perp {

/// How many numbers become one. In the order of the rows, of several simulations the largest:
/// `kFirst`, `kLast`, `kChange` (the last less the first), `kTurn` (the same of an angle in rad,
/// whole turns included), `kRise` (the largest step up), `kRoughness` (the sum of the absolute
/// second differences).
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

/// A number that a claim depends on.
struct ClaimValue {
  enum class From {
    kRecords,    ///< records of the study's run `of`
    kRun,        ///< members of run.json of the simulations that match `of`
    kTable,      ///< rows of a CSV file of the simulations that match `of`
    kDistance,   ///< of rows of two simulations at the same times
    kExpression  ///< of the values before it
  } from = From::kExpression;
  std::string name;
  std::string of;        ///< a run's name, or a pattern of GROUP/NAME
  std::string other;     ///< kDistance: the second simulation
  std::string table;     ///< "steps", "trajectory", "joints" or "contacts"
  std::string value;     ///< an expression in the names of a record, a row, run.json or values
  std::string where;     ///< which records or rows count; "": all
  std::string body;      ///< rows of this body alone; "": all
  bool by_step = false;  ///< of the rows of a step the last alone
  std::vector<std::string> columns;     ///< kDistance
  std::vector<std::string> kinds;       ///< kRecords: of problems; none: all
  std::string solver, label, sequence;  ///< kRecords; sequence: part of its name
  std::string family;                   ///< kRecords; "": all
  bool any_label = false;               ///< kRecords: `label` was not given
  Reduce reduce = Reduce::kMax;
};

/// A claim of a paper. Expressions are those of evaluate_expression.
struct ClaimRule {
  std::string name, claim, experiment;
  std::string measured;        ///< "{NAME:FORMAT}" stands for a value; FORMAT as of fmt, or "time"
  std::string holds, in_part;  ///< conditions; in_part may be ""
  std::vector<ClaimValue> values;
};

/// The claims of one paper.
struct ClaimTableRule {
  std::string name, title, caption;
  std::vector<ClaimRule> claims;
};

/// @throws InputError naming file and field, also for expressions that refer to nothing
ClaimTableRule read_claim_table(const Field& field);

/// The values of a claim or of a row of a table, in their order. @throws InputError
std::vector<ClaimValue> read_claim_values(const Field& field);

/// A number as text. FORMAT as of fmt, or "time" (s). @throws std::invalid_argument for another
std::string number_text(double value, const std::string& format);

/// A text in which "{NAME}" and "{NAME:FORMAT}" are replaced by what is given for them.
/// @throws std::invalid_argument if a '}' is missing
std::string filled(
    const std::string& text,
    const std::function<std::string(const std::string& name, const std::string& format)>& value);

/// The text of `measured` with numbers in it. @throws std::invalid_argument for a format that is
/// none
std::string with_values(const std::string& measured, const std::map<std::string, double>& values);

}  // namespace perp
