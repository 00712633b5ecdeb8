// A primal-dual interior-point method for convex conic quadratic programs.
#pragma once

#include <perp/solvers/core/solver.hpp>
#include <perp/solvers/interior_point/conic_polish.hpp>
#include <perp/solvers/interior_point/embedding_system.hpp>
#include <perp/solvers/projection/progress.hpp>

namespace perp {

struct InteriorPointSettings {
  double regularisation = 1e-8;         ///< delta of the linear systems, on scaled data [-]
  int refinements = 8;                  ///< of one linear solve at most
  double step_fraction = 0.99;          ///< of the step to the boundary [-]
  int polish_steps = 10;                ///< Newton steps of a polish at most; 0: none
  bool equilibrate = true;              ///< scale rows, columns, b and c
  std::string linear_algebra = "auto";  ///< auto, dense or sparse

  template <class Visitor>
  void visit(Visitor& v) {
    v.visit("regularisation", regularisation, "delta of the linear systems, on scaled data");
    v.visit("refinements", refinements, "of one linear solve at most");
    v.visit("step_fraction", step_fraction, "of the step to the boundary that is taken");
    v.visit("polish_steps", polish_steps, "Newton steps of a polish at most; 0: no polish");
    v.visit("equilibrate", equilibrate, "scale rows, columns, b and c");
    v.visit("linear_algebra", linear_algebra, "factorisation: auto, dense or sparse");
  }
};

/// Solves  min 1/2 x'Px + c'x,  Ax + s = b, s in K  and its dual for P positive semidefinite and K
/// a product of zero, nonnegative and second-order cones, by following the central path of the
/// homogeneous embedding [AndersenYe1999; GoulartChen2024]
///   Px + A'z + c tau = 0,  Ax + s - b tau = 0,  x'Px / tau + c'x + b'z + kappa = 0,
///   s in K, z in K*, tau, kappa >= 0,
/// whose solutions with tau > 0 are optimal pairs (x, z) / tau and those with kappa > 0 proofs that
/// there is no primal or no dual feasible point. Steps are Mehrotra's predictor and corrector
/// [Mehrotra1992], with the scaling of [NesterovTodd1997]; equations (zero cones) have z free and
/// s = 0.
///
/// Where the faces of the cones that the iterates tend to have settled, ConicPolish jumps to the
/// solution; if that fails, the path is followed further. A box_qp is solved as a conic_qp with a
/// row for every finite bound.
/// Ends: solved; infeasible with a checked certificate; ray with a checked direction along which
/// the objective falls without end (dual infeasible); stalled, iteration_limit, time_limit,
/// interrupted. Refused where P is not positive semidefinite.
class InteriorPoint final : public Solver {
 public:
  InteriorPointSettings settings;

  const SolverTraits& traits() const override;
  void visit_settings(SettingVisitor& visitor) override { settings.visit(visitor); }

 private:
  struct Direction {
    Vector x, z, s;
    double tau = 0.0, kappa = 0.0;
  };

  /// A problem brought to the form that is solved.
  struct Reading {
    ConicQp posed;        // as posed, or what a box_qp became
    Vector lower, upper;  // of a box_qp
    ConicData data;
  };

  std::optional<std::string> do_refusal(const Problem& problem) const override;
  void do_prepare(const Problem& problem) override;
  void do_solve(const Start& start, Observer* observer, Result& result) override;

  Reading read(const Problem& problem) const;
  static void load(const BoxQp& problem, Reading& reading);
  bool begin();
  void evaluate();
  std::optional<Status> assess(Observer* observer, Result& result);
  bool newton_step();
  bool find_affine();
  double find_direction(double sigma, const Direction* affine, Direction& d);
  double largest_step(const Direction& d) const;
  bool wants_polish();
  bool polish(int steps, Vector& x, Vector& z);
  void keep(const Vector& x, const Vector& z, double measure);
  void finish(Result& result);
  bool confirmed();
  void write_answer(Result& result) const;
  // interior_point_certificates.cpp
  std::optional<Status> certify_infeasible(Result& result);
  std::optional<Status> certify_unbounded(Result& result);
  template <class Check>
  std::optional<Status> take_certificate(const Check& check, Vector v, Result& result);
  void refine_farkas();
  bool factor_rays();
  void drop_vanishing(Vector& s) const;
  void refine_ray();

  ConicQp posed_;         // as posed, or what a box_qp became
  Vector lower_, upper_;  // of a box_qp
  ConicData data_;
  KktSystem kkt_;
  EmbeddingSystem system_;
  ConicPolish polish_;
  ConeMatrix scaling_, squared_;  // W, W^2

  Vector x_, z_, s_;
  double tau_ = 1.0, kappa_ = 1.0, mu_ = 1.0, first_mu_ = 1.0;
  Vector px_, res_x_, res_z_;
  double res_tau_ = 0.0, xpx_ = 0.0, cx_ = 0.0, bz_ = 0.0;
  Vector scaled_x_, scaled_z_, scaled_s_, scaled_px_, stationarity_;  // the point over tau
  double measure_ = 0.0;

  Direction affine_, combined_;
  Vector lambda_, right_x_, right_z_, jordan_, scratch_;
  double step_ = 1.0;
  double regularisation_ = 0.0, least_regularisation_ = 0.0;
  int iteration_ = 0, short_steps_ = 0, without_gain_ = 0;

  std::optional<Certificate> exclusion_;  // the widest that is no proof
  std::string exclusion_message_;
  Vector best_x_, best_z_;  // of the scaled problem
  double best_measure_ = 0.0;
  std::vector<char> face_, last_face_;
  int polishes_ = 0, next_polish_ = 0;
  mutable std::optional<Reading> asked_;  // what do_refusal() made, which prepare() then takes over
  double primal_radius_ = 0.0, dual_radius_ = 0.0;  // of the last certificates that were tried
  ConicData ray_data_;                              // made when a ray is first met
  KktSystem ray_kkt_;
  ConeMatrix ray_weights_;
  Deadline deadline_{0.0};
};

}  // namespace perp
