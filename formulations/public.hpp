// <perp/formulations.hpp>: the public headers of the library perp::formulations.
// What these include is public too; every other header of this folder is internal.
// (docs/reference/headers.md)
#pragma once

#include <perp/formulations/dynamics/unknown_layout.hpp>
#include <perp/formulations/formulation.hpp>
#include <perp/formulations/gap/closed_form/closed_form_gap.hpp>
#include <perp/formulations/gap/equivalent_contact_point/ecp_gap.hpp>
#include <perp/formulations/gap/equivalent_contact_point/observed_contact.hpp>
#include <perp/formulations/gap/gap.hpp>
#include <perp/formulations/gap/gaps.hpp>
#include <perp/formulations/gap/implicit_gaps.hpp>
#include <perp/formulations/gap/nearest_points/nearest_points_gap.hpp>
#include <perp/formulations/gap/ratio_metric/ratio_gap.hpp>
#include <perp/formulations/law/compliant/compliant_law.hpp>
#include <perp/formulations/law/convex_relaxation/convex_relaxation_law.hpp>
#include <perp/formulations/law/exact_cone/exact_cone_law.hpp>
#include <perp/formulations/law/joint_friction/joint_friction.hpp>
#include <perp/formulations/law/law.hpp>
#include <perp/formulations/law/max_dissipation/max_dissipation_law.hpp>
#include <perp/formulations/law/penalty/penalty.hpp>
#include <perp/formulations/law/pyramid/pyramid_law.hpp>
#include <perp/formulations/registry.hpp>
#include <perp/formulations/stepping/implicit_step.hpp>
#include <perp/formulations/stepping/impulse_step.hpp>
#include <perp/formulations/stepping/theta_method/theta_rule.hpp>
