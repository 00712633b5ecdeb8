// Seeded families of problems.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <perp/problems/standard/problem.hpp>
#include <string>
#include <vector>

namespace perp {

/// What is known about every problem of a family.
enum class KnownOutcome {
  kSolvable,    ///< a solution exists
  kInfeasible,  ///< no point satisfies the linear constraints
  kNoSolution,  ///< feasible, but no solution exists
};
/// "solvable", "infeasible" or "no_solution".
std::string_view to_string(KnownOutcome outcome);

/// A parameter of a family with its default.
struct FamilyParameter {
  std::string name;
  double value;
  std::string doc;
  double least = -1e300;  ///< smallest value allowed
};

/// A problem of a family that has a name of its own.
struct FamilyMember {
  std::string name;      ///< unique in the family; can be the name of a file
  std::string summary;   ///< one line
  std::string source;    ///< key in docs/references.bib
  std::string size_doc;  ///< what `size` counts
  int default_size;
  int min_size;          ///< 0: the default is the only size
  int max_size = 10000;  ///< a grid with so many points a side is as large as files can be
};

/// A request for one problem of a family.
struct FamilyRequest {
  int size = 0;  ///< in the family's own unit (see Family::size_doc)
  std::uint64_t seed = 1;
  std::string member;  ///< empty if the family has no named members
  std::map<std::string, double>
      parameters;  ///< all parameters of the family; those not given have their defaults

  /// The value of a parameter.
  double operator[](const std::string& name) const { return parameters.at(name); }
};

/// A generator of problems with its source and known facts. The same request gives the same bits on
/// every machine. A problem is made from a size and a seed. If `members` is not empty, a problem is
/// made from the name of a member instead; size and its meaning are then those of the member, and
/// default_size, min_size and max_size of the family have no meaning.
struct Family {
  std::string name;
  std::string summary;   ///< one line
  std::string source;    ///< key in docs/references.bib, or the place where the recipe is stated
  std::string size_doc;  ///< what `size` counts, "n" or "contacts" ...
  int default_size;
  int min_size;
  int max_size;  ///< so that the unknowns and the entries of the matrices can be counted by int
  KnownOutcome outcome;
  bool seeded;  ///< false: the seed changes nothing
  std::vector<FamilyParameter> parameters;
  std::function<ProblemData(const FamilyRequest&, Problem& facts)>
      build;  ///< may set start, solution, variables, contacts
  std::vector<FamilyMember> members = {};
  /// Other families that make problems of another kind from the same scenes: kind and name.
  std::map<std::string, std::string> siblings = {};
};

/// All families, in the order of the list in family.cpp.
const std::vector<Family>& families();
/// @throws std::invalid_argument if no family has that name; the text lists the names.
const Family& find_family(std::string_view name);

/// The members whose names match a pattern of the shell (fnmatch), in the family's order.
/// @throws std::invalid_argument if a pattern matches none, or if there are no named members.
std::vector<std::string> match_members(const Family& family,
                                       const std::vector<std::string>& patterns);

/// Checks a request without generating. @throws std::invalid_argument as generate() does
void check_request(const Family& family, int size, const std::map<std::string, double>& parameters,
                   const std::string& member = "");

/// Generates a problem, with its `source` filled in. Its name is NAME-SIZE-SEED (NAME-SIZE if the
/// seed changes nothing), or the name of the member, with the size if that is not its default. The
/// given parameters follow.
/// @param size 0: the default
/// @param member name of a member if the family has named members, else empty
/// @throws std::invalid_argument if the size is too small or too large (also for the memory there
/// is) or is another than the only one of a member, if the member or a parameter is unknown, or if
/// a parameter is below its least value
Problem generate(const Family& family, int size, std::uint64_t seed,
                 const std::map<std::string, double>& parameters = {},
                 const std::string& member = "");

}  // namespace perp
