// <perp/solvers.hpp>: the public headers of the library perp::solvers.
// What these include is public too; every other header of this folder is internal.
// (docs/reference/headers.md)
#pragma once

#include <perp/solvers/active_set/newton_min.hpp>
#include <perp/solvers/batch.hpp>
#include <perp/solvers/block_interior_point/block_augmented_lagrangian.hpp>
#include <perp/solvers/block_interior_point/block_interior_point.hpp>
#include <perp/solvers/box_interior_point/box_interior_point.hpp>
#include <perp/solvers/composed_solver.hpp>
#include <perp/solvers/core/solver.hpp>
#include <perp/solvers/core/structure.hpp>
#include <perp/solvers/enumeration/enumerate.hpp>
#include <perp/solvers/friction/admm.hpp>
#include <perp/solvers/friction/newton_ac.hpp>
#include <perp/solvers/friction/newton_pyramid.hpp>
#include <perp/solvers/friction/nsgs.hpp>
#include <perp/solvers/friction/proximal_newton.hpp>
#include <perp/solvers/friction/proximal_pyramid.hpp>
#include <perp/solvers/friction/sap.hpp>
#include <perp/solvers/friction/smoothing_continuation.hpp>
#include <perp/solvers/gradient_projection/gradient_projection.hpp>
#include <perp/solvers/interior_point/interior_point.hpp>
#include <perp/solvers/josephy_newton/josephy_newton.hpp>
#include <perp/solvers/multigrid/multigrid.hpp>
#include <perp/solvers/pivoting/lemke.hpp>
#include <perp/solvers/plans.hpp>
#include <perp/solvers/projection/pgs.hpp>
#include <perp/solvers/projection/rpgs.hpp>
#include <perp/solvers/reduced_problem.hpp>
#include <perp/solvers/registry.hpp>
#include <perp/solvers/router.hpp>
#include <perp/solvers/semismooth_newton/newton_fb.hpp>
#include <perp/solvers/session.hpp>
#include <perp/solvers/strategies/strategy.hpp>
#include <perp/solvers/strategies/tries.hpp>
#include <perp/solvers/verified_solve.hpp>
