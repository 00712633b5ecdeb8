"""Simulations with their trajectories as arrays."""
from __future__ import annotations

import os
from dataclasses import dataclass
from typing import Any, Callable

import numpy as np

from . import _perp


@dataclass(frozen=True)
class Simulation:
    """What a run left. Row 0 of the arrays is the initial state; T steps, B bodies; SI units, world frame."""
    bodies: list[str]              #: names of the B bodies, in the order of the columns
    time: np.ndarray               #: T + 1, s
    position: np.ndarray           #: T + 1 x B x 3, of the mass centres, m
    orientation: np.ndarray        #: T + 1 x B x 4, quaternions (w, x, y, z)
    velocity: np.ndarray           #: T + 1 x B x 3, m/s
    angular_velocity: np.ndarray   #: T + 1 x B x 3, rad/s
    kinetic: np.ndarray            #: T + 1, J
    potential: np.ndarray          #: T + 1, J
    solved: np.ndarray             #: T, whether every stage of the step was verified
    contacts: dict[str, Any]       #: columns, a row per step and contact: step, body_a, body_b, point (m), normal,
                                   #: gap (m), impulse (n, t, o in N s, torsion in N m s), slip (m/s), mode
    stages: list[dict[str, Any]]   #: a dict per step and stage: step, stage, solver, status, measure, iterations, ...
    steps: int
    failed_steps: int
    relaxed_steps: int
    uncertified_steps: int         #: relaxed ones without a checked certificate
    halved_steps: int              #: made in two or more parts, each of which counts as a step
    cut_short_steps: int           #: in which the model went on without a problem that was not solved
    approximate_steps: int         #: failed ones made with the point that their solves reached
    events: int                    #: impacts of an event-driven run
    iterations: int
    setup_time: float              #: s
    solve_time: float              #: s
    wall_time: float               #: s
    stopped: bool                  #: by on_step, or after a failed step
    message: str                   #: why a step failed
    final_state: _perp.State

    @property
    def energy(self) -> np.ndarray:
        """Kinetic and potential, T + 1, J."""
        return self.kinetic + self.potential

    def __repr__(self) -> str:
        failed = f" ({self.message})" if self.message else ""
        return (f"<perp.Simulation {self.steps} steps to {self.time[-1]:g} s, {self.failed_steps} failed{failed}, "
                f"{len(self.contacts['step'])} contacts>")


def simulate(scene: _perp.Scene | str | os.PathLike[str], formulation: str = "", solver: str = "auto", *, step: float = 0.0,
             duration: float = 0.0, tolerance: float = 1e-10, time_limit: float = 0.0, driver: str = "time-stepping",
             warm_start: bool = True, keep_going: bool = False, halvings: int = -1, threads: int = 1,
             max_events: int = 1000,
             record: str | os.PathLike[str] | None = None, problems: str = "failed",
             on_step: Callable[[int, _perp.State], Any] | None = None, parameters: dict[str, float] | None = None,
             **settings: Any) -> Simulation:
    """Simulates a scene; every problem of every step is verified.

    scene: a Scene, a name or a file (then with `parameters`). formulation, step (s) and duration (s): the scene's own
    if left out. record: a folder for what `perp simulate --record` writes; problems: none, failed, all or "A:B".
    halvings: times that a step without an answer is halved; -1: those of the formulation. threads: that each solve may
    use; the bits do not depend on them. max_events: event-driven: impacts within one step at most.
    on_step(number, state) is called after every step; False stops the run. Settings of the solver are further
    keywords. ValueError for unknown names and scenes that the formulation refuses."""
    if isinstance(scene, (str, os.PathLike)):
        scene = _perp.scene(os.fspath(scene), **(parameters or {}))
    elif parameters:
        raise ValueError("parameters: belong to a scene by name or file")
    names = [body["name"] for body in scene.bodies]
    return Simulation(bodies=names, **_perp.run_simulation(
        scene, formulation, solver, step, duration, tolerance, time_limit, driver, warm_start, keep_going,
        halvings, threads, max_events, "" if record is None else os.fspath(record), problems, on_step, **settings))
