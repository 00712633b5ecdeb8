// The equations of a friction problem that Newton's method solves.
#pragma once

#include <perp/solvers/friction/contact_map.hpp>
#include <perp/solvers/friction/contact_problem.hpp>
#include <string_view>
#include <vector>

namespace perp {

/// Phi(r, u) = 0 with one of the maps of evaluate_contact() for each contact. rho of a contact is
/// positive and near the inverse of the curvature of its diagonal block. The zeros of Phi are the
/// solutions for every positive rho. All vectors have 3 values per contact, scaled.
class ContactEquations {
 public:
  /// Keeps a reference to the problem. @param map "ac" or "natural" @param rho "split" (1/W_nn and
  /// 1/|W_tt|) or "spectral" (one over the larger of both; natural and cone always use this)
  /// @param factor on every rho
  void attach(const ContactProblem& problem, std::string_view map, std::string_view rho,
              double factor);

  /// Computes Phi and its Jacobian, merit() and largest().
  void evaluate(const Vector& r, const Vector& u);
  const std::vector<ContactRows>& rows() const { return rows_; }
  double merit() const { return merit_; }      ///< 1/2 ||Phi||^2
  double largest() const { return largest_; }  ///< max |Phi_i|

  /// Only 1/2 ||Phi||^2 at (r, u).
  double merit(const Vector& r, const Vector& u) const;
  /// Phi'(A d + B w): the slope of the merit along (d, w) at the point of evaluate().
  double slope(const Vector& d, const Vector& w) const;

 private:
  const ContactProblem* problem_ = nullptr;
  ContactMap map_ = ContactMap::kAlartCurnier;
  Vector rho_n_, rho_t_;
  std::vector<ContactRows> rows_;
  double merit_ = 0.0, largest_ = 0.0;
};

}  // namespace perp
