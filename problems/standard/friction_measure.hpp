// The measure by which answers to friction_contact problems are judged.
#pragma once

#include <perp/problems/standard/disjoint_sets.hpp>
#include <perp/problems/standard/extended.hpp>
#include <perp/problems/standard/friction_contact.hpp>
#include <vector>

namespace perp {

/// F_nat(r) = r - Pi_K(r - u_hat) of one contact, u_hat = u + mu ||u_t|| n [AcaryBremondHuber2018].
/// Each component is written in r or u_hat alone, so that nothing cancels. With w = r - u_hat,
/// tau = w_t / ||w_t||, e = (1, mu tau) / sqrt(1 + mu^2) and g = (mu, -tau) / sqrt(1 + mu^2):
///   w in K: F = u_hat;   w in -K*: F = r;   else F = (u_hat'e) e + (r'g) g + (r_t'h) h.
/// Here h is the unit vector across tau in the tangent plane, r_t'h = u_t'h = (r_t x u_t) /
/// ||w_t||.
/// @param r, u, f `dimension` values each, order (n, t1[, t2])
template <class Scalar>
void friction_natural_map(int dimension, const Scalar* r, const Scalar* u, Scalar mu, Scalar* f);

/// The larger of ||F_nat(r)||_2 and |min(r_n, u_n)|. Every solution has both 0. The natural map
/// alone shows an error e of u_n as no more than e / sqrt(1 + mu^2) if the contact slides, so with
/// a large mu bodies would pass through each other.
template <class Scalar>
Extended friction_error(int dimension, const Scalar* r, const Scalar* u, Scalar mu);

/// How far impulses are from solving a problem with friction. ||F_nat||_2 / ||q||_2 is the number
/// that FCLIB uses. Alone it would let a large q at some contacts hide a wrong impulse at others.
/// So each part of the problem is judged by itself too, there by friction_error() of its contacts.
/// Contacts a and b are in the same part if they share a column of J (or columns that M couples),
/// or, with W, if ||W_ab|| > 2^-52 sqrt(||W_aa|| ||W_bb||).
///
///   measure = max( ||F|| / ||q||, max over parts p of ||E_p|| / max(||q_p||, min(1, ||q||)) ),
///
/// E_p the errors of its contacts. If ||q|| <= 1e-14, which is no more than rounding, all of these
/// are absolute: measure = max(||F||, max over p of ||E_p||).
class FrictionMeasure {
 public:
  FrictionMeasure() = default;
  explicit FrictionMeasure(const FrictionContact& problem) { prepare(problem); }

  /// Finds the parts. Memory is allocated only if sizes change. The parts of the problem before are
  /// kept if its matrices are shared with this one (Matrix::share()).
  void prepare(const FrictionContact& problem);

  /// The measure and its parts.
  struct Value {
    double measure;     ///< the number compared with the tolerance
    double relative;    ///< ||F_nat||_2 / ||q||_2, inf if q = 0
    double by_part;     ///< the largest ||E_p|| / max(||q_p||, min(1, ||q||)), or ||E_p||
    double natural;     ///< ||F_nat||_2
    int worst_contact;  ///< with the largest friction_error(); -1 without contacts
  };
  /// Does not allocate. @param u relative velocities W r + q at r
  Value evaluate(const Vector& r, const Vector& u);
  Value evaluate(const ExtendedVector& r, const ExtendedVector& u);

  int parts() const { return static_cast<int>(scales_.size()); }
  int part_of(int contact) const { return part_[static_cast<std::size_t>(contact)]; }

 private:
  template <class V>
  Value evaluate_as(const V& r, const V& u);
  bool has_parts_of(const FrictionContact& problem) const;
  void find_parts(const FrictionContact& problem);

  int dimension_ = 3;
  Matrix W_, J_, M_;  // of which parts are known, if they are shared
  Vector mu_;
  Extended q_norm_ = 0;
  std::vector<int> part_;          // of a contact
  std::vector<Extended> scales_;   // max(||q_p||, min(1, ||q||)) of a part, or 1
  std::vector<Extended> squares_;  // ||E_p||^2 of the present evaluation
  /// Work space of prepare(): sets of contacts that are joined.
  struct Joining : DisjointSets {
    std::vector<int> touched, met, number, all;
    std::vector<Extended> squares, norms;
  };
  static void join_by_columns(const FrictionContact& problem, Joining& sets);
  static void join_by_blocks(const FrictionContact& problem, Joining& sets);
  template <int D, class Column>
  static void join_blocks(int contacts, Joining& sets, const Column& column);
  Joining joining_;
};

}  // namespace perp
