// A problem with bounds in scaled unknowns, with the map and the products that Newton methods need.
#pragma once

#include <cstdint>
#include <perp/problems/standard/problem.hpp>
#include <perp/solvers/box/bound_signs.hpp>
#include <perp/solvers/box/box_matrix.hpp>
#include <perp/solvers/box/box_scaling.hpp>
#include <perp/solvers/box/point_function.hpp>
#include <string_view>
#include <vector>

namespace perp {

/// A solver claims an answer if its residual is at most this times the tolerance: the rest is for
/// the rounding of the verifier's own sums.
inline constexpr double kClaim = 1.0 - 1e-9;
/// The same if F is nonlinear: the verifier rounds its operations otherwise.
inline constexpr double kClaimNonlinear = 0.9;

/// How matrices are stored.
enum class SystemStorage { kAuto, kDense, kSparse };

/// The storage that a setting names: auto, dense or sparse.
SystemStorage storage_named(std::string_view name);

/// l <= z <= u complementary to F(z), from an lcp, mlcp or mcp, in scaled unknowns: z = C z^,
/// F^ = R F, M^ = R M C (BoxScaling), with M the Jacobian of F. R and C of a nonlinear problem come
/// from its Jacobian at the start. A linear problem is also scaled as a whole, by the largest |R
/// q|.
///
/// For a nonlinear F the object holds the Jacobian at the point of the last call of linearise().
/// All vectors have n = size() values.
class BoxProblem {
 public:
  enum class Scaling { kNever, kWhereBad, kAlways };

  /// How the problem is scaled and stored.
  struct Options {
    Scaling scaling = Scaling::kNever;  ///< kWhereBad: if the maximum of a row or column is beyond
                                        ///< 1/100 ... 100; else scaling does not help the merit
    SystemStorage storage = SystemStorage::kAuto;
    bool (*prefers_sparse)(const Matrix& pattern) = nullptr;  ///< asked if storage is kAuto
  };

  /// Takes the problem, an lcp, mlcp or mcp. @throws DeadlinePassed
  void build(const Problem& problem, const Options& options, const Deadline& deadline);
  /// Takes new values and keeps the storage. @return false if the structure differs: call build().
  bool update(const Problem& problem, const Deadline& deadline);
  /// z := the start in scaled unknowns; without a start, the point of the box that is nearest to 0.
  /// For a nonlinear problem the start is moved into the bounds, the problem is scaled by its
  /// Jacobian there, and all values of an earlier solve are forgotten.
  void begin(const Vector* start, Vector& z);

  int size() const { return static_cast<int>(lower.size()); }
  bool is_linear() const { return linear_; }
  const NewtonMatrix& matrix() const { return matrix_; }

  /// f := F(z). map_extended() computes the sums of a linear F in extended precision and rounds
  /// once.
  void map(const Vector& z, Vector& f);
  void map_extended(const Vector& z, Vector& f);
  /// M := dF/dz at z; does nothing if M already has these values.
  /// @return false if an entry is not finite: undefined_row() names the first such row.
  bool linearise(const Vector& z);
  int undefined_row() const { return undefined_row_; }

  /// ||mid(z - l, z - u, F)||_inf of the problem as posed, for scaled z and F; infinity if an entry
  /// of F is not finite.
  double natural_residual(const Vector& z, const Vector& f) const;
  /// Whether F keeps its signs at the bounds (BoundSigns), for scaled z and F; true if F is linear.
  bool signs_hold(const Vector& z, const Vector& f, double tolerance);
  void to_original(const Vector& scaled, Vector& z) const;
  void from_original(const Vector& z, Vector& scaled) const;

  Vector lower, upper;
  int evaluations() const { return linear_ ? linear_evaluations_ : function_.evaluations; }
  int jacobian_evaluations() const { return linear_ ? 0 : function_.jacobian_evaluations; }

 private:
  bool wants_sparse(const Matrix& pattern) const;
  bool is_stored_for(const Matrix& m);
  bool take_linear(const Problem& problem);
  void scale_here();

  Options options_;
  bool linear_ = false;
  BoxScaling scaling_;
  BoxMatrix matrix_;
  // Linear problems.
  std::uint64_t zeros_ = 0;  // hash of the places where M is not zero
  Vector q_;
  std::vector<long double> sums_;
  int linear_evaluations_ = 0;

  // Nonlinear problems.
  PointFunction function_;
  Vector posed_lower_, posed_upper_;
  Vector unscaled_;  // work space: a point of the problem as posed
  BoundSigns signs_;
  Vector posed_z_, posed_f_;  // the point and F that signs_ checks
  bool filled_ = false;       // whether matrix_ holds the Jacobian of function_
  int undefined_row_ = -1;
};

}  // namespace perp
