#include <perp/formulations/dynamics/articulation.hpp>

#include <fmt/format.h>
#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <kdl/tree.hpp>
#include <kdl/treeidsolver_recursive_newton_euler.hpp>
#include <utility>

namespace perp {

namespace {

// A joint as seen from the ground.
struct Link {
  int joint, parent, child;  // parent and child: bodies
};

struct Links {
  std::vector<Link> list;  // parents before their children
  std::vector<int> loose;  // moving bodies without joints
  std::string refusal;
};

std::string refusal_of(const Joint& joint, std::size_t k) {
  if (joint.type == JointType::kRevolute || joint.type == JointType::kPrismatic ||
      joint.type == JointType::kFixed)
    return "";
  return fmt::format("field \"joints[{}].type\": arms have revolute, prismatic and fixed joints",
                     k);
}

bool has_joint(const Scene& scene, std::size_t body) {
  const auto b = static_cast<int>(body);
  return std::any_of(scene.joints.begin(), scene.joints.end(),
                     [&](const Joint& j) { return j.body_a == b || j.body_b == b; });
}

Links links_of(const Scene& scene, bool loose) {
  Links links;
  std::vector<char> placed(scene.bodies.size()), used(scene.joints.size());
  for (std::size_t b = 0; b < placed.size(); ++b) placed[b] = scene.bodies[b].fixed;
  for (bool found = true; found;) {
    found = false;
    for (std::size_t k = 0; k < scene.joints.size(); ++k) {
      const Joint& j = scene.joints[k];
      const bool a = placed[static_cast<std::size_t>(j.body_a)],
                 b = placed[static_cast<std::size_t>(j.body_b)];
      if (used[k] || (!a && !b)) continue;
      if (links.refusal.empty()) links.refusal = refusal_of(j, k);
      if (a && b && links.refusal.empty())
        links.refusal = fmt::format("field \"joints[{}]\": closes a loop; arms must be trees", k);
      if (!links.refusal.empty()) return links;
      used[k] = found = true;
      const int child = b ? j.body_a : j.body_b, parent = b ? j.body_b : j.body_a;
      placed[static_cast<std::size_t>(child)] = 1;
      links.list.push_back({static_cast<int>(k), parent, child});
    }
  }
  for (std::size_t b = 0; b < placed.size(); ++b) {
    if (!placed[b] && loose && !has_joint(scene, b)) {
      links.loose.push_back(static_cast<int>(b));
    } else if (!placed[b]) {
      links.refusal = fmt::format("field \"bodies[{}]\": no joint connects \"{}\" to the tree", b,
                                  scene.bodies[b].name);
    }
  }
  return links;
}

KDL::Vector kdl(const Vector3d& v) { return {v.x(), v.y(), v.z()}; }

KDL::RigidBodyInertia inertia_of(const Body& body) {
  const Matrix3d r = body.orientation.toRotationMatrix();
  const Matrix3d i = r * body.inertia.asDiagonal() * r.transpose();
  return KDL::RigidBodyInertia(
      body.mass, kdl(body.position),
      KDL::RotationalInertia(i(0, 0), i(1, 1), i(2, 2), i(0, 1), i(0, 2), i(1, 2)));
}

// In 2D a body does not move out of the plane, so any inertia about the other axes is right.
Body solid(const Scene& scene, const Body& body) {
  Body b = body;
  if (scene.dimension == 2) b.inertia = Vector3d::Constant(body.inertia.z());
  return b;
}

}  // namespace

std::optional<std::string> articulation_refusal(const Scene& scene, bool loose) {
  if (scene.joints.empty()) return "field \"joints\": an arm needs at least one";
  const Links links = links_of(scene, loose);
  if (!links.refusal.empty()) return links.refusal;
  for (std::size_t k = 0; k < scene.impulses.size(); ++k) {
    const auto body = static_cast<std::size_t>(scene.impulses[k].body);
    if (scene.bodies[body].fixed || !has_joint(scene, body)) continue;
    return fmt::format("field \"impulses[{}]\": \"{}\" is in an arm, and arms cannot have impulses",
                       k, scene.bodies[body].name);
  }
  return {};
}

// The frames of all segments are the world frame in the initial state, so that anchors, axes and
// mass centres are those of the scene.
struct Articulation::Tree {
  const Scene& scene;
  std::vector<Link> links;
  std::vector<int> loose;
  KDL::Tree kdl_tree{"ground"};
  std::vector<int> moving;       // joints with a coordinate, in the scene's order
  std::vector<int> coordinate;   // of a joint of the scene; -1: fixed
  std::vector<unsigned> number;  // of a coordinate in KDL's arrays
  std::unique_ptr<KDL::TreeIdSolver_RNE> with_gravity, without_gravity;

