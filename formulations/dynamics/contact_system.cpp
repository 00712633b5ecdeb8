#include <perp/formulations/dynamics/contact_system.hpp>

#include <perp/formulations/dynamics/impulses.hpp>
#include <perp/formulations/dynamics/joints.hpp>
#include <perp/problems/matrix/congruence.hpp>

#include <fmt/format.h>
#include <Eigen/Cholesky>
#include <Eigen/LU>
#include <algorithm>
#include <cmath>
#include <utility>

namespace perp {

namespace {

constexpr double kTouching = 1e-6;         // m: gap that counts as contact at velocity level
constexpr double kRelaxationFactor = 0.5;  // factor on gaps and drifts at each retry
constexpr int kRetries = 4;                // the last one sets the factor to 0
constexpr double kMostEntries = 5e7;       // of R M^-1 R': a few copies need a few GB
// Largest displacement of a body that is followed, over its radius: its error in J is a hundredth
// of the usual tolerance.
constexpr double kFollowed = 1e-12;
// Largest change of its speed that is followed, over its radius and the length of the step. Speeds
// only decide which points are candidates, with a margin of a thousandth of the radius.
constexpr double kFollowedSpeed = 1e-6;

}  // namespace

ContactSystem::ContactSystem(const Scene& scene, const State& state, double h, Motion motion,
                             const ContactSystemChoices& choices,
                             const FrictionDirections& friction, const HeldContacts& held)
    : scene_(&scene),
      state_(state),
      h_(h),
      motion_(std::move(motion)),
      choices_(choices),
      coordinates_(scene) {
  choices_.joint_share = std::min(choices.joint_share, held.joint_share);
  find_active_contacts(held);
  assemble_jacobian(friction);
  ask_of_joints(held);
  set_scales();
  const bool plain = scene.joints.empty() && scene.bearings.empty() && !motion_.reduced() &&
                     motion_.mass.size() == 0 && motion_.bodies_inverse_mass.size() == 0;
  if (plain && !held.choose && !choices.velocity_level && choices.gap.gap == &linearised_gap())
    remember_geometry();
}

void ContactSystem::remember_geometry() {
  kept_.geometry = {state_, Vector(contacts()), {}};
  for (int c = 0; c < contacts(); ++c) kept_.geometry->gaps[c] = contact(c).gap;
  for (const Body& body : scene_->bodies)
    kept_.geometry->radii.push_back(bounding_radius(body.shape));
}

bool ContactSystem::follow(const Scene& scene, const State& state, double h, Motion& motion) {
  const bool plain = !motion.reduced() && motion.mass.size() == 0;
  if (!kept_.geometry || !plain || h != h_ || !(state.time > state_.time)) return false;
  // An impulse of the scene may throw a body far: contacts are looked for with its new velocity.
  const std::vector<char> due = impulses_due(scene, state, h);
  if (std::find(due.begin(), due.end(), 1) != due.end()) return false;
  const std::optional<Vector> moved = small_displacement(state);
  if (!moved) return false;
  kept_.followed = true;
  scene_ = &scene;
  state_ = state;
  motion_.free = std::move(motion.free);
  motion_.moved = std::move(motion.moved);
  relaxation_ = {};
  const Vector widening = jacobian_.topRows(contacts()) * *moved;
  for (int c = 0; c < contacts(); ++c)
    contacts_[static_cast<std::size_t>(c)].gap = kept_.geometry->gaps[c] + widening[c];
  approach_ =
      jacobian_.topRows(contacts()) * velocity_after_impulses(*scene_, state_, coordinates_, h_);
  return true;
}

// The displacement since the contacts were found, in generalised coordinates: m and rad. Nothing if
// it is too large for a body.
std::optional<Vector> ContactSystem::small_displacement(const State& state) const {
  Vector moved = Vector::Zero(coordinates_.size());
  for (std::size_t b = 0; b < state.bodies.size(); ++b) {
    const BodyState &now = state.bodies[b], &then = kept_.geometry->state.bodies[b];
    const Vector3d path = now.position - then.position;
    const Quaterniond turn = now.orientation * then.orientation.conjugate();
    const Vector3d angle = std::copysign(2.0, turn.w()) * turn.vec();
    const int at = coordinates_.offset(static_cast<int>(b));
    if (at < 0) {
      if (!path.isZero(0.0) || !(now.orientation.coeffs() == then.orientation.coeffs())) return {};
      continue;
    }
    const double radius = kept_.geometry->radii[b];
    const double faster = (now.velocity - then.velocity).norm() +
                          radius * (now.angular_velocity - then.angular_velocity).norm();
    // Not true if something is not finite.
    if (!(path.norm() + radius * angle.norm() <= kFollowed * radius &&
          h_ * faster <= kFollowedSpeed * radius))
      return {};
    if (coordinates_.per_body() == 3) {
      moved.segment<3>(at) << path.head<2>(), angle.z();
    } else {
      moved.segment<3>(at) = path;
      moved.segment<3>(at + 3) = angle;
    }
  }
  return moved;
}

int ContactSystem::torsion_begin(int c) const {
  int d = friction_begin(c);
  while (d < friction_end(c) && !directions_[static_cast<std::size_t>(d)].force.isZero(0.0)) ++d;
  return d;
}

// First the rows for the velocities of the bodies, then for those of the step.
void ContactSystem::assemble_jacobian(const FrictionDirections& friction) {
  std::vector<Triplet> entries;
  for (int c = 0; c < contacts(); ++c) {
    const ContactPoint3& k = contact(c);
    frames_.push_back(contact_frame(k.normal, dimension(), k.properties.direction));
    add_row(c, k, {frame(c).n, Vector3d::Zero()}, entries);
    for (const FrictionDirection& d : friction(k, frame(c))) {
      add_row(contacts() + static_cast<int>(directions_.size()), k, d, entries);
      directions_.push_back(d);
    }
    direction_first_.push_back(static_cast<int>(directions_.size()));
  }
  add_joints(entries);
  if (choices_.joint_friction) add_joint_rates(entries);
  jacobian_.resize(rate_first() + static_cast<int>(rubbing_.size()), coordinates_.size());
  jacobian_.setFromTriplets(entries.begin(), entries.end());
  // The velocities with which bodies meet at the beginning include the impulses of the scene, but
  // not forces.
  const Vector before = velocity_after_impulses(*scene_, state_, coordinates_, h_);
  approach_ = jacobian_.topRows(contacts()) * before;
  for (std::size_t k = 0; k < rubbing_.size(); ++k) {
    const Joint& joint = scene_->joints[static_cast<std::size_t>(rubbing_[k])];
    const double rate = jacobian_.row(rate_first() + static_cast<int>(k)).dot(before);
    friction_bounds_.push_back(h_ * (joint.coulomb + joint.viscous * std::abs(rate)));
  }
  if (motion_.reduced()) jacobian_ = jacobian_ * motion_.twists;
}

// The values of the joints at the beginning, and their rows.
void ContactSystem::add_joints(std::vector<Triplet>& entries) {
  if (motion_.reduced()) return;
  const std::size_t first = entries.size();
  theta_ = joint_constraints(*scene_, state_, coordinates_, joint_first(), entries);
  if (choices_.joint_share == 1.0 || joint_count() == 0) return;
  const Vector v = velocity_after_impulses(*scene_, state_, coordinates_, h_);
  const auto rates = [&] {
    Vector sums = Vector::Zero(joint_count());
    for (std::size_t k = first; k < entries.size(); ++k)
      sums[entries[k].row() - joint_first()] += entries[k].value() * v[entries[k].col()];
    return sums;
  };
  held_.curvature = rates();
  entries.resize(first);
  const State between = moved(*scene_, state_, coordinates_, v, (1 - choices_.joint_share) * h_);
  joint_constraints(*scene_, between, coordinates_, joint_first(), entries);
  held_.curvature -= rates();
}

void ContactSystem::add_joint_rates(std::vector<Triplet>& entries) {
  for (std::size_t k = 0; k < scene_->joints.size(); ++k) {
    if (!scene_->joints[k].has_friction()) continue;
    joint_rate(*scene_, state_, coordinates_, scene_->joints[k],
               rate_first() + static_cast<int>(rubbing_.size()), entries);
    rubbing_.push_back(static_cast<int>(k));
  }
}

Vector ContactSystem::initial_velocity() const {
  const Vector bodies = velocity_after_impulses(*scene_, state_, coordinates_, h_);
  if (!motion_.reduced()) return bodies;
  const SparseMatrix back = motion_.twists.transpose();
  return DenseMatrix(back * motion_.twists).ldlt().solve(back * bodies);
}

bool ContactSystem::relax_further() {
  if (relaxation_.tries >= kRetries) return false;
  relaxation_.now = ++relaxation_.tries == kRetries ? 0.0 : relaxation_.now * kRelaxationFactor;
  return true;
}

void ContactSystem::restore_stabilisation() { relaxation_ = {1.0, relaxation_.now, 0}; }

// A contact with restitution must keep its approach velocity until it closes; it must not be slowed
// down to close its gap at the end of the step.
bool ContactSystem::at_velocity_level(const ContactPoint3& contact) const {
  return choices_.velocity_level || contact.properties.restitution > 0;
}

// The state with the velocities after the impulses of the scene: a struck body reaches farther.
State ContactSystem::struck() const {
  State state = state_;
  const std::vector<char> due = impulses_due(*scene_, state_, h_);
  if (std::find(due.begin(), due.end(), 1) != due.end())
    set_velocity(coordinates_, velocity_after_impulses(*scene_, state_, coordinates_, h_), state);
  return state;
}

void ContactSystem::find_active_contacts(const HeldContacts& held) {
  contacts_ = find_contacts(*scene_, struck(), h_, choices_.candidate_share, *choices_.gap.gap);
  if (held.choose) {
    for (HeldContact& c : held.choose(std::exchange(contacts_, {}))) {
      contacts_.push_back(std::move(c.point));
      held_.contacts.push_back(c.velocity);
    }
  } else {
    std::erase_if(contacts_, [&](const ContactPoint3& c) {
      return at_velocity_level(c) && c.gap > kTouching;
    });
    held_.contacts.assign(contacts_.size(), 0.0);
  }
  // The multiplier of N v+ / unit >= -gap / (unit h) is unit times the impulse, so mu applies to
  // that.
  if (choices_.gap.printed_rows()) {
    for (ContactPoint3& c : contacts_) c.properties.mu *= c.unit;
  }
}

bool ContactSystem::bounces(int c) const {
  return contact(c).properties.restitution > 0 &&
         approach_[c] < -std::max(h_ * scene_->gravity.norm(), choices_.rest_speed);
}

void ContactSystem::set_scales() {
  const bool moving = coordinates_.size() > 0;
  velocity_scale_ = std::max(h_ * scene_->gravity.norm(), 1e-2);
  impulse_scale_ = moving ? typical_mass(*scene_) * velocity_scale_ : 1.0;
}

void ContactSystem::add_row(int row, const ContactPoint3& c, const FrictionDirection& d,
                            std::vector<Triplet>& entries) const {
  const auto moment = [&](int body) {
    return Vector3d((c.point - state_.bodies[body].position).cross(d.force) + d.moment);
  };
  coordinates_.add_wrench(c.a, d.force, moment(c.a), 1.0, row, entries);
  coordinates_.add_wrench(c.b, d.force, moment(c.b), -1.0, row, entries);
}

// From p/h = -k (g + h v_n + tau v_n).
double ContactSystem::compliance(int c) const {
  const ContactProperties& k = contact(c).properties;
  return k.rigid() ? 0.0 : 1.0 / (h_ * k.stiffness * closing_time(c));
}

double ContactSystem::wanted_velocity(int c) const {
  const double gap = carried_gap(c);
  if (at_velocity_level(contact(c))) return held_.contacts[static_cast<std::size_t>(c)];
  return -(gap < 0 && contact(c).properties.rigid() ? relaxation_.now * gap : gap) /
         closing_time(c);
}

void ContactSystem::ask_of_joints(const HeldContacts& held) {
  held_.joints = held_.joint_corrections = Vector::Zero(joint_count());
  if (h_ > 0) held_.joint_corrections = -held.joints_corrected * theta_ / h_;
  if (held_.curvature.size() > 0) held_.joints = held_.curvature;
  if (held.joints_kept != 0.0)
    held_.joints = -held.joints_kept * jacobian_.middleRows(joint_first(), joint_count()) *
                   coordinates_.velocity(state_);
}

Vector ContactSystem::wanted_joint_velocities() const {
  return held_.joints + relaxation_.now * held_.joint_corrections;
}

SparseMatrix ContactSystem::mass_matrix() const {
  if (motion_.mass.size() > 0) return motion_.mass;
  // Blocks of at most 3 x 3: inverted one by one.
  const int n = coordinates_.size();
  SparseMatrix m(n, n);
  m.reserve(Eigen::VectorXi::Constant(n, 3));
  for (int at = 0; at < n; at += 3) {
    Matrix3d block = Matrix3d::Zero();
    for (int j = 0; j < 3; ++j) {
      for (SparseMatrix::InnerIterator it(motion_.inverse_mass, at + j); it; ++it)
        block(it.row() - at, j) = it.value();
    }
    block = Matrix3d(block.inverse());
    for (int j = 0; j < 3; ++j) {
      for (int i = 0; i < 3; ++i) {
        if (block(i, j) != 0.0) m.insert(at + i, at + j) = block(i, j);
      }
    }
  }
  m.makeCompressed();
  return m;
}

Partition::Velocities ContactSystem::velocity_partition() const {
  Partition::Velocities v;
  for (const std::vector<int>& block : motion_.blocks) {
    v.blocks.push_back(static_cast<int>(block.size()));
    v.unknowns.insert(v.unknowns.end(), block.begin(), block.end());
  }
  return v;
}

SparseMatrix ContactSystem::delassus(const SparseMatrix& rows) const {
  // All rows that touch a body are coupled. A body in space has two blocks of coordinates.
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
    throw CollisionError(fmt::format(
        "{} contacts within one step make a matrix of {:.2g} entries, more than {:g}; "
        "contacts of one body are all coupled; if they only come near within the step, a smaller "
        "step has fewer",
        contacts(), entries, kMostEntries));
  }
  return congruence(rows, motion_.inverse_mass);
}

