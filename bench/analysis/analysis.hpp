// What is known about an answer besides its residual: which contacts stick, slide or open, by what
// margin, and whether the answer is the only one.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <perp/bench/analysis/solution_set.hpp>
#include <perp/problems/standard/verifier.hpp>
#include <string>
#include <vector>

namespace perp {

/// State of an unknown: at a bound with its row pushing against it; between its bounds with its row
/// 0; or so near to both cases that the answer cannot tell them apart (biactive: not strictly
/// complementary).
struct RowState {
  std::string name;
  double value = 0.0, map = 0.0;  ///< z_i and F_i(z)
  std::string_view state;         ///< "at lower", "at upper", "between", "biactive", "fixed"
  double margin = 0.0;  ///< |F_i| at a bound, distance to the nearer bound between: how much may
                        ///< change before the state does; 0 if biactive
};

/// A number of a contact, with its range over all known solutions.
struct Ranged {
  std::string name;  ///< "normal", "friction 1", "friction 2", "torsion"
  double value = 0.0;
  Interval range{0.0, 0.0};
};

/// State of a contact. See contact_groups() for how the contacts of a problem are found.
struct ContactState {
  std::string name;
  std::string_view state;  ///< "stick", "slide", "open", "closed" (without friction), "undecidable"
  double margin = 0.0;  ///< stick: mu r_n - |r_t|; slide: the slip; open: the velocity of the gap;
                        ///< closed: r_n; in the problem's units
  std::vector<Ranged> impulse;
};

/// How much is known about the set of solutions.
enum class Determinacy {
  kNone,      ///< there is no solution: a checked certificate proves it
  kUnique,    ///< the answer is the only solution
  kSet,       ///< all solutions are known: a convex set, or a complete list
  kSubset,    ///< a set of solutions is known; there may be others outside it
  kLocal,     ///< no other solution is near; nothing is known about solutions further away
  kUndecided  ///< nothing is known: the answer is no solution, the problem is too large, or no test
              ///< decides
};
/// "none", "unique", "set", "part" (kSubset), "local" or "undecided".
std::string_view to_string(Determinacy determinacy);

/// The analysis of an answer; see analyse_answer().
struct Analysis {
  Answer answer;
  Verdict verdict;
  double tolerance = 0.0;      ///< distances and rows below it count as 0
  std::vector<RowState> rows;  ///< lcp, mlcp, mcp, box_qp
  std::vector<ContactState> contacts;
  Determinacy determinacy = Determinacy::kUndecided;
  std::string_view how;  ///< "monotone", "enumeration", "the same F", "the same velocities", ...
  int dimension = 0;     ///< upper bound of the dimension of the set
  std::vector<Interval> ranges;  ///< one for every unknown
  /// of an enumeration: number of solutions that differ in the impulses of contacts
  int impulses = 0;
  std::vector<Vector> solutions;  ///< of an enumeration: extreme points of the set
  int programs = 0;               ///< linear and cone programs that were solved
  double condition = 0.0;  ///< largest over least singular value of the matrix (M, H, P) or the
                           ///< Jacobian; NaN if it was not computed
  double active_condition = 0.0;  ///< the same for the rows and columns of unknowns that are
                                  ///< between their bounds or biactive
};

/// Largest number of unknowns for which sets of solutions and conditions are computed.
inline constexpr int kLargestAnalysed = 600;

/// Verifies the answer and analyses it. If verify() does not accept it, only the states are filled
/// in.
/// @throws std::invalid_argument if the answer has the wrong size
Analysis analyse_answer(const Problem& problem, const Answer& answer, double tolerance);

/// What is left to say of a problem that is proved to have no solution: no states of contacts and
/// rows. @param nearest the point at which the solver ended, if it has one
Analysis analysis_of_none(const Problem& problem, const Answer& nearest, double tolerance);

/// The perp-analysis document.
nlohmann::ordered_json analysis_to_json(const Problem& problem, const Analysis& analysis);
/// Text for a terminal; long lists are cut.
std::string analysis_text(const Problem& problem, const Analysis& analysis);

}  // namespace perp