  Tree(const Scene& s, Links found)
      : scene(s),
        links(std::move(found.list)),
        loose(std::move(found.loose)),
        coordinate(s.joints.size(), -1) {
    for (std::size_t k = 0; k < s.joints.size(); ++k) {
      if (s.joints[k].type == JointType::kFixed) continue;
      coordinate[k] = static_cast<int>(moving.size());
      moving.push_back(static_cast<int>(k));
    }
    number.resize(moving.size());
    const auto name = [](int body) { return fmt::format("{}", body); };
    for (const Link& link : links) {
      const Joint& j = scene.joints[static_cast<std::size_t>(link.joint)];
      const std::string joint_name = fmt::format("j{}", link.joint);
      const KDL::Joint joint =
          j.type == JointType::kFixed
              ? KDL::Joint(joint_name, KDL::Joint::Fixed)
              : KDL::Joint(
                    joint_name, kdl(j.anchor_a), kdl(j.axis),
                    j.type == JointType::kRevolute ? KDL::Joint::RotAxis : KDL::Joint::TransAxis);
      const bool root = scene.bodies[static_cast<std::size_t>(link.parent)].fixed;
      kdl_tree.addSegment(
          KDL::Segment(
              name(link.child), joint, KDL::Frame::Identity(),
              inertia_of(solid(scene, scene.bodies[static_cast<std::size_t>(link.child)]))),
          root ? "ground" : name(link.parent));
      const auto segment = kdl_tree.getSegment(name(link.child));
      const int k = coordinate[static_cast<std::size_t>(link.joint)];
      if (k >= 0) number[static_cast<std::size_t>(k)] = GetTreeElementQNr(segment->second);
    }
    with_gravity = std::make_unique<KDL::TreeIdSolver_RNE>(kdl_tree, kdl(scene.gravity));
    without_gravity = std::make_unique<KDL::TreeIdSolver_RNE>(kdl_tree, KDL::Vector::Zero());
  }

