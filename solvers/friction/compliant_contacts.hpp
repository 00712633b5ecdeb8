// The impulses of compliant contacts as functions of velocities, with their derivatives.
#pragma once

#include <Eigen/Core>
#include <perp/problems/standard/friction_contact.hpp>
#include <vector>

namespace perp {

/// Contact by contact, gamma = P_F(y), y = -R^-1 u, u = J v - bias [CastroPermenterHan2022]: the
/// negative gradient of a convex function of u, so that -d gamma / d u is symmetric positive
/// semidefinite. J is kept as one dense block of three rows a contact.
class CompliantContacts {
 public:
  /// Copies what it needs of the problem. Only larger sizes allocate.
  void build(const ConvexContact& problem);

  int size() const { return static_cast<int>(mu_.size()); }
  int columns() const { return columns_; }
  /// The columns of J that a contact's rows are not zero in, ascending, and those rows by columns.
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

  /// Impulses at u, which has the bias taken off.
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
