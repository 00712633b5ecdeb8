#include <perp/solvers/core/natural_map.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <perp/problems/standard/residuals.hpp>

namespace perp {

double NaturalMap::natural_residual(const Mlcp& p, const Vector& z, Vector& f) {
  const int n = p.size();
  sums_.resize(n);
  f.resize(n);
  for (int i = 0; i < n; ++i) sums_[i] = p.q[i];
  for (int j = 0; j < n; ++j) {
    if (z[j] == 0.0) continue;
    const long double scale = z[j];
    p.M.for_column(j, [&](int i, double value) { sums_[i] += value * scale; });
  }
  double largest = 0.0;
  for (int i = 0; i < n; ++i) {
    f[i] = static_cast<double>(sums_[i]);
    const double r = std::abs(mid(z[i] - p.lower[i], z[i] - p.upper[i], f[i]));
    const bool undefined = std::isnan(r) || !std::isfinite(f[i]);  // mid() can hide a NaN
    largest = undefined ? std::numeric_limits<double>::infinity() : std::max(largest, r);
  }
  return largest;
}

}  // namespace perp