  KDL::JntArray array(const Vector& v) const {
    KDL::JntArray out(static_cast<unsigned>(v.size()));
    for (std::size_t k = 0; k < number.size(); ++k) out(number[k]) = v[static_cast<int>(k)];
    return out;
  }
  Vector vector(const KDL::JntArray& a) const {
    Vector out(static_cast<int>(number.size()));
    for (std::size_t k = 0; k < number.size(); ++k) out[static_cast<int>(k)] = a(number[k]);
    return out;
  }
};

Articulation::Articulation(const Scene& scene)
    : tree_(std::make_unique<Tree>(scene, links_of(scene, true))) {}
Articulation::~Articulation() = default;
Articulation::Articulation(Articulation&&) noexcept = default;
Articulation& Articulation::operator=(Articulation&&) noexcept = default;

int Articulation::size() const { return static_cast<int>(tree_->moving.size()); }

int Articulation::joint(int coordinate) const {
  return tree_->moving[static_cast<std::size_t>(coordinate)];
}

JointState Articulation::read(const State& state) const {
  const Scene& scene = tree_->scene;
  JointState s{Vector::Zero(size()), Vector::Zero(size())};
  for (const Link& link : tree_->links) {
    const Joint& j = scene.joints[static_cast<std::size_t>(link.joint)];
    const int k = tree_->coordinate[static_cast<std::size_t>(link.joint)];
    if (k < 0) continue;
    const auto turned = [&](int body) {
      const auto b = static_cast<std::size_t>(body);
      return Quaterniond(state.bodies[b].orientation * scene.bodies[b].orientation.conjugate());
    };
    const Quaterniond parent = turned(link.parent), child = turned(link.child);
    const BodyState &p = state.bodies[static_cast<std::size_t>(link.parent)],
                    &c = state.bodies[static_cast<std::size_t>(link.child)];
    const Vector3d axis = parent * j.axis;
    if (j.type == JointType::kRevolute) {
      const Quaterniond apart = parent.conjugate() * child;
      s.position[k] = std::remainder(2 * std::atan2(apart.vec().dot(j.axis), apart.w()), 2 * M_PI);
      s.rate[k] = axis.dot(c.angular_velocity - p.angular_velocity);
      continue;
    }
    const Vector3d at_child = carried_point(scene, state, link.child, j.anchor_a),
                   at_parent = carried_point(scene, state, link.parent, j.anchor_a);
    s.position[k] = axis.dot(at_child - at_parent);
    const auto velocity = [&](const BodyState& b) {
      return Vector3d(b.velocity + b.angular_velocity.cross(at_child - b.position));
    };
    s.rate[k] = axis.dot(velocity(c) - velocity(p));
  }
  return s;
}

void Articulation::write(const JointState& joints, State& state) const {
  const Scene& scene = tree_->scene;
  for (const Link& link : tree_->links) {
    const Joint& j = scene.joints[static_cast<std::size_t>(link.joint)];
    const Body &parent_body = scene.bodies[static_cast<std::size_t>(link.parent)],
               &body = scene.bodies[static_cast<std::size_t>(link.child)];
    const BodyState& p = state.bodies[static_cast<std::size_t>(link.parent)];
    BodyState& c = state.bodies[static_cast<std::size_t>(link.child)];
    const Quaterniond parent = p.orientation * parent_body.orientation.conjugate();
    const Vector3d anchor = carried_point(scene, state, link.parent, j.anchor_a),
                   axis = parent * j.axis;
    const int k = tree_->coordinate[static_cast<std::size_t>(link.joint)];
    const double q = k < 0 ? 0.0 : joints.position[k], rate = k < 0 ? 0.0 : joints.rate[k];
    const bool turns = j.type == JointType::kRevolute;
    const Quaterniond turn = turns ? Quaterniond(parent * Eigen::AngleAxisd(q, j.axis)) : parent;
    c.orientation = (turn * body.orientation).normalized();
    c.position = anchor + turn * (body.position - j.anchor_a);
    c.angular_velocity = p.angular_velocity;
    if (!turns) c.position += q * axis;
    c.velocity = p.velocity + p.angular_velocity.cross(c.position - p.position);
    if (turns) {
      c.angular_velocity += rate * axis;
      c.velocity += rate * axis.cross(c.position - anchor);
    } else {
      c.velocity += rate * axis;
    }
  }
}

Articulation::Dynamics Articulation::dynamics(const JointState& joints) const {
  const int n = size();
  const KDL::JntArray q = tree_->array(joints.position), rate = tree_->array(joints.rate),
                      rest(static_cast<unsigned>(n));
  KDL::JntArray torque(static_cast<unsigned>(n));
  const KDL::WrenchMap none;
  Dynamics d{DenseMatrix(n, n), Vector(n)};
  tree_->with_gravity->CartToJnt(q, rate, rest, none, torque);
  d.bias = tree_->vector(torque);
  for (int k = 0; k < n; ++k) {
    tree_->without_gravity->CartToJnt(q, rest, tree_->array(Vector::Unit(n, k)), none, torque);
    d.inertia.col(k) = tree_->vector(torque);
  }
  d.inertia = 0.5 * (d.inertia + d.inertia.transpose()).eval();
  return d;
}

const std::vector<int>& Articulation::loose() const { return tree_->loose; }

SparseMatrix Articulation::twists(const State& state) const {
  const Scene& scene = tree_->scene;
  const Coordinates coordinates(scene);
  std::vector<std::vector<Link>> chain(scene.bodies.size());  // from the ground to each body
  std::vector<Triplet> entries;
  // add_wrench() puts the velocities of a body at a unit rate in their places in a column.
  const auto add = [&](int body, int column, const Vector3d& velocity, const Vector3d& spin) {
    std::vector<Triplet> row;
    coordinates.add_wrench(body, velocity, spin, 1.0, 0, row);
    for (const Triplet& t : row) entries.emplace_back(t.col(), column, t.value());
  };
  for (const Link& link : tree_->links) {
    const auto child = static_cast<std::size_t>(link.child);
    chain[child] = chain[static_cast<std::size_t>(link.parent)];
    chain[child].push_back(link);
    for (const Link& by : chain[child]) {
      const Joint& j = scene.joints[static_cast<std::size_t>(by.joint)];
      const int column = tree_->coordinate[static_cast<std::size_t>(by.joint)];
      if (column < 0) continue;
      const Vector3d axis = carried_direction(scene, state, by.parent, j.axis);
      if (j.type == JointType::kPrismatic) {
        add(link.child, column, axis, Vector3d::Zero());
        continue;
      }
      const Vector3d anchor = carried_point(scene, state, by.parent, j.anchor_a);
      add(link.child, column, axis.cross(state.bodies[child].position - anchor), axis);
    }
  }
  int columns = size();
  for (const int body : tree_->loose) {
    for (int k = 0; k < coordinates.per_body(); ++k)
      entries.emplace_back(coordinates.offset(body) + k, columns++, 1.0);
  }
  SparseMatrix x(coordinates.size(), columns);
  x.setFromTriplets(entries.begin(), entries.end());
  return x;
}

Vector Articulation::applied(const State& state) const {
  const Scene& scene = tree_->scene;
  Vector torques = Vector::Zero(size());
  const bool joint_springs = std::any_of(scene.joints.begin(), scene.joints.end(),
                                         [](const Joint& j) { return j.has_spring(); });
  if (scene.loads.empty() && scene.springs.empty() && !joint_springs) return torques;
  std::vector<Wrench> wrenches = applied_wrenches(scene, state);
  for (std::size_t b = 0; b < wrenches.size(); ++b)
    wrenches[b].force -= scene.bodies[b].mass * scene.gravity;
  // A force on a body acts on every joint between the body and the ground. The sums go from the
  // leaves of the tree to the ground.
  for (auto link = tree_->links.rbegin(); link != tree_->links.rend(); ++link) {
    const Joint& j = scene.joints[static_cast<std::size_t>(link->joint)];
    const Vector3d axis = carried_direction(scene, state, link->parent, j.axis);
    const Vector3d anchor = carried_point(scene, state, link->parent, j.anchor_a);
    const auto at = [&](int body) { return state.bodies[static_cast<std::size_t>(body)].position; };
    const Wrench& w = wrenches[static_cast<std::size_t>(link->child)];
    const int k = tree_->coordinate[static_cast<std::size_t>(link->joint)];
    if (k >= 0) {
      torques[k] = j.type == JointType::kRevolute
                       ? axis.dot(w.moment + (at(link->child) - anchor).cross(w.force))
                       : axis.dot(w.force);
    }
    Wrench& onward = wrenches[static_cast<std::size_t>(link->parent)];
    onward.force += w.force;
    onward.moment += w.moment + (at(link->child) - at(link->parent)).cross(w.force);
  }
  return torques;
}

}  // namespace perp
