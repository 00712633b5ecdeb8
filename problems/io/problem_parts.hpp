// Problems whose matrices and vectors come one by one, as Matrix Market and CSV files hold them.
#pragma once

#include <map>
#include <perp/problems/standard/problem.hpp>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace perp {

/// A matrix or vector (one column or one row) of a problem, and the file that messages name.
struct ProblemPart {
  Matrix matrix;
  std::string file;
};

/// Names of all fields that a problem in parts may have: M, q, lower, ..., start, solution, dual.
const std::vector<std::string_view>& part_fields();
/// Whether it is one of them.
bool is_part_field(std::string_view field);
/// Whether the field may hold inf and -inf.
bool may_be_infinite(std::string_view field);

/// What problem a set of fields makes.
struct KindOfParts {
  std::string_view kind;                  ///< empty: no kind has these fields together
  std::vector<std::string_view> missing;  ///< fields that the kind has and the set has not
};
/// M, q: lcp; with lower, upper: mlcp; H, c, lower, upper: box_qp; P, c, A, b, cones: conic_qp;
/// W or J and M, q, mu: friction_contact; A, J, R, bias, mu, v_star: convex_contact. If some are
/// missing, the kind is the one that lacks fewest.
KindOfParts kind_of_parts(const std::set<std::string, std::less<>>& fields);

/// The problem of these parts, by field, validated. The dimension of friction_contact is that of q
/// over that of mu.
/// @param file names the problem in messages that no part is to blame for
/// @throws InputError naming the file, the field and the fault.
Problem problem_from_parts(std::map<std::string, ProblemPart, std::less<>> parts,
                           const std::string& file);

}  // namespace perp
