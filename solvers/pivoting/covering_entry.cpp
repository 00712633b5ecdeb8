#include <perp/solvers/pivoting/covering_entry.hpp>

#include <algorithm>
#include <cmath>
#include <perp/problems/matrix/infinity.hpp>

namespace perp {

namespace {

constexpr double kFeasible = 1e-14;  // over the largest value: smaller violations do not count

}  // namespace

// Sets p for the values with one bound, the least t at which they are within it, and the signs S.
// @return false if a value with p = 0 is outside its bound
bool CoveringEntry::cover_one_sided(const BasicValues& values, const Basis& basis,
                                    const Vector* covering, LexicographicOrder& order,
                                    bool& outside) {
  const double feasible = kFeasible * values.size;
  t = 0.0;
  for (int i = 0; i < basis.size(); ++i) {
    const int id = basis.head(i);
    const bool one_sided = std::isinf(values.lower[i]) != std::isinf(values.upper[i]);
    const double sign = std::isinf(values.lower[i]) ? -1.0 : 1.0;
    const double below = values.lower[i] - values.value[i];
    const double above = values.value[i] - values.upper[i];
    order.set_sign(i, one_sided ? sign : (above > 0 ? -1.0 : 1.0));
    p[i] = 0.0;
    if (one_sided) {
      const bool given = covering && basis.is_slack(id);
      p[i] = sign * (given ? (*covering)[basis.pair_of(id)] : 1.0);
      if (p[i] != 0.0) t = std::max(t, std::max(below, above) / std::abs(p[i]));
    }
    if (std::max(below, above) > feasible) {
      outside = true;
      may_close = may_close || !one_sided;
      if (one_sided && p[i] == 0.0) return false;
    }
  }
  return true;
}

CoveringEntry::Kind CoveringEntry::from_far_away(const BasicValues& values, const Basis& basis,
                                                 const Vector* covering, double tie,
                                                 LexicographicOrder& order) {
  bool outside = false;
  may_close = false;
  if (!cover_one_sided(values, basis, covering, order, outside)) return Kind::kUncovered;
  if (!outside) return Kind::kSolved;
  if (may_close && t <= 0) t = 1.0;
  leaving = -1;
  int nearest = -1;  // t is rounded: even at the one that blocks, it may be an ulp more than needed
  double least = kInfinity;
  for (int i = 0; i < basis.size(); ++i) {
    const double outward = values.outward(i);
    const bool boxed = std::isfinite(values.lower[i]) && std::isfinite(values.upper[i]);
    if (boxed && outward > kFeasible * values.size) {
      p[i] = (values.lower[i] > values.value[i] ? outward : -outward) / t;
    }
    // Of those that tie, the last position is lexicographically smallest: S e_i / |p_i|.
    const double beyond = t * std::abs(p[i]) - outward;
    if (p[i] == 0.0) continue;
    if (beyond <= tie) leaving = i;
    if (beyond < least) {
      least = beyond;
      nearest = i;
    }
  }
  if (leaving < 0) leaving = nearest;
  if (leaving < 0) return Kind::kUncovered;  // t is infinite
  first_t = t / values.scale;
  return Kind::kReady;
}

CoveringEntry::Kind CoveringEntry::from_point(const BasicValues& values, const Basis& basis,
                                              const PathOrigin& origin, LexicographicOrder& order) {
  bool outside = false;
  double longest = kInfinity;  // how far t falls until the first value is at its bound
  leaving = -1;
  for (int i = 0; i < basis.size(); ++i) {
    const int id = basis.head(i);
    const Vector& from = basis.is_slack(id) ? *origin.w : *origin.x;
    const double here =
        std::clamp(values.scale * from[basis.pair_of(id)], values.lower[i], values.upper[i]);
    order.set_sign(i, std::isinf(values.lower[i]) ? -1.0 : 1.0);
    p[i] = here - values.value[i];
    outside |= values.outward(i) > kFeasible * values.size;
    const double slack = p[i] > 0 ? here - values.lower[i] : values.upper[i] - here;
    // Of those that tie, the last position is lexicographically smallest, as above.
    if (p[i] == 0.0 || !(slack / std::abs(p[i]) <= longest)) continue;
    longest = slack / std::abs(p[i]);
    leaving = i;
  }
  if (!outside || longest >= 1.0) return Kind::kSolved;
  may_close = true;
  t = 1.0 - longest;
  first_t = 1.0 / values.scale;
  return Kind::kReady;
}

}  // namespace perp
