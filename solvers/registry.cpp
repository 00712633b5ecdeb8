#include <perp/solvers/registry.hpp>

#include <perp/solvers/active_set/newton_min.hpp>
#include <perp/solvers/block_interior_point/block_augmented_lagrangian.hpp>
#include <perp/solvers/block_interior_point/block_interior_point.hpp>
#include <perp/solvers/box_interior_point/box_interior_point.hpp>
#include <perp/solvers/composed_solver.hpp>
#include <perp/solvers/enumeration/enumerate.hpp>
#include <perp/solvers/friction/admm.hpp>
#include <perp/solvers/friction/newton_ac.hpp>
#include <perp/solvers/friction/newton_cone.hpp>
#include <perp/solvers/friction/newton_pyramid.hpp>
#include <perp/solvers/friction/nsgs.hpp>
#include <perp/solvers/friction/proximal_cone.hpp>
#include <perp/solvers/friction/proximal_newton.hpp>
#include <perp/solvers/friction/proximal_pyramid.hpp>
#include <perp/solvers/friction/sap.hpp>
#include <perp/solvers/friction/smoothing_continuation.hpp>
#include <perp/solvers/gradient_projection/gradient_projection.hpp>
#include <perp/solvers/interior_point/interior_point.hpp>
#include <perp/solvers/josephy_newton/josephy_newton.hpp>
#include <perp/solvers/multigrid/multigrid.hpp>
#include <perp/solvers/pivoting/lemke.hpp>
#include <perp/solvers/projection/pgs.hpp>
#include <perp/solvers/projection/rpgs.hpp>
#include <perp/solvers/semismooth_newton/newton_fb.hpp>

#include <fmt/format.h>
#include <stdexcept>

namespace perp {

const std::vector<SolverFactory>& solver_registry() {
  // To add a solver, add its line here.
  static const std::vector<SolverFactory> registry = {
      [] { return std::make_unique<Lemke>(); },
      [] { return std::make_unique<NewtonFb>(); },
      [] { return std::make_unique<JosephyNewton>(); },
      [] { return std::make_unique<ProjectedGaussSeidel>(); },
      [] { return std::make_unique<RegularisedProjectedGaussSeidel>(); },
      [] { return std::make_unique<NewtonMin>(); },
      [] { return std::make_unique<GradientProjection>(); },
      [] { return std::make_unique<Multigrid>(); },
      [] { return std::make_unique<InteriorPoint>(); },
      [] { return std::make_unique<BlockInteriorPoint>(); },
      [] { return std::make_unique<BlockAugmentedLagrangian>(); },
      [] { return std::make_unique<BoxInteriorPoint>(); },
      [] { return std::make_unique<Enumerate>(); },
      [] { return std::make_unique<Nsgs>(); },
      [] { return std::make_unique<NewtonAc>(); },
      [] { return std::make_unique<NewtonPyramid>(); },
      [] { return std::make_unique<NewtonCone>(); },
      [] { return std::make_unique<ProximalNewton>(); },
      [] { return std::make_unique<ProximalPyramid>(); },
      [] { return std::make_unique<ProximalCone>(); },
      [] { return std::make_unique<SmoothingContinuation>(); },
      [] { return std::make_unique<Admm>(); },
      [] { return std::make_unique<Sap>(); },
  };
  return registry;
}

std::unique_ptr<Solver> make_solver(std::string_view name) {
  if (name == "auto" || is_expression(name))
    return std::make_unique<ComposedSolver>(name, make_solver);
  std::vector<std::string_view> names;
  for (const SolverFactory& make : solver_registry()) {
    std::unique_ptr<Solver> solver = make();
    if (solver->traits().name == name) return solver;
    names.push_back(solver->traits().name);
  }
  throw std::invalid_argument(
      fmt::format("unknown solver \"{}\"; there are: auto, {}", name, fmt::join(names, ", ")));
}

}  // namespace perp
