// Many problems at once.
#pragma once

#include <perp/problems/standard/problem.hpp>
#include <perp/solvers/router.hpp>
#include <span>
#include <vector>

namespace perp {

/// Which problems share a structure (same_structure), each group in order; groups in the order of
/// their first problems.
std::vector<std::vector<int>> group_by_structure(std::span<const Problem> problems);

/// Solves and verifies every problem: result i has the bits that solve_verified(problems[i],
/// request) gives, its times left aside, in whatever order and on however many threads. A thread
/// keeps one Session, which goes through problems of one structure together, so that solvers are
/// made once and what depends on structure alone is prepared once.
/// @param request without a start; problems may have starts of their own. If there are several
/// threads, `make` is called by all of them.
/// @param threads at least 1; the caller's is one of them
/// @throws std::invalid_argument: a start or no thread; an unknown solver or setting; a malformed
/// problem, with its place in the batch. Of several the first.
std::vector<VerifiedResult> solve_batch(std::span<const Problem> problems,
                                        const SolveRequest& request, int threads = 1);

}  // namespace perp
