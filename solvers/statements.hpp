// Reductions: other statements of a problem, for solvers that do not take its kind.
#pragma once

#include <functional>
#include <perp/problems/standard/reductions.hpp>
#include <perp/solvers/router.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace perp {

/// An exact reduction, made when it is needed.
struct ExactReduction {
  std::string_view kind;            ///< of the reduced problem
  std::function<Reduction()> make;  ///< @throws std::invalid_argument if this problem has none
};

/// Exact reductions to other kinds, reductions of reductions among them; the first is the one that
/// most solvers take. They refer to the problem, which must be valid and live as long.
std::vector<ExactReduction> exact_reductions(const Problem& problem);

/// The start of the reduced problem that corresponds to a start; nothing if there is none.
std::optional<Answer> start_of_reduction(const Reduction& reduction, const Start& start);

/// The reduction with the name `text`: convex, pyramid, pyramid:EDGES or fritz-john.
/// @throws std::invalid_argument if there is no reduction of that name
Reduction named_reduction(const FrictionContact& contact, const std::string& text);
/// @throws std::invalid_argument if there is no reduction of that name
void check_reduction(const std::string& text);

/// Advice for the text of a refusal: "; --set reduction=..." with a reduction to a kind that the
/// solver takes, or "".
std::string advice(const Solver& solver, const Problem& problem);

}  // namespace perp
