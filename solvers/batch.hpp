// Many problems at once.
#pragma once

#include <perp/problems/standard/problem.hpp>
#include <perp/solvers/router.hpp>
#include <span>
#include <vector>

namespace perp {

/// Groups of problems with the same structure (same_structure), as indices into `problems`, in
/// ascending order. The groups stand in the order of their first problems.
std::vector<std::vector<int>> group_by_structure(std::span<const Problem> problems);

/// Solves and verifies every problem. Result i is bit for bit that of solve_verified(problems[i],
/// request), except for its times; it does not depend on the order or the number of threads. Every
/// thread keeps one Session and solves up to 32 problems of one structure one after the other: for
/// these, solvers are made once, and what depends on the structure alone is prepared once.
/// @param request without a start; problems may have starts of their own. If there are several
/// threads, all of them call `make`.
/// @param threads at least 1; the caller's is one of them. If the system starts fewer, these do the
/// work.
/// @param observer of every solve, or nullptr; all threads call it at the same time
/// @throws std::invalid_argument for a start in the request, fewer than one thread, an unknown
/// solver or setting, or a malformed problem (the text gives its place in the batch; the first one
/// if there are several).
std::vector<VerifiedResult> solve_batch(std::span<const Problem> problems,
                                        const SolveRequest& request, int threads = 1,
                                        Observer* observer = nullptr);

}  // namespace perp
