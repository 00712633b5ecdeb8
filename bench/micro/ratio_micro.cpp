// Times of the ratio metric of two polyhedra over the number of their faces and, for comparison, of
// the penetration depth by a Minkowski sum. Every answer is verified before the timing.
#include <benchmark/benchmark.h>

#include <perp/formulations/gap/ratio_metric/ratio.hpp>
#include <perp/problems/scenes/polyhedron.hpp>
#include <perp/problems/standard/random.hpp>

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

namespace {

// A polyhedron with vertices on a ball of radius 1. It has 2 (vertices - 2) faces.
perp::Polyhedron round_polyhedron(int faces, std::uint64_t seed) {
  perp::Random random(seed);
  std::vector<perp::Vector3d> points;
  for (int k = 0; k < faces / 2 + 2; ++k)
    points.push_back(
        perp::Vector3d(random.normal(), random.normal(), random.normal()).normalized());
  return perp::convex_hull(points);
}

const perp::Vector3d kApart(1.1, 0.5,
                            0.3);  // vector between the centres; bodies with many faces overlap

// Bounds for r: scaled balls inside the bodies give an upper bound, and balls around them a lower
// one.
bool plausible(const perp::RatioEvent& e, const perp::FacedSolid& a, const perp::FacedSolid& b) {
  const double apart = kApart.norm();
  return e.t <= apart / (a.inner() + b.inner()) && e.t >= apart / (a.reach + b.reach) &&
         e.gradient.norm() <= 1 / (a.inner() + b.inner());
}

// The mean over many pairs, because the number of violated rows is random.
void ratio(benchmark::State& state) {
  constexpr int kPairs = 50;
  const int faces = static_cast<int>(state.range(0));
  const perp::Matrix3d axes = perp::Matrix3d::Identity();
  std::vector<std::pair<perp::FacedSolid, perp::FacedSolid>> pairs;
  perp::RatioMetric metric(3);
  for (int k = 0; k < kPairs; ++k) {
    pairs.emplace_back(perp::faced_solid(round_polyhedron(faces, 2 * k), kApart, axes),
                       perp::faced_solid(round_polyhedron(faces, 2 * k + 1), {0, 0, 0}, axes));
    const auto& [a, b] = pairs.back();
    if (plausible(metric.measure(a, b), a, b)) continue;
    state.SkipWithError("not the ratio");
    return;
  }
  std::size_t next = 0;
  for (auto _ : state) {
    const auto& [a, b] = pairs[next++ % kPairs];
    benchmark::DoNotOptimize(metric.measure(a, b).t);
  }
  state.SetComplexityN(faces);
}
BENCHMARK(ratio)
    ->RangeMultiplier(4)
    ->Range(16, 4096)
    ->Complexity(benchmark::oN)
    ->Unit(benchmark::kMicrosecond);

double depth(const perp::Polyhedron& a, const perp::Polyhedron& b) {
  std::vector<perp::Vector3d> points;
  for (const perp::Vector3d& x : a.vertices) {
    for (const perp::Vector3d& y : b.vertices) points.emplace_back(x + kApart - y);
  }
  const perp::Polyhedron sum = perp::convex_hull(points);
  return *std::min_element(sum.offsets.begin(), sum.offsets.end());
}

void minkowski_depth(benchmark::State& state) {
  const int faces = static_cast<int>(state.range(0));
  const perp::Polyhedron a = round_polyhedron(faces, 1), b = round_polyhedron(faces, 2);
  const perp::Matrix3d axes = perp::Matrix3d::Identity();
  perp::RatioMetric metric(3);
  const perp::RatioEvent e =
      metric.measure(perp::faced_solid(a, kApart, axes), perp::faced_solid(b, {0, 0, 0}, axes));
  // Checks |s / Delta| <= |rho| and equal signs.
  const double s = -depth(a, b);
  if (std::abs(s) > (std::abs(e.rho) + 1e-6) * kApart.norm() || s * e.rho < 0) {
    state.SkipWithError("not the depth");
    return;
  }
  for (auto _ : state) benchmark::DoNotOptimize(depth(a, b));
  state.SetComplexityN(faces);
}
BENCHMARK(minkowski_depth)
    ->RangeMultiplier(4)
    ->Range(16, 256)
    ->Complexity(benchmark::oAuto)
    ->Unit(benchmark::kMicrosecond);

}  // namespace
