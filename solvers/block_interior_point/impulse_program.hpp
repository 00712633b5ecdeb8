// Conic QPs of velocities and impulses, read by their partition.
#pragma once

#include <memory>
#include <optional>
#include <perp/problems/standard/conic_qp.hpp>
#include <perp/problems/standard/friction_cone.hpp>
#include <perp/solvers/block_interior_point/mass_blocks.hpp>
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
  void put(int column, double value) {
    columns.push_back(column);
    values.push_back(value);
  }
  void end_row() { starts.push_back(static_cast<int>(columns.size())); }
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

/// One cone of impulses: { p : ||(p_2, ..., p_size)|| <= mu p_1 }, or p_1 >= 0 for size 1.
struct ImpulseCone {
  int first = 0, size = 1;  ///< first impulse, and number of impulses, at most 3
  double mu = 0.0;
};

/// Velocities v and impulses p with the multipliers: lambda of G v >= w, nu of e'p <= kappa, -m of
/// the momentum and s of the cones. M m = M v + c_v - G'lambda, s = J m + c_p + nu e.
struct ImpulsePoint {
  Vector v, m, p, s, lambda;
  double nu = 0.0;
};

/// A conic_qp of the form
///   min 1/2 v'Mv + c_v'v + c_p'p   over velocities v and impulses p
///   subject to  M v - J'p = f,  G v >= w,  e'p <= kappa,  p in a product of cones,
/// with M block diagonal and positive definite, in the order of the problem's partition. Impulses
/// are scaled by the factors of their rows, so that cones are circular. max-dissipation-step poses
/// such problems if there are no joints [DrumwrightShell2010, QP2].
///
/// Programs of velocities alone are read, too:
///   min 1/2 v'Mv + c'v  subject to  b - A v in a product of cones.
/// They have the same solutions as the form above with p, the dual of the cones' rows, as unknowns:
/// J = -A, f = -c, c_v = 0, c_p = b. anitescu-tasora with velocities kept poses them.
class ImpulseProgram {
 public:
  /// Why the problem does not have this form, or nothing if it has. Its partition must be valid.
  static std::optional<std::string> refusal(const ConicQp& qp);
  /// Takes a problem for which refusal() returns nothing. Only other sizes allocate.
  void read(const ConicQp& qp);

  /// Whether sizes, blocks and patterns are those of another program.
  bool has_structure_of(const ImpulseProgram& other) const;

  /// Sizes of the problem that was read.
  int unknowns() const { return static_cast<int>(velocity_of_.size()); }
  int rows() const { return static_cast<int>(role_.size()); }
  int velocities() const { return static_cast<int>(f.size()); }
  int impulses() const { return J.rows(); }
  int bounds() const { return G.rows(); }
  bool has_total() const { return e.size() > 0; }

  /// a M^-1 a' for row i = a of a matrix.
  double stiffness(const RowMatrix& rows, int i) const;

  /// pull += J'B e for one cone, with B = block.
  void pull_total(const ImpulseCone& cone, const Eigen::Matrix3d& block, Vector& pull) const;
  /// e'B (J m + e) for the solution (v, m) of the equations of ImpulseNewton with right-hand side
  /// (0, J'B e), as the equal sum (J m + e)'B (J m + e) + v'(M + G'D G)v. As posed, terms cancel
  /// that grow without bound along a path; of the sum none is negative.
  /// @param blocks B, one per cone @param weights D, one per row of G
  double curvature_of_total(const std::vector<Eigen::Matrix3d>& blocks, const Vector& weights,
                            const Vector& v, const Vector& m) const;

  /// Computes v, m and s from p, lambda and nu, so that momentum and stationarity hold to rounding.
  void complete(ImpulsePoint& point) const;
  /// An upper bound on the verifier's measure of a completed point with p in the cones and
  /// lambda, nu >= 0. It is the largest of all violations, in the problem's units, and of the
  /// products of multipliers and slacks, those of cones projected on them, cone by cone, so that
  /// nothing cancels. Infinite if the point is not finite.
  double measure(const ImpulsePoint& point) const;
  /// The same of one cone, with its impulses p in the cone and its slacks s.
  static double measure_of_cone(const ImpulseCone& cone, const double* p, const double* s);
  /// Writes the point as x and dual of the problem as posed.
  void write(const ImpulsePoint& point, Vector& x, Vector& dual) const;
  /// Takes what x of the problem as posed says of p: nothing if its unknowns are velocities alone.
  void read_start(const Vector& x, Vector& p) const;
  /// Takes what the dual of the problem as posed says: lambda and nu, or else p.
  void read_dual(const Vector& dual, ImpulsePoint& point) const;

  MassBlocks mass;
  RowMatrix J, G;               ///< one row per impulse; one row per bound
  Vector f, w, cost_v, cost_p;  ///< cost_v, cost_p: c_v, c_p
  Vector e;                     ///< of the row e'p <= kappa; empty if there is none
  double kappa = 0.0;
  std::vector<ImpulseCone> cones;

 private:
  /// Impulses that are fixed at 0, in the problem's own scale: data for the multipliers of their
  /// rows.
  struct Held {
    RowMatrix J;
    Vector cost, total, factor;  // factor: of the impulse in its row
  };

  void assign_roles(const ConicQp& qp);
  void read_impulses(const ConicQp& qp);
  void read_dual_impulses(const ConicQp& qp);
  void gather_rows(const ConicQp& qp, int count, RowMatrix& to);
  void read_bounds(const ConicQp& qp);
  void read_held(const ConicQp& qp);

  std::shared_ptr<const Partition> partition_;
  bool velocities_alone_ = false;
  std::vector<int> velocity_of_;       // of each unknown, or -1
  std::vector<int> role_;              // of each row: i of velocity i, -2 - i of bound i, or -1
  std::vector<double> impulse_scale_;  // unknown = impulse / scale
  std::vector<int> next_;              // work space: places in rows of G
  Vector largest_;                     // work space: largest entries
  Held held_;
};

}  // namespace perp
