// The exact solution of friction at one contact.
#pragma once

namespace perp {

enum class LocalContactCase { kOpen, kStick, kSlide, kNone };

/// Solves r in K_mu, u = W r + q, u + mu ||u_t|| n in K_mu*, r'(u + mu ||u_t|| n) = 0 for one
/// contact by its cases [BonnefonDaviet2011]. Open: r = 0 if q_n >= 0. Sticking: r = -W^-1 q if
/// that lies in the cone. Else sliding: u_n = 0 and (T + lambda I) r_t = -q_hat, with T the Schur
/// complement of W_nn and q_hat = q_t - W_tn q_n / W_nn. lambda > 0 solves ||r_t|| = mu r_n. It is
/// found by safeguarded Newton steps on mu r_n / ||r_t||, which is nearly linear in lambda. The
/// closed form of the quartic loses digits.
/// @param W nine values by columns @param q three values @param dimension 2: the third direction
/// stays zero
/// @param r the solution, three values; unchanged if the result is kNone
/// @param slip_ratio a guess of lambda = ||u_t|| / ||r_t||, to start the Newton steps; 0 for none
/// @return the case; kNone if none holds, which happens only if W is not positive definite.
LocalContactCase solve_contact(const double* W, const double* q, double mu, int dimension,
                               double* r, double slip_ratio = 0.0);

}  // namespace perp
