// The regularisation of a compliant contact point.
#pragma once

#include <Eigen/Core>
#include <limits>

namespace perp {

/// The properties of a contact point. SI.
struct CompliantPoint {
  double inverse_mass = 0.0;  ///< w, 1/kg: effective_inverse_mass()
  double gap = 0.0;           ///< m; the gap at the end of the step if v_n = 0
  double stiffness = std::numeric_limits<double>::infinity();  ///< N/m; infinite: near-rigid
  double dissipation = 0.0;  ///< tau_d, s; a near-rigid point has beta h / pi instead
};

/// The values that all points of a step share.
struct CompliantStep {
  double h = 0.0;       ///< s
  double share = 1.0;   ///< share of the velocity at the end of the step in the change of
                        ///< the gap
  double beta = 1.0;    ///< bound on stiffness: R_n is at least beta^2 w / (4 pi^2) [-]
  double sigma = 1e-3;  ///< R_t / w [-]
};

/// R and bias of a point in ConvexContact, 1/kg and m/s [CastroPermenterHan2022, Sec. V]:
///   R_n = max(beta^2 w / (4 pi^2), 1 / (h k (share h + tau_d))),  R_t = sigma w,
///   bias_n = -gap / (share h + tau_d).
struct CompliantRegularisation {
  double normal, tangential, bias;
};
CompliantRegularisation regularise(const CompliantPoint& point, const CompliantStep& step);

/// w = ||W_ii||_F / 3, 1/kg, with the 3 x 3 block W_ii of a contact in J M^-1 J'.
double effective_inverse_mass(const Eigen::Matrix3d& block);

}  // namespace perp
