// The variable that enters the basis, and how the basic ones move with it.
#pragma once

#include <perp/solvers/pivoting/basic_set.hpp>
#include <perp/solvers/pivoting/basis.hpp>

namespace perp {

/// A nonbasic column a that leaves its bound in one sense s.
///
/// Invariant: after solve(), direction = s B^-1 a up to the residual that it returned: as the
/// variable moves by `length`, the values of the basic ones move by -length * direction.
class EnteringVariable {
 public:
  void attach(int size) {
    direction.setZero(size);
    work_.setZero(size);
  }
  /// The complement of what left. @param at_upper it left at its upper bound
  void complement(int left, bool at_upper, const Basis& basis, BasicSet& set);
  /// @return largest residual of the direction, relative to its size or 1
  double solve(const Basis& basis);
  /// Newton's correction for that residual; right after solve().
  void refine(const Basis& basis);

  int id = -1;
  double sense = 1.0;  ///< s: 1 if it increases, else -1
  Vector direction;

 private:
  Vector work_;
};

}  // namespace perp
