#include <perp/formulations/dynamics/step_recorder.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <perp/problems/matrix/infinity.hpp>
#include <utility>

namespace perp {

namespace {

constexpr double kLeastVelocity = 1e-3;  // m/s: scale of scenes in which nothing moves or falls

// Components of (v, omega) that are unknowns, in the order of Coordinates.
std::vector<int> components(int dimension) {
  if (dimension == 2) return {0, 1, 5};
  return {0, 1, 2, 3, 4, 5};
}

StepScales step_scales(const Scene& scene, const State& state, double h, const Vector& free) {
  const Coordinates coordinates(scene);
  const Vector change = free - coordinates.velocity(state);
  double fastest = 0.0, largest = h * scene.gravity.norm();
  int moving = 0;
  for (std::size_t b = 0; b < scene.bodies.size(); ++b) {
    const int at = coordinates.offset(static_cast<int>(b));
    if (at < 0) continue;
    ++moving;
    double r = bounding_radius(scene.bodies[b].shape);
    if (std::isinf(r)) r = 0.0;
    const BodyState& s = state.bodies[b];
    fastest = std::max(fastest, s.velocity.norm() + r * s.angular_velocity.norm());
    const int linear = scene.dimension;
    largest = std::max(largest, change.segment(at, linear).norm());
    const double turned = change.segment(at + linear, coordinates.per_body() - linear).norm();
    largest = std::max(largest, r * turned);
  }
  StepScales s;
  s.change = std::max(largest, kLeastVelocity);
  s.velocity = std::max(fastest, s.change);
  if (moving > 0) s.impulse = typical_mass(scene) * s.change;
  s.length = length_scale(scene);
  return s;
}

}  // namespace

double length_scale(const Scene& scene) {
  double sum = 0.0;
  int shaped = 0;
  for (const Body& body : scene.bodies) {
    const double r = bounding_radius(body.shape);
    if (body.fixed || !(r > 0) || std::isinf(r)) continue;
    sum += r;
    ++shaped;
  }
  return shaped > 0 ? sum / shaped : 1.0;
}

StepInput step_input(const Scene& scene, const State& state, double h) {
  StepInput s{&scene, state, h, {}, {}, {}, {}, {}};
  const Coordinates coordinates(scene);
  s.free = free_velocity(scene, state, coordinates, h);
  s.scales = step_scales(scene, state, h, s.free);
  s.guess = moved(scene, state, coordinates, s.free, h);
  for (const BodyState& body : s.guess.bodies) s.free_position.push_back(body.position);
  return s;
}

void set_tangents(const ExprVector3& reference, int dimension, RecordedContact& contact) {
  const ExprVector3& n = contact.n;
  if (dimension == 2) {
    contact.t = {-n[1], n[0], 0.0};
    contact.o = {0.0, 0.0, 1.0};
    return;
  }
  contact.t = unit(ExprVector3(reference - dot(reference, n) * n));
  contact.o = cross(n, contact.t);
}

Problem RecordedStep::problem(const StepInput& input) const {
  Mcp mcp;
  mcp.graph = graph;
  mcp.compiled = compiled;
  mcp.parameters.resize(static_cast<Eigen::Index>(parameters.size()));
  for (std::size_t k = 0; k < parameters.size(); ++k)
    mcp.parameters[static_cast<Eigen::Index>(k)] = parameters[k](input);
  mcp.lower = lower;
  mcp.upper = Vector::Constant(size(), kInfinity);
  Problem p;
  p.data = std::move(mcp);
  return p;
}

Vector RecordedStep::velocity(const StepInput& input, const Vector& z) const {
  Vector v = input.free;
  const std::vector<int> parts = components(input.scene->dimension);
  for (Eigen::Index i = 0; i < v.size(); ++i) {
    const bool angular = parts[static_cast<std::size_t>(i) % parts.size()] > 2;
    v[i] += z[i] * input.scales.change / (angular ? input.scales.length : 1.0);
  }
  return v;
}

StepRecorder::StepRecorder(const Scene& scene)
    : scene_(scene),
      coordinates_(scene),
      bodies_(scene.bodies.size()),
      change_(scene.bodies.size()),
      spin_change_(scene.bodies.size()),
      pushes_(scene.bodies.size()) {
  for (int b = 0; b < static_cast<int>(bodies_.size()); ++b) record_body(b);
}

Expr StepRecorder::parameter(Number value) {
  parameters_.push_back(std::move(value));
  return recorder_.parameter(static_cast<int>(parameters_.size()) - 1);
}

ExprVector3 StepRecorder::parameters(const Point& value) {
  ExprVector3 v;
  for (int k = 0; k < 3; ++k)
    v[k] = parameter([value, k](const StepInput& s) { return value(s)[k]; });
  return v;
}

ExprVector3 StepRecorder::free_offset(int a, int b) {
  return parameters([a, b](const StepInput& s) {
    return Vector3d((s.free_position[static_cast<std::size_t>(b)] -
                     s.free_position[static_cast<std::size_t>(a)]) /
                    s.scales.length);
  });
}

ExprVector3 StepRecorder::reference(int contact) {
  return parameters([contact](const StepInput& s) {
    return s.contacts[static_cast<std::size_t>(contact)].tangent;
  });
}

int StepRecorder::add_unknown(std::string name, std::uint64_t key, double lower) {
  lower_.push_back(lower);
  rows_.emplace_back(0.0);
  return layout_.add(std::move(name), key);
}

int StepRecorder::free_unknown(std::string name, std::uint64_t key) {
  return add_unknown(std::move(name), key, -kInfinity);
}

int StepRecorder::nonnegative_unknown(std::string name, std::uint64_t key) {
  return add_unknown(std::move(name), key, 0.0);
}

int StepRecorder::free_point(const std::string& name, std::uint64_t key) {
  const int first = free_unknown(name + ".x", key);
  free_unknown(name + ".y", key + 1);
  free_unknown(name + ".z", key + 2);
  return first;
}

ExprVector3 StepRecorder::point(int first) {
  return {unknown(first), unknown(first + 1), unknown(first + 2)};
}

void StepRecorder::set_rows(int first, const ExprVector3& rows) {
  for (int k = 0; k < 3; ++k) set_row(first + k, rows[k]);
}

void StepRecorder::record_body(int index) {
  const auto i = static_cast<std::size_t>(index);
  const Body& given = scene_.bodies[i];
  RecordedBody& body = bodies_[i];
  const int at = coordinates_.offset(index);
  if (at < 0) {
    body.axes = given.orientation.toRotationMatrix().cast<Expr>();
    return;
  }
  // w = (nu - nu_free) / change: differences, so that no digits are lost if bodies are fast.
  static const std::array<const char*, 6> names = {".v.x", ".v.y", ".v.z", ".w.x", ".w.y", ".w.z"};
  const std::vector<int> parts = components(scene_.dimension);
  Eigen::Matrix<Expr, 6, 1> w, free;
  for (std::size_t k = 0; k < parts.size(); ++k) {
    const int unknown_index =
        free_unknown(given.name + names[static_cast<std::size_t>(parts[k])], kNoKey);
    w[parts[k]] = unknown(unknown_index);
    free[parts[k]] = parameter([unknown_index, angular = parts[k] > 2](const StepInput& s) {
      return s.free[unknown_index] * (angular ? s.scales.length : 1.0) / s.scales.velocity;
    });
  }
  change_[i] = w.head<3>();
  spin_change_[i] = w.tail<3>();
  const Expr ratio =
      parameter([](const StepInput& s) { return s.scales.change / s.scales.velocity; });
  body.velocity = free.head<3>() + ratio * w.head<3>();
  body.spin = free.tail<3>() + ratio * w.tail<3>();
  body.shift =
      parameter([](const StepInput& s) { return s.h * s.scales.change / s.scales.length; }) *
      w.head<3>();
  // q^{l+1} = q^l + h G(q^l) nu^{l+1}   [XieChakraborty2020, Eq. 8]
  const ExprVector3 turn = parameter([](const StepInput& s) {
                             return 0.5 * s.h * s.scales.velocity / s.scales.length;
                           }) *
                           body.spin;
  const auto start = [i](const StepInput& s) { return s.state.bodies[i].orientation; };
  const Expr q_w = parameter([start](const StepInput& s) { return start(s).w(); });
  const ExprVector3 q_v =
      parameters([start](const StepInput& s) { return Vector3d(start(s).vec()); });
  const ExprVector3 v = q_v + q_w * turn + cross(turn, q_v);
  const ExprQuaternion q(q_w - dot(turn, q_v), v[0], v[1], v[2]);
  const Expr square = q[0] * q[0] + dot(v, v);
  for (int k = 0; k < 3; ++k) {
    const ExprVector3 axis = Vector3d::Unit(k).cast<Expr>();
    body.axes.col(k) = rotate_homogeneous(q, axis) / square;
  }
}

void StepRecorder::push(int body, const ExprVector3& force, const ExprVector3& arm,
                        const ExprVector3& moment, double sign) {
  Momentum& m = pushes_[static_cast<std::size_t>(body)];
  m.force += Expr(sign) * force;
  m.moment += Expr(sign) * (cross(arm, force) + moment);
}

ExprVector3 StepRecorder::velocity_at(int body, const ExprVector3& arm) const {
  const RecordedBody& b = this->body(body);
  return b.velocity + cross(b.spin, arm);
}

ContactUnknowns StepRecorder::add_contact(const std::string& name, std::uint64_t key,
                                          const RecordedContact& contact) {
  ContactUnknowns u;
  u.p_n = nonnegative_unknown(name + ".p_n", key);
  set_row(u.p_n, contact.gap);
  const ExprVector3 normal = unknown(u.p_n) * contact.n;
  push(contact.a, normal, contact.arm_a, ExprVector3::Zero(), 1.0);
  push(contact.b, normal, contact.arm_b, ExprVector3::Zero(), -1.0);
  return u;
}

void StepRecorder::record_momentum(int index) {
  const int at = coordinates_.offset(index);
  if (at < 0) return;
  const auto i = static_cast<std::size_t>(index);
  const double mass = scene_.bodies[i].mass;
  const Expr m =
      parameter([mass](const StepInput& s) { return mass * s.scales.change / s.scales.impulse; });
  const auto inertia = [i](const StepInput& s) {
    const Matrix3d r = s.state.bodies[i].orientation.toRotationMatrix();
    return Matrix3d(r * s.scene->bodies[i].inertia.asDiagonal() * r.transpose() *
                    (s.scales.change / (s.scales.impulse * s.scales.length * s.scales.length)));
  };
  ExprMatrix3 matrix = ExprMatrix3::Zero();
  const int first = scene_.dimension == 2 ? 2 : 0;
  for (int r = first; r < 3; ++r) {
    for (int c = first; c <= r; ++c) {
      matrix(r, c) = matrix(c, r) =
          parameter([inertia, r, c](const StepInput& s) { return inertia(s)(r, c); });
    }
  }
  Eigen::Matrix<Expr, 6, 1> rows;
  rows.head<3>() = m * change_[i] - pushes_[i].force;
  rows.tail<3>() = matrix * spin_change_[i] - pushes_[i].moment;
  int row = at;
  for (const int part : components(scene_.dimension)) set_row(row++, rows[part]);
}

RecordedStep StepRecorder::finish() {
  for (int b = 0; b < static_cast<int>(bodies_.size()); ++b) record_momentum(b);
  RecordedStep step;
  step.graph = std::make_shared<const ExpressionGraph>(recorder_.graph(rows_));
  step.compiled = std::make_shared<const CompiledFunction>(*step.graph, layout_.size(),
                                                           static_cast<int>(parameters_.size()));
  step.lower = Eigen::Map<const Vector>(lower_.data(), static_cast<Eigen::Index>(lower_.size()));
  step.layout = std::move(layout_);
  step.parameters = std::move(parameters_);
  return step;
}

}  // namespace perp
