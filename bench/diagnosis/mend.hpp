// The smallest change of a problem after which it has a solution.
#pragma once

#include <optional>
#include <perp/problems/standard/problem.hpp>
#include <string>
#include <vector>

namespace perp {

/// A change of one sort, and whether the changed problem was solved and verified.
struct Mend {
  std::string_view what;  ///< "q" (of contacts: gaps, free velocities), "compliance", "mu"
  double amount = 0.0;  ///< q: the sum of all changes; compliance: what every diagonal entry gets;
                        ///< mu: the factor on every mu
  std::vector<std::pair<int, double>> rows;  ///< q: the rows that change, and by how much
  bool solved = false;
};

/// Of an lcp, mlcp or box_qp:
///  q: the linear program  min sum |d_i|  s.t.  z in [l, u], the signs that F(z) + d must have; for
///     a monotone problem a point that satisfies these is enough for a solution
///     [CottlePangStone2009, Thm 3.1.2]. Nothing if no change is needed.
///  compliance: the least of powers of 10, from 1e-10 |M| on, after which it is solved.
/// Of a friction_contact, and of an lcp with unknowns CONTACT.slip: mu, the largest factor below 1
/// on all of them, to 1 %, after which it is solved.
std::vector<Mend> mends_of(const Problem& problem, double tolerance, double time_limit);

/// A proof that the linear constraints alone are without a point, y as in check_farkas, or nothing.
/// Of lcp, mlcp and box_qp.
std::optional<Vector> infeasibility(const Problem& problem, double time_limit);

}  // namespace perp
