// Problems that say the same, or nearly the same, in another way.
#pragma once

#include <functional>
#include <perp/problems/standard/problem.hpp>
#include <perp/problems/standard/random.hpp>
#include <perp/problems/standard/verifier.hpp>
#include <string>

namespace perp::adversary {

/// A problem made of another.
struct Partner {
  Problem problem;
  std::string relation;  ///< "permuted", "rows and columns scaled", ...
  /// An answer of the first problem as one of this; nothing if there is no such way.
  std::function<Answer(const Answer&)> carry;
  /// If set, the measure of a carried answer is exactly so many times the first one's, whatever
  /// the answer.
  double factor = 0.0;
};

/// One of the relations that the kind has, chosen at random. A problem that has none is returned as
/// it is ("itself").
Partner random_partner(const Problem& problem, Random& random);

}  // namespace perp::adversary
