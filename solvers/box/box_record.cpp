#include <perp/solvers/box/box_record.hpp>

#include <fmt/format.h>
#include <cmath>
#include <perp/problems/matrix/infinity.hpp>

namespace perp {

namespace {

constexpr double kStationary =
    1e-6;  // largest size of the gradient over ||Phi|| that counts as zero
constexpr double kSingularShare = 0.1;  // rows with |Phi_i| above this times the largest are named
constexpr int kNamedRows = 5;

std::string name_of(int row, const std::vector<std::string>& names) {
  return row < static_cast<int>(names.size()) ? names[static_cast<std::size_t>(row)]
                                              : fmt::format("z[{}]", row);
}

}  // namespace

void BoxRecord::begin(const Vector& start) {
  best_z = start;
  best_natural = lowest_merit_ = lowest_gradient_ = kInfinity;
  lowest_phi_.setZero(start.size());
  false_answers = false_iterates = undefined_points = 0;
  undefined_row_ = -1;
}

void BoxRecord::note_merit(double merit, double gradient_size, const Vector& phi) {
  if (!(merit < lowest_merit_)) return;
  lowest_merit_ = merit;
  lowest_gradient_ = gradient_size;
  lowest_phi_ = phi;
}

void BoxRecord::note_undefined(const Vector& f, int jacobian_row) {
  int row = jacobian_row;
  for (int i = static_cast<int>(f.size()) - 1; i >= 0; --i) {
    if (!std::isfinite(f[i])) row = i;
  }
  if (row < 0) return;
  undefined_row_ = row;
  undefined_jacobian_ = f.allFinite();
  ++undefined_points;
}

Status BoxRecord::end() const {
  const bool stationary = std::isfinite(lowest_merit_) &&
                          lowest_gradient_ <= kStationary * std::sqrt(2.0 * lowest_merit_);
  return stationary ? Status::kStationary : Status::kStalled;
}

std::string BoxRecord::message(Status status, const std::vector<std::string>& names) const {
  if (status == Status::kStationary) return stationary_message(names);
  const std::string row = fmt::format("F[{}] (row of {})", undefined_row_,
                                      undefined_row_ >= 0 ? name_of(undefined_row_, names) : "");
  if (status == Status::kNumericalError) {
    if (undefined_row_ < 0) return "the merit is not finite";
    return fmt::format(
        "{}{} is not finite at the start, and no point near it was found at which all are finite",
        undefined_jacobian_ ? "a derivative of " : "", row);
  }
  if (status != Status::kStalled) return {};
  std::string text = fmt::format("the residual stays at {:.1e}", best_natural);
  if (false_answers > 0) {
    text += fmt::format(
        "; at {} points it vanished although F does not keep its signs at the bounds (poles)",
        false_answers);
  }
  if (undefined_points > 0) {
    text += fmt::format("; at {} points {} or another row is not finite", undefined_points, row);
  }
  return text;
}

// The gradient J'Phi vanishes: the rows with Phi_i not zero are linearly dependent.
std::string BoxRecord::stationary_message(const std::vector<std::string>& names) const {
  const double largest = lowest_phi_.lpNorm<Eigen::Infinity>();
  std::string rows;
  int singular = 0;
  for (int i = 0; i < lowest_phi_.size(); ++i) {
    if (std::abs(lowest_phi_[i]) < kSingularShare * largest) continue;
    if (++singular <= kNamedRows) rows += (rows.empty() ? "" : ", ") + name_of(i, names);
  }
  if (singular > kNamedRows) rows += fmt::format(" and {} more", singular - kNamedRows);
  return fmt::format(
      "a minimum of the merit function that is no solution (residual {:.1e}); rows of the Jacobian "
      "that are linearly dependent: {}",
      best_natural, rows);
}

}  // namespace perp
