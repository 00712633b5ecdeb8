// What newton-fb says: its iteration records and the message that comes with an end.
#include <perp/solvers/semismooth_newton/newton_fb.hpp>

#include <fmt/format.h>
#include <cmath>

namespace perp {

namespace {

constexpr double kNamedShare = 0.1;  // rows with |Phi_i| above this times the largest

}  // namespace

bool NewtonFb::report_iteration(Observer* observer) {
  if (!observer) return true;
  static constexpr std::string_view kNames[] = {"newton", "least_squares", "gradient", "active_set",
                                                "start"};
  IterationRecord record;
  record.iteration = iterations_;
  record.step_type = kNames[static_cast<int>(last_step_)];
  record.residual = natural_;
  record.merit = merit_;
  if (last_step_ != StepType::kNone) record.step = step_;
  record.active_set_size = 0;
  for (int i = 0; i < problem_.size(); ++i) {
    const double x = z_[i] - f_[i];
    record.active_set_size += x > problem_.lower[i] && x < problem_.upper[i];
  }
  record.linear_solves = system_.linear_solves;
  record.factorisations = system_.factorisations;
  return observer->on_iteration(record);
}

void NewtonFb::describe(Status status, Result& result) {
  if (status == Status::kStalled) {
    result.message = fmt::format("the residual stays at {:.1e}", best_natural_);
    if (false_answers_ > 0) {
      result.message += fmt::format(
          "; at {} points it vanished although F does not hold its signs at the bounds (poles)",
          false_answers_);
    }
    if (undefined_points_ > 0) {
      result.message +=
          fmt::format("; {} points were met where row {} of F or another is not finite",
                      undefined_points_, row_name(undefined_row_));
    }
  } else if (status == Status::kNumericalError) {
    result.message = undefined_row_ < 0 ? "the merit is not finite"
                                        : fmt::format(
                                              "row {} of F or its Jacobian is not finite "
                                              "at any of the starts",
                                              row_name(undefined_row_));
  } else if (status == Status::kStationary) {
    // J'Phi = 0: the rows where Phi is not zero are linearly dependent.
    const double largest = stationary_phi_.lpNorm<Eigen::Infinity>();
    std::string rows;
    int named = 0, singular = 0;
    for (int i = 0; i < problem_.size(); ++i) {
      if (std::abs(stationary_phi_[i]) < kNamedShare * largest) continue;
      ++singular;
      if (++named > 5) continue;
      rows += rows.empty() ? "" : ", ";
      rows += row_name(i);
    }
    result.message = fmt::format(
        "a minimum of the merit function that is no solution (residual {:.1e}); rows of the "
        "Jacobian that are linearly dependent: {}{}",
        best_natural_, rows, singular > 5 ? fmt::format(" and {} more", singular - 5) : "");
  }
}

}  // namespace perp
