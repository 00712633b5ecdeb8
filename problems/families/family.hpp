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

/// What is asked of a family.
struct FamilyRequest {
  int size = 0;  ///< in the family's own unit (see Family::size_doc)
  std::uint64_t seed = 1;
  std::map<std::string, double>
      parameters;  ///< all of the family's, set to defaults where not given

  double operator[](const std::string& name) const { return parameters.at(name); }
};

/// A generator with its source and known facts. The same request gives the same bits everywhere.
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
      build;  ///< may set solution, contacts
};

/// One line each in family.cpp.
const std::vector<Family>& families();
/// @throws std::invalid_argument where there is none of that name; the text lists those there are.
const Family& find_family(std::string_view name);

/// @throws std::invalid_argument as generate does, without generating.
void check_request(const Family& family, int size, const std::map<std::string, double>& parameters);

/// Generates a member, named NAME-SIZE-SEED and the parameters given, with its source filled in.
/// @param size 0: the family's default. @throws std::invalid_argument: size below the least one,
/// unknown parameter or one below its least value.
Problem generate(const Family& family, int size, std::uint64_t seed,
                 const std::map<std::string, double>& parameters = {});

}  // namespace perp
