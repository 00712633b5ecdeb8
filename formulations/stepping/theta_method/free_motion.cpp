#include <perp/formulations/stepping/theta_method/free_motion.hpp>

#include <perp/formulations/dynamics/impulses.hpp>
#include <perp/formulations/dynamics/joints.hpp>
#include <perp/formulations/dynamics/step_recorder.hpp>
#include <perp/problems/expression/compiled_function.hpp>

#include <Eigen/Cholesky>
#include <algorithm>
#include <numeric>
#include <perp/problems/matrix/infinity.hpp>
#include <utility>

namespace perp {

namespace {

bool is_round(const Body& body) {
  return body.inertia.x() == body.inertia.y() && body.inertia.y() == body.inertia.z();
}

// M of bodies, from its inverse, which has blocks of at most 3 x 3.
SparseMatrix mass_matrix(const Scene& scene, const State& state, const Coordinates& coordinates) {
  std::vector<Triplet> entries;
  for (std::size_t b = 0; b < scene.bodies.size(); ++b) {
    const int at = coordinates.offset(static_cast<int>(b));
    if (at < 0) continue;
    const Body& body = scene.bodies[b];
    const int linear = coordinates.per_body() == 6 ? 3 : 2;
    for (int k = 0; k < linear; ++k) entries.emplace_back(at + k, at + k, body.mass);
    if (linear == 2) {
      entries.emplace_back(at + 2, at + 2, body.inertia.z());
      continue;
    }
    const Matrix3d r = state.bodies[b].orientation.toRotationMatrix();
    const Matrix3d inertia = r * body.inertia.asDiagonal() * r.transpose();
    for (int i = 0; i < 3; ++i) {
      for (int j = 0; j < 3; ++j)
        entries.emplace_back(at + 3 + i, at + 3 + j, 0.5 * (inertia(i, j) + inertia(j, i)));
    }
  }
  SparseMatrix m(coordinates.size(), coordinates.size());
  m.setFromTriplets(entries.begin(), entries.end());
  return m;
}

// Sets of rows that a symmetric matrix couples.
std::vector<std::vector<int>> coupled_rows(const SparseMatrix& a) {
  const int n = static_cast<int>(a.cols());
  std::vector<int> root(n);
  std::iota(root.begin(), root.end(), 0);
  const auto find = [&](int i) {
    while (root[i] != i) i = root[i] = root[root[i]];
    return i;
  };
  for (int j = 0; j < n; ++j) {
    for (SparseMatrix::InnerIterator it(a, j); it; ++it)
      root[find(static_cast<int>(it.row()))] = find(j);
  }
  std::vector<std::vector<int>> sets(n);
  for (int j = 0; j < n; ++j) sets[find(j)].push_back(j);
  std::erase_if(sets, [](const std::vector<int>& set) { return set.empty(); });
  return sets;
}

// The inverse of a symmetric positive definite matrix whose rows are coupled in these sets.
SparseMatrix inverse(const SparseMatrix& a, const std::vector<std::vector<int>>& sets) {
  std::vector<Triplet> entries;
  for (const std::vector<int>& set : sets) {
    const auto size = static_cast<int>(set.size());
    DenseMatrix block(size, size);
    for (int i = 0; i < size; ++i) {
      for (int j = 0; j < size; ++j) block(i, j) = a.coeff(set[i], set[j]);
    }
    const DenseMatrix solved = block.llt().solve(DenseMatrix::Identity(size, size));
    for (int i = 0; i < size; ++i) {
      for (int j = 0; j < size; ++j)
        entries.emplace_back(set[i], set[j], 0.5 * (solved(i, j) + solved(j, i)));
    }
  }
  SparseMatrix b(a.rows(), a.cols());
  b.setFromTriplets(entries.begin(), entries.end());
  return b;
}

// Rows of the rates at which springs stretch, with the stiffness and damping of each.
class StretchRows {
 public:
  StretchRows(const Scene& scene, const State& state, const Coordinates& coordinates)
      : scene_(scene), state_(state), coordinates_(coordinates) {
    for (const Spring& s : scene.springs) add(s);
    for (const Joint& j : scene.joints) {
      if (!j.has_spring()) continue;
      joint_rate(scene, state, coordinates, j, next(j.stiffness, j.damping), entries_);
    }
  }

