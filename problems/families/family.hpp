// Seeded families of problems.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <perp/problems/standard/problem.hpp>
#include <string>
#include <vector>

namespace perp {

/// What is known of every member of a family.
enum class KnownOutcome {
  kSolvable,    ///< a solution exists
  kInfeasible,  ///< the linear constraints have no point
  kNoSolution,  ///< feasible, but no solution exists
};
std::string_view to_string(KnownOutcome outcome);

/// A parameter of a family with its default.
struct FamilyParameter {
  std::string name;
  double value;
  std::string doc;
  double least = -1e300;  ///< smallest value allowed
};

/// A problem that a family knows by name.
struct FamilyMember {
  std::string name;     ///< unique in the family, fit for a file name
  std::string summary;  ///< one line
  std::string source;   ///< key in docs/references.bib
  std::string size_doc;
  int default_size;
  int min_size;  ///< 0: there is no other size than the default
};

/// What is asked of a family.
struct FamilyRequest {
  int size = 0;  ///< in the family's own unit (see Family::size_doc)
  std::uint64_t seed = 1;
  std::string member;  ///< empty where the family has no named members
  std::map<std::string, double>
      parameters;  ///< all of the family's, set to defaults where not given

  double operator[](const std::string& name) const { return parameters.at(name); }
};

/// A generator with its source and known facts. The same request gives the same bits everywhere.
/// Members are made from a size and a seed, or, where `members` is not empty, known by name; size
/// and its meaning are then the member's, and default_size and min_size here mean nothing.
struct Family {
  std::string name;
  std::string summary;   ///< one line
  std::string source;    ///< key in docs/references.bib, or where the recipe is stated
  std::string size_doc;  ///< what `size` counts, "n" or "contacts" ...
  int default_size;
  int min_size;
  KnownOutcome outcome;
  bool seeded;  ///< false: the seed changes nothing
  std::vector<FamilyParameter> parameters;
  std::function<ProblemData(const FamilyRequest&, Problem& facts)>
      build;  ///< may set start, solution, variables, contacts
  std::vector<FamilyMember> members = {};
  /// Families of the same scenes as problems of another kind: kind and name.
  std::map<std::string, std::string> siblings = {};
};

/// One line each in family.cpp.
const std::vector<Family>& families();
/// @throws std::invalid_argument where there is none of that name; the text lists those there are.
const Family& find_family(std::string_view name);

/// The members whose names match a pattern of the shell (fnmatch), in the family's order.
/// @throws std::invalid_argument where a pattern matches none, or there are no named members.
std::vector<std::string> match_members(const Family& family,
                                       const std::vector<std::string>& patterns);

/// @throws std::invalid_argument as generate does, without generating.
void check_request(const Family& family, int size, const std::map<std::string, double>& parameters,
                   const std::string& member = "");

/// Generates a member, with its source filled in. Its name is NAME-SIZE-SEED, or that of the named
/// member (and the size, where not its default), and the parameters given.
/// @param size 0: the default. @param member of a family with named members; else empty.
/// @throws std::invalid_argument: size below the least one or of a member that has one only,
/// unknown member, unknown parameter or one below its least value.
Problem generate(const Family& family, int size, std::uint64_t seed,
                 const std::map<std::string, double>& parameters = {},
                 const std::string& member = "");

}  // namespace perp
