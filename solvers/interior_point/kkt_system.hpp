// The linear systems of the interior-point method.
#pragma once

#include <memory>
#include <perp/solvers/interior_point/conic_data.hpp>
#include <string>
#include <string_view>

namespace perp {

/// How far the solution of a linear system is refined: until the largest entry of its residual over
/// that of the right-hand side is at most `residual`, or after `most` corrections, or until one
/// gains less than the factor kLeastRefinementGain.
struct Refinement {
  int most;
  double residual = 1e-13;
};
inline constexpr double kLeastRefinementGain = 0.5;

/// A factorisation of [w P + delta I, A'; A, -(H + delta I)]: quasi-definite for delta > 0
/// [Vanderbei1995].
class KktFactor {
 public:
  virtual ~KktFactor() = default;
  /// What is left of the analysis of the pattern. operations() are known before; what follows needs
  /// this. @param threads of factor()
  virtual void finish_analysis([[maybe_unused]] int threads) {}
  /// @return false if the factorisation breaks down.
  virtual bool factor(const ConeMatrix& h, double p_weight, double delta) = 0;
  /// (x, z) := K^-1 (x, z).
  virtual void solve(Vector& x, Vector& z) = 0;
  /// Multiplications of a factorisation.
  virtual double operations() const = 0;
};

/// By sparse LDL'. Second-order cones of more than four rows become sparse blocks with two more
/// unknowns.
std::unique_ptr<KktFactor> make_sparse_kkt(const ConicData& data);
/// By two dense Cholesky factorisations: of P + A' H^-1 A, and of the Schur complement of the zero
/// rows.
std::unique_ptr<KktFactor> make_dense_kkt(const ConicData& data);
/// Operations of a dense factorisation.
double dense_kkt_operations(const ConicData& data);

/// Solves K (x, z) = (a, b) for K = [w P, A'; A, -H] with a regularised factorisation and iterative
/// refinement.
class KktSystem {
 public:
  /// @param linear_algebra "auto", "dense" or "sparse" @param threads of sparse factorisations
  void prepare(const ConicData& data, std::string_view linear_algebra, int threads = 1);
  /// To be called if the data have new values with the pattern of those that were prepared.
  void update(std::string_view linear_algebra, int threads = 1);

  /// Factorises with delta, or with a larger regularisation if that fails.
  /// @return false if no regularisation up to 1e10 delta works.
  bool factor(const ConeMatrix& h, double p_weight, double delta);
  /// @return largest entry of the residual over that of the right-hand side.
  double solve(const Vector& a, const Vector& b, Vector& x, Vector& z,
               const Refinement& refinement);

  /// (x, z) := (K + regularisation)^-1 (x, z), without refinement.
  void solve_once(Vector& x, Vector& z);

  /// The regularisation of the present factors.
  double regularisation() const { return delta_; }
  bool dense() const { return dense_; }
  int factorisations = 0, linear_solves = 0;

 private:
  void residual(const Vector& a, const Vector& b, const Vector& x, const Vector& z);

  const ConicData* data_ = nullptr;
  std::string linear_algebra_;
  int threads_ = 1;
  const ConeMatrix* h_ = nullptr;
  double p_weight_ = 1.0, delta_ = 0.0;
  bool dense_ = false;
  std::unique_ptr<KktFactor> factor_;
  Vector res_x_, res_z_, work_x_, work_z_, try_x_, try_z_;
};

}  // namespace perp
