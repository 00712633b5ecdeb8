// Steps of the theta-method.
#pragma once

#include <perp/formulations/stepping/motion_rule.hpp>

namespace perp {

/// The theta-method in two stages [CastroPermenterHan2022, Sec. II]. The stage `free-motion` is the
/// momentum balance without contact, an mcp without bounds (left out if the method is explicit).
/// Then comes contact, with the balance linearised about the answer of the first stage. Settings:
/// theta, theta_q, theta_v, theta_vq, end_gap, A. Derivation: README.md.
std::unique_ptr<MotionRule> make_theta_rule();

}  // namespace perp
