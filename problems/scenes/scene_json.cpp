#include <perp/problems/scenes/scene_json.hpp>

#include <fmt/format.h>
#include <algorithm>
#include <cmath>
#include <functional>
#include <numbers>
#include <perp/problems/io/field.hpp>
#include <perp/problems/scenes/number_expression.hpp>
#include <stdexcept>

namespace perp {

namespace {

using Names = std::map<std::string, double>;

constexpr int kMaxBodies = 100000;

// A number, or a string that is an expression in the names.
double number(const Field& field, const Names& names) {
  const auto* text = field.value().get_if<std::string>();
  if (!text) return field.number();
  try {
    return evaluate_expression(*text, names);
  } catch (const std::invalid_argument& error) {
    field.fail(error.what());
  }
}

double number_or(const Field& field, const char* name, double fallback, const Names& names) {
  return field.has(name) ? number(field[name], names) : fallback;
}

double positive(const Field& field, const Names& names) {
  const double value = number(field, names);
  if (!(value > 0)) field.fail(fmt::format("{} is not positive", value));
  return value;
}

double nonnegative(const Field& field, const Names& names) {
  const double value = number(field, names);
  if (!(value >= 0)) field.fail(fmt::format("{} is negative", value));
  return value;
}

std::vector<double> numbers(const Field& field, const Names& names) {
  if (const auto* packed = field.value().get_if<json::Numbers>()) return packed->values;
  std::vector<double> values;
  for (const Field& item : field.items()) values.push_back(number(item, names));
  return values;
}

// Two coordinates in 2D, three in 3D.
Vector3d point(const Field& field, int dimension, const Names& names) {
  const std::vector<double> v = numbers(field, names);
  if (static_cast<int>(v.size()) != dimension) {
    field.fail(fmt::format("has {} coordinates, expected {}", v.size(), dimension));
  }
  return {v[0], v[1], dimension == 3 ? v[2] : 0.0};
}

Vector3d point_or_zero(const Field& field, const char* name, int dimension, const Names& names) {
  return field.has(name) ? point(field[name], dimension, names) : Vector3d::Zero();
}

// "box_{i}_{j+1}" with the values put in.
std::string expanded(const Field& field, const Names& names) {
  std::string text = field.text();
  for (std::size_t open = text.find('{'); open != std::string::npos; open = text.find('{', open)) {
    const std::size_t close = text.find('}', open);
    if (close == std::string::npos) field.fail("a '}' is missing");
    try {
      const double value = evaluate_expression(text.substr(open + 1, close - open - 1), names);
      text.replace(open, close - open + 1, fmt::format("{}", value));
    } catch (const std::invalid_argument& error) {
      field.fail(error.what());
    }
  }
  return text;
}

std::string name_with_indices(const Field& field, const Names& names) {
  const std::string text = expanded(field, names);
  if (text.empty() || text.find_first_of(", \"\n*") != std::string::npos) {
    field.fail("a name is not empty and has no comma, blank, quote or *");
  }
  return text;
}

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

Shape read_shape(const Field& field, int dimension, const Names& names) {
  const std::string type = field["type"].text();
  const auto in = [&](int wanted) {
    if (dimension != wanted)
      field["type"].fail(fmt::format("a {} belongs to {}D scenes", type, wanted));
  };
  if (type == "half_space") {
    field.only({"type", "normal", "offset"});
    const Vector3d normal = point(field["normal"], dimension, names);
    if (!(normal.norm() > 0)) field["normal"].fail("is zero");
    return HalfSpace{normal.normalized(), number_or(field, "offset", 0.0, names)};
  }
  if (type == "disc") {
    in(2);
    field.only({"type", "radius"});
    return Disc{positive(field["radius"], names)};
  }
  if (type == "polygon") {
    in(2);
    return read_polygon(field, names);
  }
  if (type == "sphere") {
    in(3);
    field.only({"type", "radius"});
    return Sphere{positive(field["radius"], names)};
  }
  if (type == "box") {
    in(3);
    field.only({"type", "half"});
    const Vector3d half = point(field["half"], 3, names);
    if (!(half.minCoeff() > 0)) field["half"].fail("a half length is not positive");
    return Box{half};
  }
  field["type"].fail("unknown shape; expected half_space, disc, polygon, sphere or box");
}

// Area or volume, and principal moments for unit density.
struct Extent {
  double measure;
  Vector3d inertia;
};

Extent extent_of(const Shape& shape, const Field& field) {
  const double pi = std::numbers::pi;
  if (const auto* disc = std::get_if<Disc>(&shape)) {
    const double area = pi * disc->radius * disc->radius;
    return {area, Vector3d(0, 0, 0.5 * area * disc->radius * disc->radius)};
  }
  if (const auto* sphere = std::get_if<Sphere>(&shape)) {
    const double volume = 4.0 / 3.0 * pi * std::pow(sphere->radius, 3);
    return {volume, Vector3d::Constant(0.4 * volume * sphere->radius * sphere->radius)};
  }
  if (const auto* box = std::get_if<Box>(&shape)) {
    const Vector3d s = box->half.cwiseProduct(box->half);
    const double volume = 8.0 * box->half.prod();
    return {volume, volume / 3.0 * Vector3d(s[1] + s[2], s[0] + s[2], s[0] + s[1])};
  }
  if (const auto* polygon = std::get_if<Polygon>(&shape)) {
    double area = 0.0, moment = 0.0;
    Vector3d centre = Vector3d::Zero();
    const auto& v = polygon->vertices;
    for (std::size_t k = 0; k < v.size(); ++k) {
      const Vector3d &a = v[k], &b = v[(k + 1) % v.size()];
      const double cross = a.cross(b).z();
      area += cross / 2;
      centre += cross / 6 * (a + b);
      moment += cross * (a.dot(a) + a.dot(b) + b.dot(b)) / 12;
    }
    if (centre.norm() > 1e-9 * std::pow(area, 1.5)) {
      field["shape"]["vertices"].fail("the mass centre is not at the body's origin");
    }
    return {area, Vector3d(0, 0, moment)};
  }
  field.fail("a moving body of this shape needs mass and inertia");
}

void read_mass(const Field& field, int dimension, const Names& names, Body& body) {
  if (body.fixed) return;
  if (field.has("density") && field.has("mass"))
    field["mass"].fail("given beside density: one or the other");
  if (field.has("density")) {
    const double density = positive(field["density"], names);
    const Extent extent = extent_of(body.shape, field);
    body.mass = density * extent.measure;
    body.inertia = density * extent.inertia;
    return;
  }
  body.mass = positive(field["mass"], names);
  if (!field.has("inertia")) {
    const Extent extent = extent_of(body.shape, field);
    body.inertia = body.mass / extent.measure * extent.inertia;
  } else if (dimension == 2) {
    body.inertia = Vector3d(0, 0, positive(field["inertia"], names));
  } else {
    body.inertia = point(field["inertia"], 3, names);
    if (!(body.inertia.minCoeff() > 0)) field["inertia"].fail("a principal moment is not positive");
  }
}

Quaterniond read_orientation(const Field& field, int dimension, const Names& names) {
  if (dimension == 2) {
    const double angle = number(field, names);
    return Quaterniond(Eigen::AngleAxisd(angle, Vector3d::UnitZ()));
  }
  const std::vector<double> q = numbers(field, names);
  if (q.size() != 4) field.fail(fmt::format("has {} numbers, expected 4 (w, x, y, z)", q.size()));
  const Quaterniond quaternion(q[0], q[1], q[2], q[3]);
  if (!(quaternion.norm() > 0)) field.fail("is zero");
  return quaternion.normalized();
}

Body read_body(const Field& field, int dimension, const Names& names) {
  field.only({"name", "fixed", "shape", "mass", "density", "inertia", "position", "orientation",
              "velocity", "angular_velocity"});
  Body body;
  body.name = name_with_indices(field["name"], names);
  body.fixed = field.has("fixed") && field["fixed"].boolean();
  if (field.has("shape")) body.shape = read_shape(field["shape"], dimension, names);
  read_mass(field, dimension, names, body);
  body.position = point_or_zero(field, "position", dimension, names);
  if (field.has("orientation"))
    body.orientation = read_orientation(field["orientation"], dimension, names);
  body.velocity = point_or_zero(field, "velocity", dimension, names);
  if (dimension == 3) {
    body.angular_velocity = point_or_zero(field, "angular_velocity", 3, names);
  } else if (field.has("angular_velocity")) {
    body.angular_velocity.z() = number(field["angular_velocity"], names);
  }
  return body;
}

// Calls make(item, names) for every element; {"repeat": {"i": COUNT, ...}, "of": ITEM} makes many.
void each(const Field& list, const Names& names,
          const std::function<void(const Field&, const Names&)>& make) {
  for (const Field& item : list.items()) {
    if (!item.has("repeat")) {
      make(item, names);
      continue;
    }
    item.only({"repeat", "of"});
    const auto* counts = item["repeat"].value().get_if<json::Object>();
    if (!counts) item["repeat"].expected("an object");
    const std::function<void(std::size_t, const Names&)> nest = [&](std::size_t level,
                                                                    const Names& scope) {
      if (level == counts->size()) {
        make(item["of"], scope);
        return;
      }
      const std::string& index = (*counts)[level].first;
      const double count = number(item["repeat"][index], scope);
      if (count != std::floor(count) || count < 0 || count > kMaxBodies) {
        item["repeat"][index].fail(fmt::format("{} is not an integer in 0..{}", count, kMaxBodies));
      }
      for (int k = 0; k < static_cast<int>(count); ++k) {
        Names inner = scope;
        inner[index] = k;
        nest(level + 1, inner);
      }
    };
    nest(0, names);
  }
}

ContactProperties read_contact(const Field& field, const Names& names) {
  ContactProperties p;
  if (field.has("mu")) p.mu = nonnegative(field["mu"], names);
  if (field.has("restitution")) {
    p.restitution = nonnegative(field["restitution"], names);
    if (p.restitution > 1) field["restitution"].fail("is above 1");
  }
  return p;
}

int body_index(const Field& field, const Scene& scene, const Names& names) {
  const std::string name = name_with_indices(field, names);
  for (std::size_t i = 0; i < scene.bodies.size(); ++i) {
    if (scene.bodies[i].name == name) return static_cast<int>(i);
  }
  field.fail(fmt::format("there is no body \"{}\"", name));
}

// A name, or the beginning of names followed by *; some body must fit.
std::string body_pattern(const Field& field, const Scene& scene, const Names& names) {
  const std::string pattern = expanded(field, names);
  for (const Body& body : scene.bodies) {
    if (name_fits(pattern, body.name)) return pattern;
  }
  field.fail(fmt::format("there is no body \"{}\"", pattern));
}

Joint read_joint(const Field& field, const Scene& scene, const Names& names) {
  field.only({"name", "type", "a", "b", "anchor", "anchor_a", "anchor_b", "axis"});
  static const std::map<std::string, JointType> types = {{"point", JointType::kPoint},
                                                         {"revolute", JointType::kRevolute},
                                                         {"prismatic", JointType::kPrismatic},
                                                         {"fixed", JointType::kFixed},
                                                         {"distance", JointType::kDistance}};
  const std::string type = field["type"].text();
  const auto known = types.find(type);
  if (known == types.end())
    field["type"].fail("unknown joint; expected point, revolute, prismatic, fixed or distance");
  Joint j;
  j.name = name_with_indices(field["name"], names);
  j.type = known->second;
  j.body_a = body_index(field["a"], scene, names);
  j.body_b = body_index(field["b"], scene, names);
  if (j.body_a == j.body_b) field["b"].fail("a joint needs two bodies");
  const int d = scene.dimension;
  const bool distance = j.type == JointType::kDistance;
  if (distance && field.has("anchor"))
    field["anchor"].fail("a distance joint has anchor_a and anchor_b");
  for (const char* name : {"anchor_a", "anchor_b"}) {
    if (!distance && field.has(name)) field[name].fail("only a distance joint has two anchors");
  }
  if (distance) {
    j.anchor_a = point(field["anchor_a"], d, names);
    j.anchor_b = point(field["anchor_b"], d, names);
    if (!((j.anchor_a - j.anchor_b).norm() > 0)) field["anchor_b"].fail("is where anchor_a is");
  } else {
    j.anchor_a = j.anchor_b = point(field["anchor"], d, names);
  }
  if (j.type == JointType::kPrismatic || (j.type == JointType::kRevolute && d == 3)) {
    j.axis = point(field["axis"], d, names);
    if (!(j.axis.norm() > 0)) field["axis"].fail("is zero");
    j.axis.normalize();
  }
  return j;
}

Spring read_spring(const Field& field, const Scene& scene, const Names& names) {
  field.only({"a", "b", "anchor_a", "anchor_b", "stiffness", "damping", "length"});
  const int d = scene.dimension;
  return {body_index(field["a"], scene, names),   body_index(field["b"], scene, names),
          point(field["anchor_a"], d, names),     point(field["anchor_b"], d, names),
          nonnegative(field["stiffness"], names), number_or(field, "damping", 0.0, names),
          nonnegative(field["length"], names)};
}

TimeFunction read_time_function(const Field& field, const Names& names) {
  TimeFunction f;
  if (!field.value().get_if<json::Object>()) {
    f.constant = number(field, names);
    return f;
  }
  field.only({"constant", "amplitude", "omega", "phase"});
  f.constant = number_or(field, "constant", 0.0, names);
  f.amplitude = number_or(field, "amplitude", 0.0, names);
  f.omega = number_or(field, "omega", 0.0, names);
  f.phase = number_or(field, "phase", 0.0, names);
  return f;
}

void read_components(const Field& field, int count, int first, const Names& names,
                     std::array<TimeFunction, 3>& out) {
  if (const auto* packed = field.value().get_if<json::Numbers>()) {
    if (static_cast<int>(packed->values.size()) != count)
      field.fail(fmt::format("expected {} components", count));
    for (int k = 0; k < count; ++k) out[first + k].constant = packed->values[k];
    return;
  }
  const std::vector<Field> items = field.items();
  if (static_cast<int>(items.size()) != count)
    field.fail(fmt::format("expected {} components", count));
  for (int k = 0; k < count; ++k) out[first + k] = read_time_function(items[k], names);
}

Load read_load(const Field& field, const Scene& scene, const Names& names) {
  field.only({"body", "force", "moment"});
  Load load;
  load.body = body_index(field["body"], scene, names);
  const bool plane = scene.dimension == 2;
  if (field.has("force")) read_components(field["force"], scene.dimension, 0, names, load.force);
  if (field.has("moment")) {
    if (plane) {
      load.moment[2] = read_time_function(field["moment"], names);
    } else {
      read_components(field["moment"], 3, 0, names, load.moment);
    }
  }
  return load;
}

Names read_parameters(const Field& root, const std::map<std::string, double>& given) {
  Names names;
  if (root.has("parameters")) {
    const auto* defaults = root["parameters"].value().get_if<json::Object>();
    if (!defaults) root["parameters"].expected("an object");
    for (const json::Member& m : *defaults) {
      const auto replaced = given.find(m.first);
      names[m.first] =
          replaced != given.end() ? replaced->second : number(root["parameters"][m.first], names);
    }
  }
  for (const auto& [name, value] : given) {
    if (!names.contains(name)) {
      std::vector<std::string> known;
      for (const auto& [k, v] : names) known.push_back(k);
      root.fail(
          fmt::format("parameter \"{}\": the scene has {}", name,
                      known.empty() ? "none" : fmt::format("only {}", fmt::join(known, ", "))));
    }
  }
  return names;
}

}  // namespace

Scene scene_from_text(std::string_view text, const std::string& file,
                      const std::map<std::string, double>& parameters) {
  const json::Value document = json::parse(text, file);
  const Field root(document, file, "");
  if (root["format"].text() != "perp-scene") root["format"].fail("expected \"perp-scene\"");
  if (root["version"].integer(0, 1000) != 1) {
    root["version"].fail("unknown version; this program reads version 1");
  }
  root.only({"format", "version", "name", "description", "dimension", "parameters", "gravity",
             "bodies", "contact", "pairs", "joints", "springs", "loads", "step", "duration"},
            true);
  Scene scene;
  scene.name = root["name"].text();
  if (root.has("description")) scene.description = root["description"].text();
  scene.dimension = root["dimension"].integer(2, 3);
  const Names names = read_parameters(root, parameters);
  scene.parameters = names;
  const int d = scene.dimension;
  scene.gravity = point_or_zero(root, "gravity", d, names);
  each(root["bodies"], names, [&](const Field& f, const Names& n) {
    Body body = read_body(f, d, n);
    for (const Body& other : scene.bodies) {
      if (other.name == body.name) f["name"].fail(fmt::format("a second body \"{}\"", body.name));
    }
    scene.bodies.push_back(std::move(body));
  });
  if (root.has("contact")) {
    root["contact"].only({"mu", "restitution"});
    scene.contact = read_contact(root["contact"], names);
  }
  if (root.has("pairs")) {
    each(root["pairs"], names, [&](const Field& f, const Names& n) {
      f.only({"a", "b", "mu", "restitution"});
      scene.pairs.push_back(
          {body_pattern(f["a"], scene, n), body_pattern(f["b"], scene, n), read_contact(f, n)});
    });
  }
  if (root.has("joints")) {
    each(root["joints"], names,
         [&](const Field& f, const Names& n) { scene.joints.push_back(read_joint(f, scene, n)); });
  }
  if (root.has("springs")) {
    each(root["springs"], names, [&](const Field& f, const Names& n) {
      scene.springs.push_back(read_spring(f, scene, n));
    });
  }
  if (root.has("loads")) {
    each(root["loads"], names,
         [&](const Field& f, const Names& n) { scene.loads.push_back(read_load(f, scene, n)); });
  }
  if (root.has("step")) scene.step = positive(root["step"], names);
  if (root.has("duration")) scene.duration = positive(root["duration"], names);
  return scene;
}

}  // namespace perp
