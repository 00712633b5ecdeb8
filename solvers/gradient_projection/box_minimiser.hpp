// The GPCG iteration for quadratic functions on boxes.
#pragma once

#include <perp/problems/settings/settings.hpp>
#include <perp/solvers/active_set/free_block.hpp>
#include <perp/solvers/core/solver.hpp>
#include <perp/solvers/gradient_projection/face_conjugate_gradients.hpp>
#include <perp/solvers/gradient_projection/projected_search.hpp>
#include <string>

namespace perp {

/// Settings of GradientProjection.
struct GradientProjectionSettings {
  std::string face = "auto";       ///< minimisation over a face: auto, cg, factorise
  int cg_faces = 2;                ///< number of first faces of a dense H that are not factorised
  int gradient_steps = 8;          ///< projected gradient steps in a row at most
  double gradient_progress = 0.1;  ///< they end if the last gain over the best one is at most this
  double cg_progress = 0.1;        ///< the same for conjugate gradients [-]
  double regularisation = 1e-9;    ///< first rho over max|H|, if a face is singular [-]
  int escapes = 100;               ///< departures from saddle points at most

  /// Shows every setting to a visitor, such as a SettingVisitor.
  template <class Visitor>
  void visit(Visitor& v) {
    v.visit("face", face, "minimisation over a face: auto, cg (products only) or factorise",
            Choices{"auto", "cg", "factorise"});
    v.visit("cg_faces", cg_faces,
            "number of first faces of a dense H that are not factorised, in auto");
    v.visit("gradient_steps", gradient_steps, "projected gradient steps in a row at most",
            kAtLeastOne);
    v.visit("gradient_progress", gradient_progress,
            "gradient steps end if the last gain over the best one is at most this");
    v.visit("cg_progress", cg_progress, "the same for conjugate gradients");
    v.visit("regularisation", regularisation, "rho over max|H|, if a face is singular");
    v.visit("escapes", escapes, "departures from saddle points at most, for an indefinite H");
  }
};

/// Minimises 1/2 x'Hx + c'x over l <= x <= u by GPCG [MoreToraldo1991; NocedalWright2006,
/// Sec. 16.7]. One iteration is
///   1. steps along the projected gradient, P(x - alpha D g) with D = diag(1 / H_ii), until the set
///      of unknowns at bounds stays the same or the gain is small;
///   2. the minimum d over the face of the unknowns that are not at bounds, and the projected
///      search along P(x + alpha d) for a sufficient decrease.
/// Step 1 is left out as long as no unknown at a bound is pulled off it. While faces change,
/// conjugate gradients find a rough minimum over a face; later a factorisation of H_FF (FreeBlock)
/// gives the exact one. If H_FF is singular, steps are regularised, (H_FF + rho I) d = -g_F.
///
/// The objective never rises, and the point stays in the box.
class BoxMinimiser {
 public:
  /// The function; to be set before attach().
  BoxQuadratic problem;

  /// Prepares the work space for the function.
  void attach();
  /// Settings and limits of one run; all must stay alive.
  struct Rules {
    const GradientProjectionSettings& settings;
    const Limits& limits;
    const Deadline& deadline;
  };
  /// @param start n values as posed, or nullptr
  void run(const Rules& rules, const Vector* start, Observer* observer, Result& result);

 private:
  using End = ProjectedSearch::End;
  enum class Step { kDone, kUnbounded, kNone };

  /// Unknowns between their bounds, ascending, and as flags.
  struct Face {
    std::vector<int> members;
    std::vector<char> free;
  };
  struct Counts {
    int faces = 0, gradient_steps = 0, escapes = 0, regularised_steps = 0;
  };

  void begin(const Vector* start);
  std::optional<Status> iterate(int iteration, Observer* observer);
  bool at_end(Result& result);
  Step advance(bool first);
  void evaluate_gradient(bool extended);
  void look();
  bool confirm();
  bool pulled_off(int i) const;
  void choose_face();
  Step gradient_phase();
  Step face_phase();
  bool may_factor() const;
  bool by_factors() const;
  Step factorised_step();
  Step conjugate_step(double target, double progress, int limit);
  bool factor();
  bool escape();
  void finish(Result& result);
  void describe(Result& result) const;
  // unbounded_box.cpp
  Step outcome(End end);
  Step far_away();
  Step end_unbounded();
  bool prove_unbounded();
  void purge();

  const Rules* rules_ = nullptr;  // during a run
  FreeBlock block_;
  FaceConjugateGradients cg_;
  ProjectedSearch search_;
  BoxPoint point_;
  Vector best_;  // the point of least natural residual
  double best_natural_ = 0.0;
  Vector stationary_;  // the last saddle point that was left
  Face face_;
  double far_ = 0.0;       // a larger x suggests that the function is unbounded
  bool extended_ = false;  // gradients are summed in extended precision
  bool refined_ = false;   // conjugate gradients on the last face did not end early
  int idle_ = 0;           // iterations without gain
  std::optional<Certificate> certificate_;
  std::string_view step_type_;
  Counts counts_;
};

}  // namespace perp
