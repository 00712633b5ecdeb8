#include <perp/formulations/law/exact_cone/exact_cone_law.hpp>

#include <perp/formulations/dynamics/unknown_layout.hpp>
#include <perp/formulations/law/cone_rows.hpp>

namespace perp {

namespace {

class ExactConeLaw final : public ContactLaw {
 public:
  void visit_settings(SettingVisitor& visitor) override {
    visitor.visit("velocities", velocities_, "eliminated into W, or kept: the problem has J and M",
                  {"eliminated", "kept"});
  }

  Capabilities capabilities() const override {
    Capabilities c;
    c.joint_friction = true;
    c.halvings = 4;  // for a few steps of heaps solvers stay above 1e-10
    return c;
  }

  std::optional<std::string> refusal(const Scene& scene) const override {
    if (!keeps_velocities() || scene.joints.empty()) return {};
    return "field \"joints\": velocities=kept does not support joints; velocities=eliminated "
           "eliminates them too";
  }

  // Solvers for cones end at a tolerance, not at a vertex.
  ModeTolerance mode_tolerance() const override { return {1e-7, 1e-6}; }
  std::vector<FrictionDirection> friction_directions(const ContactPoint3& contact,
                                                     const ContactFrame& frame,
                                                     int dimension) const override {
    return ellipse_axes(contact, frame, dimension);
  }

  StageOrEnd begin(ContactSystem& system) override {
    system_ = &system;
    if (rows_ && system.followed()) {
      rows_->follow();
    } else {
      rows_.reset();
      matrices_ = {};
      layout_ = {};
      impulses_ = layout_.add_local_impulses(system);
      rows_.emplace(system);
      rows_->eliminate_joints();
    }
    if (rows_->size() > 0) return stage();
    return StepEnd{rows_->base(), rows_->all_impulses(Vector(0))};
  }

  StageOrEnd advance(const Answer& answer) override {
    const Vector p = impulses_.read(answer.z);
    return StepEnd{rows_->velocity_after(p), rows_->all_impulses(p)};
  }

  std::optional<Stage> relax() override {
    if (!system_->relax_further()) return {};
    return stage();
  }

 private:
  bool keeps_velocities() const { return velocities_ == "kept"; }

  Stage stage() {
    rows_->free_of_drift();  // the stabilisation may have been relaxed
    FrictionContact p;
    p.dimension = rows_->dimension();
    p.mu = Vector::Ones(rows_->contacts() + rows_->rates());
    const double scale = system_->mass_scale();
    Vector softness = Vector::Zero(rows_->size());
    for (int c = 0; c < rows_->contacts(); ++c) {
      p.mu[c] = rows_->mu(c);
      softness[rows_->normal(c)] = scale * system_->compliance(c);
    }
    p.q = (rows_->local() * rows_->base() - rows_->wanted_with_restitution()) /
          system_->velocity_scale();
    // |x| <= bound is the friction cone of a contact whose normal impulse equals the bound, by the
    // row u_n = r_n - bound = 0. The other tangential row has no meaning: u_o = r_o makes it 0.
    for (int k = 0; k < rows_->rates(); ++k) {
      const int at = rows_->normal(rows_->contacts() + k);
      p.q[at] = -system_->joint_friction_bound(k) / system_->impulse_scale();
      softness[at] = 1.0;
      if (rows_->dimension() == 3) softness[at + 2] = 1.0;
    }
    if ((softness.array() > 0.0).any()) p.compliance = softness;
    if (!matrices_) {
      matrices_.emplace();
      if (keeps_velocities()) {
        matrices_->J = Matrix::share(rows_->local());
        matrices_->M = Matrix::share(system_->mass_matrix() / scale);
      } else {
        matrices_->W = Matrix::share(rows_->scaled_delassus(scale));
      }
    }
    p.W = matrices_->W;
    p.J = matrices_->J;
    p.M = matrices_->M;
    Stage s{"contact", {}, {}};
    s.problem.data = std::move(p);
    layout_.name(s);
    return s;
  }

  std::string velocities_ = "eliminated";
  ContactSystem* system_ = nullptr;
  std::optional<ConeRows> rows_;
  struct Matrices {
    Matrix W, J, M;
  };
  std::optional<Matrices> matrices_;  // of rows_
  UnknownLayout layout_;
  UnknownBlock impulses_;
};

}  // namespace

std::unique_ptr<ContactLaw> make_exact_cone_law() { return std::make_unique<ExactConeLaw>(); }

}  // namespace perp
