// The impulses of compliant contacts as functions of velocities, with their derivatives.
#pragma once

#include <Eigen/Core>
#include <perp/problems/standard/friction_contact.hpp>
#include <vector>

namespace perp {

/// For each contact gamma = P_F(y), y = -R^-1 u, u = J v - bias [CastroPermenterHan2022]. gamma is
/// the negative gradient of a convex function of u, so -d gamma / d u is symmetric positive
/// semidefinite. J is kept as one dense block of three rows per contact. u and gamma have three
/// values per contact, v and g columns() values.
class CompliantContacts {
 public:
  /// Copies what it needs of the problem. Only larger sizes allocate.
  void build(const ConvexContact& problem);

  int size() const { return static_cast<int>(mu_.size()); }
  int columns() const { return columns_; }
  /// The columns in which the rows of a contact in J are not zero (their number and indices, in
  /// ascending order), and these rows, stored by columns.
  int count(int c) const { return starts_[c + 1] - starts_[c]; }
  const int* places(int c) const { return &places_[starts_[c]]; }
  Eigen::Map<const Eigen::Matrix3Xd> block(int c) const {
    return {&blocks_[3 * static_cast<std::size_t>(starts_[c])], 3, count(c)};
  }

  /// J v, without the bias.
  void multiply(const Vector& v, Vector& u) const;
  /// g -= J' gamma.
  void subtract_transposed(const Vector& gamma, Vector& g) const;
  const Vector& bias() const { return bias_; }

  /// gamma at u; the bias must be subtracted from u already.
  void impulses(const Vector& u, Vector& gamma) const;
  Eigen::Vector3d impulse(int c, const double* u) const;
  /// -d gamma / d u of a contact, symmetric.
  Eigen::Matrix3d stiffness(int c, const double* u) const;

 private:
  Eigen::Vector3d free_impulse(int c, const double* u) const;  // y

  int columns_ = 0;
  std::vector<double> mu_, mu_hat_;
  Vector r_, bias_;
  std::vector<int> starts_, places_;
  std::vector<double> blocks_;
  std::vector<int> last_, next_;  // of build(): by contact
};

}  // namespace perp
