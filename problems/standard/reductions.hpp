// Problems stated as other problems, with the way back for their solutions.
#pragma once

#include <functional>
#include <perp/problems/standard/problem.hpp>
#include <perp/problems/standard/verifier.hpp>
#include <string>

namespace perp {

/// A problem in another form. `exact`: a solution of the reduced problem maps to one of the
/// original.
struct Reduction {
  ProblemData problem;
  std::string name;
  bool exact = true;
  std::function<Answer(const Answer&)> map_back;
};

/// z >= 0 stated as bounds. Exact.
Mlcp to_mlcp(const Lcp& problem);
/// Stationarity over the box. Exact (an optimum only where H is positive semidefinite).
Mlcp to_mlcp(const BoxQp& problem);

Reduction reduce_to_mlcp(const Lcp& problem);
Reduction reduce_to_mlcp(const BoxQp& problem);
/// Unknowns (x, y): P x + c + A'y = 0 with x free, b - A x complementary to y. Exact for zero and
/// nonnegative cones. @throws std::invalid_argument where a cone is of second order.
Reduction reduce_to_mlcp(const ConicQp& problem);
/// For a symmetric M: min 1/2 z'Mz + q'z over z >= 0. Exact where M is positive semidefinite.
/// @throws std::invalid_argument where M is not symmetric.
Reduction reduce_to_box_qp(const Lcp& problem);

}  // namespace perp
