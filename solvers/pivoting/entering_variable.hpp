// The variable that enters the basis, and the direction in which the basic ones move with it.
#pragma once

#include <perp/solvers/pivoting/basic_set.hpp>
#include <perp/solvers/pivoting/basis.hpp>

namespace perp {

/// A nonbasic variable with column a that leaves its bound in the sense s.
///
/// Invariant: after solve(), direction = s B^-1 a up to the residual that it returned. If the
/// variable moves by `length`, the values of the basic ones move by -length * direction.
class EnteringVariable {
 public:
  void attach(int size) {
    direction.setZero(size);
    work_.setZero(size);
  }
  /// Takes the complement of the variable that left. @param at_upper it left at its upper bound
  void complement(int left, bool at_upper, const Basis& basis, BasicSet& set);
  /// @return largest residual of the direction, relative to its size or 1
  double solve(const Basis& basis);
  /// Corrects the direction once by that residual; to be called right after solve().
  void refine(const Basis& basis);

  int id = -1;
  double sense = 1.0;  ///< s: 1 if it increases, else -1
  Vector direction;

 private:
  Vector work_;
};

}  // namespace perp
