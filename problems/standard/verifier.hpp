// The only judge of what is solved.
#pragma once

#include <optional>
#include <perp/problems/standard/certificates.hpp>
#include <perp/problems/standard/residuals.hpp>
#include <string>
#include <string_view>

namespace perp {

/// What is claimed to solve a problem: z, and for a conic_qp the dual y.
struct Answer {
  Vector z;
  Vector dual;
};

/// Whether a problem asks for nothing: a point that nobody had to compute is good enough already.
enum class Vacuous {
  kNo,
  kZero,   ///< the projection of 0 on the bounds or cones (conic_qp: x = 0, y = 0)
  kStart,  ///< the projection of the start that the problem holds (conic_qp: with y = 0)
};

/// "no", "zero" or "start".
std::string_view to_string(Vacuous vacuous);

/// What the verifier found. `measure` is the number compared with the tolerance:
///   lcp, mlcp, box_qp, convex_contact: ||natural residual||_inf, absolute;
///   mcp: the larger of that and Residuals::at_bounds;
///   conic_qp: the largest of primal residual, dual residual and complementarity, absolute;
///   friction_contact: that of FrictionMeasure: relative, whole and part by part.
struct Verdict {
  bool solved = false;
  /// Not solved, but the worst row misses by no more than rounding alone can leave there, so that
  /// no better answer in doubles may exist. Never granted.
  bool at_floor = false;
  double measure = Residuals::kNone;
  double tolerance = 0.0;
  Vacuous vacuous = Vacuous::kNo;  ///< of the problem at this tolerance; of a Problem only
  Residuals residuals;
};

/// Judges an answer on the problem as posed. @throws std::invalid_argument if a size is wrong.
Verdict verify(const Problem& problem, const Answer& answer, double tolerance);
/// Likewise, without looking for a vacuous answer. @param work used if it is given, and then kept
Verdict verify(const ProblemData& problem, const Answer& answer, double tolerance,
               ResidualWork* work = nullptr);

/// Whether the projection of 0, or of the problem's start, meets the tolerance.
Vacuous vacuous_answer(const Problem& problem, double tolerance);

/// Name of the worst row: of the unknown, or "row 3" for a row of A of a conic_qp; "" if none.
std::string worst_name(const Problem& problem, const Residuals& residuals);

}  // namespace perp
