#include <perp/formulations/mechanics/contact_step.hpp>

#include <perp/formulations/mechanics/joints.hpp>

#include <fmt/format.h>
#include <Eigen/LU>
#include <algorithm>
#include <cmath>

namespace perp {

namespace {

constexpr double kTouching = 1e-6;    // m: gap that counts as contact at velocity level
constexpr double kRelaxation = 0.5;   // factor on gaps and drifts at each retry
constexpr int kRetries = 4;           // the last one drops them altogether
constexpr double kMostEntries = 5e7;  // of R M^-1 R': some copies of it fit into a few GB

}  // namespace

std::optional<std::string> ContactStep::refusal(const Scene& scene) const {
  if (auto reason = choice_.gap->refusal(scene)) return reason;
  return refusal_of_law(scene);
}

std::vector<std::string> ContactStep::columns() const {
  std::vector<std::string> names = columns_of_law();
  if (choice_.gap->has_unit) {
    names.emplace_back("generalised_speed");
    names.emplace_back("infeasibility_in_units");
  }
  return names;
}

void ContactStep::begin_step(const Scene& scene, const State& state, double h) {
  scene_ = &scene;
  state_ = state;
  h_ = h;
  coordinates_.emplace(scene);
  find_active_contacts();
  std::vector<Triplet> entries;
  frames_.clear();
  directions_.clear();
  direction_first_.assign(1, 0);
  for (int c = 0; c < contacts(); ++c) {
    const ContactPoint3& k = active_[c];
    frames_.push_back(contact_frame(k.normal, scene_->dimension, k.properties.direction));
    add_row(c, k, {frames_[c].n, Vector3d::Zero()}, entries);
    for (const Direction& d : friction_directions(c)) {
      add_row(contacts() + static_cast<int>(directions_.size()), k, d, entries);
      directions_.push_back(d);
    }
    direction_first_.push_back(static_cast<int>(directions_.size()));
  }
  theta_ = joint_constraints(*scene_, state_, *coordinates_, joint_first(), entries);
  jacobian_.resize(joint_first() + joint_count(), coordinates_->size());
  jacobian_.setFromTriplets(entries.begin(), entries.end());
  inverse_mass_ = inverse_mass_matrix(*scene_, state_, *coordinates_);
  free_ = free_velocity(*scene_, state_, *coordinates_, h_);
  // What meets the contact at the beginning: impulses of the scene included, forces not.
  approach_ =
      jacobian_.topRows(contacts()) * velocity_after_impulses(*scene_, state_, *coordinates_, h_);
  set_scales();
  relaxation_ = {};
}

bool ContactStep::relax_further() {
  if (relaxation_.tries >= kRetries) return false;
  relaxation_.now = ++relaxation_.tries == kRetries ? 0.0 : relaxation_.now * kRelaxation;
  return true;
}

void ContactStep::restore_stabilisation() { relaxation_ = {1.0, relaxation_.now, 0}; }

void ContactStep::find_active_contacts() {
  active_ = find_contacts(*scene_, state_, h_, candidate_share(*scene_), *choice_.gap);
  std::erase_if(active_, [&](const ContactPoint3& c) {
    return at_velocity_level(c) && (held_ ? !held_(c) : c.gap > kTouching);
  });
  // The multiplier of N v+ / unit >= -gap / (unit h) is unit times the impulse.
  if (choice_.printed_rows) {
    for (ContactPoint3& c : active_) c.properties.mu *= c.unit;
  }
}

bool ContactStep::bounces(int c) const {
  return active_[c].properties.restitution > 0 &&
         approach_[c] < -std::max(h_ * scene_->gravity.norm(), rest_speed_);
}

void ContactStep::set_scales() {
  double mass = 0.0;
  int moving = 0;
  for (const Body& body : scene_->bodies) {
    if (body.fixed) continue;
    mass += body.mass;
    ++moving;
  }
  velocity_scale_ = std::max(h_ * scene_->gravity.norm(), 1e-2);
  impulse_scale_ = moving > 0 ? mass / moving * velocity_scale_ : 1.0;
}

void ContactStep::add_row(int row, const ContactPoint3& c, const Direction& d,
                          std::vector<Triplet>& entries) const {
  const auto moment = [&](int body) {
    return Vector3d((c.point - state_.bodies[body].position).cross(d.force) + d.moment);
  };
  coordinates_->add_wrench(c.a, d.force, moment(c.a), 1.0, row, entries);
  coordinates_->add_wrench(c.b, d.force, moment(c.b), -1.0, row, entries);
}

// p/h = -k (g + h v_n + tau v_n).
double ContactStep::compliance(int c) const {
  const ContactProperties& k = active_[c].properties;
  return k.rigid() ? 0.0 : 1.0 / (h_ * k.stiffness * closing_time(c));
}

double ContactStep::wanted_velocity(int c) const {
  const double gap = active_[c].gap;
  if (at_velocity_level(active_[c])) return held_ ? held_(active_[c]).value_or(0.0) : 0.0;
  return -(gap < 0 && active_[c].properties.rigid() ? relaxation_.now * gap : gap) /
         closing_time(c);
}

Vector ContactStep::wanted_joint_velocities() const {
  return h_ > 0 ? Vector(-relaxation_.now * theta_ / h_) : Vector(Vector::Zero(joint_count()));
}

SparseMatrix ContactStep::mass_matrix() const {
  // Blocks of at most 3 x 3: inverted one by one.
  std::vector<Triplet> entries;
  for (int at = 0; at < coordinates_->size(); at += 3) {
    const Matrix3d block = Matrix3d(inverse_mass_.block(at, at, 3, 3)).inverse();
    for (int i = 0; i < 3; ++i) {
      for (int j = 0; j < 3; ++j) {
        if (block(i, j) != 0.0) entries.emplace_back(at + i, at + j, block(i, j));
      }
    }
  }
  SparseMatrix m(coordinates_->size(), coordinates_->size());
  m.setFromTriplets(entries.begin(), entries.end());
  return m;
}

Partition::Velocities ContactStep::velocity_partition() const {
  Partition::Velocities v;
  const bool space = coordinates_->per_body() == 6;
  for (int at = 0; at < coordinates_->size(); at += 3) {
    for (int i = 0; i < 3; ++i) v.unknowns.push_back(at + i);
    if (space && at % 6 == 3) {
      v.blocks.push_back(3);
    } else {
      v.blocks.insert(v.blocks.end(), 3, 1);
    }
  }
  return v;
}

SparseMatrix ContactStep::delassus(const SparseMatrix& rows) const {
  // All rows that touch a body meet each other; a body in space has two blocks of coordinates.
  double entries = 0.0;
  for (int at = 0; at + 3 <= rows.cols(); at += 3) {
    double most = 0.0;
    for (int j = at; j < at + 3; ++j)
      most = std::max(most, static_cast<double>(rows.outerIndexPtr()[j + 1]) -
                                static_cast<double>(rows.outerIndexPtr()[j]));
    entries += most * most;
  }
  if (scene_->dimension == 3) entries /= 2;
  if (entries > kMostEntries) {
    throw CollisionError(
        fmt::format("{} contacts within one step make a matrix of {:.2g} entries, more than {:g}; "
                    "in a smaller step fewer can close",
                    contacts(), entries, kMostEntries));
  }
  return rows * inverse_mass_ * SparseMatrix(rows.transpose());
}

std::string ContactStep::contact_name(int c) const {
  const ContactPoint3& k = active_[c];
  return fmt::format("{}/{}:{}", scene_->bodies[k.a].name, scene_->bodies[k.b].name, k.feature);
}

void ContactStep::describe(const std::string& stage, Problem& problem) const {
  problem.name = fmt::format("{}-{}-{:.6f}", scene_->name, stage, state_.time);
  problem.source = json::Object{{"scene", scene_->name},
                                {"formulation", std::string(name())},
                                {"stage", stage},
                                {"time", state_.time},
                                {"h", h_},
                                {"velocity_scale", velocity_scale_},
                                {"impulse_scale", impulse_scale_}};
  for (int c = 0; c < contacts(); ++c) {
    const auto list = [](const Vector3d& v) { return std::vector<double>{v[0], v[1], v[2]}; };
    const ContactPoint3& k = active_[c];
    problem.contacts.push_back({contact_name(c),
                                scene_->bodies[k.a].name,
                                scene_->bodies[k.b].name,
                                list(k.point),
                                list(k.normal),
                                {list(frames_[c].t), list(frames_[c].o)},
                                k.gap});
  }
}

StepResult ContactStep::result(const Vector& v, const Vector& impulses) const {
  const ModeTolerance tolerance = mode_tolerance();
  StepResult r;
  r.state = moved(*scene_, state_, *coordinates_, v, h_);
  r.joint_values = theta_;
  r.joint_impulses = impulses.tail(joint_count());
  r.relaxation = std::min(relaxation_.now, relaxation_.least);
  const Vector u = jacobian_ * v;
  for (int c = 0; c < contacts(); ++c) {
    ContactResult k{active_[c], frames_[c]};
    k.p_n = impulses[c];
    k.v_n = u[c];
    for (int e = friction_begin(c); e < friction_end(c); ++e) {
      const double beta = impulses[contacts() + e];
      k.p_t += beta * directions_[e].force.dot(frames_[c].t);
      if (scene_->dimension == 3) k.p_o += beta * directions_[e].force.dot(frames_[c].o);
      k.p_r += beta * directions_[e].moment.dot(frames_[c].n);
    }
    k.slip = slip_speed(c, r.state);
    k.mode = k.p_n <= tolerance.open * impulse_scale_      ? ContactMode::kOpen
             : k.slip <= tolerance.stick * velocity_scale_ ? ContactMode::kStick
                                                           : ContactMode::kSlide;
    r.feeding += k.p_n * std::max(0.0, wanted_velocity(c));
    r.contacts.push_back(k);
  }
  r.contact_work = impulses.head(joint_first()).dot(u.head(joint_first()));
  r.feeding += std::max(0.0, impulses.tail(joint_count()).dot(u.tail(joint_count())));
  r.momentum_error = momentum_error(v, impulses);
  if (choice_.gap->has_unit) {
    double most = theta_.size() > 0 ? theta_.cwiseAbs().maxCoeff() : 0.0;
    for (const ContactPoint3& c : active_) most = std::max(most, -c.gap / c.unit);
    r.columns.push_back(coordinates_->velocity(state_).norm());
    r.columns.push_back(most);
  }
  return r;
}

// Of the point of contact as it was at the beginning, with the velocities of the end.
double ContactStep::slip_speed(int c, const State& end) const {
  const auto velocity = [&](int body) {
    const BodyState& s = end.bodies[body];
    return Vector3d(s.velocity +
                    s.angular_velocity.cross(active_[c].point - state_.bodies[body].position));
  };
  const Vector3d v = velocity(active_[c].a) - velocity(active_[c].b);
  return (v - v.dot(frames_[c].n) * frames_[c].n).norm();
}

double ContactStep::momentum_error(const Vector& v, const Vector& impulses) const {
  const Vector wrench = jacobian_.transpose() * impulses;
  const Vector change = mass_matrix() * (v - free_);
  const SparseMatrix mass = mass_matrix().cwiseAbs();
  const double size = (jacobian_.cwiseAbs().transpose() * impulses.cwiseAbs()).sum() +
                      (mass * (v.cwiseAbs() + free_.cwiseAbs())).sum();
  const double error = (change - wrench).cwiseAbs().sum();
  return size > 0 ? error / size : error;
}

}  // namespace perp
