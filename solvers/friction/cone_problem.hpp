// A conic QP of contacts as blocks of three impulses per contact.
#pragma once

#include <optional>
#include <perp/problems/standard/problem.hpp>
#include <perp/solvers/block_interior_point/impulse_program.hpp>
#include <perp/solvers/core/start.hpp>
#include <perp/solvers/friction/contact_problem.hpp>
#include <string>

namespace perp {

/// An ImpulseProgram without bounds and total, in its impulses r alone,
///   r in K,  u in K*,  r'u = 0,   u = W r + q,   W = J M^-1 J',
/// K the product of the cones. Velocities follow from impulses. Contacts have one to three impulses
/// in their cones; the others get W = 1 and q = 0 and are 0.
class ConeProblem final : public ContactProblem {
 public:
  /// Why this conic_qp cannot be taken, or nothing if it can.
  static std::optional<std::string> refusal(const Problem& problem);
  /// Takes a problem for which refusal() returns nothing.
  void build(const Problem& problem, ContactScaling scaling);

  /// The largest violation and product of cones at (r, u), in the units of the problem.
  double measure(const Vector& r, const Vector& u) const override;
  /// An upper bound on the verifier's measure at the point of write().
  double measure(const Vector& r) const override;

  /// What a start says of the impulses, scaled; 0 if it says nothing.
  void from_start(const Start& start, Vector& r) const;
  /// Writes the unknowns and the dual of the conic QP, with r projected on the cones.
  void write(const Vector& r, Vector& x, Vector& dual) const;

 private:
  void complete(const Vector& r) const;

  ImpulseProgram program_;
  Vector mu_, q_;
  mutable ImpulsePoint point_;  // work space
};

}  // namespace perp
