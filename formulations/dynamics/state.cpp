#include <perp/formulations/dynamics/impulses.hpp>
#include <perp/formulations/dynamics/state.hpp>

#include <Eigen/LU>
#include <cmath>

namespace perp {

namespace {

// Body-frame angular velocity after h without moments: I (w+ - w) + h w+ x I w+ = 0, by Newton's
// method. Multiplying by w+ gives w+'I w+ = w+'I w, so the energy does not rise.
// @return false if Newton's method has not solved it
bool solve_free_spin(const Vector3d& inertia, const Vector3d& spin, double h, Vector3d& w) {
  const auto cross_matrix = [](const Vector3d& a) {
    Matrix3d m;
    m << 0, -a.z(), a.y(), a.z(), 0, -a.x(), -a.y(), a.x(), 0;
    return m;
  };
  constexpr double kSolved = 1e-12;  // residual over the size of its terms
  const auto residual = [&] {
    return Vector3d(inertia.cwiseProduct(w - spin) + h * w.cross(inertia.cwiseProduct(w)));
  };
  w = spin;
  for (int k = 0; k < 20; ++k) {
    const Vector3d momentum = inertia.cwiseProduct(w);
    const Vector3d f = residual();
    Matrix3d jacobian = inertia.asDiagonal();
    jacobian +=
        h * (cross_matrix(w) * inertia.asDiagonal().toDenseMatrix() - cross_matrix(momentum));
    const Vector3d step = jacobian.partialPivLu().solve(f);
    w -= step;
    if (step.norm() <= 1e-16 * w.norm()) break;
  }
  const Vector3d momentum = inertia.cwiseProduct(w);
  const double size =
      momentum.norm() + inertia.cwiseProduct(spin).norm() + h * w.norm() * momentum.norm();
  return residual().norm() <= kSolved * size &&
         w.dot(momentum) <= (1 + kSolved) * spin.dot(inertia.cwiseProduct(spin));
}

// For a body that turns far within h Newton's method may not converge. Then h is cut in halves,
// which do not raise the energy either.
Vector3d free_spin(const Vector3d& inertia, const Vector3d& spin, double h) {
  constexpr int kMostHalvings = 30;
  Vector3d w = spin, next;
  double left = h, part = h;
  int halvings = 0;
  while (left > 0) {
    if (!solve_free_spin(inertia, w, part, next)) {
      if (++halvings > kMostHalvings) return w;  // not finite
      part *= 0.5;
      continue;
    }
    w = next;
    left -= part;
  }
  return w;
}

// The force on body a if its point is at `apart` from that of b and moves relative to it with
// `rate`.
Vector3d spring_force(const Spring& s, const Vector3d& apart, const Vector3d& rate) {
  if (s.length == 0) return -(s.stiffness * apart + s.damping * rate);
  const double length = apart.norm();
  if (length == 0) return Vector3d::Zero();
  const Vector3d n = apart / length;
  return -(s.stiffness * (length - s.length) + s.damping * n.dot(rate)) * n;
}

// The wrenches of the spring and damper of a joint on its two bodies.
void add_joint_spring(const Scene& scene, const State& state, const Joint& j,
                      std::vector<Wrench>& w) {
  const double push =
      -j.stiffness * joint_extension(scene, state, j) - j.damping * joint_rate(scene, state, j);
  const Vector3d axis = carried_direction(scene, state, j.body_b, j.axis);
  const bool slides = j.type == JointType::kPrismatic;
  const Vector3d at = carried_point(scene, state, j.body_a, j.anchor_a);
  for (const auto& [body, sign] : {std::pair(j.body_a, push), std::pair(j.body_b, -push)}) {
    if (slides) w[body].force += sign * axis;
    w[body].moment += slides ? Vector3d((at - state.bodies[body].position).cross(sign * axis))
                             : Vector3d(sign * axis);
  }
}

}  // namespace

std::vector<Wrench> applied_wrenches(const Scene& scene, const State& state) {
  std::vector<Wrench> w(scene.bodies.size());
  for (std::size_t b = 0; b < w.size(); ++b) w[b].force = scene.bodies[b].mass * scene.gravity;
  for (const Load& load : scene.loads) {
    for (int k = 0; k < 3; ++k) {
      w[load.body].force[k] += load.force[k](state.time);
      w[load.body].moment[k] += load.moment[k](state.time);
    }
  }
  for (const Spring& s : scene.springs) {
    const Vector3d a = carried_point(scene, state, s.body_a, s.anchor_a);
    const Vector3d b = carried_point(scene, state, s.body_b, s.anchor_b);
    const Vector3d ra = a - state.bodies[s.body_a].position,
                   rb = b - state.bodies[s.body_b].position;
    const Vector3d va =
        state.bodies[s.body_a].velocity + state.bodies[s.body_a].angular_velocity.cross(ra);
    const Vector3d vb =
        state.bodies[s.body_b].velocity + state.bodies[s.body_b].angular_velocity.cross(rb);
    const Vector3d force = spring_force(s, a - b, va - vb);
    w[s.body_a].force += force;
    w[s.body_a].moment += ra.cross(force);
    w[s.body_b].force -= force;
    w[s.body_b].moment -= rb.cross(force);
  }
  for (const Joint& j : scene.joints) {
    if (j.has_spring()) add_joint_spring(scene, state, j, w);
  }
  return w;
}

double joint_displacement(const Scene& scene, const State& state, const Joint& joint) {
  const auto turned = [&](int body) {
    return Quaterniond(state.bodies[body].orientation * scene.bodies[body].orientation.conjugate());
  };
  const Quaterniond b = turned(joint.body_b);
  if (joint.type == JointType::kRevolute) {
    const Quaterniond apart = b.conjugate() * turned(joint.body_a);
    return std::remainder(2 * std::atan2(apart.vec().dot(joint.axis), apart.w()), 2 * M_PI);
  }
  return (b * joint.axis)
      .dot(carried_point(scene, state, joint.body_a, joint.anchor_a) -
           carried_point(scene, state, joint.body_b, joint.anchor_b));
}

double joint_extension(const Scene& scene, const State& state, const Joint& joint) {
  const double x = joint_displacement(scene, state, joint) + joint.displacement;
  return (joint.type == JointType::kRevolute ? std::remainder(x, 2 * M_PI) : x) - joint.rest;
}

double joint_rate(const Scene& scene, const State& state, const Joint& joint) {
  const BodyState &a = state.bodies[joint.body_a], &b = state.bodies[joint.body_b];
  const Vector3d axis = carried_direction(scene, state, joint.body_b, joint.axis);
  if (joint.type == JointType::kRevolute) return axis.dot(a.angular_velocity - b.angular_velocity);
  const Vector3d at = carried_point(scene, state, joint.body_a, joint.anchor_a);
  const auto velocity = [&](const BodyState& s) {
    return Vector3d(s.velocity + s.angular_velocity.cross(at - s.position));
  };
  return axis.dot(velocity(a) - velocity(b));
}

State initial_state(const Scene& scene) {
  State state;
  for (const Body& b : scene.bodies) {
    state.bodies.push_back({b.position, b.orientation, b.fixed ? Vector3d::Zero() : b.velocity,
                            b.fixed ? Vector3d::Zero() : b.angular_velocity});
  }
  state.given.assign(scene.impulses.size(), 0);
  return state;
}

Coordinates::Coordinates(const Scene& scene) : per_body_(scene.dimension == 3 ? 6 : 3) {
  for (const Body& body : scene.bodies) {
    offset_.push_back(body.fixed ? -1 : size_);
    if (!body.fixed) size_ += per_body_;
  }
}

Vector Coordinates::velocity(const State& state) const {
  Vector v(size_);
  for (std::size_t b = 0; b < offset_.size(); ++b) {
    if (offset_[b] < 0) continue;
    const BodyState& s = state.bodies[b];
    if (per_body_ == 6) {
      v.segment<3>(offset_[b]) = s.velocity;
      v.segment<3>(offset_[b] + 3) = s.angular_velocity;
    } else {
      v.segment<3>(offset_[b]) << s.velocity.x(), s.velocity.y(), s.angular_velocity.z();
    }
  }
  return v;
}

void Coordinates::add_wrench(int body, const Vector3d& force, const Vector3d& moment, double sign,
                             int row, std::vector<Triplet>& entries) const {
  const int at = offset_[body];
  if (at < 0) return;
  if (per_body_ == 6) {
    for (int k = 0; k < 3; ++k) entries.emplace_back(row, at + k, sign * force[k]);
    for (int k = 0; k < 3; ++k) entries.emplace_back(row, at + 3 + k, sign * moment[k]);
  } else {
    entries.emplace_back(row, at, sign * force.x());
    entries.emplace_back(row, at + 1, sign * force.y());
    entries.emplace_back(row, at + 2, sign * moment.z());
  }
}

double typical_mass(const Scene& scene) {
  double first = 0.0, logarithms = 0.0;
  int moving = 0;
  for (const Body& body : scene.bodies) {
    if (body.fixed) continue;
    if (moving++ == 0) first = body.mass;
    logarithms += std::log(body.mass / first);  // exactly 0 for equal masses
  }
  return moving > 0 ? first * std::exp(logarithms / moving) : 1.0;
}

SparseMatrix inverse_mass_matrix(const Scene& scene, const State& state,
                                 const Coordinates& coordinates) {
  std::vector<Triplet> entries;
  for (std::size_t b = 0; b < scene.bodies.size(); ++b) {
    const int at = coordinates.offset(static_cast<int>(b));
    if (at < 0) continue;
    const Body& body = scene.bodies[b];
    const int linear = coordinates.per_body() == 6 ? 3 : 2;
    for (int k = 0; k < linear; ++k) entries.emplace_back(at + k, at + k, 1.0 / body.mass);
    if (linear == 2) {
      entries.emplace_back(at + 2, at + 2, 1.0 / body.inertia.z());
      continue;
    }
    const Matrix3d r = state.bodies[b].orientation.toRotationMatrix();
    const Matrix3d inverse = r * body.inertia.cwiseInverse().asDiagonal() * r.transpose();
    for (int i = 0; i < 3; ++i) {
      for (int j = 0; j < 3; ++j) entries.emplace_back(at + 3 + i, at + 3 + j, inverse(i, j));
    }
  }
  SparseMatrix m(coordinates.size(), coordinates.size());
  m.setFromTriplets(entries.begin(), entries.end());
  return m;
}

Vector free_velocity(const Scene& scene, const State& state, const Coordinates& coordinates,
                     double h) {
  Vector v = velocity_after_impulses(scene, state, coordinates, h);
  std::vector<Wrench> wrenches = applied_wrenches(scene, state);
  for (Wrench& w : wrenches) {  // forces become impulses
    w.force *= h;
    w.moment *= h;
  }
  for (std::size_t b = 0; b < scene.bodies.size(); ++b) {
    const int at = coordinates.offset(static_cast<int>(b));
    if (at < 0) continue;
    const Body& body = scene.bodies[b];
    const Wrench& w = wrenches[b];
    if (coordinates.per_body() == 3) {
      v[at] += w.force.x() / body.mass;
      v[at + 1] += w.force.y() / body.mass;
      v[at + 2] += w.moment.z() / body.inertia.z();
      continue;
    }
    const Matrix3d r = state.bodies[b].orientation.toRotationMatrix();
    v.segment<3>(at) += w.force / body.mass;
    const Vector3d spin = free_spin(body.inertia, r.transpose() * v.segment<3>(at + 3), h);
    v.segment<3>(at + 3) =
        r * (spin + body.inertia.cwiseInverse().cwiseProduct(r.transpose() * w.moment));
  }
  return v;
}

void set_velocity(const Coordinates& coordinates, const Vector& velocity, State& state) {
  for (std::size_t b = 0; b < state.bodies.size(); ++b) {
    const int at = coordinates.offset(static_cast<int>(b));
    if (at < 0) continue;
    BodyState& s = state.bodies[b];
    if (coordinates.per_body() == 6) {
      s.velocity = velocity.segment<3>(at);
      s.angular_velocity = velocity.segment<3>(at + 3);
    } else {
      s.velocity = {velocity[at], velocity[at + 1], 0.0};
      s.angular_velocity = {0.0, 0.0, velocity[at + 2]};
    }
  }
}

State moved(const Scene& scene, const State& state, const Coordinates& coordinates,
            const Vector& velocity, double h) {
  State next = state;
  next.time += h;
  const std::vector<char> due = impulses_due(scene, state, h);
  for (std::size_t k = 0; k < due.size(); ++k) next.given[k] += due[k];
  set_velocity(coordinates, velocity, next);
  for (std::size_t b = 0; b < scene.bodies.size(); ++b) {
    if (coordinates.offset(static_cast<int>(b)) < 0) continue;
    BodyState& s = next.bodies[b];
    s.position += h * s.velocity;
    const Vector3d w = 0.5 * h * s.angular_velocity;
    const Quaterniond rate = Quaterniond(0.0, w.x(), w.y(), w.z()) * s.orientation;
    s.orientation.coeffs() += rate.coeffs();
    s.orientation.normalize();
  }
  return next;
}

double kinetic_energy(const Scene& scene, const State& state) {
  double energy = 0.0;
  for (std::size_t b = 0; b < scene.bodies.size(); ++b) {
    if (scene.bodies[b].fixed) continue;
    const BodyState& s = state.bodies[b];
    const Vector3d spin = s.orientation.conjugate() * s.angular_velocity;
    energy += 0.5 * scene.bodies[b].mass * s.velocity.squaredNorm() +
              0.5 * spin.dot(scene.bodies[b].inertia.cwiseProduct(spin));
  }
  return energy;
}

double potential_energy(const Scene& scene, const State& state) {
  double energy = 0.0;
  for (std::size_t b = 0; b < scene.bodies.size(); ++b) {
    if (!scene.bodies[b].fixed)
      energy -= scene.bodies[b].mass * scene.gravity.dot(state.bodies[b].position);
  }
  for (const Spring& s : scene.springs) {
    const double length = (carried_point(scene, state, s.body_a, s.anchor_a) -
                           carried_point(scene, state, s.body_b, s.anchor_b))
                              .norm();
    energy += 0.5 * s.stiffness * (length - s.length) * (length - s.length);
  }
  for (const Joint& j : scene.joints) {
    if (!(j.stiffness > 0)) continue;
    const double x = joint_extension(scene, state, j);
    energy += 0.5 * j.stiffness * x * x;
  }
  return energy;
}

Vector3d carried_point(const Scene& scene, const State& state, int body,
                       const Vector3d& initial_point) {
  return state.bodies[body].position +
         carried_direction(scene, state, body, initial_point - scene.bodies[body].position);
}

Vector3d carried_direction(const Scene& scene, const State& state, int body,
                           const Vector3d& initial_direction) {
  return state.bodies[body].orientation *
         (scene.bodies[body].orientation.conjugate() * initial_direction);
}

}  // namespace perp
