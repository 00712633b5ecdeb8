#include <perp/formulations/coulomb_implicit/coulomb_implicit.hpp>

#include <perp/formulations/mechanics/cone_step.hpp>

#include <Eigen/QR>

namespace perp {

namespace {

constexpr double kRedundant = 1e-11;  // relative size of the pivots of joint rows that depend

class CoulombImplicit final : public ConeStep {
 public:
  explicit CoulombImplicit(ConeSettings settings) : ConeStep(settings) {}

  std::string_view name() const override { return "coulomb-implicit"; }

  std::optional<std::string> refusal(const Scene& scene) const override {
    if (settings_.keep_velocities && !scene.joints.empty()) {
      return "field \"joints\": coulomb-implicit:velocities=kept takes no joints; without the "
             "option they are eliminated";
    }
    return ConeStep::refusal(scene);
  }

  StageOrResult begin(const Scene& scene, const State& state, double h) override {
    begin_step(scene, state, h);
    order_rows();
    eliminate_joints();
    if (contacts() > 0) return stage();
    return result(base_, all_impulses(Vector(0)));
  }

  StageOrResult advance(const Answer& answer) override {
    const Vector p = impulse_scale_ * answer.z;
    Vector wrench = local_.transpose() * p;
    if (joint_count() > 0) wrench -= joint_rows_.transpose() * (joint_response_ * p);
    return result(base_ + inverse_mass_ * wrench, all_impulses(p));
  }

  std::optional<Stage> relax() override {
    if (!relax_further()) return {};
    return stage();
  }

 private:
  // With G v+ = w the joint impulses are  (G M^-1 G')^+ (w - G v_free) - joint_response_ p. Rows
  // that depend on others (a closed chain in space) share the impulse of least norm.
  void eliminate_joints() {
    if (joint_count() == 0) {
      base_ = free_;
      return;
    }
    const SparseMatrix spread = joint_rows_ * inverse_mass_;
    joints_.setThreshold(kRedundant);
    joints_.compute(DenseMatrix(spread * SparseMatrix(joint_rows_.transpose())));
    joint_response_ = joints_.solve(DenseMatrix(spread * SparseMatrix(local_.transpose())));
    free_of_drift();
  }

  // Velocities and joint impulses without contact, for the stabilisation as it is.
  void free_of_drift() {
    if (joint_count() == 0) return;
    joint_base_ = joints_.solve(wanted_joint_velocities() - joint_rows_ * free_);
    base_ = free_ + inverse_mass_ * (joint_rows_.transpose() * joint_base_);
  }

  Stage stage() {
    free_of_drift();  // the stabilisation may have been relaxed
    FrictionContact p;
    p.dimension = dimension();
    p.mu.resize(contacts());
    const double scale = impulse_scale_ / velocity_scale_;
    Vector softness = Vector::Zero(local_.rows());
    for (int c = 0; c < contacts(); ++c) {
      p.mu[c] = mu(c);
      softness[dimension() * c] = scale * compliance(c);
    }
    if ((softness.array() > 0.0).any()) p.compliance = softness;
    p.q = (local_ * base_ - wanted_local()) / velocity_scale_;
    if (settings_.keep_velocities) {
      p.J = Matrix(local_);
      p.M = Matrix(SparseMatrix(mass_matrix() / scale));
    } else {
      p.W = scaled_delassus(scale);
    }
    Stage s{"contact", {}, impulse_keys()};
    s.problem.data = std::move(p);
    s.problem.variables = impulse_names();
    describe(s.name, s.problem);
    return s;
  }

  Matrix scaled_delassus(double scale) const {
    SparseMatrix w = scale * (local_ * inverse_mass_ * SparseMatrix(local_.transpose()));
    if (joint_count() > 0) {
      const DenseMatrix taken =
          scale * DenseMatrix(local_ * inverse_mass_ * SparseMatrix(joint_rows_.transpose())) *
          joint_response_;
      w -= SparseMatrix(taken.sparseView());
    }
    w = 0.5 * (w + SparseMatrix(w.transpose()));  // symmetric to the last bit
    w.prune(0.0, 0.0);
    return Matrix(std::move(w));
  }

  // Impulses of all rows of J from those of the contacts in local order.
  Vector all_impulses(const Vector& p) const {
    Vector all = Vector::Zero(jacobian_.rows());
    if (contacts() > 0) all = contact_rows_.transpose() * p;
    if (joint_count() == 0) return all;
    all.tail(joint_count()) = joint_base_;
    if (contacts() > 0) all.tail(joint_count()) -= joint_response_ * p;
    return all;
  }

  Eigen::CompleteOrthogonalDecomposition<DenseMatrix> joints_;  // of G M^-1 G'
  DenseMatrix joint_response_;  // joint impulses that a contact impulse takes back
  Vector joint_base_, base_;    // joint impulses and velocities without contact
};

}  // namespace

std::unique_ptr<Formulation> make_coulomb_implicit(const std::string& options) {
  return std::make_unique<CoulombImplicit>(read_cone_settings(options));
}

}  // namespace perp
