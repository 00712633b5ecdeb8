#include <perp/problems/scenes/shape_json.hpp>

#include <perp/problems/scenes/repetition.hpp>

#include <fmt/format.h>
#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <functional>
#include <numbers>
#include <perp/problems/scenes/obj_file.hpp>
#include <stdexcept>

namespace perp {

namespace fs = std::filesystem;

namespace {

constexpr std::size_t kMaxSceneCorners = 300'000;  // of all shapes of a scene
constexpr int kMaxSides = 16'000;                  // of a polygon
constexpr int kMaxPoints = 100'000;                // of one hull
constexpr int kMaxAllPoints = 3'000'000;           // of all hulls of a scene
constexpr std::size_t kMaxHalfSpaces = 5'000;
constexpr std::uintmax_t kMaxMeshBytes = 50'000'000;
constexpr double kLeastExponent =
    0.01;  // nearer to 0 or 2, powers of coordinates become 0 or infinite

Polygon read_polygon(const Field& field, const Names& names) {
  Polygon polygon;
  if (field.has("sides")) {
    field.only({"type", "sides", "radius"});
    const double sides = number(field["sides"], names), radius = length(field["radius"], names);
    if (sides != std::floor(sides) || sides < 3 || sides > kMaxSides)
      field["sides"].fail(fmt::format("{} is not an integer in 3..{}", sides, kMaxSides));
    // The first vertex points down.
    for (int k = 0; k < static_cast<int>(sides); ++k) {
      const double angle = -std::numbers::pi / 2 + 2 * std::numbers::pi * k / sides;
      polygon.vertices.emplace_back(radius * std::cos(angle), radius * std::sin(angle), 0.0);
    }
    return polygon;
  }
  field.only({"type", "vertices"});
  for (const Field& vertex : field["vertices"].items())
    polygon.vertices.push_back(place(vertex, 2, names));
  const std::size_t n = polygon.vertices.size();
  double turning = 0.0;
  if (n < 3) field["vertices"].fail("expected at least three");
  if (n > kMaxSides)
    field["vertices"].fail(fmt::format("has {} vertices, at most {} are allowed", n, kMaxSides));
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
  if (!(normal.stableNorm() > 0)) field["normal"].fail("is zero");
  const double offset = number_or(field, "offset", 0.0, names);
  if (std::abs(offset) > kLargestLength)
    field["offset"].fail(fmt::format("{} m is farther than {:g} m", offset, kLargestLength));
  return {normal.stableNormalized(), offset};
}

Vector3d half_lengths(const Field& field, const Names& names) {
  const Vector3d half = point(field, 3, names);
  if (!(half.minCoeff() > 0)) field.fail("a half length is not positive");
  if (half.minCoeff() < kLeastLength || half.maxCoeff() > kLargestLength) {
    field.fail(
        fmt::format("a half length is not between {:g} and {:g} m", kLeastLength, kLargestLength));
  }
  return half;
}

Superquadric read_superquadric(const Field& field, const Names& names) {
  field.only({"type", "half", "exponents"});
  const std::vector<double> e = numbers(field["exponents"], names);
  if (e.size() != 2) field["exponents"].fail(fmt::format("has {} numbers, expected 2", e.size()));
  for (const double exponent : e) {
    if (!(exponent >= kLeastExponent && exponent <= 2 - kLeastExponent)) {
      field["exponents"].fail(fmt::format("{} is not between {:g} and {:g}", exponent,
                                          kLeastExponent, 2 - kLeastExponent));
    }
  }
  return {half_lengths(field["half"], names), e[0], e[1]};
}

// The text of a mesh: a regular file in the scene's folder or below it.
std::string read_mesh_file(const Field& field) {
  const fs::path name = field.text();
  const fs::path folder = fs::path(field.file()).parent_path();
  std::error_code error;
  const fs::path base = fs::canonical(folder.empty() ? "." : folder, error);
  const bool leads_up = std::find(name.begin(), name.end(), fs::path("..")) != name.end();
  const bool cut = name.native().find('\0') != std::string::npos;
  if (name.empty() || name.is_absolute() || leads_up || cut)
    field.fail("expected the name of a file in the scene's folder or below it");
  const std::string path = (folder / name).string();
  const fs::path found = fs::canonical(folder / name, error);
  if (error) field.fail(fmt::format("{}: no such file", path));
  if (!fs::is_regular_file(found, error)) field.fail(fmt::format("{}: is no regular file", path));
  if (std::mismatch(base.begin(), base.end(), found.begin(), found.end()).first != base.end())
    field.fail(fmt::format("{}: leads out of the scene's folder", path));
  const std::uintmax_t bytes = fs::file_size(found, error);
  if (error || bytes > kMaxMeshBytes)
    field.fail(fmt::format("{}: {} bytes, at most {}", path, bytes, kMaxMeshBytes));
  std::string text(static_cast<std::size_t>(bytes), '\0');
  std::ifstream file(found, std::ios::binary);
  if (!file.read(text.data(), static_cast<std::streamsize>(bytes)))
    field.fail(fmt::format("{}: cannot be read", path));
  return text;
}

std::size_t corners_of(const Shape& shape) {
  if (const auto* polygon = std::get_if<Polygon>(&shape)) return polygon->vertices.size();
  const auto* polyhedron = std::get_if<Polyhedron>(&shape);
  return polyhedron ? polyhedron->vertices.size() + polyhedron->faces.size() : 0;
}

Shape read_any(const Field& field, int dimension, const Names& names,
               const std::function<Polyhedron()>& read_polyhedron) {
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
    const double radius = length(field["radius"], names);
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
    return Cylinder{length(field["radius"], names), length(field["half_length"], names)};
  }
  if (type == "polyhedron") {
    in(3);
    return read_polyhedron();
  }
  field["type"].fail(
      "unknown shape; expected half_space, disc, polygon, sphere, box, ellipsoid, superquadric, "
      "cylinder or polyhedron");
}

}  // namespace

