// <perp/problems.hpp>: the public headers of the library perp::problems.
// What these include is public too; every other header of this folder is internal.
// (docs/reference/headers.md)
#pragma once

#include <perp/problems/expression/compiled_function.hpp>
#include <perp/problems/expression/differentiation.hpp>
#include <perp/problems/expression/expr.hpp>
#include <perp/problems/families/family.hpp>
#include <perp/problems/io/problem_file.hpp>
#include <perp/problems/io/problem_json.hpp>
#include <perp/problems/io/sequence.hpp>
#include <perp/problems/json/json.hpp>
#include <perp/problems/matrix/matrix.hpp>
#include <perp/problems/scenes/mass_properties.hpp>
#include <perp/problems/scenes/scene.hpp>
#include <perp/problems/scenes/scene_json.hpp>
#include <perp/problems/settings/settings.hpp>
#include <perp/problems/standard/certificates.hpp>
#include <perp/problems/standard/convex_relaxation.hpp>
#include <perp/problems/standard/friction_pyramid.hpp>
#include <perp/problems/standard/mcp_function.hpp>
#include <perp/problems/standard/problem.hpp>
#include <perp/problems/standard/random.hpp>
#include <perp/problems/standard/reductions.hpp>
#include <perp/problems/standard/residuals.hpp>
#include <perp/problems/standard/verifier.hpp>

/// Complementarity problems of rigid-body contact: problems, solvers, formulations, simulation.
namespace perp {}
