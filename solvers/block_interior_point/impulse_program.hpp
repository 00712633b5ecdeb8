// Conic QPs of velocities and impulses, taken apart.
#pragma once

#include <optional>
#include <perp/problems/standard/problem.hpp>
#include <perp/solvers/block_interior_point/impulse_cone.hpp>
#include <string>
#include <vector>

namespace perp {

/// A sparse matrix by rows.
struct RowMatrix {
  std::vector<int> starts{0}, columns;
  std::vector<double> values;

  int rows() const { return static_cast<int>(starts.size()) - 1; }
  void clear() {
    starts.assign(1, 0);
    columns.clear();
    values.clear();
  }
  /// Row i times x.
  double dot(int i, const double* x) const {
    double sum = 0.0;
    for (int k = starts[i]; k < starts[i + 1]; ++k) sum += values[k] * x[columns[k]];
    return sum;
  }
  /// x += factor (row i)'.
  void add(int i, double factor, double* x) const {
    for (int k = starts[i]; k < starts[i + 1]; ++k) x[columns[k]] += factor * values[k];
  }
};

/// Velocities and impulses, and the multipliers lambda of G v >= w, nu of e'p <= kappa, -m of the
/// momentum and s of the cones: M m = M v + c_v - G'lambda, s = J m + c_p + nu e.
struct ImpulsePoint {
  Vector v, m, p, s, lambda;
  double nu = 0.0;
};

/// A conic_qp of the form
///   min 1/2 v'Mv + c_v'v + c_p'p   over velocities v and impulses p
///   subject to  M v - J'p = f,  G v >= w,  e'p <= kappa,  p in a product of cones,
/// M block diagonal and positive definite, in the order of its own unknowns and rows; impulses are
/// scaled by the factors of their rows, so that cones are circular. What max-dissipation-step poses
/// without joints [DrumwrightShell2010, QP2], and what anitescu-tasora poses with velocities kept.
class ImpulseProgram {
 public:
  /// @return why the problem is not of the form, or nothing where it is and was taken apart.
  std::optional<std::string> read(const ConicQp& qp);

  /// Of the problem that was read.
  int unknowns() const { return unknowns_; }
  int rows() const { return rows_; }
  int velocities() const { return static_cast<int>(f.size()); }
  int impulses() const { return J.rows(); }
  int bounds() const { return G.rows(); }

  /// a M^-1 a' of row i.
  double stiffness(const RowMatrix& rows, int i) const;
  /// x := M^-1 x.
  void solve_mass(Vector& x) const;

  /// pull += J'B e over one cone. @return e'B e
  double pull_total(const ImpulseCone& cone, const Eigen::Matrix3d& block, const Vector& total,
                    Vector& pull) const;

  /// From p, lambda and nu the rest of the point, so that momentum and stationarity hold to
  /// rounding.
  void complete(ImpulsePoint& point) const;
  /// At least the verifier's measure of a completed point whose p is in the cones and lambda, nu >=
  /// 0: the largest of what is violated, in the problem's units, and of the products of a
  /// slack and its multiplier, cone by cone, so that nothing cancels.
  double measure(const ImpulsePoint& point) const;
  /// The problem's own x and dual.
  void write(const ImpulsePoint& point, Vector& x, Vector& dual) const;
  /// p of the problem's x; lambda and nu of its dual.
  void read_start(const Vector& x, Vector& p) const;
  void read_dual(const Vector& dual, Vector& lambda, double& nu) const;

  SparseMatrix M;
  RowMatrix J, G;  ///< J by impulses
  Vector f, w, cost_v, cost_p;
  Vector e;  ///< of the row e'p <= kappa; empty where there is none
  double kappa = 0.0;
  std::vector<ImpulseCone> cones;
  std::vector<int> mass_block, mass_place;  ///< of each velocity: its block of M, and where in it
  std::vector<std::vector<int>> mass_blocks;
  std::vector<DenseMatrix> inverse_masses;

 private:
  std::optional<std::string> read_columns(const ConicQp& qp);
  std::optional<std::string> read_rows(const ConicQp& qp);
  std::optional<std::string> read_linear_row(const ConicQp& qp, int row, bool equation);
  std::optional<std::string> read_cone(int row, int size);
  std::optional<std::string> read_momentum(const ConicQp& qp);
  void add_cone(int row, int size, const std::vector<int>& unknowns,
                const std::vector<double>& scales, double mu);
  void read_mass_blocks();

  int unknowns_ = 0, rows_ = 0;
  std::vector<int> velocity_of_, impulse_of_;     // of each unknown, or -1
  std::vector<int> velocity_, momentum_row_;      // unknown and row of each velocity
  std::vector<int> impulse_, cone_row_;           // unknown and row of each impulse
  std::vector<double> impulse_scale_;             // unknown = impulse / scale
  std::vector<int> bound_row_, held_row_, held_;  // rows of G; rows p_i = 0 and their unknowns
  int total_row_ = -1;
  SparseMatrix by_row_;  // A', columns are rows of A
  RowMatrix held_rows_;  // J of the impulses that are held
  Vector held_cost_, held_total_;
};

}  // namespace perp
