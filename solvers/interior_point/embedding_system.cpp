#include <perp/solvers/interior_point/embedding_system.hpp>

#include <algorithm>
#include <cmath>

namespace perp {

void EmbeddingSystem::prepare(const ConicData& data, KktSystem& kkt) {
  data_ = &data;
  kkt_ = &kkt;
  for (Vector* v : {&border_x_, &last_row_, &res_x_, &work_x_, &try_x_})
    v->setZero(data.variables());
  for (Vector* v : {&border_z_, &res_z_, &work_z_, &try_z_}) v->setZero(data.rows());
}

bool EmbeddingSystem::factor(const ConeMatrix& h, const Point& point, double delta) {
  if (!kkt_->factor(h, 1.0, delta)) return false;
  h_ = &h;
  last_row_ = data_->c + (2.0 / point.tau) * point.px;
  corner_ = point.kappa / point.tau + point.xpx / (point.tau * point.tau);
  border_x_ = -data_->c;
  border_z_ = data_->b;
  kkt_->solve_once(border_x_, border_z_);
  // With v = border: -slope = last_row'v_x + b'v_z - corner is minus a sum of squares,
  //   kappa / tau + v_z'(H + delta I) v_z + |v_x - x / tau|_P^2 + delta |v_x|^2.
  h.multiply(data_->cones, border_z_, work_z_);
  try_x_ = border_x_ - point.x / point.tau;
  data_->multiply_p(try_x_, work_x_);
  slope_ = point.kappa / point.tau + border_z_.dot(work_z_) + try_x_.dot(work_x_) +
           kkt_->regularisation() * (border_x_.squaredNorm() + border_z_.squaredNorm());
  return std::isfinite(slope_) && slope_ > 0;
}

// Solves the bordered system with the regularised core, without refinement.
void EmbeddingSystem::solve_once(Vector& x, Vector& z, double& tau) {
  kkt_->solve_once(x, z);
  tau = (last_row_.dot(x) + data_->b.dot(z) - tau) / slope_;
  x += tau * border_x_;
  z += tau * border_z_;
}

// res := right-hand side - system * (dx, dz, dtau). @return its largest entry
double EmbeddingSystem::residual(const Vector& f, const Vector& g, double h, const Vector& dx,
                                 const Vector& dz, double dtau) {
  data_->multiply_p(dx, work_x_);
  res_x_ = f - work_x_;
  data_->multiply_at(dz, work_x_);
  res_x_ -= work_x_ + dtau * data_->c;
  data_->multiply_a(dx, work_z_);
  res_z_ = g - work_z_ + dtau * data_->b;
  h_->multiply(data_->cones, dz, work_z_);
  res_z_ += work_z_;
  res_tau_ = h - last_row_.dot(dx) - data_->b.dot(dz) + corner_ * dtau;
  return std::max({max_abs(res_x_), max_abs(res_z_), std::abs(res_tau_)});
}

double EmbeddingSystem::solve(const Vector& f, const Vector& g, double h,
                              const Refinement& refinement, Vector& dx, Vector& dz, double& dtau) {
  dx = f;
  dz = g;
  dtau = h;
  solve_once(dx, dz, dtau);
  if (refinement.most == 0) return 0.0;
  const double size = std::max({max_abs(f), max_abs(g), std::abs(h), 1e-300});
  double error = residual(f, g, h, dx, dz, dtau);
  for (int k = 0; k < refinement.most && error > refinement.residual * size; ++k) {
    solve_once(res_x_, res_z_, res_tau_);
    try_x_ = dx + res_x_;
    try_z_ = dz + res_z_;
    const double try_tau = dtau + res_tau_;
    const double next = residual(f, g, h, try_x_, try_z_, try_tau);
    if (!(next < error)) break;
    dx.swap(try_x_);
    dz.swap(try_z_);
    dtau = try_tau;
    const bool slow = next > kLeastRefinementGain * error;
    error = next;
    if (slow) break;
  }
  return error / size;
}

}  // namespace perp
