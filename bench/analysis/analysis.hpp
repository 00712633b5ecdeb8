// What can be said of a problem and an answer to it beside its residual: which contacts stick,
// slide or open and how surely, and whether the answer is the only one.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <perp/bench/analysis/solution_set.hpp>
#include <perp/problems/standard/verifier.hpp>
#include <string>
#include <vector>

namespace perp {

/// Where an unknown stands: at a bound with its row pushing against it, between its bounds with its
/// row 0, or so near to both that the answer does not tell (biactive, not strictly complementary).
struct RowState {
  std::string name;
  double value = 0.0, map = 0.0;  ///< z_i and F_i(z)
  std::string_view state;         ///< "at lower", "at upper", "between", "biactive", "fixed"
  double margin = 0.0;            ///< |F_i| at a bound, the distance from it between: how much may
                                  ///< change before the state does; 0 if biactive
};

/// A number of a contact, with what it may be over the solutions that are known.
struct Ranged {
  std::string name;  ///< "normal", "friction 1", "friction 2"
  double value = 0.0;
  Interval range{0.0, 0.0};
};

/// A contact, by the names of its unknowns (problem.contacts) or of a friction_contact.
struct ContactState {
  std::string name;
  std::string_view state;  ///< "stick", "slide", "open", "closed" (without friction), "undecidable"
  double margin = 0.0;     ///< mu r_n - |r_t| of stick, the slip of slide, the gap's velocity of
                           ///< open, r_n of closed; in the problem's units
  std::vector<Ranged> impulse;
};

/// How far the solutions are known.
enum class Determinacy {
  kUnique,    ///< it is the only one
  kSet,       ///< all are known: a convex set, or a list that is complete
  kSubset,    ///< a set of solutions is known, there may be others outside of it
  kLocal,     ///< no other one near it; nothing is known of those further away
  kUndecided  ///< no solution is known to speak of, or the problem is too large
};
std::string_view to_string(Determinacy determinacy);

struct Analysis {
  Answer answer;
  Verdict verdict;
  double tolerance = 0.0;      ///< below which distances and rows count as 0
  std::vector<RowState> rows;  ///< lcp, mlcp, mcp, box_qp
  std::vector<ContactState> contacts;
  Determinacy determinacy = Determinacy::kUndecided;
  std::string_view how;  ///< "monotone", "enumeration", "the same F", "the same velocities", ...
  int dimension = 0;     ///< of the set, at most
  std::vector<Interval> ranges;  ///< of every unknown
  int impulses = 0;  ///< of an enumeration: how many differ in what the contacts' impulses are
  std::vector<Vector> solutions;  ///< of an enumeration: extreme points of the set
  int programs = 0;               ///< linear and cone programs that were solved
  double condition = 0.0;         ///< of M (H, P, W), its largest by its least singular value
  double active_condition = 0.0;  ///< of the rows and columns between their bounds
};

/// Largest problem for which sets of solutions and conditions are computed.
inline constexpr int kLargestAnalysed = 600;

/// @param answer a solution, as far as verify() grants it. @throws std::invalid_argument: its size
Analysis analyse_answer(const Problem& problem, const Answer& answer, double tolerance);

nlohmann::ordered_json analysis_to_json(const Problem& problem, const Analysis& analysis);
std::string analysis_text(const Problem& problem, const Analysis& analysis);

}  // namespace perp
