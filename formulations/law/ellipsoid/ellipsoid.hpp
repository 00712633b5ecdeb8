// Coulomb friction over an ellipsoid by maximum dissipation, as rows of a recorded step.
#pragma once

#include <perp/formulations/dynamics/step_recorder.hpp>
#include <string>

namespace perp {

/// The form in which the friction law is written.
enum class FrictionForm {
  kFritzJohn,  ///< as the paper prints it: singular at p_n = 0
  kNormalised  ///< in friction over normal impulse: regular at p_n = 0
};

/// Adds the friction of a contact whose normal impulse is already recorded. With weighted
/// components
/// q_k = p_k / (mu e_k), u_k = e_k v_k for k = t, o, r it is
///   p_n u_k + sigma q_k = 0,  0 <= sigma complementary to p_n^2 - q'q,
/// which is [XieChakraborty2020, Eq. 9] divided by mu e_k and mu^2. The form kNormalised has
/// b = q / p_n:
///   u_k + sigma b_k = 0,  0 <= sigma complementary to 1 - b'b.
/// Adds nothing if there is no friction; in 2D only t; without r if e_r = 0. Keys: `key` + 1 to
/// `key` + 4.
void record_friction(StepRecorder& step, FrictionForm form, const std::string& name,
                     std::uint64_t key, const RecordedContact& contact, ContactUnknowns& unknowns);

/// Start values of the friction of a contact from a prediction with p_n > 0, along t and o = n x t.
void start_friction(const StepScales& scales, const ContactProperties& properties,
                    FrictionForm form, const ContactUnknowns& unknowns,
                    const PredictedContact& predicted, const Vector3d& n, const Vector3d& t,
                    Vector& z);

/// The impulses of a contact in an answer: p_n, p_t, p_o in N s, p_r in N m s.
struct ContactImpulse {
  double p_n = 0.0, p_t = 0.0, p_o = 0.0, p_r = 0.0;
};
ContactImpulse contact_impulse(const StepScales& scales, const ContactProperties& properties,
                               FrictionForm form, const ContactUnknowns& unknowns, const Vector& z);

}  // namespace perp
