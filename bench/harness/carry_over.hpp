// Answers of the problems of a sequence as starts of those that follow.
#pragma once

#include <map>
#include <optional>
#include <perp/problems/standard/problem.hpp>
#include <string>
#include <unordered_map>
#include <vector>

namespace perp {

/// Keeps the last answer of each stage; the stage is what the problem's source tells, if it does.
class CarryOver {
 public:
  /// The last answer, brought to this problem's unknowns: by their names where both problems name
  /// all of theirs differently (what is new begins at 0), else in order where the sizes agree.
  /// Nothing where there is no answer or none of its unknowns is left.
  std::optional<Vector> start_for(const Problem& problem) const;

  void remember(const Problem& problem, const Vector& z);

 private:
  struct Kept {
    Vector z;
    std::unordered_map<std::string, double> by_name;  // empty: without names of use
  };
  std::map<std::string, Kept> kept_;
};

}  // namespace perp
