#include <perp/solvers/active_set/active_set_polish.hpp>

#include <algorithm>
#include <cmath>
#include <limits>

namespace perp {

namespace {

constexpr int kMostSets = 6;          // active sets tried
constexpr int kProximalSteps = 12;    // on one set
constexpr double kProximal = 1e-6;    // rho over the largest entry of M
constexpr double kDegenerate = 1e-7;  // over the largest unknown: counts as zero in the first set

}  // namespace

// A: the rows with mid(z - l, z - u, F) = F and z further than `margin` from its bounds.
void ActiveSetPolish::choose_active(const Mlcp& p, const Vector& z, double margin) {
  active_.clear();
  for (int i = 0; i < p.size(); ++i) {
    const double low = z[i] - p.lower[i], high = p.upper[i] - z[i];
    const bool inside = low > std::max(f_[i], margin) && high > std::max(-f_[i], margin);
    place_[i] = inside ? static_cast<int>(active_.size()) : -1;
    if (inside) active_.push_back(i);
  }
}

bool ActiveSetPolish::factor(const Mlcp& p, double rho) {
  ++factorisations;
  lu_.begin(static_cast<int>(active_.size()));
  for (const int j : active_) {
    bool diagonal = false;
    p.M.for_column(j, [&](int i, double value) {
      if (place_[i] < 0) return;
      diagonal |= i == j;
      lu_.append(place_[i], i == j ? value + rho : value);
    });
    if (!diagonal) lu_.append(place_[j], rho);
    lu_.end_column();
  }
  return lu_.factor();
}

// Solves F_A(z) = 0 with the other unknowns at their bounds. @return false if that fails
bool ActiveSetPolish::solve_active(const Mlcp& p, double rho, Vector& z) {
  for (int i = 0; i < p.size(); ++i) {
    if (place_[i] >= 0) continue;
    const double bound = z[i] - p.lower[i] <= p.upper[i] - z[i] ? p.lower[i] : p.upper[i];
    if (std::isfinite(bound)) z[i] = bound;  // a free unknown is here if its F is not finite
  }
  if (active_.empty()) return true;
  if (!factor(p, rho)) return false;
  const int count = static_cast<int>(active_.size());
  double last = std::numeric_limits<double>::infinity();
  for (int k = 0; k < kProximalSteps; ++k) {
    map_.natural_residual(p, z, f_);
    double largest = 0.0;
    for (int a = 0; a < count; ++a) {
      step_[a] = -f_[active_[a]];
      largest = std::max(largest, std::abs(step_[a]));
    }
    if (!(largest < last)) return std::isfinite(largest);
    if (largest == 0.0) return true;
    last = largest;
    lu_.solve(step_.data());
    for (int a = 0; a < count; ++a) z[active_[a]] += step_[a];
  }
  return true;
}

double ActiveSetPolish::improve(const Mlcp& p, double tolerance, double target, Vector& z) {
  const int n = p.size();
  factorisations = 0;
  place_.resize(n);
  step_.resize(n);
  trial_ = z.cwiseMax(p.lower).cwiseMin(p.upper);
  double best = map_.natural_residual(p, trial_, f_);
  best_ = trial_;
  const double rho = kProximal * std::max(p.M.max_abs(), 1e-300);
  // At first, unknowns that are at a bound up to rounding stay there. Else a degenerate row would
  // become an equation that pushes its unknown beyond the bound.
  double margin = kDegenerate * std::max(1.0, trial_.size() > 0 ? trial_.cwiseAbs().maxCoeff() : 0);
  for (int k = 0; k < kMostSets && best > (k == 0 ? target : tolerance); ++k) {
    choose_active(p, trial_, margin);
    if (!solve_active(p, rho, trial_)) break;
    const double residual = map_.natural_residual(p, trial_, f_);
    if (residual < best) {
      best = residual;
      best_ = trial_;
    }
    margin = 0.0;
  }
  z = best_.cwiseMax(p.lower).cwiseMin(p.upper);
  return map_.natural_residual(p, z, f_);
}

}  // namespace perp
