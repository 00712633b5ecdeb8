// The exact solution of friction at one contact.
#pragma once

namespace perp {

enum class LocalContactCase { kOpen, kStick, kSlide, kNone };

/// Solves K_mu ni r, u = W r + q, u + mu ||u_t|| n in K_mu*, r'(u + mu ||u_t|| n) = 0 for one
/// contact by its cases [BonnefonDaviet2011]: r = 0 where q_n >= 0; r = -W^-1 q where that lies in
/// the cone; else sliding, u_n = 0 and (T + lambda I) r_t = -q_hat with the Schur complement T of
/// W_nn, where lambda > 0 solves ||r_t|| = mu r_n: by safeguarded Newton steps on mu r_n / ||r_t||,
/// which is nearly linear in lambda, not by the quartic's closed form, which loses digits.
/// @param W nine values by columns. @param dimension 2: the third direction is left at zero
/// @param r the solution; unchanged where the result is kNone
/// @return kNone if no case holds, which needs a W that is not positive definite.
LocalContactCase solve_contact(const double* W, const double* q, double mu, int dimension,
                               double* r);

}  // namespace perp
