// Contact with exact Coulomb friction, and compliant contact as a convex problem.
#pragma once

#include <memory>
#include <perp/problems/standard/extended.hpp>

namespace perp {

/// Exact Coulomb friction in de Saxce's form [DeSaxceFeng1998; AcaryBremondHuber2018]: per contact,
/// in local order (n, t1[, t2]),
///   r in K_mu,  u + mu ||u_t|| n in K_mu*,  r'(u + mu ||u_t|| n) = 0,   u = W r + q,
/// with K_mu = { r : ||r_t|| <= mu r_n }.
/// W is given as a matrix, or by J and M as W = J M^-1 J' (which is never formed). Compliance is
/// added to its diagonal.
struct FrictionContact {
  int dimension = 3;  ///< 2 or 3
  Matrix W;           ///< n x n, n = dimension * contacts; empty (0 x 0) if J and M are given
  Matrix J;           ///< n x m, rows in the local order; empty if W is given
  Matrix M;           ///< m x m mass matrix, symmetric positive definite
  Vector q;           ///< n, free relative velocities
  Vector mu;          ///< one coefficient for each contact, >= 0
  Vector compliance;  ///< empty, or n values >= 0
  int size() const { return static_cast<int>(q.size()); }
  int contacts() const { return static_cast<int>(mu.size()); }
  bool is_operator() const { return W.rows() == 0 && J.rows() > 0; }

  /// u = W r + q. @throws std::invalid_argument naming M if it is not positive definite
  Vector relative_velocity(const Vector& r) const;
  /// The same with sums that are rounded once in extended precision (sum_of), and with the sizes of
  /// what was added up. NaN if M is too ill-conditioned to be inverted (MassInverse). With W,
  /// memory is allocated only if sizes change; with J and M, M is factorised in every call.
  /// @throws std::invalid_argument naming M if it is not positive definite
  void extended_velocity(const Vector& r, SumWorkspace& work, AffineSum& u) const;
};

/// Compliant contact as a convex problem [CastroPermenterHan2022]:
///   min_v 1/2 ||v - v*||^2_A + 1/2 ||P_F(y(v))||^2_R,   y = -R^-1 (J v - bias),
/// contact by contact in local order (n, t1, t2); P_F projects on the friction cone in the norm of
/// R, and the impulses are gamma = P_F(y).
struct ConvexContact {
  Matrix A;       ///< n x n, symmetric positive definite
  Matrix J;       ///< 3 nc x n
  Vector R;       ///< 3 nc > 0, the diagonal of the regularisation; R_t1 = R_t2 is required,
                  ///< because only then P_F has a closed form
  Vector bias;    ///< 3 nc, stabilisation velocity
  Vector mu;      ///< nc >= 0
  Vector v_star;  ///< n, free-motion velocity
  int size() const { return static_cast<int>(v_star.size()); }
  int contacts() const { return static_cast<int>(mu.size()); }

  /// gamma = P_F(y(v)), 3 nc values.
  Vector impulses(const Vector& v) const;
  /// The same in extended precision. @param minus_ry receives -R y = J v - bias
  void extended_impulses(const Vector& v, SumWorkspace& work, AffineSum& minus_ry,
                         ExtendedVector& gamma) const;
};

/// @throws std::invalid_argument naming the field.
void validate(const FrictionContact& problem);
/// @overload
void validate(const ConvexContact& problem);

}  // namespace perp