std::string ContactSystem::contact_name(int c) const {
  const ContactPoint3& k = contact(c);
  const std::string &a = scene_->bodies[k.a].name, &b = scene_->bodies[k.b].name;
  const std::string feature = std::to_string(k.feature);
  std::string name;  // every step needs the names of all contacts
  name.reserve(a.size() + b.size() + feature.size() + 2);
  name.append(a).append("/").append(b).append(":").append(feature);
  return name;
}

void ContactSystem::describe(std::string_view formulation, Stage& stage) {
  Problem& problem = stage.problem;
  problem.name = fmt::format("{}-{}-{:.6f}", scene_->name, stage.name, state_.time);
  problem.source = json::Object{{"scene", scene_->name},
                                {"formulation", std::string(formulation)},
                                {"stage", stage.name},
                                {"time", state_.time},
                                {"h", h_},
                                {"velocity_scale", velocity_scale_},
                                {"impulse_scale", impulse_scale_}};
  if (kept_.described.empty() && contacts() > 0) kept_.described = described_contacts();
  problem.contacts = kept_.described;
}

std::vector<ContactInfo> ContactSystem::described_contacts() const {
  const auto list = [](const Vector3d& v) { return std::vector<double>{v[0], v[1], v[2]}; };
  std::vector<ContactInfo> all;
  all.reserve(contacts_.size());
  for (int c = 0; c < contacts(); ++c) {
    const ContactPoint3& k = contact(c);
    all.push_back({contact_name(c),
                   scene_->bodies[k.a].name,
                   scene_->bodies[k.b].name,
                   list(k.point),
                   list(k.normal),
                   {list(frame(c).t), list(frame(c).o)},
                   k.gap});
  }
  return all;
}

