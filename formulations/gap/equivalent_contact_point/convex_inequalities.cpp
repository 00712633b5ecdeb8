#include <perp/formulations/gap/equivalent_contact_point/convex_inequalities.hpp>

namespace perp {

std::vector<ConvexInequality> convex_inequalities(const Shape& shape) {
  const Vector3d flat = Vector3d::Zero();
  std::vector<ConvexInequality> f;
  if (const auto* sphere = std::get_if<Sphere>(&shape)) {
    // (|y|^2 - r^2) / 2r
    f.push_back({Vector3d::Constant(1 / sphere->radius), flat, sphere->radius / 2});
  } else if (const auto* ellipsoid = std::get_if<Ellipsoid>(&shape)) {
    // (sum (y/half)^2 - 1) s/2 with s the least semi-axis
    const double s = ellipsoid->half.minCoeff();
    f.push_back({s * ellipsoid->half.cwiseAbs2().cwiseInverse(), flat, s / 2});
  } else if (const auto* cylinder = std::get_if<Cylinder>(&shape)) {
    const double r = cylinder->radius;
    f.push_back({Vector3d(1 / r, 1 / r, 0), flat, r / 2});
    f.push_back({flat, Vector3d::UnitZ(), cylinder->half_length});
    f.push_back({flat, -Vector3d::UnitZ(), cylinder->half_length});
  } else {
    for (const HalfSpace& face : half_spaces_of(shape))
      f.push_back({flat, face.normal, face.offset});
  }
  return f;
}

}  // namespace perp
