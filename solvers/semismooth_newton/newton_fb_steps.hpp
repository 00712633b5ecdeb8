// The steps of NewtonFb.
#pragma once

#include <perp/solvers/box/box_equation.hpp>
#include <perp/solvers/semismooth_newton/active_set_finish.hpp>

namespace perp {

/// Proximal Newton steps, least-squares steps, gradient steps, and moves to the point of the
/// finish.
class NewtonFbSteps final : public BoxEquation {
 public:
  /// Which steps are tried, and their parameters.
  struct Options {
    double proximal = 0.0, proximal_factor = 0.0;  ///< least eps; eps over min(1, max |Phi_i|)
    bool newton = true, least_squares = true;      ///< which directions are tried
    ActiveSetFinish::Options finish;
  };

  void attach(BoxProblem& problem);
  /// @param start n values, scaled unknowns @return false if F exists at no point near the start
  bool begin(const ComplementarityFunction& function, const Options& options, const Vector& start);

  Verdict judge() override;
  std::string_view take_step(NewtonDriver& driver) override;

  int least_squares_steps = 0, gradient_steps = 0;
  int finishes() const { return finish_.count; }

 private:
  bool move_to_finish();
  bool find_newton_direction();
  bool search(NewtonDriver& driver, double shortest, bool may_relax = false);

  Options options_;
  ActiveSetFinish finish_;
};

}  // namespace perp
