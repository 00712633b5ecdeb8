#include <perp/formulations/gap/ratio_metric/ratio_gap.hpp>

#include <perp/formulations/gap/ratio_metric/ratio.hpp>

#include <fmt/format.h>
#include <cmath>

namespace perp {

namespace {

FacedSolid faced(const PlacedShape& placed) {
  return faced_solid(*placed.shape, placed.position, placed.axes);
}

// Only t up to here can have gap = (t - 1) t / |g| <= margin, because |g| <= 1 / w.
double largest_ratio(double margin, double width) {
  return 0.5 * (1 + std::sqrt(1 + 4 * margin / width));
}

std::vector<PairContact> contacts(const PlacedShape& a, const PlacedShape& b, int dimension,
                                  double margin) {
  const FacedSolid fa = faced(a), fb = faced(b);
  std::vector<PairContact> found;
  thread_local RatioMetric planar(2), spatial(3);
  RatioMetric& metric = dimension == 2 ? planar : spatial;
  for (const RatioEvent& e :
       metric.events(fa, fb, largest_ratio(margin, fa.inner() + fb.inner()))) {
    const double length = e.gradient.norm(), gap = e.gap();
    if (gap > margin) continue;
    found.push_back(
        {static_cast<int>(e.features), e.point, e.gradient / length, gap, e.t * e.t / length});
  }
  return found;
}

std::optional<std::string> refusal(const Scene& scene) {
  for (std::size_t k = 0; k < scene.bodies.size(); ++k) {
    const Shape& shape = scene.bodies[k].shape;
    if (std::holds_alternative<std::monostate>(shape)) continue;
    if (std::holds_alternative<HalfSpace>(shape)) {
      return fmt::format(
          "field \"bodies[{}].shape\": a half_space cannot be scaled, so the ratio metric has no "
          "gap for it; use boxes (2D: polygons) for walls and floors",
          k);
    }
    const std::vector<HalfSpace> faces = half_spaces_of(shape);
    if (faces.empty()) {
      return fmt::format(
          "field \"bodies[{}].shape\": the ratio metric takes polygons, boxes and polyhedra; "
          "this is a {}",
          k, shape_name(shape));
    }
    for (const HalfSpace& face : faces) {
      if (face.offset > 1e-9 * bounding_radius(shape)) continue;
      return fmt::format(
          "field \"bodies[{}].shape\": the ratio metric scales about the mass centre, which is "
          "not inside",
          k);
    }
  }
  return {};
}

}  // namespace

const Gap& ratio_gap() {
  static const Gap gap{"ratio", "ratio metric: how much polyhedra are scaled until they touch",
                       "Hart",  contacts,
                       refusal, true};
  return gap;
}

}  // namespace perp
