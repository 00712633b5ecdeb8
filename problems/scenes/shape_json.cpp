#include <perp/problems/scenes/shape_json.hpp>

#include <fmt/format.h>
#include <Eigen/Geometry>
#include <cmath>
#include <filesystem>
#include <numbers>
#include <perp/problems/io/files.hpp>
#include <perp/problems/scenes/obj_file.hpp>
#include <stdexcept>

namespace perp {

namespace {

Polygon read_polygon(const Field& field, const Names& names) {
  Polygon polygon;
  if (field.has("sides")) {
    field.only({"type", "sides", "radius"});
    const double sides = number(field["sides"], names), radius = positive(field["radius"], names);
    if (sides != std::floor(sides) || sides < 3 || sides > 1e6)
      field["sides"].fail("expected an integer of at least 3");
    // The first vertex points down.
    for (int k = 0; k < static_cast<int>(sides); ++k) {
      const double angle = -std::numbers::pi / 2 + 2 * std::numbers::pi * k / sides;
      polygon.vertices.emplace_back(radius * std::cos(angle), radius * std::sin(angle), 0.0);
    }
    return polygon;
  }
  field.only({"type", "vertices"});
  for (const Field& vertex : field["vertices"].items())
    polygon.vertices.push_back(point(vertex, 2, names));
  const std::size_t n = polygon.vertices.size();
  double turning = 0.0;
  if (n < 3) field["vertices"].fail("expected at least three");
  for (std::size_t k = 0; k < n; ++k) {
    const Vector3d e = polygon.vertices[(k + 1) % n] - polygon.vertices[k];
    const Vector3d f = polygon.vertices[(k + 2) % n] - polygon.vertices[(k + 1) % n];
    if (!(e.cross(f).z() > 0)) field["vertices"].fail("not convex and counterclockwise");
    turning += std::atan2(e.cross(f).z(), e.dot(f));
  }
  if (turning > 3 * std::numbers::pi)
    field["vertices"].fail("not convex: goes round more than once");
  return polygon;
}

HalfSpace read_half_space(const Field& field, int dimension, const Names& names) {
  const Vector3d normal = point(field["normal"], dimension, names);
  if (!(normal.norm() > 0)) field["normal"].fail("is zero");
  return {normal.normalized(), number_or(field, "offset", 0.0, names)};
}

Vector3d half_lengths(const Field& field, const Names& names) {
  const Vector3d half = point(field, 3, names);
  if (!(half.minCoeff() > 0)) field.fail("a half length is not positive");
  return half;
}

Superquadric read_superquadric(const Field& field, const Names& names) {
  field.only({"type", "half", "exponents"});
  const std::vector<double> e = numbers(field["exponents"], names);
  if (e.size() != 2) field["exponents"].fail(fmt::format("has {} numbers, expected 2", e.size()));
  for (const double exponent : e) {
    if (!(exponent > 0 && exponent < 2))
      field["exponents"].fail(fmt::format("{} is not between 0 and 2", exponent));
  }
  return {half_lengths(field["half"], names), e[0], e[1]};
}

Polyhedron read_obj(const Field& field) {
  const auto path = std::filesystem::path(field.file()).parent_path() / field.text();
  std::string text;
  try {
    text = read_text_file(path.string());
    return polyhedron_from_obj(text);
  } catch (const InputError& error) {
    field.fail(error.what());
  } catch (const std::invalid_argument& error) {
    field.fail(fmt::format("{}: {}", path.string(), error.what()));
  }
}

Polyhedron read_polyhedron(const Field& field, const Names& names) {
  field.only({"type", "vertices", "half_spaces", "obj"});
  if (field.has("vertices") + field.has("half_spaces") + field.has("obj") != 1)
    field.fail("a polyhedron has one of vertices, half_spaces and obj");
  if (field.has("obj")) return read_obj(field["obj"]);
  const Field given = field[field.has("vertices") ? "vertices" : "half_spaces"];
  try {
    if (field.has("vertices")) {
      std::vector<Vector3d> vertices;
      for (const Field& vertex : given.items()) vertices.push_back(point(vertex, 3, names));
      return convex_hull(vertices);
    }
    std::vector<std::pair<Vector3d, double>> spaces;
    for (const Field& item : given.items()) {
      item.only({"normal", "offset"});
      const HalfSpace space = read_half_space(item, 3, names);
      spaces.emplace_back(space.normal, space.offset);
    }
    return intersection(spaces);
  } catch (const InputError&) {
    throw;
  } catch (const std::invalid_argument& error) {
    given.fail(error.what());
  }
}

}  // namespace

Shape read_shape(const Field& field, int dimension, const Names& names) {
  const std::string type = field["type"].text();
  const auto in = [&](int wanted) {
    if (dimension != wanted)
      field["type"].fail(fmt::format("a {} belongs to {}D scenes", type, wanted));
  };
  if (type == "half_space") {
    field.only({"type", "normal", "offset"});
    return read_half_space(field, dimension, names);
  }
  if (type == "disc" || type == "sphere") {
    in(type == "disc" ? 2 : 3);
    field.only({"type", "radius"});
    const double radius = positive(field["radius"], names);
    return type == "disc" ? Shape(Disc{radius}) : Shape(Sphere{radius});
  }
  if (type == "polygon") {
    in(2);
    return read_polygon(field, names);
  }
  if (type == "box" || type == "ellipsoid") {
    in(3);
    field.only({"type", "half"});
    const Vector3d half = half_lengths(field["half"], names);
    return type == "box" ? Shape(Box{half}) : Shape(Ellipsoid{half});
  }
  if (type == "superquadric") {
    in(3);
    return read_superquadric(field, names);
  }
  if (type == "cylinder") {
    in(3);
    field.only({"type", "radius", "half_length"});
    return Cylinder{positive(field["radius"], names), positive(field["half_length"], names)};
  }
  if (type == "polyhedron") {
    in(3);
    return read_polyhedron(field, names);
  }
  field["type"].fail(
      "unknown shape; expected half_space, disc, polygon, sphere, box, ellipsoid, superquadric, "
      "cylinder or polyhedron");
}

}  // namespace perp
