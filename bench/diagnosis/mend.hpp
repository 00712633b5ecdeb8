// Smallest changes of a problem after which it has a solution.
#pragma once

#include <optional>
#include <perp/problems/standard/problem.hpp>
#include <string>
#include <vector>

namespace perp {

/// A change of one type, and whether the changed problem was solved and verified.
struct Mend {
  std::string_view what;  ///< "q" (of contact problems: gaps, free velocities), "compliance", "mu"
  double amount = 0.0;  ///< q: sum of the absolute changes; compliance: addition to every diagonal
                        ///< entry; mu: factor of every mu
  std::vector<std::pair<int, double>> rows;  ///< q: the rows that change, and their changes
  bool solved = false;
};

/// For an lcp, mlcp or box_qp:
///  q: the linear program  min sum |d_i|  s.t.  z in [l, u] and the signs that F(z) + d must have.
///     For a monotone problem a feasible point is enough for a solution
///     [CottlePangStone2009, Thm 3.1.2]. Left out if no change is needed.
///  compliance: the least of |M| 1e-10, |M| 1e-9, ..., |M| after which it is solved.
/// For a friction_contact, and for an lcp with unknowns CONTACT.slip: mu, the largest factor below
/// 1 of all mu, to within 0.01, after which it is solved. @param time_limit s, of each solve
std::vector<Mend> mends_of(const Problem& problem, double tolerance, double time_limit);

/// A proof y (see check_farkas) that no point satisfies the linear constraints, or nothing. For
/// lcp, mlcp and box_qp. @param time_limit s
std::optional<Vector> infeasibility(const Problem& problem, double time_limit);

}  // namespace perp
