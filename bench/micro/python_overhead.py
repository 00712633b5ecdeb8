#!/usr/bin/env python3
"""What a solve from Python costs beyond the same solve from C++: a dense LCP of 20 unknowns, in turns, medians.

    PYTHONPATH=build/release/python python3 bench/micro/python_overhead.py [COUNT]

Prints one JSON object: times in microseconds, with verification, from the problem in memory to z as an array."""
import json
import statistics
import sys
import time

import numpy as np
import perp


def measure(problem, solver, count):
    from_cpp, from_python = [], []
    for _ in range(count // 100):  # in turns, so that both see the same machine
        from_cpp += perp._perp.solve_times(problem, solver, 100)
        for _ in range(100):
            begun = time.perf_counter()
            perp.solve(problem, solver).z
            from_python.append(time.perf_counter() - begun)
    cpp, python = (1e6 * statistics.median(times) for times in (from_cpp, from_python))
    return {"solver": solver, "cpp": round(cpp, 2), "python": round(python, 2), "overhead": round(python - cpp, 2)}


def main():
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 5000
    rng = np.random.default_rng(1)
    a = rng.normal(size=(20, 20))
    problem = perp.lcp(a @ a.T + np.eye(20), rng.normal(size=20))
    assert perp.solve(problem, "lemke").solved
    begun = time.perf_counter()
    for _ in range(count):
        perp.lcp(a, problem["q"])
    build = 1e6 * (time.perf_counter() - begun) / count
    print(json.dumps({"unknowns": 20, "count": count, "build": round(build, 2),
                      "solves": [measure(problem, solver, count) for solver in ("lemke", "newton-fb", "auto")]}))


if __name__ == "__main__":
    main()