StepResult ContactSystem::result(const Vector& v, const Vector& impulses,
                                 const ModeTolerance& tolerance,
                                 const std::vector<ContactMode>& modes) const {
  StepResult r;
  r.state = motion_.moved(v);
  r.reduced = motion_.reduced();
  r.joint_values = theta_;
  r.joint_impulses = impulses.segment(joint_first(), joint_count());
  if (r.reduced) {
    r.joint_values = motion_.displacements;
    r.joint_impulses = Vector::Zero(r.joint_values.size());
    for (std::size_t k = 0; k < rubbing_.size(); ++k) {
      const int row = rate_first() + static_cast<int>(k), joint = rubbing_[k];
      // The impulse on the body that is farther from the ground.
      r.joint_impulses[joint] =
          impulses[row] * jacobian_.coeff(row, motion_.rates[static_cast<std::size_t>(joint)]);
    }
  }
  r.relaxation = std::min(relaxation_.now, relaxation_.least);
  const Vector u = jacobian_ * v;
  for (int c = 0; c < contacts(); ++c) {
    ContactResult k{contact(c), frame(c)};
    k.p_n = impulses[c];
    k.v_n = u[c];
    for (int e = friction_begin(c); e < friction_end(c); ++e) {
      const double beta = impulses[contacts() + e];
      k.p_t += beta * directions_[e].force.dot(frame(c).t);
      if (scene_->dimension == 3) k.p_o += beta * directions_[e].force.dot(frame(c).o);
      k.p_r += beta * directions_[e].moment.dot(frame(c).n);
    }
    k.slip = slip_speed(c, r.state);
    const double moving = std::max(k.slip, k.contact.properties.e_r * spin_speed(c, r.state));
    k.mode = k.p_n <= tolerance.open * impulse_scale_      ? ContactMode::kOpen
             : moving <= tolerance.stick * velocity_scale_ ? ContactMode::kStick
                                                           : ContactMode::kSlide;
    if (!modes.empty()) k.mode = modes[static_cast<std::size_t>(c)];
    r.feeding += k.p_n * std::max(0.0, wanted_velocity(c));
    r.contacts.push_back(k);
  }
  r.contact_work = impulses.head(joint_first()).dot(u.head(joint_first()));
  r.feeding += std::max(
      0.0,
      impulses.segment(joint_first(), joint_count()).dot(u.segment(joint_first(), joint_count())));
  r.momentum_error = momentum_error(v, impulses);
  return r;
}

