// Gradient projection and conjugate gradients for quadratic programs with bounds.
#pragma once

#include <perp/solvers/active_set/free_block.hpp>
#include <perp/solvers/core/solver.hpp>
#include <perp/solvers/gradient_projection/face_conjugate_gradients.hpp>
#include <perp/solvers/gradient_projection/symmetric_operator.hpp>
#include <perp/solvers/projection/progress.hpp>
#include <string>

namespace perp {

struct GradientProjectionSettings {
  std::string face = "auto";       ///< how faces are minimised over: auto, cg, factorise
  int cg_faces = 2;                ///< first faces of a dense H that are not factorised
  int gradient_steps = 8;          ///< projected gradient steps in a row
  double gradient_progress = 0.1;  ///< their last gain over the best one, where they end [-]
  double cg_progress = 0.1;        ///< likewise of the conjugate gradients [-]
  double regularisation = 1e-9;    ///< rho over max|H|, where a face is singular [-]
  int escapes = 100;               ///< departures from saddle points

  template <class Visitor>
  void visit(Visitor& v) {
    v.visit("face", face, "minimisation over a face: auto, cg (products only) or factorise");
    v.visit("cg_faces", cg_faces, "first faces of a dense H that are not factorised, in auto");
    v.visit("gradient_steps", gradient_steps, "projected gradient steps in a row at most");
    v.visit("gradient_progress", gradient_progress,
            "gain over the best one at which gradient steps end");
    v.visit("cg_progress", cg_progress, "likewise of conjugate gradients");
    v.visit("regularisation", regularisation, "rho over max|H|, where a face is singular");
    v.visit("escapes", escapes, "departures from saddle points at most, for an indefinite H");
  }
};

/// Minimises q(x) = 1/2 x'Hx + c'x over l <= x <= u by GPCG [MoreToraldo1991; NocedalWright2006,
/// Sec. 16.7]. One iteration is
///   1. steps along the projected gradient, P(x - alpha D g), D = diag(1 / H_ii), until the set of
///      unknowns at bounds settles or little is gained;
///   2. the minimum d over the face of the unknowns that are not at bounds, and the projected
///   search
///      along P(x + alpha d) for a sufficient decrease.
/// Step 1 is left out while no unknown at a bound is pulled off it. The minimum over a face is had
/// roughly by conjugate gradients while faces change, then exactly by a factorisation of H_FF
/// (FreeBlock); where that is singular by proximal steps, (H_FF + rho I) d = -g_F
/// [Rockafellar1976].
///
/// A symmetric lcp or mlcp is taken as the statement of stationarity that it is. Where H is not
/// positive semidefinite the end is a stationary point, and the message says so; directions of
/// negative curvature are followed to a bound.
/// Ends: solved; infeasible, with a checked certificate, where q falls without bound along a
/// direction with Hd = 0, so that there is no stationary point; ray where it does so with negative
/// curvature; stalled, iteration_limit, time_limit, interrupted.
class GradientProjection final : public Solver {
 public:
  GradientProjectionSettings settings;

  const SolverTraits& traits() const override;
  void visit_settings(SettingVisitor& visitor) override { settings.visit(visitor); }

  /// Minimises where H is known by its products alone: no factorisations, residuals in double.
  /// Obeys `common`. The operator is only used during the call; a prepared problem stays prepared.
  /// @param diagonal of H, for scaling; positive estimates will do, and it may be empty
  /// @throws std::invalid_argument where a size is wrong or lower > upper.
  Result minimise(SymmetricOperator& h, const Vector& c, const Vector& lower, const Vector& upper,
                  const Vector& diagonal = {}, const Vector* start = nullptr,
                  Observer* observer = nullptr) const;

 private:
  enum class Step { kDone, kUnbounded, kNone };

  std::optional<std::string> do_refusal(const Problem& problem) const override;
  void do_prepare(const Problem& problem) override;
  void do_solve(const Start& start, Observer* observer, Result& result) override;

  void attach(SymmetricOperator& h, const Vector& c, const Vector& lower, const Vector& upper,
              const Vector& diagonal);
  void choose_units(const Problem& problem);
  Mlcp posed(double power) const;
  void allocate(int n);
  Step advance(bool first);
  void begin(const Vector* start);
  void evaluate_gradient(bool extended);
  double natural_row(int i, double f) const;
  void look();
  bool confirm();
  bool inside(int i) const { return x_[i] > problem_.lower[i] && x_[i] < problem_.upper[i]; }
  bool pulled_off(int i) const;
  void choose_face();
  Step gradient_phase();
  Step face_phase();
  bool may_factor() const;
  bool by_factors() const;
  Step factorised_step();
  Step conjugate_step(double target, double progress, int limit);
  bool factor();
  double first_bend() const;
  Step search(double alpha);
  Step search_flat();
  bool project(double alpha);
  void move();
  bool escape();
  Step far_away();
  Step end_unbounded();
  bool prove_unbounded();
  void purge();
  void describe(Result& result) const;
  void report(Result& result) const;

  RowProblem problem_;  // in units of its own
  MatrixOperator matrix_;
  SymmetricOperator* h_ = nullptr;
  FreeBlock block_;
  FaceConjugateGradients cg_;
  bool has_matrix_ = true, negative_diagonal_ = false;
  double scale_ = 1.0, far_ = 0.0;
  Vector weight_;  // D
  Vector unit_;    // s: the unknowns of the problem as posed are s times those here

  Vector x_, g_, p_, trial_, s_, hs_, best_, stationary_;
  std::vector<int> face_;
  std::vector<char> free_;
  double natural_ = 0.0, best_natural_ = 0.0, gained_ = 0.0, gain_ = 0.0, step_length_ = 0.0;
  double slope_ = 0.0, bend_ = 0.0;  // g's and s'Hs of the last step
  bool clipped_ = false, released_ = false, extended_ = false, refined_ = false, stays_ = false,
       negative_ = false;
  std::optional<Certificate> certificate_;
  Deadline deadline_{0.0};
  std::string_view step_type_;
  int products_ = 0, faces_ = 0, gradient_steps_ = 0, escapes_ = 0, proximal_steps_ = 0;
};

}  // namespace perp