  /// J' (by_stiffness K + by_damping D) J.
  SparseMatrix sum(double by_stiffness, double by_damping) const {
    SparseMatrix j(static_cast<int>(stiffness_.size()), coordinates_.size());
    j.setFromTriplets(entries_.begin(), entries_.end());
    Vector weight(j.rows());
    for (int i = 0; i < weight.size(); ++i)
      weight[i] = by_stiffness * stiffness_[i] + by_damping * damping_[i];
    const SparseMatrix half = weight.cwiseSqrt().asDiagonal() * j;
    return SparseMatrix(half.transpose()) * half;  // symmetric to the last bit
  }

 private:
  int next(double stiffness, double damping) {
    stiffness_.push_back(stiffness);
    damping_.push_back(damping);
    return static_cast<int>(stiffness_.size()) - 1;
  }

  // The material part of the stiffness: along the spring, or in all directions if it is linear.
  void add(const Spring& s) {
    const Vector3d a = carried_point(scene_, state_, s.body_a, s.anchor_a),
                   b = carried_point(scene_, state_, s.body_b, s.anchor_b);
    std::vector<Vector3d> directions;
    if (s.length == 0) {
      for (int k = 0; k < scene_.dimension; ++k) directions.push_back(Vector3d::Unit(k));
    } else if (a != b) {
      directions.push_back((a - b).normalized());
    }
    for (const Vector3d& d : directions) {
      const int row = next(s.stiffness, s.damping);
      coordinates_.add_wrench(s.body_a, d, arm(s.body_a, a).cross(d), 1.0, row, entries_);
      coordinates_.add_wrench(s.body_b, d, arm(s.body_b, b).cross(d), -1.0, row, entries_);
    }
  }

  Vector3d arm(int body, const Vector3d& point) const {
    return point - state_.bodies[static_cast<std::size_t>(body)].position;
  }

