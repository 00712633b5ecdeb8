// Small problems of every kind, ordinary ones and those on which programs break.
#pragma once

#include <perp/problems/standard/problem.hpp>
#include <perp/problems/standard/random.hpp>
#include <string_view>

namespace perp::adversary {

/// A random problem: gaussian, integer, singular, degenerate, skew, scaled by powers of two up to
/// 2^40 by rows and columns, feasible or infeasible by a hair, or a member of a family of the
/// kind. The same stream of numbers gives the same bits.
/// @param kind of problem_kinds()
Problem random_problem(std::string_view kind, Random& random);

}  // namespace perp::adversary
