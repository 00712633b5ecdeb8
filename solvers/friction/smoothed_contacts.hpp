// Smooth equations near those of a friction problem, with a parameter that leads to them.
#pragma once

#include <perp/solvers/friction/contact_map.hpp>
#include <perp/solvers/friction/contact_problem.hpp>
#include <vector>

namespace perp {

/// Phi(r; sigma) = 0, whose solutions tend to those of the friction problem as sigma goes to 0. In
/// the unknowns x = (mu r_n, r_t), s = (u_n / mu + theta (h - delta), u_t) with h^2 = ||u_t||^2 +
/// delta^2, both cones are the second-order cone, and de Saxce's correction is the term with theta.
/// The map is that of Chen, Harker, Kanzow and Smale for this cone [FukushimaLuoTseng2002]:
///   phi = x - g(x - rho s),   g(y) = (y + sqrt(y^2 + 4 sigma_x^2 e)) / 2,
/// with the products and roots of the cone's Jordan algebra. Its zeros are the pairs inside of the
/// cones with x o (rho s) = sigma_x^2 e. theta = 0 gives the relaxed law, with one solution for
/// every sigma if W is positive semidefinite; theta = 1 is Coulomb's law. A contact with mu = 0 has
/// the same map for (r_n, u_n), and r_t = 0.
///
/// u = (W + kappa sigma I) r + q. Without the second term there is no zero if jammed bodies leave
/// no velocity with all contacts separating.
///
/// rho of a contact is one over the mean of its diagonal in these unknowns. The length sigma_x is
/// sigma times a unit of the contact, and delta is sigma times another one and `slip_smoothing`. So
/// sigma has no unit: at 1 the largest change of velocity is as large as what is smoothed. All
/// vectors have 3 values per contact, scaled as in ContactProblem.
class SmoothedContacts {
 public:
  /// Keeps a reference to the problem. @param compliance kappa: u = (W + kappa sigma I) r + q
  /// @param slip_smoothing delta over sigma, in units of the contact's velocity
  void attach(const ContactProblem& problem, double compliance, double slip_smoothing);

  /// r of the middle of the cones: x = sigma_x e.
  void set_centre(double sigma, Vector& r) const;
  /// Computes Phi and its derivatives at r. @param theta share of de Saxce's correction, 0 to 1
  void evaluate(double sigma, double theta, const Vector& r);

  /// Phi, and A and B with d Phi = A dr + B du.
  const std::vector<ContactRows>& rows() const { return rows_; }
  /// The rows with sigma dPhi/dsigma in place of Phi.
  const std::vector<ContactRows>& rows_of_sigma() const { return rows_of_sigma_; }
  /// kappa sigma of the last evaluation.
  double shift() const { return shift_; }
  double norm() const { return norm_; }        ///< ||Phi|| in the units of the contacts
  double largest() const { return largest_; }  ///< max |Phi_i| in the units of the contacts

  /// Unit of Phi of contact c: force times that of the scaling.
  double unit_of_force(int c) const { return units_[c].force; }
  /// Weight w_c of z = x - rho s in the metric of the path: one over the mean number of unknowns
  /// and the square of ||z_c|| + sigma_x.
  const Vector& weights() const { return weights_; }
  /// dz along (dr, du).
  void change_of_z(const Vector& dr, const Vector& du, Vector& dz) const;

 private:
  struct Unit {
    double rho = 1.0, force = 1.0, velocity = 1.0;  // of x, and of s
  };
  void evaluate_contact(int c, double sigma, double theta, const double* r, const double* u);
  void evaluate_frictionless(int c, double sigma, const double* r, const double* u);

  const ContactProblem* problem_ = nullptr;
  std::vector<Unit> units_;
  std::vector<ContactRows> rows_, rows_of_sigma_;
  Vector u_, along_, weights_;  // along_: derivatives of theta h by u_t, 3 values per contact
  double compliance_ = 0.0, slip_smoothing_ = 1.0, shift_ = 0.0, norm_ = 0.0, largest_ = 0.0;
};

}  // namespace perp
