"""perp: complementarity problems of rigid-body contact: formulate, solve, verify, measure.

    import numpy as np, perp

    problem = perp.lcp(np.array([[2.0, 1.0], [1.0, 2.0]]), np.array([-4.0, 1.0]))
    result = perp.solve(problem)
    print(result.status, result.z, result.measure)

Only the verifier says that a result is solved; what the solver claims of itself is `result.claimed`.
"""
from ._places import set_places as _set_places

_set_places()

from ._perp import (  # noqa: E402
    Contact, DeadlinePassed, InputError, Instance, Iteration, Problem, Result, Scene, Session, Stage, State, StepResult,
    Verdict, __version__, analyse, box_qp, conic_qp, contact_jacobian, convex_contact, data_folder, find_contacts,
    free_velocity, friction_contact, generate, instances, inverse_mass_matrix, kinetic_energy, lcp, mcp, mlcp, moved,
    potential_energy, read_sequence, scene, scene_problems, solve, solve_many, verify)
from .benchmark import bench, report, run_study  # noqa: E402
from .catalogue import (  # noqa: E402
    families, formulations, plans, scenes, solvers, strategies, studies, suites)
from .extending import formulation, register_formulation, register_solver, solver  # noqa: E402
from .files import export, from_arrays, read, to_arrays, write  # noqa: E402
from .frames import read_claims, read_records, read_tables  # noqa: E402
from .simulation import Simulation, simulate  # noqa: E402

__all__ = [
    "Contact", "DeadlinePassed", "InputError", "Instance", "Iteration", "Problem", "Result", "Scene", "Session",
    "Simulation", "Stage", "State", "StepResult", "Verdict", "__version__", "analyse", "bench", "box_qp", "conic_qp",
    "contact_jacobian", "convex_contact", "data_folder", "export", "families", "find_contacts", "formulation",
    "formulations", "free_velocity", "friction_contact", "from_arrays", "generate", "instances", "inverse_mass_matrix",
    "kinetic_energy", "lcp", "mcp", "mlcp", "moved", "plans", "potential_energy", "read", "read_claims", "read_records",
    "read_sequence", "read_tables", "register_formulation", "register_solver", "report", "run_study", "scene",
    "scene_problems", "scenes", "simulate", "solve", "solve_many", "solver", "solvers", "strategies", "studies",
    "suites", "to_arrays", "verify", "write",
]
