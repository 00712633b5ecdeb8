#include <perp/formulations/law/joint_friction/joint_friction.hpp>

#include <perp/formulations/dynamics/articulation.hpp>
#include <perp/formulations/dynamics/unknown_layout.hpp>

#include <fmt/format.h>
#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>
#include <utility>

namespace perp {

namespace {

constexpr double kRate = 1.0;  // rad/s or m/s: the scale of rates in the dimensionless problem

class JointFriction final : public Formulation {
 public:
  explicit JointFriction(JointFrictionSettings settings) : settings_(std::move(settings)) {}

  std::string_view name() const override { return "joint-friction"; }
  std::optional<std::string> refusal(const Scene& scene) const override {
    return articulation_refusal(scene);
  }
  Capabilities capabilities() const override {
    return {.joint_friction = true, .torsional_friction = true};  // there are no contacts
  }
  std::vector<std::string> columns() const override { return {"largest_rate", "friction_work"}; }

  StageOrResult begin(const Scene& scene, const State& state, double h,
                      const HeldContacts&) override {
    if (!scene_ || !(*scene_ == scene)) {
      arm_.reset();
      scene_ = scene;
      arm_.emplace(*scene_);
    }
    state_ = state;
    h_ = h;
    joints_ = arm_->read(state);
    const Articulation::Dynamics d = arm_->dynamics(joints_);
    const Vector torque = arm_->applied(state) - d.bias;
    const int n = arm_->size();
    if (settings_.method == "explicit") {
      inertia_.compute(d.inertia);
      return explicit_step(torque);
    }
    // Forces change momenta; viscous friction at the end of the step acts like inertia.
    DenseMatrix inertia = d.inertia;
    const Vector momentum = d.inertia * joints_.rate + h * torque;
    if (settings_.viscous == "implicit") {
      for (int k = 0; k < n; ++k) inertia(k, k) += h * joint(k).viscous;
    }
    inertia_.compute(inertia);
    inverse_ = inertia_.solve(DenseMatrix::Identity(n, n));
    free_ = inertia_.solve(momentum);
    bounds_.resize(n);
    for (int k = 0; k < n; ++k) bounds_[k] = h * (joint(k).coulomb + viscous_bound(k));
    if (bounds_.isZero(0.0)) return finish(free_, Vector::Zero(n));
    return stage();
  }

  StageOrResult advance(const Answer& answer) override {
    Vector impulse = answer.z.cwiseProduct(scale_);
    const Vector rate = free_ + inverse_ * impulse;
    if (settings_.viscous == "implicit") {
      for (int k = 0; k < impulse.size(); ++k) impulse[k] -= h_ * joint(k).viscous * rate[k];
    }
    return finish(rate, impulse);
  }

 private:
  double viscous_bound(int k) const {
    if (settings_.viscous == "implicit") return 0.0;
    const double rate = settings_.viscous == "after" ? free_[k] : joints_.rate[k];
    return joint(k).viscous * std::abs(rate);
  }

  const Joint& joint(int k) const {
    return scene_->joints[static_cast<std::size_t>(arm_->joint(k))];
  }

  /// One value for each joint of the scene; 0 for joints without a coordinate.
  Vector by_joints(const Vector& by_coordinates) const {
    Vector all = Vector::Zero(static_cast<int>(scene_->joints.size()));
    for (int k = 0; k < arm_->size(); ++k) all[arm_->joint(k)] = by_coordinates[k];
    return all;
  }

  // QP4 in x = S y with S such that the diagonal of S H^-1 S / E is 1; see README.md.
  Stage stage() {
    const int n = arm_->size();
    const double energy = kRate * kRate / inverse_.diagonal().maxCoeff();
    scale_ = (energy * inverse_.diagonal().cwiseInverse()).cwiseSqrt();
    BoxQp qp;
    DenseMatrix hessian = scale_.asDiagonal() * inverse_ * scale_.asDiagonal();
    hessian = (0.5 / energy * (hessian + hessian.transpose())).eval();
    qp.H = Matrix(std::move(hessian));
    qp.c = scale_.cwiseProduct(free_) / energy;
    qp.upper = bounds_.cwiseQuotient(scale_);
    qp.lower = -qp.upper;
    Stage s;
    s.name = "friction";
    s.problem.data = std::move(qp);
    UnknownLayout layout;
    for (int k = 0; k < n; ++k) layout.add(joint(k).name, static_cast<std::uint64_t>(k));
    layout.name(s);
    s.problem.source = json::Object{{"scene", scene_->name},
                                    {"formulation", "joint-friction"},
                                    {"stage", s.name},
                                    {"time", state_.time},
                                    {"h", h_},
                                    {"rate_scale", kRate},
                                    {"energy_scale", energy}};
    return s;
  }

  // tau = -(mu_v qdot + mu_c sgn(qdot)) [DrumwrightShell2010, Eq. 6, with its sign].
  StepResult explicit_step(Vector torque) {
    Vector friction = Vector::Zero(arm_->size());
    for (int k = 0; k < friction.size(); ++k) {
      const double rate = joints_.rate[k];
      const double sign = rate > 0 ? 1.0 : rate < 0 ? -1.0 : 0.0;
      friction[k] = -(joint(k).viscous * rate + joint(k).coulomb * sign);
    }
    torque += friction;
    return finish(joints_.rate + h_ * inertia_.solve(torque), h_ * friction);
  }

  StepResult finish(const Vector& rate, const Vector& impulse) {
    StepResult r;
    r.joint_values = by_joints(joints_.position);
    r.joint_impulses = by_joints(impulse);
    r.reduced = true;
    r.columns = {rate.size() > 0 ? rate.cwiseAbs().maxCoeff() : 0.0, impulse.dot(rate)};
    r.state = state_;
    r.state.time += h_;
    arm_->write({joints_.position + h_ * rate, rate}, r.state);
    return r;
  }

  JointFrictionSettings settings_;
  std::optional<Scene> scene_;  // a copy; arm_ belongs to it
  std::optional<Articulation> arm_;
  State state_;
  double h_ = 0.0;
  JointState joints_;
  Eigen::LLT<DenseMatrix> inertia_;
  DenseMatrix inverse_;
  Vector free_, bounds_, scale_;
};

}  // namespace

void JointFrictionSettings::visit(SettingVisitor& visitor) {
  visitor.visit("method", method,
                "friction from a program, or the torque at the beginning of a step",
                {"qp", "explicit"});
  visitor.visit("viscous", viscous,
                "friction with the rate before the step, after free motion, or implicit",
                {"before", "after", "implicit"});
}

std::unique_ptr<Formulation> make_joint_friction(const JointFrictionSettings& settings) {
  return std::make_unique<JointFriction>(settings);
}

}  // namespace perp
