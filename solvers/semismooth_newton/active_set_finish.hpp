// The end of a semismooth Newton method: the equations of the active set it has found.
#pragma once

#include <perp/solvers/box/box_problem.hpp>
#include <perp/solvers/box/box_record.hpp>
#include <perp/solvers/box/newton_system.hpp>

namespace perp {

/// Newton's method on min from the set that a point shows: M_alpha,alpha d = -F_alpha with M + eps
/// I for M, corrected until the residual in extended precision settles [Higham2002, Ch. 12]; bounds
/// hold exactly. Where F is nonlinear these corrections are chord steps, and every round linearises
/// it anew. A set that did not solve the problem is not tried again, of a nonlinear one not before
/// ||Phi|| has fallen to a tenth.
class ActiveSetFinish {
 public:
  struct Options {
    bool enabled = true;
    double below = 0.01;     ///< largest |Phi_i| from which it is tried
    double proximal = 1e-6;  ///< eps
    double tolerance = 1e-8;
  };

  /// Keeps references. Allocates.
  void attach(BoxProblem& problem, NewtonSystem& system);
  void begin(const Options& options);

  /// Whether z solves the problem, judged in extended precision, or the finish from it does; the
  /// answer, or else the best point so far, is noted.
  /// @param size largest |Phi_i| @param natural residual at z, of plain sums
  bool solves(const Vector& z, const Vector& f, double size, double natural, BoxRecord& record);
  /// Where the last finish came much closer than z, though it solved nothing.
  bool came_closer(double natural) const { return natural_ < 0.5 * natural; }
  const Vector& point() const { return point_; }
  /// z was moved there: its set need not be tried again.
  void note_move();

  int count = 0;  ///< since begin

 private:
  bool run(int rounds, double target, BoxRecord& record);
  void classify(const Vector& z, const Vector& f);
  double correct();

  BoxProblem* problem_ = nullptr;
  NewtonSystem* system_ = nullptr;
  Options options_;
  // Sets as the a and b of a kernel: which rows are equations, which unknowns stand at a bound.
  Vector at_bound_, basic_, tried_;
  double tried_size_ = 0.0;  // ||Phi|| then
  Vector candidate_, candidate_f_, right_side_, direction_;
  Vector point_;
  double natural_ = 0.0;  // there; infinite: no finish was tried from this z
};

}  // namespace perp
