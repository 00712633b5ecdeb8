#include <perp/formulations/stepping/implicit_result.hpp>

#include <algorithm>
#include <cmath>
#include <perp/formulations/dynamics/joints.hpp>
#include <utility>

namespace perp {

namespace {

constexpr int kLawColumns = 3;  // law_gap, law_cone, law_slip

// Raises the columns to the distances of a contact from its law.
void add_law_residuals(const ContactResult& k, double h, double spin, const Vector3d& v,
                       std::vector<double>& columns) {
  const ContactProperties& c = k.contact.properties;
  double slack = k.contact.gap;
  if (!c.rigid()) slack += c.dissipation * k.v_n + k.p_n / (h * c.stiffness);
  columns[0] =
      std::max(columns[0], k.mode == ContactMode::kOpen ? std::max(0.0, -slack) : std::abs(slack));
  if (k.mode == ContactMode::kOpen || c.mu == 0.0) return;
  const double limit = c.mu * k.p_n;
  const Vector3d share(k.p_t / (c.e_t * limit), k.p_o / (c.e_o * limit),
                       c.e_r > 0 ? k.p_r / (c.e_r * limit) : 0.0);
  const Vector3d slip(c.e_t * v.dot(k.frame.t), c.e_o * v.dot(k.frame.o), c.e_r * spin);
  columns[1] = std::max(columns[1], share.norm() - 1);
  columns[2] = std::max(columns[2], slip.norm() + slip.dot(share));
}

// Adds up the end of one step.
class ImplicitResultReader {
 public:
  ImplicitResultReader(const StepInput& input, const ImplicitGap& gap, FrictionForm friction)
      : input_(input), gap_(gap), friction_(friction), scene_(*input.scene), coordinates_(scene_) {}

  StepResult read(const std::vector<RecordedPair>& pairs, const std::vector<JointRow>& joints,
                  const Vector& velocity, const Vector& z);

 private:
  void add_contact(const RecordedPair& pair, const Vector& z);
  void add_joints(const std::vector<JointRow>& rows, const Vector& z);