// Slip speed at the contact point of the beginning, with the velocities at the end.
double ContactSystem::slip_speed(int c, const State& end) const {
  const auto velocity = [&](int body) {
    const BodyState& s = end.bodies[body];
    return Vector3d(s.velocity +
                    s.angular_velocity.cross(contact(c).point - state_.bodies[body].position));
  };
  const Vector3d v = velocity(contact(c).a) - velocity(contact(c).b);
  return (v - v.dot(frame(c).n) * frame(c).n).norm();
}

// Speed of turning about the normal, rad/s.
double ContactSystem::spin_speed(int c, const State& end) const {
  const Vector3d turns =
      end.bodies[contact(c).a].angular_velocity - end.bodies[contact(c).b].angular_velocity;
  return std::abs(frame(c).n.dot(turns));
}

double ContactSystem::momentum_error(const Vector& v, const Vector& impulses) const {
  const SparseMatrix mass = mass_matrix();
  const Vector change = v - motion_.free, moved = v.cwiseAbs() + motion_.free.cwiseAbs();
  double error = 0.0, size = 0.0;
  for (int j = 0; j < velocities(); ++j) {  // M is symmetric
    double rest = 0.0;
    for (SparseMatrix::InnerIterator it(mass, j); it; ++it) {
      rest += it.value() * change[it.row()];
      size += std::abs(it.value()) * moved[it.row()];
    }
    for (SparseMatrix::InnerIterator it(jacobian_, j); it; ++it) {
      rest -= it.value() * impulses[it.row()];
      size += std::abs(it.value() * impulses[it.row()]);
    }
    error += std::abs(rest);
  }
  return size > 0 ? error / size : error;
}

}  // namespace perp
