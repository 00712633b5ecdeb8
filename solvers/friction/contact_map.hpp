// Equations for the contact law of one contact, with an element of their generalised Jacobian.
#pragma once

#include <string_view>

namespace perp {

enum class ContactMap {
  kAlartCurnier,
  kNatural,
};

/// The map of a name that the setting may have: ac or natural.
ContactMap contact_map(std::string_view name);

/// phi(r, u) of one contact and matrices with d phi = A dr + B du, nine values each, by columns.
struct ContactRows {
  double phi[3];
  double A[9], B[9];
  bool open;  ///< phi = r: A = I, B = 0
};

/// Alart and Curnier's map [AlartCurnier1991]:
///   phi_n = r_n - (r_n - rho_n u_n)^+,   phi_t = r_t - Pi_D(r_t - rho_t u_t),
/// D the disc of radius mu (r_n - rho_n u_n)^+; or the natural map
///   phi = r - Pi_K(r - rho_t (u + mu ||u_t|| n))   [AcaryBremondHuber2018].
/// Where it is not differentiable, one of the limits.
void evaluate_contact(ContactMap map, double mu, double rho_n, double rho_t, const double* r,
                      const double* u, ContactRows& rows);

/// The values alone.
void evaluate_contact(ContactMap map, double mu, double rho_n, double rho_t, const double* r,
                      const double* u, double* phi);

}  // namespace perp