  const Scene& scene_;
  const State& state_;
  const Coordinates& coordinates_;
  std::vector<Triplet> entries_;
  std::vector<double> stiffness_, damping_;
};

}  // namespace

FreeMotion::FreeMotion(const Scene& scene)
    : scene_(scene), coordinates_(scene_), recorded_(record_free_motion(scene_)) {
  compiled_ = std::make_shared<const CompiledFunction>(
      *recorded_.graph, coordinates_.size(), static_cast<int>(recorded_.parameters.size()));
}

void FreeMotion::begin(const State& state, double h, const Theta& theta) {
  in_.state = state;
  in_.h = h;
  in_.theta = theta;
  in_.initial = velocity_after_impulses(scene_, state, coordinates_, h);
  const StepInput step = step_input(scene_, state, h);
  in_.reference = step.free;
  in_.change = step.scales.change;
  in_.length = step.scales.length;
  in_.impulse = step.scales.impulse;
}

bool FreeMotion::is_explicit() const {
  if (in_.theta.q == 0 && in_.theta.v == 0) return true;
  const bool springs =
      !scene_.springs.empty() || std::any_of(scene_.joints.begin(), scene_.joints.end(),
                                             [](const Joint& j) { return j.has_spring(); });
  const bool turns =
      scene_.dimension == 3 && std::any_of(scene_.bodies.begin(), scene_.bodies.end(),
                                           [](const Body& b) { return !b.fixed && !is_round(b); });
  return !springs && !turns;
}

Vector FreeMotion::explicit_velocity() const {
  return in_.initial - inverse_mass_matrix(scene_, in_.state, coordinates_) * residual(in_.initial);
}

Problem FreeMotion::problem() const {
  Mcp mcp;
  mcp.graph = recorded_.graph;
  mcp.compiled = compiled_;
  mcp.parameters.resize(static_cast<Eigen::Index>(recorded_.parameters.size()));
  for (std::size_t k = 0; k < recorded_.parameters.size(); ++k)
    mcp.parameters[static_cast<Eigen::Index>(k)] = recorded_.parameters[k](in_);
  mcp.lower = Vector::Constant(coordinates_.size(), -kInfinity);
  mcp.upper = Vector::Constant(coordinates_.size(), kInfinity);
  Problem p;
  p.data = std::move(mcp);
  return p;
}

Vector FreeMotion::velocity(const Vector& z) const {
  Vector v = in_.reference;
  for (int i = 0; i < v.size(); ++i) v[i] += in_.unit(i, coordinates_.per_body()) * z[i];
  return v;
}

Vector FreeMotion::unknowns(const Vector& v) const {
  Vector z = v - in_.reference;
  for (int i = 0; i < z.size(); ++i) z[i] /= in_.unit(i, coordinates_.per_body());
  return z;
}

Vector FreeMotion::residual(const Vector& v) const {
  Vector m = std::get<Mcp>(problem().data).evaluate(unknowns(v));
  for (int i = 0; i < m.size(); ++i) m[i] *= in_.row_unit(i, coordinates_.per_body());
  return m;
}

// The state with positions q^theta and velocities v^theta.
State FreeMotion::between(const Vector& v) const {
  const Theta& t = in_.theta;
  const Vector moving = t.vq * v + (1 - t.vq) * in_.initial;
  State s = ::perp::moved(scene_, in_.state, coordinates_, moving, t.q * in_.h);
  const Vector forces = t.v * v + (1 - t.v) * in_.initial;
  for (std::size_t b = 0; b < scene_.bodies.size(); ++b) {
    const int at = coordinates_.offset(static_cast<int>(b));
    if (at < 0) continue;
    if (coordinates_.per_body() == 6) {
      s.bodies[b].velocity = forces.segment<3>(at);
      s.bodies[b].angular_velocity = forces.segment<3>(at + 3);
    } else {
      s.bodies[b].velocity = {forces[at], forces[at + 1], 0.0};
      s.bodies[b].angular_velocity = {0.0, 0.0, forces[at + 2]};
    }
  }
  return s;
}

SparseMatrix FreeMotion::linearisation(const Vector& v, bool printed) const {
  const Theta& t = in_.theta;
  const State at = between(v);
  const double stiffness = in_.h * in_.h * t.q * t.vq * (printed ? t.vq : 1.0);
  const SparseMatrix springs = StretchRows(scene_, at, coordinates_).sum(stiffness, in_.h * t.v);
  return mass_matrix(scene_, at, coordinates_) + springs;
}

// q = q_0 + h N(q^theta) v^theta_vq, with q^theta = (1 + a) q_0 / (1 + |a|^2), a = theta_q h/2
// (0, omega); normalised.
State FreeMotion::moved(const Vector& v) const {
  const Theta& t = in_.theta;
  const Vector moving = t.vq * v + (1 - t.vq) * in_.initial;
  State end = ::perp::moved(scene_, in_.state, coordinates_, moving, in_.h);
  for (std::size_t b = 0; b < scene_.bodies.size(); ++b) {
    const int at = coordinates_.offset(static_cast<int>(b));
    if (at < 0) continue;
    BodyState& s = end.bodies[b];
    const Vector3d half = 0.5 * in_.h * s.angular_velocity, a = t.q * half;
    const Quaterniond& start = in_.state.bodies[b].orientation;
    Quaterniond middle = Quaterniond(1.0, a.x(), a.y(), a.z()) * start;
    middle.coeffs() /= 1.0 + a.squaredNorm();
    const Quaterniond rate = Quaterniond(0.0, half.x(), half.y(), half.z()) * middle;
    s.orientation.coeffs() = start.coeffs() + rate.coeffs();
    s.orientation.normalize();
    if (coordinates_.per_body() == 6) {
      s.velocity = v.segment<3>(at);
      s.angular_velocity = v.segment<3>(at + 3);
    } else {
      s.velocity = {v[at], v[at + 1], 0.0};
      s.angular_velocity = {0.0, 0.0, v[at + 2]};
    }
  }
  return end;
}

Motion FreeMotion::motion(const Vector& free_velocity, bool printed) const {
  Motion m;
  m.mass = linearisation(free_velocity, printed);
  m.blocks = coupled_rows(m.mass);
  m.inverse_mass = inverse(m.mass, m.blocks);
  m.bodies_inverse_mass = inverse_mass_matrix(scene_, between(free_velocity), coordinates_);
  m.free = free_velocity;
  m.moved = [this](const Vector& v) { return moved(v); };
  return m;
}

}  // namespace perp
