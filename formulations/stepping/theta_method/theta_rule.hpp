// Steps of the theta-method.
#pragma once

#include <perp/formulations/stepping/motion_rule.hpp>

namespace perp {

/// The theta-method in two stages [CastroPermenterHan2022, Sec. II]: `free-motion`, the momentum
/// balance without contact as an mcp without bounds (none if it is explicit), then contact with the
/// balance linearised about its answer. Settings: theta, theta_q, theta_v, theta_vq, end_gap, A.
/// Derivation: README.md.
std::unique_ptr<MotionRule> make_theta_rule();

}  // namespace perp
