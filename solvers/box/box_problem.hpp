// A problem over bounds, in scaled unknowns, with the map and the products that Newton methods
// need.
#pragma once

#include <perp/problems/standard/problem.hpp>
#include <perp/solvers/box/bound_signs.hpp>
#include <perp/solvers/box/box_matrix.hpp>
#include <perp/solvers/box/box_scaling.hpp>
#include <perp/solvers/box/point_function.hpp>
#include <string_view>
#include <vector>

namespace perp {

/// Share of the tolerance that is claimed: the rounding of the verifier's own sums.
inline constexpr double kClaim = 1.0 - 1e-9;

enum class SystemStorage { kAuto, kDense, kSparse };

/// Of a setting: auto, dense or sparse.
SystemStorage storage_named(std::string_view name);

/// l <= z <= u complementary to F(z), from an lcp, mlcp or mcp, in scaled unknowns: z = C z^,
/// F^ = R F, M^ = R M C (BoxScaling), where M is the Jacobian of F. A linear problem is scaled as a
/// whole besides, by the largest |R q|; a nonlinear one by its Jacobian at the start.
///
/// Of a nonlinear F the object holds the Jacobian at the point where linearise() was called last.
class BoxProblem {
 public:
  enum class Scaling { kNever, kWhereBad, kAlways };

  struct Options {
    Scaling scaling = Scaling::kNever;  ///< kWhereBad: if a maximum is beyond 1/100 ... 100, since
                                        ///< Newton's method on a merit gains nothing otherwise
    SystemStorage storage = SystemStorage::kAuto;
    bool (*prefers_sparse)(const Matrix& pattern) = nullptr;  ///< asked if storage is kAuto
  };

  /// @throws DeadlinePassed
  void build(const Problem& problem, const Options& options, const Deadline& deadline);
  /// Takes other values; storage stays. @return false if the structure is another one: build().
  bool update(const Problem& problem, const Deadline& deadline);
  /// z := the start in scaled unknowns; without one, the point of the box that is nearest to 0. A
  /// nonlinear problem has its start moved into the bounds, is scaled by its Jacobian there, and
  /// forgets all values of an earlier solve.
  void begin(const Vector* start, Vector& z);

  int size() const { return static_cast<int>(lower.size()); }
  bool is_linear() const { return linear_; }
  const NewtonMatrix& matrix() const { return matrix_; }

  /// f := F(z), and the same with the sums of a linear F in extended precision, rounded once.
  void map(const Vector& z, Vector& f);
  void map_extended(const Vector& z, Vector& f);
  /// M := dF/dz at z; nothing is done where it is there already.
  /// @return false if an entry is not finite: undefined_row() names the first such row.
  bool linearise(const Vector& z);
  int undefined_row() const { return undefined_row_; }

  /// ||mid(z - l, z - u, F)|| of the problem as posed, for scaled z and F.
  double natural_residual(const Vector& z, const Vector& f) const;
  /// Whether F holds its signs at the bounds (BoundSigns), for scaled z and F; true where F is
  /// linear.
  bool signs_hold(const Vector& z, const Vector& f, double tolerance);
  void to_original(const Vector& scaled, Vector& z) const;
  void from_original(const Vector& z, Vector& scaled) const;

  Vector lower, upper;
  int evaluations() const { return linear_ ? linear_evaluations_ : function_.evaluations; }
  int jacobian_evaluations() const { return linear_ ? 0 : function_.jacobian_evaluations; }

 private:
  bool take_linear(const Problem& problem);
  void scale_here();

  Options options_;
  bool linear_ = false;
  BoxScaling scaling_;
  BoxMatrix matrix_;
  Vector q_;                       // linear problems only
  std::vector<long double> sums_;  // likewise
  int linear_evaluations_ = 0;

  // Nonlinear problems.
  PointFunction function_;
  Vector posed_lower_, posed_upper_;
  Vector unscaled_;  // the point in work
  BoundSigns signs_;
  Vector posed_z_, posed_f_;  // where they are looked at
  bool filled_ = false;       // whether matrix_ holds the Jacobian of function_
  int undefined_row_ = -1;
};

}  // namespace perp
