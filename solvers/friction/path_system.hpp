// The linear systems of a path of smoothed problems.
#pragma once

#include <perp/solvers/friction/contact_newton_system.hpp>
#include <perp/solvers/friction/smoothed_contacts.hpp>
#include <perp/solvers/linear_algebra/gmres.hpp>
#include <string_view>

namespace perp {

/// A direction in (r, ln sigma), with the change of z = x - rho s (SmoothedContacts).
struct PathDirection {
  Vector r, z;
  double log_sigma = 0.0;
};

/// Linear systems at a point of the path Phi(r; ln sigma) = 0, with the bordered matrix
///   K = [J, b; t'],   J = dPhi/dr,   b = dPhi/dln sigma,
/// and the inner product with a tangent t of the path in the metric as the last row. The point is
/// that of the last evaluation of the smoothed contacts, with all of de Saxce's correction. If the
/// path turns, J is singular, and K is not [AllgowerGeorg2003].
///
/// Gmres solves them. Its preconditioner is K with the J and b of an earlier point, by block
/// elimination with the factors of that J. From point to point only few contacts change much. So a
/// few steps of Gmres are enough for many points, and each costs a small share of a factorisation.
/// If many steps were needed, the next system gets new factors.
class PathSystem final : private PreconditionedMap {
 public:
  /// Keeps references to both. @param algebra as in ContactNewtonSystem
  void attach(const ContactProblem& problem, const SmoothedContacts& smoothed,
              std::string_view algebra);

  /// Forgets factors and counts, for another path.
  void begin();
  /// Sets the weights of the contacts in the metric.
  void set_weights(const Vector& weights) { weights_ = weights; }
  /// The inner product of the metric: of the changes of z, and of those of ln sigma.
  double product(const PathDirection& a, const PathDirection& b) const;
  double norm(const PathDirection& a) const;

  /// d := -J^-1 Phi, with new factors. @return false if J is singular to rounding
  bool newton_step(Vector& d);
  /// The step with J dr + b dln sigma = -Phi, orthogonal to t, up to a hundredth of Phi.
  /// @return false if no factors lead there
  bool solve_across(const PathDirection& t, PathDirection& step);
  /// The direction with J dr + b dln sigma = 0 whose difference from t is orthogonal to t, up to a
  /// thousandth of what t leaves. @return false if no factors lead there
  bool solve_along(const PathDirection& t, PathDirection& next);
  /// The same up to 1e-8 of it, with new factors.
  bool solve_along_exactly(const PathDirection& t, PathDirection& next);

  /// Has the counts of factorisations and solves; each step of Gmres is one solve.
  const ContactNewtonSystem& factors() const { return factors_; }

 private:
  void apply(const Vector& v, Vector& x, Vector& w) override;
  bool factor();
  bool solve(double tolerance);
  bool solve_with_factors(double tolerance, int most);
  bool correct_along(const PathDirection& t, double tolerance, PathDirection& next);
  void find_change(PathDirection& direction);
  void multiply(const Vector& r, double log_sigma, Vector& w) const;

  const ContactProblem* problem_ = nullptr;
  const SmoothedContacts* smoothed_ = nullptr;
  const PathDirection* tangent_ = nullptr;
  ContactNewtonSystem factors_;
  bool usable_ = false;  // the factors
  Gmres gmres_;
  Vector weights_;
  Vector side_, solution_;      // of Gmres: rows in the units of the contacts; dr and dln sigma
  PathDirection along_, rest_;  // J along_ = -b at the point of the factors
  double along_product_ = 0.0;  // of along_ and the tangent
  Vector along_u_, u_;          // changes of u
};

}  // namespace perp
