#include <perp/solvers/box_interior_point/interior_pairs.hpp>

#include <perp/problems/matrix/infinity.hpp>

#include <algorithm>
#include <cmath>

namespace perp {

void InteriorPairs::attach(BoxProblem& problem) {
  problem_ = &problem;
  const int n = problem.size();
  bounds_.assign(n, kFree);
  pairs_ = 0;
  for (int i = 0; i < n; ++i) {
    const double low = problem.lower[i], high = problem.upper[i];
    if (low == high) {
      bounds_[i] = kFixed;
      continue;
    }
    if (std::isfinite(low)) bounds_[i] |= kLower;
    if (std::isfinite(high)) bounds_[i] |= kUpper;
    pairs_ += has(i, kLower) + has(i, kUpper);
  }
  for (Point* p : {&point_, &trial_}) {
    for (Vector* v : {&p->z, &p->f, &p->lower_gap, &p->upper_gap, &p->lower_dual, &p->upper_dual}) {
      v->setZero(n);
    }
  }
  for (Vector* v : {&step_.z, &step_.lower_dual, &step_.upper_dual}) v->setZero(n);
}

bool InteriorPairs::begin(const Vector& start, double distance, double multiplier) {
  for (int i = 0; i < start.size(); ++i) {
    const double low = problem_->lower[i], high = problem_->upper[i];
    const double least = std::min(distance, 0.5 * (high - low));
    const double z = std::min(std::max(start[i], low + least), high - least);
    point_.z[i] = z;
    point_.lower_gap[i] = has(i, kLower) ? std::max(z - low, least) : 1.0;
    point_.upper_gap[i] = has(i, kUpper) ? std::max(high - z, least) : 1.0;
    point_.lower_dual[i] = has(i, kLower) ? multiplier * (least / point_.lower_gap[i]) : 0.0;
    point_.upper_dual[i] = has(i, kUpper) ? multiplier * (least / point_.upper_gap[i]) : 0.0;
  }
  return evaluate(point_);
}

// Computes F, mu and the defect. @return false if F does not exist
bool InteriorPairs::evaluate(Point& point) {
  problem_->map(point.z, point.f);
  double squares = 0.0, products = 0.0;
  for (int i = 0; i < point.z.size(); ++i) {
    if (has(i, kFixed)) continue;
    const double defect = point.f[i] - point.lower_dual[i] + point.upper_dual[i];
    squares += defect * defect;
    products += point.lower_gap[i] * point.lower_dual[i] + point.upper_gap[i] * point.upper_dual[i];
  }
  point.defect = std::sqrt(squares);
  point.mean_product = pairs_ > 0 ? products / pairs_ : 0.0;
  return std::isfinite(point.defect) && std::isfinite(point.mean_product);
}

void InteriorPairs::diagonal(Vector& diagonal, Vector& row_weight) const {
  for (int i = 0; i < point_.z.size(); ++i) {
    if (has(i, kFixed)) {
      row_weight[i] = 0.0;
      diagonal[i] = 1.0;
      continue;
    }
    const double added =
        point_.lower_dual[i] / point_.lower_gap[i] + point_.upper_dual[i] / point_.upper_gap[i];
    row_weight[i] = added > 1.0 ? std::exp2(-std::ilogb(added)) : 1.0;
    diagonal[i] = row_weight[i] * added;
  }
}

void InteriorPairs::right_side(double target, bool corrected, Vector& right_side) const {
  for (int i = 0; i < point_.z.size(); ++i) {
    right_side[i] = has(i, kFixed) ? 0.0 : -point_.f[i];
    if (has(i, kLower)) {
      right_side[i] +=
          target_of(target, corrected, step_.z[i], step_.lower_dual[i]) / point_.lower_gap[i];
    }
    if (has(i, kUpper)) {
      right_side[i] -=
          target_of(target, corrected, -step_.z[i], step_.upper_dual[i]) / point_.upper_gap[i];
    }
  }
}

// (a + da) (v + dv) = target to first order; the same for b and w.
void InteriorPairs::set_direction(const Vector& dz, double target, bool corrected) {
  for (int i = 0; i < dz.size(); ++i) {
    const double before = step_.z[i];
    if (has(i, kLower)) {
      const double v = point_.lower_dual[i];
      const double wanted = target_of(target, corrected, before, step_.lower_dual[i]);
      step_.lower_dual[i] = (wanted - v * dz[i]) / point_.lower_gap[i] - v;
    }
    if (has(i, kUpper)) {
      const double w = point_.upper_dual[i];
      const double wanted = target_of(target, corrected, -before, step_.upper_dual[i]);
      step_.upper_dual[i] = (wanted + w * dz[i]) / point_.upper_gap[i] - w;
    }
    step_.z[i] = dz[i];
  }
}

double InteriorPairs::longest_step() const {
  double length = 1.0;
  const auto keep = [&](double value, double change) {
    if (value + length * change < 0.0) length = -value / change;
  };
  for (int i = 0; i < point_.z.size(); ++i) {
    if (has(i, kLower)) {
      keep(point_.lower_gap[i], step_.z[i]);
      keep(point_.lower_dual[i], step_.lower_dual[i]);
    }
    if (has(i, kUpper)) {
      keep(point_.upper_gap[i], -step_.z[i]);
      keep(point_.upper_dual[i], step_.upper_dual[i]);
    }
  }
  return length;
}

double InteriorPairs::mean_product_after(double length) const {
  double sum = 0.0;
  for (int i = 0; i < point_.z.size(); ++i) {
    if (has(i, kLower)) {
      sum += (point_.lower_gap[i] + length * step_.z[i]) *
             (point_.lower_dual[i] + length * step_.lower_dual[i]);
    }
    if (has(i, kUpper)) {
      sum += (point_.upper_gap[i] - length * step_.z[i]) *
             (point_.upper_dual[i] + length * step_.upper_dual[i]);
    }
  }
  return pairs_ > 0 ? sum / pairs_ : 0.0;
}

InteriorPairs::Trial InteriorPairs::try_step(double length) {
  double least = kInfinity;
  for (int i = 0; i < point_.z.size(); ++i) {
    const double dz = length * step_.z[i];
    trial_.lower_gap[i] = point_.lower_gap[i];
    trial_.upper_gap[i] = point_.upper_gap[i];
    trial_.lower_dual[i] = point_.lower_dual[i];
    trial_.upper_dual[i] = point_.upper_dual[i];
    trial_.z[i] = point_.z[i] + dz;
    if (has(i, kUpper)) {
      trial_.upper_gap[i] -= dz;
      trial_.upper_dual[i] += length * step_.upper_dual[i];
      trial_.z[i] = problem_->upper[i] - trial_.upper_gap[i];
      least = std::min(least, trial_.upper_gap[i] * trial_.upper_dual[i]);
    }
    if (has(i, kLower)) {
      trial_.lower_gap[i] += dz;
      trial_.lower_dual[i] += length * step_.lower_dual[i];
      // The distance is exact, so z follows from it; if there are two, from the smaller one.
      if (!has(i, kUpper) || trial_.lower_gap[i] < trial_.upper_gap[i])
        trial_.z[i] = problem_->lower[i] + trial_.lower_gap[i];
      least = std::min(least, trial_.lower_gap[i] * trial_.lower_dual[i]);
    }
  }
  if (!evaluate(trial_)) trial_.defect = kInfinity;
  return {trial_.mean_product, least, trial_.defect};
}

}  // namespace perp
