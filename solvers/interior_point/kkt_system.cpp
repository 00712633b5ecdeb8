#include <perp/solvers/interior_point/kkt_system.hpp>

#include <algorithm>
#include <cmath>

namespace perp {

namespace {

// Time of a multiplication of the sparse factorisation over that of one of the dense factorisation.
constexpr double kSparseOverDense = 5.0;
constexpr int kLargestDense = 6000;
// Multiplications; a dense factorisation with fewer costs less than the analysis of a sparse one.
constexpr double kNoAnalysis = 1e5;
constexpr int kRegularisations = 6;
constexpr double kMoreRegularisation = 100.0;

}  // namespace

void KktSystem::prepare(const ConicData& data, std::string_view linear_algebra, int threads) {
  data_ = &data;
  threads_ = threads;
  linear_algebra_ = linear_algebra;
  const int n = data.variables(), m = data.rows();
  factor_.reset();
  dense_ = linear_algebra == "dense";
  if (linear_algebra == "auto" && n <= kLargestDense) {
    const double dense = dense_kkt_operations(data);
    // A dense P makes every sparse factorisation dense in n unknowns.
    const double at_least = data.dense_p() ? std::pow(n, 3) / 6 : 0.0;
    dense_ = dense <= std::max(kNoAnalysis, kSparseOverDense * at_least);
    if (!dense_) {
      factor_ = make_sparse_kkt(data);
      dense_ = dense <= kSparseOverDense * factor_->operations();
    }
  }
  if (dense_) {
    factor_ = make_dense_kkt(data);
  } else if (!factor_) {
    factor_ = make_sparse_kkt(data);
  }
  factor_->finish_analysis(threads);
  for (Vector* v : {&res_x_, &work_x_, &try_x_}) v->setZero(n);
  for (Vector* v : {&res_z_, &work_z_, &try_z_}) v->setZero(m);
}

void KktSystem::update(std::string_view linear_algebra, int threads) {
  if (linear_algebra != linear_algebra_ || threads != threads_)
    prepare(*data_, linear_algebra, threads);
}

bool KktSystem::factor(const ConeMatrix& h, double p_weight, double delta) {
  h_ = &h;
  p_weight_ = p_weight;
  for (int k = 0; k < kRegularisations; ++k, delta *= kMoreRegularisation) {
    ++factorisations;
    delta_ = delta;
    if (factor_->factor(h, p_weight, delta)) return true;
  }
  return false;
}

void KktSystem::solve_once(Vector& x, Vector& z) {
  factor_->solve(x, z);
  ++linear_solves;
}

// (res_x, res_z) := (a, b) - K (x, z).
void KktSystem::residual(const Vector& a, const Vector& b, const Vector& x, const Vector& z) {
  data_->multiply_p(x, work_x_);
  res_x_ = a - p_weight_ * work_x_;
  data_->multiply_at(z, work_x_);
  res_x_ -= work_x_;
  data_->multiply_a(x, work_z_);
  res_z_ = b - work_z_;
  h_->multiply(data_->cones, z, work_z_);
  res_z_ += work_z_;
}

double KktSystem::solve(const Vector& a, const Vector& b, Vector& x, Vector& z,
                        const Refinement& refinement) {
  x = a;
  z = b;
  solve_once(x, z);
  const double size = std::max({max_abs(a), max_abs(b), 1e-300});
  residual(a, b, x, z);
  double error = std::max(max_abs(res_x_), max_abs(res_z_));
  for (int k = 0; k < refinement.most && error > refinement.residual * size; ++k) {
    solve_once(res_x_, res_z_);
    try_x_ = x + res_x_;
    try_z_ = z + res_z_;
    residual(a, b, try_x_, try_z_);
    const double next = std::max(max_abs(res_x_), max_abs(res_z_));
    if (!(next < error)) break;
    x.swap(try_x_);
    z.swap(try_z_);
    const bool slow = next > kLeastRefinementGain * error;
    error = next;
    if (slow) break;
  }
  return error / size;
}

}  // namespace perp
