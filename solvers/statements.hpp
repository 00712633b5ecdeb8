// Other statements of a problem, for solvers that do not take it as it is.
#pragma once

#include <functional>
#include <perp/problems/standard/reductions.hpp>
#include <perp/solvers/router.hpp>
#include <string>
#include <vector>

namespace perp {

/// Makes a statement when it is needed.
using MakeReduction = std::function<Reduction()>;

/// Exact statements in other kinds, the one that most solvers take first. They refer to the
/// problem.
std::vector<MakeReduction> exact_reductions(const Problem& problem);

/// A start as one of the reduced problem; nothing if there is none.
std::optional<Answer> start_of_reduction(const Reduction& reduction, const Start& start);

/// The reduction that a setting names. @throws std::invalid_argument
Reduction named_reduction(const FrictionContact& contact, const std::string& text);
/// @throws std::invalid_argument if there is no reduction of that name
void check_reduction(const std::string& text);

/// What a refusal may be turned into: "; --set reduction=..." of a statement that the solver takes,
/// or "".
std::string advice(const Solver& solver, const Problem& problem);

}  // namespace perp
