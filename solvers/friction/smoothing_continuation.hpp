// A path of smoothed problems, followed by its arc length, for exact friction.
#pragma once

#include <perp/solvers/core/solver.hpp>
#include <perp/solvers/friction/contact_newton.hpp>
#include <perp/solvers/friction/path_system.hpp>
#include <perp/solvers/friction/smoothed_contacts.hpp>
#include <string>

namespace perp {

/// Settings of SmoothingContinuation.
struct SmoothingContinuationSettings {
  double first_sigma = 1.0;  ///< sigma at which the path begins [-]
  double compliance =
      1e-4;  ///< kappa: W + kappa sigma I, for W with diagonal blocks of order 1 [-]
  double slip_smoothing = 0.1;  ///< delta over sigma, in the contact's unit of velocity [-]
  double finish_sigma = 1e-3;   ///< sigma from which on Newton steps try to finish [-]
  int finish_steps = 20;        ///< Newton steps of such a try at most
  double least_sigma = 1e-13;   ///< sigma at which the path is given up [-]
  double first_step = 0.1;      ///< first arc length [-]
  double longest_step = 2.0;    ///< [-]
  double shortest_step = 1e-9;  ///< [-]
  double accuracy = 1e-6;       ///< max |Phi_i| over min(1, sigma) of a point of the path [-]
  int corrector_steps = 8;      ///< Newton steps back to the path at most
  int returns = 2;  ///< times that a path which came back to its beginning is followed anew
  std::string scaling = "contact";      ///< of W and q: "none", "global" or "contact"
  std::string linear_algebra = "auto";  ///< "auto", "dense", "sparse" or "pivoted"

  /// Shows every setting to a visitor, such as a SettingVisitor.
  template <class Visitor>
  void visit(Visitor& v) {
    v.visit("first_sigma", first_sigma, "sigma at which the path begins", kPositive);
    v.visit("compliance", compliance, "kappa: the path is that of W + kappa sigma I");
    v.visit("slip_smoothing", slip_smoothing, "delta over sigma, in a contact's unit of velocity",
            kPositive);
    v.visit("finish_sigma", finish_sigma, "sigma from which on Newton steps try to finish",
            kPositive);
    v.visit("finish_steps", finish_steps, "Newton steps of such a try at most", kAtLeastOne);
    v.visit("least_sigma", least_sigma, "sigma at which the path is given up", kPositive);
    v.visit("first_step", first_step, "first arc length", kPositive);
    v.visit("longest_step", longest_step, "longest arc length", kPositive);
    v.visit("shortest_step", shortest_step, "shortest arc length", kPositive);
    v.visit("accuracy", accuracy, "largest |Phi_i| over min(1, sigma) of a point of the path",
            kPositive);
    v.visit("corrector_steps", corrector_steps, "Newton steps back to the path at most",
            kAtLeastOne);
    v.visit("returns", returns,
            "times that a path which came back to its beginning is followed anew");
    v.visit("scaling", scaling, "of W and q by powers of two: none, global or contact",
            Choices{"none", "global", "contact"});
    v.visit("linear_algebra", linear_algebra,
            "factorisations: auto; dense; sparse, in 3D by blocks of 3 x 3; pivoted, sparse with "
            "pivots "
            "from all rows",
            Choices{"auto", "dense", "sparse", "pivoted"});
  }
};

/// Solves exact Coulomb friction, K_mu ni r, u = W r + q, u + mu ||u_t|| n in K_mu*, complementary,
/// by a path of smoothed problems (SmoothedContacts) from a large sigma to a small one.
///
/// The relaxed law has one solution at sigma = 1, and Newton steps find it. At this sigma, de
/// Saxce's correction is brought in by quarters, or less. From there the zeros of Phi(r; sigma) are
/// a curve, if 0 is a regular value. Friction is not monotone, so the curve may turn back: sigma
/// grows for a while, and falls again. The curve is followed by its arc length [AllgowerGeorg2003]:
/// a step along a parabola through the last tangents in (r, ln sigma), then Newton steps across the
/// tangent. PathSystem has their linear systems: Gmres with the factors of an earlier point. The
/// metric measures z = x - rho s, relative to its size in each contact.
///
/// If W is singular, forces that change no velocity are determined by small terms alone, so
/// rounding may end the path near 1e-7. Before, from `finish_sigma` on and again at every tenth of
/// sigma, semismooth Newton steps on the problem as posed (ContactNewton, the steps of newton-ac)
/// begin at the point and try to end the solve; the statistics count them as finish_steps.
///
/// The path should not come back to its beginning: the first point is hardly ever one of several
/// at its sigma. If it does come back, a step went from one part of the path to another that is
/// near, and led back. Then it is followed anew with steps half as long and corrected half as far,
/// `returns` times at most.
///
/// Ends: solved; stalled if no first point is found, if steps become too short, or at the least
/// sigma; iteration_limit, time_limit, interrupted. A start is not used.
class SmoothingContinuation final : public Solver {
 public:
  SmoothingContinuationSettings settings;

  const SolverTraits& traits() const override;
  void visit_settings(SettingVisitor& visitor) override { settings.visit(visitor); }

 private:
  /// A point of the path.
  struct Point {
    Vector r;
    double log_sigma = 0.0;
  };

  /// Arc lengths of the next step, of the one before it, and of the corrector steps of the last
  /// try; the angle between the last two tangents; a factor on how far steps may go and be
  /// corrected.
  struct Steps {
    double next = 0.0, last = 0.0, corrected = 0.0, angle = 0.0, care = 1.0;
  };
  /// Turns of the path, and paths that came back.
  struct Counts {
    int turns = 0, returns = 0;
  };

  void do_prepare(const Problem& problem) override;
  void do_solve(const Start& start, Observer* observer, Result& result) override;
  bool find_first_point();
  bool newton_at(double theta);
  bool take_tangent();
  bool refresh_tangent();
  void set_tangent(double length);
  void predict();
  void choose_length();
  bool step_along_tangent();
  bool correct();
  void look_at(const Vector& r);
  void try_to_finish();
  Status follow(int limit, Observer* observer, Result& result);
  bool out_of_time() const { return deadline().passed(); }

  ContactProblem problem_;
  SmoothedContacts smoothed_;
  PathSystem path_;
  ContactNewton finish_;
  Point point_, trial_;
  PathDirection tangent_, before_;  // at the point, and at the point before it
  PathDirection next_, newton_;
  Vector u_, best_, weights_;  // weights_: of the contacts in the metric at the point
  Steps step_;
  double best_measure_ = 0.0, next_finish_ = 0.0;
  Counts counts_;
};

}  // namespace perp
