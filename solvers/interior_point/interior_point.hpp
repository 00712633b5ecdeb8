// A primal-dual interior-point method for convex conic quadratic programs.
#pragma once

#include <perp/solvers/core/natural_map.hpp>
#include <perp/solvers/core/solver.hpp>
#include <perp/solvers/interior_point/central_path.hpp>
#include <perp/solvers/interior_point/conic_certificates.hpp>
#include <perp/solvers/interior_point/convexity_check.hpp>

namespace perp {

/// Settings of InteriorPoint.
struct InteriorPointSettings {
  double regularisation = 1e-8;         ///< delta of the first linear systems, on scaled data [-]
  int refinements = 8;                  ///< of one linear solve at most
  double step_fraction = 0.99;          ///< share of the step to the boundary that is taken [-]
  bool equilibrate = true;              ///< scale rows, columns, b and c
  std::string linear_algebra = "auto";  ///< auto, dense or sparse

  /// Shows every setting to a visitor, such as a SettingVisitor.
  template <class Visitor>
  void visit(Visitor& v) {
    v.visit("regularisation", regularisation, "delta of the first linear systems, on scaled data",
            kPositive);
    v.visit("refinements", refinements, "of one linear solve at most");
    v.visit("step_fraction", step_fraction, "share of the step to the boundary that is taken",
            kPart);
    v.visit("equilibrate", equilibrate, "scale rows, columns, b and c");
    v.visit("linear_algebra", linear_algebra, "factorisation: auto, dense or sparse",
            Choices{"auto", "dense", "sparse"});
  }
};

/// Solves  min 1/2 x'Px + c'x,  Ax + s = b, s in K  and its dual for P positive semidefinite and K
/// a product of zero, nonnegative and second-order cones, by following the central path of the
/// homogeneous embedding [AndersenYe1999; GoulartChen2024]
///   Px + A'z + c tau = 0,  Ax + s - b tau = 0,  x'Px / tau + c'x + b'z + kappa = 0,
///   s in K, z in K*, tau, kappa >= 0.
/// Its solutions with tau > 0 are optimal pairs (x, z) / tau. Those with kappa > 0 are proofs that
/// there is no primal or no dual feasible point. Steps are Mehrotra's predictor and corrector
/// [Mehrotra1992], with the scaling of [NesterovTodd1997]. In equations (zero cones) z is free and
/// s = 0.
///
/// A box_qp is solved as a conic_qp with a row for every finite bound.
/// Ends: solved; infeasible with a checked certificate; ray with a checked direction along which
/// the objective falls without end (dual infeasible); excluded with a certificate that holds up to
/// a radius; stalled, iteration_limit, time_limit, interrupted, numerical_error. A problem is
/// refused if P is not positive semidefinite.
class InteriorPoint final : public Solver {
 public:
  InteriorPointSettings settings;

  const SolverTraits& traits() const override;
  void visit_settings(SettingVisitor& visitor) override { settings.visit(visitor); }

 private:
  /// A problem in the form that is solved.
  struct Reading {
    ConicQp posed;  // the problem as posed; for a box_qp its statement as a conic_qp
    Mlcp box;       // a box_qp: its conditions
    ConicData data;
    bool accepted = false, equilibrated = false;  // of a conic_qp: not refused, and how it was read
  };

  /// The point of the path over tau, an answer to the scaled problem.
  struct Answer {
    Vector x, z, s, px, stationarity;
    double measure = 0.0;
  };

  /// The best answer so far.
  struct Best {
    Vector x, z;
    double measure = 0.0;
    int without_gain = 0;  // iterations since its measure last fell by 10 %
  };

  std::optional<std::string> do_refusal(const Problem& problem) const override;
  void do_prepare(const Problem& problem) override;
  void do_update(const Problem& problem) override;
  void do_solve(const Start& start, Observer* observer, Result& result) override;

  std::optional<std::string> ask(const Problem& problem) const;
  void read(const Problem& problem, Reading& reading) const;
  static void load(const BoxQp& problem, Reading& reading);
  void take(bool same_pattern);
  bool begin();
  void evaluate();
  std::optional<Status> assess(int iteration, Observer* observer, Result& result);
  bool step();
  void finish(Result& result);
  bool confirmed();
  void write_box_answer(Vector& z) const;
  void write_answer(Result& result) const;

  mutable Reading asked_;  // made by do_refusal(), taken by prepare()
  mutable ConvexityCheck convexity_;
  Reading problem_;
  KktSystem kkt_;
  CentralPath path_;
  ConicCertificates certificates_;
  Answer answer_;
  Best best_;
  NaturalMap natural_map_;
  Vector scratch_, box_answer_, gradient_;
  int short_steps_ = 0;  // in a row
};

}  // namespace perp
