#include <perp/formulations/dynamics/recorded_joints.hpp>

#include <fmt/format.h>
#include <array>
#include <perp/formulations/dynamics/joints.hpp>

namespace perp {

namespace {

class JointRecorder {
 public:
  explicit JointRecorder(StepRecorder& step) : step_(step), scene_(step.scene()) {}

  std::vector<JointRow> rows;

  void add(const Joint& j, int index) {
    joint_ = &j;
    index_ = index;
    first_ = rows.size();
    unit_ = length_scale(scene_);
    arm_a_ = carried(j.body_a, j.anchor_a - body(j.body_a).position, unit_);
    arm_b_ = carried(j.body_b, j.anchor_b - body(j.body_b).position, unit_);
    apart_ = step_.body(j.body_a).shift + arm_a_ - step_.free_offset(j.body_a, j.body_b) -
             step_.body(j.body_b).shift - arm_b_;
    switch (j.type) {
      case JointType::kDistance:
        distance();
        break;
      case JointType::kSpherical:
        point();
        break;
      case JointType::kRevolute:
        point();
        if (scene_.dimension == 3) parallel();
        break;
      case JointType::kPrismatic:
        slide();
        break;
      case JointType::kFixed:
        point();
        lock();
        break;
    }
  }

 private:
  const Body& body(int index) const { return scene_.bodies[static_cast<std::size_t>(index)]; }

  // A vector of the initial state, moving with a body.
  ExprVector3 carried(int index, const Vector3d& initial, double unit) const {
    const Vector3d local = body(index).orientation.conjugate() * initial / unit;
    return step_.body(index).axes * local.cast<Expr>();
  }

  // Impulse p along (force, moments) on a and minus on b, paired with the row `value` = 0.
  void emit(Expr value, const ExprVector3& force, const ExprVector3& moment_a,
            const ExprVector3& moment_b, int power) {
    const int unknown = step_.free_unknown(
        fmt::format("{}.p{}", joint_->name, rows.size() - first_),
        (1ULL << 61) + static_cast<std::uint64_t>(index_) * 8 + (rows.size() - first_));
    const Expr p = step_.unknown(unknown);
    step_.set_row(unknown, value);
    const ExprVector3 none = ExprVector3::Zero();
    step_.push(joint_->body_a, p * force, none, p * moment_a, 1.0);
    step_.push(joint_->body_b, p * force, none, p * moment_b, -1.0);
    rows.push_back({unknown, power});
  }

  void along(const ExprVector3& d, const ExprVector3& arm_b) {
    emit(dot(d, apart_), d, cross(arm_a_, d), cross(arm_b, d), 0);
  }

  void point() {
    for (int k = 0; k < scene_.dimension; ++k) along(Vector3d::Unit(k).cast<Expr>(), arm_b_);
  }

  // (d'd - L^2)/2 = 0, divided by the unit of length twice; the impulse is per length.
  void distance() {
    const double initial = (joint_->anchor_a - joint_->anchor_b).squaredNorm() / (unit_ * unit_);
    emit((dot(apart_, apart_) - initial) / 2, apart_, cross(arm_a_, apart_), cross(arm_b_, apart_),
         -1);
  }

  // u fixed in a stays normal to w fixed in b.
  void stays_normal(const Vector3d& u_initial, const Vector3d& w_initial) {
    const ExprVector3 u = carried(joint_->body_a, u_initial, 1.0),
                      w = carried(joint_->body_b, w_initial, 1.0), axis = cross(u, w);
    emit(dot(u, w), ExprVector3::Zero(), axis, axis, 1);
  }

  void parallel() {
    for (const Vector3d& n : joint_normals(joint_->axis)) stays_normal(n, joint_->axis);
  }

  void lock() {
    stays_normal(Vector3d::UnitX(), Vector3d::UnitY());
    if (scene_.dimension == 2) return;
    stays_normal(Vector3d::UnitY(), Vector3d::UnitZ());
    stays_normal(Vector3d::UnitZ(), Vector3d::UnitX());
  }

  // Anchors differ along the axis of b only, which turns with b.
  void slide() {
    lock();
    std::array<Vector3d, 2> normals = {Vector3d::UnitZ().cross(joint_->axis), Vector3d::Zero()};
    if (scene_.dimension == 3) normals = joint_normals(joint_->axis);
    const ExprVector3 arm_b = arm_b_ + apart_;
    for (int k = 0; k < scene_.dimension - 1; ++k)
      along(carried(joint_->body_b, normals[static_cast<std::size_t>(k)], 1.0), arm_b);
  }

  StepRecorder& step_;
  const Scene& scene_;
  const Joint* joint_ = nullptr;
  int index_ = 0;
  std::size_t first_ = 0;
  double unit_ = 1.0;
  ExprVector3 arm_a_, arm_b_, apart_;
};

}  // namespace

std::vector<JointRow> record_joints(StepRecorder& step) {
  JointRecorder recorder(step);
  int index = 0;
  for (const Joint& j : step.scene().joints) {
    recorder.add(j, index++);
  }
  return std::move(recorder.rows);
}

}  // namespace perp
