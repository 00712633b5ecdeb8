// Newton's systems of the homogeneous embedding.
#pragma once

#include <perp/solvers/interior_point/kkt_system.hpp>

namespace perp {

/// Solves, at a point (x, tau, kappa) and for a scaling H = W^2,
///   P dx + A'dz + c dtau = f,  A dx - H dz - b dtau = g,
///   (c + 2 Px / tau)'dx + b'dz - (kappa / tau + x'Px / tau^2) dtau = h
/// with the factors of the core [P + delta I, A'; A, -H - delta I], which is bordered by the last
/// row and column, and with iterative refinement of the whole system. The border matters: near a
/// proof of infeasibility the core becomes nearly singular, but the whole system does not.
class EmbeddingSystem {
 public:
  /// A point of the embedding.
  struct Point {
    const Vector &x, &px;
    double tau, kappa, xpx;
  };

  void prepare(const ConicData& data, KktSystem& kkt);

  /// @return false if the core cannot be factorised.
  bool factor(const ConeMatrix& h, const Point& point, double delta);
  /// @return largest entry of the residual over that of the right-hand side; 0 without refinement.
  double solve(const Vector& f, const Vector& g, double h, const Refinement& refinement, Vector& dx,
               Vector& dz, double& dtau);

 private:
  void solve_once(Vector& x, Vector& z, double& tau);
  double residual(const Vector& f, const Vector& g, double h, const Vector& dx, const Vector& dz,
                  double dtau);

  const ConicData* data_ = nullptr;
  KktSystem* kkt_ = nullptr;
  const ConeMatrix* h_ = nullptr;
  Vector border_x_, border_z_;  // core^-1 (-c, b)
  Vector last_row_;             // c + 2 Px / tau
  double corner_ = 0.0, slope_ = 1.0;
  Vector res_x_, res_z_, work_x_, work_z_, try_x_, try_z_;
  double res_tau_ = 0.0;
};

}  // namespace perp
