#include <perp/problems/scenes/scene_json.hpp>

#include <fmt/format.h>
#include <algorithm>
#include <cmath>
#include <perp/problems/io/files.hpp>
#include <perp/problems/json/field.hpp>
#include <perp/problems/scenes/mass_properties.hpp>
#include <perp/problems/scenes/number_expression.hpp>
#include <perp/problems/scenes/number_fields.hpp>
#include <perp/problems/scenes/repetition.hpp>
#include <perp/problems/scenes/shape_json.hpp>
#include <set>
#include <stdexcept>

namespace perp {

namespace {

constexpr int kMaxBodies = 100'000;
constexpr int kMaxItems = 10'000;  // of each: pairs, joints, bearings, springs, loads, impulses
constexpr std::size_t kMaxParameters = 1000, kLongestName = 200;
constexpr double kLeastTime = 1e-12, kLargestTime = 1e9;  // s
constexpr double kLargestInertia = 1e60;                  // kg or kg m2, given or from a density

// A scene that is being read.
struct Draft : Scene {
  std::map<std::string, int, std::less<>> place;  // of the bodies, by name
  ShapeReader shapes;
};

bool has_controls(const std::string& text) {
  return std::any_of(text.begin(), text.end(),
                     [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; });
}

// "box_{i}_{j+1}" with the values inserted.
std::string expanded(const Field& field, const Names& names) {
  std::string text = field.text();
  if (text.size() > 10 * kLongestName) field.fail(fmt::format("a name of {} bytes", text.size()));
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
  if (text.empty() || text.find_first_of(", \"*") != std::string::npos || has_controls(text)) {
    field.fail("a name is not empty and has no comma, blank, quote, * or control character");
  }
  if (text.size() > kLongestName)
    field.fail(fmt::format("a name of {} bytes, at most {}", text.size(), kLongestName));
  return text;
}

// A text that is one line wherever it is shown.
std::string one_line(const Field& field) {
  const std::string text = field.text();
  if (has_controls(text)) field.fail("has control characters");
  return text;
}

// Mass properties of the shape of a body for unit density, about its origin; the inertia is
// diagonal. The body frame of a polyhedron is moved to its mass centre and principal axes, and its
// vertices are changed so that the body does not move in the world.
MassProperties unit_mass(const Field& field, Body& body) {
  MassProperties unit;
  try {
    unit = mass_properties(body.shape);
  } catch (const std::invalid_argument& error) {
    field.fail(error.what());
  }
  const double off_centre = unit.centre.norm() / bounding_radius(body.shape);
  if (std::holds_alternative<Polygon>(body.shape) && off_centre > 1e-9)
    field["shape"]["vertices"].fail("the mass centre is not at the body's origin");
  auto* polyhedron = std::get_if<Polyhedron>(&body.shape);
  if (!polyhedron) return unit;
  const Matrix3d axes = principal_axes(unit.inertia);
  const Vector3d centre = off_centre > 1e-9 ? unit.centre : Vector3d(Vector3d::Zero());
  *polyhedron = transformed(*polyhedron, centre, axes.transpose());
  body.position += body.orientation * centre;
  body.orientation = (body.orientation * Quaterniond(axes)).normalized();
  unit.inertia = axes.transpose() * unit.inertia * axes;
  return unit;
}

void read_mass(const Field& field, int dimension, const Names& names, Body& body) {
  if (field.has("density") && field.has("mass"))
    field["mass"].fail("is given together with density; only one of them is allowed");
  if (field.has("density")) {
    const double density = positive(field["density"], names);
    const MassProperties unit = unit_mass(field, body);
    body.mass = density * unit.measure;
    body.inertia = density * unit.inertia.diagonal();
    return;
  }
  body.mass = positive(field["mass"], names);
  if (!field.has("inertia")) {
    const MassProperties unit = unit_mass(field, body);
    body.inertia = body.mass / unit.measure * unit.inertia.diagonal();
  } else if (dimension == 2) {
    body.inertia = Vector3d(0, 0, positive(field["inertia"], names));
  } else {
    body.inertia = point(field["inertia"], 3, names);
    if (!(body.inertia.minCoeff() > 0)) field["inertia"].fail("a principal moment is not positive");
  }
}

// Checks the mass and the moments of inertia that are used (in 2D only one moment).
void check_mass(const Field& field, int dimension, const Body& body) {
  const bool plane = dimension == 2;
  const double least = plane ? body.inertia.z() : body.inertia.minCoeff(),
               largest = plane ? body.inertia.z() : body.inertia.maxCoeff();
  const auto fail = [&](const char* what, double value) {
    field.fail(fmt::format("{} of {} is not between {:g} and {:g}", what, value,
                           1 / kLargestInertia, kLargestInertia));
  };
  if (!(body.mass >= 1 / kLargestInertia && body.mass <= kLargestInertia))
    fail("a mass", body.mass);
  if (!(least >= 1 / kLargestInertia)) fail("a moment of inertia", least);
  if (!(largest <= kLargestInertia)) fail("a moment of inertia", largest);
}

Quaterniond read_orientation(const Field& field, int dimension, const Names& names) {
  if (dimension == 2) {
    const double angle = number(field, names);
    return Quaterniond(Eigen::AngleAxisd(angle, Vector3d::UnitZ()));
  }
  const std::vector<double> q = numbers(field, names);
  if (q.size() != 4) field.fail(fmt::format("has {} numbers, expected 4 (w, x, y, z)", q.size()));
  Eigen::Vector4d v(q[1], q[2], q[3], q[0]);
  if (!(v.stableNorm() > 0)) field.fail("is zero");
  const Quaterniond quaternion(Eigen::Vector4d(v / v.cwiseAbs().maxCoeff()));
  return quaternion.normalized();
}

Body read_body(const Field& field, int dimension, const Names& names, ShapeReader& shapes) {
  field.only({"name", "fixed", "shape", "mass", "density", "inertia", "position", "orientation",
              "velocity", "angular_velocity"});
  Body body;
  body.name = name_with_indices(field["name"], names);
  body.fixed = field.has("fixed") && field["fixed"].boolean();
  if (field.has("shape")) body.shape = shapes.read(field["shape"], dimension, names);
  if (field.has("position")) body.position = place(field["position"], dimension, names);
  if (field.has("orientation"))
    body.orientation = read_orientation(field["orientation"], dimension, names);
  if (!body.fixed) {
    read_mass(field, dimension, names, body);
    check_mass(field, dimension, body);
  } else {
    for (const char* name : {"mass", "density"}) {  // of no effect, but numbers
      if (field.has(name)) number(field[name], names);
    }
  }
  body.velocity = point_or_zero(field, "velocity", dimension, names);
  if (dimension == 3) {
    body.angular_velocity = point_or_zero(field, "angular_velocity", 3, names);
  } else if (field.has("angular_velocity")) {
    body.angular_velocity.z() = number(field["angular_velocity"], names);
  }
  if (body.fixed && !body.velocity.isZero(0.0)) field["velocity"].fail("the body is fixed");
  if (body.fixed && !body.angular_velocity.isZero(0.0))
    field["angular_velocity"].fail("the body is fixed");
  return body;
}

const std::set<std::string_view> kContactFields = {
    "mu", "e_t", "e_o", "e_r", "viscous", "direction", "restitution", "stiffness", "dissipation"};
const std::set<std::string_view> kPairFields = {
    "a",       "b",         "mu",          "e_t",       "e_o",        "e_r",
    "viscous", "direction", "restitution", "stiffness", "dissipation"};

ContactProperties read_contact(const Field& field, int dimension, const Names& names) {
  ContactProperties p;
  const auto maybe = [&](const char* name, double& value, auto read) {
    if (field.has(name)) value = read(field[name], names);
  };
  maybe("mu", p.mu, nonnegative);
  maybe("e_t", p.e_t, positive);
  maybe("e_o", p.e_o, positive);
  maybe("e_r", p.e_r, nonnegative);
  maybe("viscous", p.viscous, nonnegative);
  maybe("restitution", p.restitution, nonnegative);
  maybe("stiffness", p.stiffness, positive);
  maybe("dissipation", p.dissipation, nonnegative);
  if (p.restitution > 1) field["restitution"].fail("is above 1");
  if (dimension == 2) {
    for (const char* name : {"e_o", "e_r", "direction"}) {
      if (field.has(name)) field[name].fail("belongs to 3D scenes");
    }
  }
  if (field.has("direction")) {
    p.direction = point(field["direction"], 3, names);
    if (p.direction.isZero(0.0)) field["direction"].fail("is zero");
    p.direction = p.direction.stableNormalized();
  }
  if (p.rigid() && field.has("dissipation"))
    field["dissipation"].fail("needs a compliant contact, but stiffness is missing");
  if (!p.rigid() && p.restitution > 0)
    field["restitution"].fail("needs a rigid contact, but stiffness is given");
  return p;
}

int count(const Field& field, int least, int most, const Names& names) {
  const double value = number(field, names);
  if (value != std::floor(value) || value < least || value > most)
    field.fail(fmt::format("{} is not an integer in {}..{}", value, least, most));
  return static_cast<int>(value);
}

int body_index(const Field& field, const Draft& scene, const Names& names) {
  const std::string name = name_with_indices(field, names);
  const auto it = scene.place.find(name);
  if (it != scene.place.end()) return it->second;
  field.fail(fmt::format("there is no body \"{}\"", name));
}

// A name, or the beginning of names followed by *; at least one body must fit.
std::string body_pattern(const Field& field, const Draft& scene, const Names& names) {
  const std::string pattern = expanded(field, names);
  const std::string_view stem = std::string_view(pattern).substr(0, pattern.find('*'));
  const auto it = scene.place.lower_bound(stem);
  if (it != scene.place.end() && name_fits(pattern, it->first)) return pattern;
  field.fail(fmt::format("there is no body \"{}\"", pattern));
}

Joint read_joint(const Field& field, const Draft& scene, const Names& names) {
  field.only({"name", "type", "a", "b", "anchor", "anchor_a", "anchor_b", "axis", "coulomb",
              "viscous", "stiffness", "damping", "rest", "displacement"});
  static const std::map<std::string, JointType> types = {{"spherical", JointType::kSpherical},
                                                         {"revolute", JointType::kRevolute},
                                                         {"prismatic", JointType::kPrismatic},
                                                         {"fixed", JointType::kFixed},
                                                         {"distance", JointType::kDistance}};
  const std::string type = field["type"].text();
  const auto known = types.find(type);
  if (known == types.end())
    field["type"].fail("unknown joint; expected spherical, revolute, prismatic, fixed or distance");
  if (known->second == JointType::kSpherical && scene.dimension == 2)
    field["type"].fail("a spherical joint belongs to 3D scenes; use revolute in 2D");
  Joint j;
  j.name = name_with_indices(field["name"], names);
  j.type = known->second;
  j.body_a = body_index(field["a"], scene, names);
  j.body_b = body_index(field["b"], scene, names);
  if (j.body_a == j.body_b) field["b"].fail("a joint needs two bodies");
  if (scene.bodies[static_cast<std::size_t>(j.body_a)].fixed &&
      scene.bodies[static_cast<std::size_t>(j.body_b)].fixed)
    field["b"].fail("both bodies of the joint are fixed");
  const int d = scene.dimension;
  const bool distance = j.type == JointType::kDistance;
  if (distance && field.has("anchor"))
    field["anchor"].fail("a distance joint has anchor_a and anchor_b");
  for (const char* name : {"anchor_a", "anchor_b"}) {
    if (!distance && field.has(name)) field[name].fail("only a distance joint has two anchors");
  }
  if (distance) {
    j.anchor_a = place(field["anchor_a"], d, names);
    j.anchor_b = place(field["anchor_b"], d, names);
    if (!((j.anchor_a - j.anchor_b).norm() > 0)) field["anchor_b"].fail("is where anchor_a is");
  } else {
    j.anchor_a = j.anchor_b = place(field["anchor"], d, names);
  }
  if (j.type == JointType::kPrismatic || (j.type == JointType::kRevolute && d == 3)) {
    j.axis = point(field["axis"], d, names);
    if (!(j.axis.norm() > 0)) field["axis"].fail("is zero");
    j.axis.normalize();
  } else if (field.has("axis")) {
    field["axis"].fail(fmt::format("a {} joint has no axis", type));
  }
  const bool slides = j.type == JointType::kPrismatic || j.type == JointType::kRevolute;
  for (const auto& [name, value] : {std::pair("coulomb", &j.coulomb), {"viscous", &j.viscous}}) {
    if (!field.has(name)) continue;
    if (!slides) field[name].fail(fmt::format("a {} joint has no friction", type));
    *value = nonnegative(field[name], names);
  }
  for (const auto& [name, value] :
       {std::pair("stiffness", &j.stiffness), {"damping", &j.damping}}) {
    if (!field.has(name)) continue;
    if (!slides) field[name].fail(fmt::format("a {} joint has no spring", type));
    *value = nonnegative(field[name], names);
  }
  if (field.has("rest")) {
    if (!(j.stiffness > 0)) field["rest"].fail("belongs to a joint with stiffness");
    j.rest = number(field["rest"], names);
    if (j.type == JointType::kRevolute && std::abs(j.rest) > M_PI)
      field["rest"].fail(fmt::format("{} is not between -pi and pi", j.rest));
  }
  return j;
}

// The file gives all joints in the state without displacements. They are displaced here, one by
// one.
void displace_joints(const Field& joints, Draft& scene, const Names& names) {
  int k = 0;
  each(joints, names, kMaxItems, [&](const Field& f, const Names& n) {
    const int joint = k++;
    if (!f.has("displacement")) return;
    const JointType type = scene.joints[static_cast<std::size_t>(joint)].type;
    if (type != JointType::kRevolute && type != JointType::kPrismatic)
      f["displacement"].fail("only revolute and prismatic joints can be displaced");
    try {
      const double displacement = number(f["displacement"], n);
      displace(scene, joint, displacement);
      scene.joints[static_cast<std::size_t>(joint)].displacement = displacement;
    } catch (const std::invalid_argument& e) {
      f["displacement"].fail(e.what());
    }
  });
}

Bearing read_bearing(const Field& field, const Draft& scene, const Names& names) {
  field.only({"name", "pin", "hole", "center", "pin_center", "axis", "direction", "turn", "radius",
              "clearance", "corners", "sections", "length"});
  const int d = scene.dimension;
  Bearing b;
  b.name = name_with_indices(field["name"], names);
  b.pin = body_index(field["pin"], scene, names);
  b.hole = body_index(field["hole"], scene, names);
  if (b.pin == b.hole) field["hole"].fail("a bearing needs two bodies");
  if (scene.bodies[b.pin].fixed && scene.bodies[b.hole].fixed)
    field["hole"].fail("is fixed, as the pin is");
  b.center = place(field["center"], d, names);
  b.pin_center = field.has("pin_center") ? place(field["pin_center"], d, names) : b.center;
  if (d == 3) {
    b.axis = point(field["axis"], 3, names);
    if (!(b.axis.norm() > 0)) field["axis"].fail("is zero");
    b.axis.normalize();
  }
  b.direction = point(field["direction"], d, names);
  const double given = b.direction.norm();
  b.direction -= b.direction.dot(b.axis) * b.axis;
  if (!(b.direction.norm() > 1e-6 * given)) field["direction"].fail("is along the axis, or zero");
  b.direction.normalize();
  b.turn = number_or(field, "turn", 0.0, names);
  b.radius = length(field["radius"], names);
  b.clearance = nonnegative(field["clearance"], names);
  if (field.has("corners")) b.corners = count(field["corners"], 3, 360, names);
  for (const char* name : {"axis", "sections", "length"}) {
    if (d == 2 && field.has(name)) field[name].fail("belongs to 3D scenes");
  }
  if (d == 2) return b;
  const int sections = field.has("sections") ? count(field["sections"], 2, 100, names) : 2;
  const double extent = length(field["length"], names);
  b.sections.clear();
  for (int k = 0; k < sections; ++k)
    b.sections.push_back(extent * (static_cast<double>(k) / (sections - 1) - 0.5));
  return b;
}

Spring read_spring(const Field& field, const Draft& scene, const Names& names) {
  field.only({"a", "b", "anchor_a", "anchor_b", "stiffness", "damping", "length"});
  const int d = scene.dimension;
  const int a = body_index(field["a"], scene, names), b = body_index(field["b"], scene, names);
  if (a == b) field["b"].fail("a spring needs two bodies");
  return {a,
          b,
          place(field["anchor_a"], d, names),
          place(field["anchor_b"], d, names),
          nonnegative(field["stiffness"], names),
          field.has("damping") ? nonnegative(field["damping"], names) : 0.0,
          nonnegative(field["length"], names)};
}

TimeFunction read_time_function(const Field& field, const Names& names) {
  TimeFunction f;
  if (!field.value().get_if<json::Object>()) {
    f.constant = number(field, names);
    return f;
  }
  field.only({"constant", "amplitude", "omega", "phase", "table"});
  f.constant = number_or(field, "constant", 0.0, names);
  f.amplitude = number_or(field, "amplitude", 0.0, names);
  f.omega = number_or(field, "omega", 0.0, names);
  f.phase = number_or(field, "phase", 0.0, names);
  if (!field.has("table")) return f;
  for (const Field& row : field["table"].items()) {
    const std::vector<double> pair = numbers(row, names);
    if (pair.size() != 2) row.fail("expected a time and a value");
    if (!f.times.empty() && !(pair[0] > f.times.back())) row.fail("times do not rise");
    f.times.push_back(pair[0]);
    f.values.push_back(pair[1]);
  }
  if (f.times.empty()) field["table"].fail("is empty");
  return f;
}

void read_components(const Field& field, int count, int first, const Names& names,
                     std::array<TimeFunction, 3>& out) {
  if (field.value().get_if<json::Numbers>()) {
    const std::vector<double> constants = numbers(field, names);
    if (static_cast<int>(constants.size()) != count)
      field.fail(fmt::format("expected {} components", count));
    for (int k = 0; k < count; ++k) out[first + k].constant = constants[k];
    return;
  }
  const std::vector<Field> items = field.items();
  if (static_cast<int>(items.size()) != count)
    field.fail(fmt::format("expected {} components", count));
  for (int k = 0; k < count; ++k) out[first + k] = read_time_function(items[k], names);
}

Load read_load(const Field& field, const Draft& scene, const Names& names) {
  field.only({"body", "force", "moment"});
  Load load;
  load.body = body_index(field["body"], scene, names);
  if (scene.bodies[load.body].fixed) field["body"].fail("is fixed");
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

Condition read_condition(const Field& field, const Draft& scene, const Names& names) {
  using Q = Condition::Quantity;
  static const std::map<std::string, Q> quantities = {{"x", Q::kX},
                                                      {"y", Q::kY},
                                                      {"z", Q::kZ},
                                                      {"vx", Q::kVx},
                                                      {"vy", Q::kVy},
                                                      {"vz", Q::kVz},
                                                      {"wx", Q::kWx},
                                                      {"wy", Q::kWy},
                                                      {"wz", Q::kWz},
                                                      {"speed", Q::kSpeed},
                                                      {"touching", Q::kTouching}};
  field.only({"body", "quantity", "above", "below"});
  const auto known = quantities.find(field["quantity"].text());
  if (known == quantities.end()) {
    field["quantity"].fail("unknown; expected x, y, z, vx, vy, vz, wx, wy, wz, speed or touching");
  }
  const bool outside = known->second == Q::kZ || known->second == Q::kVz ||
                       known->second == Q::kWx || known->second == Q::kWy;
  if (scene.dimension == 2 && outside) field["quantity"].fail("belongs to 3D scenes");
  if (field.has("above") == field.has("below")) field.fail("expected either above or below");
  const bool above = field.has("above");
  return {known->second, body_index(field["body"], scene, names), above,
          number(field[above ? "above" : "below"], names)};
}

Impulse read_impulse(const Field& field, const Draft& scene, const Names& names) {
  field.only({"body", "linear", "angular", "time", "when", "times"});
  Impulse impulse;
  impulse.body = body_index(field["body"], scene, names);
  if (scene.bodies[impulse.body].fixed) field["body"].fail("is fixed");
  impulse.linear = point_or_zero(field, "linear", scene.dimension, names);
  if (scene.dimension == 3) {
    impulse.angular = point_or_zero(field, "angular", 3, names);
  } else if (field.has("angular")) {
    impulse.angular.z() = number(field["angular"], names);
  }
  if (field.has("time") == field.has("when")) field.fail("expected either time or when");
  if (field.has("time")) impulse.time = nonnegative(field["time"], names);
  if (field.has("when")) impulse.when = read_condition(field["when"], scene, names);
  if (!field.has("times")) return impulse;
  if (!impulse.when) field["times"].fail("needs a condition, but when is missing");
  impulse.times = count(field["times"], 1, kMaxBodies, names);
  return impulse;
}

Names read_parameters(const Field& root, const std::map<std::string, double>& given) {
  Names names;
  if (root.has("parameters")) {
    const auto* defaults = root["parameters"].value().get_if<json::Object>();
    if (!defaults) root["parameters"].expected("an object");
    if (defaults->size() > kMaxParameters)
      root["parameters"].fail(fmt::format("has {} parameters, at most {} are allowed",
                                          defaults->size(), kMaxParameters));
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
  root.only({"format", "version", "name", "description", "formulation", "dimension", "parameters",
             "gravity", "bodies", "contact", "pairs", "joints", "bearings", "springs", "loads",
             "impulses", "step", "duration"},
            true);
  Draft scene;
  scene.name = one_line(root["name"]);
  if (root.has("description")) scene.description = root["description"].text();
  if (root.has("formulation")) {
    scene.formulation = one_line(root["formulation"]);
    if (scene.formulation.empty()) root["formulation"].fail("is empty");
  }
  scene.dimension = root["dimension"].integer(2, 3);
  const Names names = read_parameters(root, parameters);
  scene.parameters = names;
  const int d = scene.dimension;
  scene.gravity = point_or_zero(root, "gravity", d, names);
  each(root["bodies"], names, kMaxBodies, [&](const Field& f, const Names& n) {
    Body body = read_body(f, d, n, scene.shapes);
    if (!scene.place.emplace(body.name, static_cast<int>(scene.bodies.size())).second)
      f["name"].fail(fmt::format("there is already a body \"{}\"", body.name));
    scene.bodies.push_back(std::move(body));
  });
  if (root.has("contact")) {
    root["contact"].only(kContactFields);
    scene.contact = read_contact(root["contact"], d, names);
  }
  const auto list = [&](const char* field, const MakeItem& make) {
    if (root.has(field)) each(root[field], names, kMaxItems, make);
  };
  list("pairs", [&](const Field& f, const Names& n) {
    f.only(kPairFields);
    scene.pairs.push_back(
        {body_pattern(f["a"], scene, n), body_pattern(f["b"], scene, n), read_contact(f, d, n)});
  });
  list("joints",
       [&](const Field& f, const Names& n) { scene.joints.push_back(read_joint(f, scene, n)); });
  list("bearings", [&](const Field& f, const Names& n) {
    scene.bearings.push_back(read_bearing(f, scene, n));
  });
  list("springs",
       [&](const Field& f, const Names& n) { scene.springs.push_back(read_spring(f, scene, n)); });
  if (root.has("joints")) displace_joints(root["joints"], scene, names);
  list("loads",
       [&](const Field& f, const Names& n) { scene.loads.push_back(read_load(f, scene, n)); });
  list("impulses", [&](const Field& f, const Names& n) {
    scene.impulses.push_back(read_impulse(f, scene, n));
  });
  const auto read_time = [&](const char* field, double& seconds) {
    if (!root.has(field)) return;
    seconds = positive(root[field], names);
    if (seconds < kLeastTime || seconds > kLargestTime) {
      root[field].fail(
          fmt::format("{} is not between {:g} and {:g} s", seconds, kLeastTime, kLargestTime));
    }
  };
  read_time("step", scene.step);
  read_time("duration", scene.duration);
  return scene;
}

Scene read_scene(const std::string& path, const std::map<std::string, double>& parameters) {
  return scene_from_text(read_text_file(path), path, parameters);
}

}  // namespace perp