const Polyhedron& ShapeReader::read_obj(const Field& field) {
  const auto known = meshes_.find(field.text());
  if (known != meshes_.end()) return known->second;
  const std::string text = read_mesh_file(field);
  try {
    return meshes_.emplace(field.text(), polyhedron_from_obj(text)).first->second;
  } catch (const std::invalid_argument& error) {
    const fs::path path = fs::path(field.file()).parent_path() / field.text();
    field.fail(fmt::format("{}: {}", path.string(), error.what()));
  }
}

Polyhedron ShapeReader::read_polyhedron(const Field& field, const Names& names) {
  field.only({"type", "vertices", "half_spaces", "obj"});
  if (field.has("vertices") + field.has("half_spaces") + field.has("obj") != 1)
    field.fail("a polyhedron needs exactly one of vertices, half_spaces and obj");
  if (field.has("obj")) return read_obj(field["obj"]);
  const bool by_vertices = field.has("vertices");
  const Field given = field[by_vertices ? "vertices" : "half_spaces"];
  try {
    if (by_vertices) {
      std::vector<Vector3d> vertices;
      each(given, names, kMaxPoints, [&](const Field& vertex, const Names& scope) {
        vertices.push_back(place(vertex, 3, scope));
        if (++points_ > kMaxAllPoints)
          given.fail(fmt::format("the shapes up to here have more than {} points", kMaxAllPoints));
      });
      return convex_hull(vertices);
    }
    const std::vector<Field> items = given.items();
    if (items.size() > kMaxHalfSpaces)
      given.fail(
          fmt::format("has {} half-spaces, at most {} are allowed", items.size(), kMaxHalfSpaces));
    std::vector<std::pair<Vector3d, double>> spaces;
    for (const Field& item : items) {
      item.only({"normal", "offset"});
      const HalfSpace space = read_half_space(item, 3, names);
      spaces.emplace_back(space.normal, space.offset);
    }
    return intersection(spaces);
  } catch (const std::invalid_argument& error) {
    given.fail(error.what());
  }
}

Shape ShapeReader::read(const Field& field, int dimension, const Names& names) {
  Shape shape = read_any(field, dimension, names, [&] { return read_polyhedron(field, names); });
  corners_ += corners_of(shape);
  if (corners_ > kMaxSceneCorners)
    field.fail(fmt::format("the shapes up to here have more than {} corners", kMaxSceneCorners));
  const double radius = bounding_radius(shape);
  const bool of_points = corners_of(shape) > 0;
  if (of_points && !(radius >= kLeastLength && radius <= kLargestLength)) {
    field.fail(fmt::format("has a radius of {} m, which is not between {:g} and {:g}", radius,
                           kLeastLength, kLargestLength));
  }
  return shape;
}

}  // namespace perp