  const StepInput& input_;
  const ImplicitGap& gap_;
  FrictionForm friction_;
  const Scene& scene_;
  Coordinates coordinates_;
  StepResult result_;
  Vector wrenches_;    // of contacts and joints, by coordinates
  double size_ = 0.0;  // of the terms of the balance of momentum
};

StepResult ImplicitResultReader::read(const std::vector<RecordedPair>& pairs,
                                      const std::vector<JointRow>& joints, const Vector& velocity,
                                      const Vector& z) {
  result_.state = moved(scene_, input_.state, coordinates_, velocity, input_.h);
  result_.columns.assign(implicit_columns(gap_).size(), 0.0);
  wrenches_.setZero(coordinates_.size());
  for (const RecordedPair& p : pairs) {
    add_contact(p, z);
    if (result_.contacts.back().mode != ContactMode::kOpen)
      gap_.raise_columns(input_, p, z, result_.columns.data() + kLawColumns);
  }
  add_joints(joints, z);
  const SparseMatrix inverse = inverse_mass_matrix(scene_, input_.state, coordinates_);
  const Vector error = velocity - input_.free - inverse * wrenches_;
  size_ += (velocity.cwiseAbs() + input_.free.cwiseAbs()).sum();
  result_.momentum_error = size_ > 0 ? error.cwiseAbs().sum() / size_ : 0.0;
  return std::move(result_);
}

void ImplicitResultReader::add_contact(const RecordedPair& p, const Vector& z) {
  const EndContact e = gap_.end(input_, p, z, result_.state);
  const int a = p.pair.a, b = p.pair.b;
  ContactResult k;
  const ContactProperties properties = scene_.properties(a, b);
  k.contact = {a, b, p.pair.form, 0.5 * (e.point_a + e.point_b), e.frame.n, e.gap, properties};
  k.frame = e.frame;
  const ContactImpulse impulse =
      contact_impulse(input_.scales, properties, friction_, p.unknowns, z);
  k.p_n = impulse.p_n;
  k.p_t = impulse.p_t;
  k.p_o = impulse.p_o;
  k.p_r = impulse.p_r;
  const auto& bodies = result_.state.bodies;
  const BodyState &sa = bodies[static_cast<std::size_t>(a)],
                  &sb = bodies[static_cast<std::size_t>(b)];
  const Vector3d v = sa.velocity + sa.angular_velocity.cross(e.point_a - sa.position) -
                     sb.velocity - sb.angular_velocity.cross(e.point_b - sb.position);
  k.v_n = v.dot(e.frame.n);
  const Vector3d slip = v - k.v_n * e.frame.n;
  const double spin = e.frame.n.dot(sa.angular_velocity - sb.angular_velocity);
  k.slip = slip.norm();
  const double moving = std::max(k.slip, properties.e_r * std::abs(spin));
  k.mode = k.p_n <= 1e-12 * input_.scales.impulse    ? ContactMode::kOpen
           : moving <= 1e-9 * input_.scales.velocity ? ContactMode::kStick
                                                     : ContactMode::kSlide;
  const Vector3d force = k.p_n * e.frame.n + k.p_t * e.frame.t + k.p_o * e.frame.o;
  const Vector3d moment = k.p_r * e.frame.n;
  result_.contact_work += force.dot(v) + k.p_r * spin;
  add_law_residuals(k, input_.h, spin, v, result_.columns);
  result_.feeding += k.p_n * std::max(0.0, k.v_n);
  const auto push = [&](int body, const Vector3d& point, double sign) {
    const int at = coordinates_.offset(body);
    if (at < 0) return;
    const Vector3d arm = point - bodies[static_cast<std::size_t>(body)].position;
    std::vector<Triplet> entries;
    coordinates_.add_wrench(body, force, arm.cross(force) + moment, sign, 0, entries);
    for (const Triplet& t : entries) wrenches_[t.col()] += t.value();
    size_ += force.norm() / scene_.bodies[static_cast<std::size_t>(body)].mass;
  };
  push(a, e.point_a, 1.0);
  push(b, e.point_b, -1.0);
  result_.contacts.push_back(k);
}

// Impulses of the joints, and the values of their rows at the beginning of the step.
void ImplicitResultReader::add_joints(const std::vector<JointRow>& rows, const Vector& z) {
  std::vector<Triplet> entries;
  result_.joint_values = joint_constraints(scene_, input_.state, coordinates_, 0, entries);
  result_.joint_impulses.resize(static_cast<Eigen::Index>(rows.size()));
  for (std::size_t k = 0; k < rows.size(); ++k) {
    result_.joint_impulses[static_cast<Eigen::Index>(k)] =
        z[rows[k].unknown] * input_.scales.impulse * std::pow(input_.scales.length, rows[k].power);
  }
  entries.clear();
  joint_constraints(scene_, result_.state, coordinates_, 0, entries);
  for (const Triplet& t : entries)
    wrenches_[t.col()] += t.value() * result_.joint_impulses[t.row()];
}

}  // namespace

std::vector<std::string> implicit_columns(const ImplicitGap& gap) {
  std::vector<std::string> names = {"law_gap", "law_cone", "law_slip"};
  for (std::string& name : gap.columns()) names.push_back(std::move(name));
  return names;
}

StepResult implicit_result(const StepInput& input, const ImplicitGap& gap, FrictionForm friction,
                           const std::vector<RecordedPair>& pairs,
                           const std::vector<JointRow>& joints, const Vector& velocity,
                           const Vector& z) {
  return ImplicitResultReader(input, gap, friction).read(pairs, joints, velocity, z);
}

StepResult free_result(const StepInput& input) {
  StepResult r;
  r.state = moved(*input.scene, input.state, Coordinates(*input.scene), input.free, input.h);
  return r;
}

}  // namespace perp
