#include <perp/formulations/dynamics/joints.hpp>

#include <cmath>

namespace perp {

namespace {

class RowBuilder {
 public:
  RowBuilder(const Scene& scene, const State& state, const Coordinates& c, int first,
             std::vector<Triplet>& jacobian)
      : scene_(scene), state_(state), coordinates_(c), jacobian_(jacobian), row_(first) {}

  std::vector<double> values;

  void add(const Joint& j) {
    a_ = j.body_a;
    b_ = j.body_b;
    pa_ = carried_point(scene_, state_, a_, j.anchor_a);
    pb_ = carried_point(scene_, state_, b_, j.anchor_b);
    const bool plane = scene_.dimension == 2;
    switch (j.type) {
      case JointType::kDistance:
        distance(j);
        break;
      case JointType::kSpherical:
        point();
        break;
      case JointType::kRevolute:
        point();
        if (!plane) parallel(j.axis);
        break;
      case JointType::kPrismatic:
        slide(j);
        break;
      case JointType::kFixed:
        point();
        lock();
        break;
    }
  }

 private:
  // Theta = d . (pa - pb) with d fixed in the world for the step.
  void along(const Vector3d& d) {
    const Vector3d ra = pa_ - state_.bodies[a_].position, rb = pb_ - state_.bodies[b_].position;
    emit(d.dot(pa_ - pb_), d, ra.cross(d), d, rb.cross(d));
  }

  void point() {
    along(Vector3d::UnitX());
    along(Vector3d::UnitY());
    if (scene_.dimension == 3) along(Vector3d::UnitZ());
  }

  void distance(const Joint& j) {
    const Vector3d d = pa_ - pb_;
    const double initial = (j.anchor_a - j.anchor_b).squaredNorm();
    const Vector3d ra = pa_ - state_.bodies[a_].position, rb = pb_ - state_.bodies[b_].position;
    emit((d.squaredNorm() - initial) / 2, d, ra.cross(d), d, rb.cross(d));
  }

  // u fixed in a stays normal to w fixed in b: Theta = u . w, its rate (u x w) . (omega_a -
  // omega_b).
  void stays_normal(const Vector3d& u_initial, const Vector3d& w_initial) {
    const Vector3d u = carried_direction(scene_, state_, a_, u_initial);
    const Vector3d w = carried_direction(scene_, state_, b_, w_initial);
    emit(u.dot(w), Vector3d::Zero(), u.cross(w), Vector3d::Zero(), u.cross(w));
  }

  void parallel(const Vector3d& axis) {
    for (const Vector3d& n : joint_normals(axis)) stays_normal(n, axis);
  }

  void lock() {
    if (scene_.dimension == 2) {
      stays_normal(Vector3d::UnitX(), Vector3d::UnitY());
      return;
    }
    stays_normal(Vector3d::UnitX(), Vector3d::UnitY());
    stays_normal(Vector3d::UnitY(), Vector3d::UnitZ());
    stays_normal(Vector3d::UnitZ(), Vector3d::UnitX());
  }

  // Anchors differ along the axis of b only.
  void slide(const Joint& j) {
    lock();
    const Vector3d d = pa_ - pb_;
    const Vector3d ra = pa_ - state_.bodies[a_].position, rb = pb_ - state_.bodies[b_].position;
    const auto normals = scene_.dimension == 3
                             ? joint_normals(j.axis)
                             : std::array<Vector3d, 2>{Vector3d::UnitZ().cross(j.axis), {}};
    for (int k = 0; k < scene_.dimension - 1; ++k) {
      const Vector3d n = carried_direction(scene_, state_, b_, normals[k]);
      emit(n.dot(d), n, ra.cross(n), n, (rb + d).cross(n));  // n turns with b
    }
  }

  // Row (f_a, m_a) on a and minus (f_b, m_b) on b.
  void emit(double value, const Vector3d& fa, const Vector3d& ma, const Vector3d& fb,
            const Vector3d& mb) {
    coordinates_.add_wrench(a_, fa, ma, 1.0, row_, jacobian_);
    coordinates_.add_wrench(b_, fb, mb, -1.0, row_, jacobian_);
    values.push_back(value);
    ++row_;
  }

  const Scene& scene_;
  const State& state_;
  const Coordinates& coordinates_;
  std::vector<Triplet>& jacobian_;
  int row_, a_ = 0, b_ = 0;
  Vector3d pa_, pb_;
};

}  // namespace

std::array<Vector3d, 2> joint_normals(const Vector3d& axis) {
  const Vector3d helper = std::abs(axis.x()) < 0.7 ? Vector3d::UnitX() : Vector3d::UnitY();
  const Vector3d t = axis.cross(helper).normalized();
  return {t, axis.cross(t)};
}

int joint_rows(JointType type, int dimension) {
  const bool plane = dimension == 2;
  switch (type) {
    case JointType::kDistance:
      return 1;
    case JointType::kSpherical:
      return plane ? 2 : 3;
    case JointType::kRevolute:
      return plane ? 2 : 5;
    case JointType::kPrismatic:
      return plane ? 2 : 5;
    default:
      return plane ? 3 : 6;
  }
}

Vector joint_constraints(const Scene& scene, const State& state, const Coordinates& coordinates,
                         int first, std::vector<Triplet>& jacobian) {
  RowBuilder builder(scene, state, coordinates, first, jacobian);
  for (const Joint& j : scene.joints) builder.add(j);
  return Eigen::Map<const Vector>(builder.values.data(),
                                  static_cast<Eigen::Index>(builder.values.size()));
}

void joint_rate(const Scene& scene, const State& state, const Coordinates& coordinates,
                const Joint& joint, int row, std::vector<Triplet>& jacobian) {
  const int a = joint.body_a, b = joint.body_b;
  const Vector3d axis = carried_direction(scene, state, b, joint.axis);
  if (joint.type == JointType::kRevolute) {
    coordinates.add_wrench(a, Vector3d::Zero(), axis, 1.0, row, jacobian);
    coordinates.add_wrench(b, Vector3d::Zero(), axis, -1.0, row, jacobian);
    return;
  }
  // The axis turns with b, so the arm of b leads to the point of a.
  const Vector3d at = carried_point(scene, state, a, joint.anchor_a);
  const auto moment = [&](int body) {
    return Vector3d((at - state.bodies[body].position).cross(axis));
  };
  coordinates.add_wrench(a, axis, moment(a), 1.0, row, jacobian);
  coordinates.add_wrench(b, axis, moment(b), -1.0, row, jacobian);
}

}  // namespace perp
