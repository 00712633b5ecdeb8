// The end of a semismooth Newton method: solves the equations of the active set that it has found.
#pragma once

#include <perp/solvers/box/box_problem.hpp>
#include <perp/solvers/box/box_record.hpp>
#include <perp/solvers/box/newton_system.hpp>

namespace perp {

/// Newton's method on mid(z - l, z - u, F), from the active set alpha of a point:
/// (M + eps I)_alpha,alpha d = -F_alpha, with corrections until the residual in extended precision
/// no longer falls [Higham2002, Ch. 12]. Bounds hold exactly. If F is nonlinear, the corrections
/// are chord steps, and every round linearises F again. A set that did not solve the problem is not
/// tried again; if F is nonlinear, not before ||Phi||_inf has fallen to a tenth.
class ActiveSetFinish {
 public:
  /// When it is tried, and how.
  struct Options {
    bool enabled = true;
    double below = 0.01;     ///< it is tried if the largest |Phi_i| is at most this
    double proximal = 1e-6;  ///< eps
    double tolerance = 1e-8;
  };

  /// Keeps references. Allocates.
  void attach(BoxProblem& problem, NewtonSystem& system);
  void begin(const Options& options);

  /// Whether z, or the finish from z, solves the problem, judged in extended precision. The answer,
  /// or else the best point so far, is stored in `record`.
  /// @param z, f scaled unknowns and F(z), n values each
  /// @param size largest |Phi_i| @param natural residual at z, of plain sums
  bool solves(const Vector& z, const Vector& f, double size, double natural, BoxRecord& record);
  /// Whether the last finish came much closer to a solution than z, but did not solve the problem.
  /// @param natural residual at z
  bool came_closer(double natural) const { return natural_ < 0.5 * natural; }
  const Vector& point() const { return point_; }
  /// To be called if z was moved to point(): its set need not be tried again.
  void note_move();

  int count = 0;  ///< since begin

 private:
  bool run(int rounds, double target, BoxRecord& record);
  void classify(const Vector& z, const Vector& f);
  double correct();

  BoxProblem* problem_ = nullptr;
  NewtonSystem* system_ = nullptr;
  Options options_;
  // Sets as the a and b of NewtonSystem: the unknowns at a bound, the rows that are equations.
  Vector at_bound_, basic_, tried_;
  double tried_size_ = 0.0;  // ||Phi||_inf when tried_ was tried
  Vector candidate_, candidate_f_, right_side_, direction_;
  Vector point_;
  double natural_ = 0.0;  // residual at point_; infinity: no finish was tried from this z
};

}  // namespace perp
