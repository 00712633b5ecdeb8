#include <perp/formulations/coulomb_implicit/coulomb_implicit.hpp>

#include <perp/formulations/mechanics/cone_step.hpp>

namespace perp {

namespace {

class CoulombImplicit final : public ConeStep {
 public:
  explicit CoulombImplicit(ConeSettings settings) : ConeStep(settings) {}

  std::string_view name() const override { return "coulomb-implicit"; }

  std::optional<std::string> refusal_of_law(const Scene& scene) const override {
    if (settings_.keep_velocities && !scene.joints.empty()) {
      return "field \"joints\": coulomb-implicit:velocities=kept takes no joints; without the "
             "option they are eliminated";
    }
    return ConeStep::refusal_of_law(scene);
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
    return result(velocity_after(p), all_impulses(p));
  }

  std::optional<Stage> relax() override {
    if (!relax_further()) return {};
    return stage();
  }

 private:
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
};

}  // namespace

std::unique_ptr<Formulation> make_coulomb_implicit(const std::string& options) {
  return std::make_unique<CoulombImplicit>(read_cone_settings(options));
}

}  // namespace perp
