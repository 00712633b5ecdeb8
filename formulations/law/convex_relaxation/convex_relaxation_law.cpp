#include <perp/formulations/law/convex_relaxation/convex_relaxation_law.hpp>

#include <perp/formulations/dynamics/unknown_layout.hpp>
#include <perp/formulations/law/cone_rows.hpp>
#include <perp/problems/standard/convex_relaxation.hpp>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

namespace perp {

namespace {

class ConvexRelaxationLaw final : public ContactLaw {
 public:
  void visit_settings(SettingVisitor& visitor) override {
    visitor.visit("velocities", velocities_, "kept as the unknowns, or eliminated",
                  {"kept", "eliminated"});
  }

  // Solvers for cones end at a tolerance, not at a vertex.
  ModeTolerance mode_tolerance() const override { return {1e-7, 1e-6}; }
  std::vector<FrictionDirection> friction_directions(const ContactPoint3& contact,
                                                     const ContactFrame& frame,
                                                     int dimension) const override {
    return ellipse_axes(contact, frame, dimension);
  }

  // A sliding contact glides at a gap of h mu |v_t|. At this gap it must still be a candidate.
  double candidate_share(const Scene& scene, double h) const override {
    double most = scene.contact.mu * std::max(scene.contact.e_t, scene.contact.e_o);
    for (const auto& pair : scene.pairs) {
      const ContactProperties& k = pair.properties;
      most = std::max(most, k.mu * std::max(k.e_t, k.e_o));
    }
    return ContactLaw::candidate_share(scene, h) + most;
  }

  StageOrEnd begin(ContactSystem& system) override {
    system_ = &system;
    rows_.emplace(system);
    if (system.rows() == 0) return StepEnd{system.free_velocity(), Vector(0)};
    return stage();
  }

  StageOrEnd advance(const Answer& answer) override {
    Vector local, all = Vector::Zero(system_->rows());
    if (keeps_velocities()) {  // multipliers of the cones, then of the joints
      local = cones_.transpose() * answer.dual.head(cones_.rows());
      all.tail(system_->joint_count()) = answer.dual.tail(system_->joint_count());
    } else {
      local = answer.z.head(rows_->size());
      all.tail(system_->joint_count()) = answer.z.tail(system_->joint_count());
    }
    all = system_->impulse_scale() * (all + rows_->contact_rows().transpose() * local);
    // So momentum is balanced to rounding, whatever the tolerance of the multipliers.
    return StepEnd{system_->free_velocity() +
                       system_->inverse_mass() * (system_->jacobian().transpose() * all),
                   all};
  }

  std::optional<Stage> relax() override {
    if (!system_->relax_further()) return {};
    return stage();
  }

 private:
  bool keeps_velocities() const { return velocities_ == "kept"; }

  Vector mu() const {
    Vector mu(rows_->contacts());
    for (int c = 0; c < mu.size(); ++c) mu[c] = rows_->mu(c);
    return mu;
  }

  Stage stage() {
    Stage s{"contact", {}, {}};
    UnknownLayout layout;
    ConvexRelaxation r = keeps_velocities() ? in_velocities(layout) : in_impulses(layout);
    cones_ = std::move(r.cones);
    r.problem.partition = std::make_shared<const Partition>(std::move(r.partition));
    s.problem.data = std::move(r.problem);
    layout.name(s);
    if (keeps_velocities()) s.row_keys = row_keys();
    return s;
  }

  // With velocities as unknowns the impulses are multipliers: of the rows of the cones, then of the
  // joints. By these keys the next step starts from them.
  std::vector<std::uint64_t> row_keys() const {
    std::vector<std::uint64_t> keys;
    keys.reserve(cones_.rows() + system_->joint_count());
    for (int c = 0; c < rows_->contacts(); ++c) {
      const int size = rows_->mu(c) > 0 ? rows_->dimension() : 1;
      for (int i = 0; i < size; ++i) keys.push_back(contact_key(system_->contact(c), i));
    }
    for (int j = 0; j < system_->joint_count(); ++j) keys.push_back(joint_key(j));
    return keys;
  }

  // min 1/2 (v - v_free)'M (v - v_free) + 1/2 w'Cw with Jv - wanted + Cw in the cones and the
  // joints as equations. w are the impulses in the rows of compliant contacts.
  ConvexRelaxation in_velocities(UnknownLayout& layout) const {
    const double scale = system_->mass_scale(), unit = system_->velocity_scale();
    const SparseMatrix mass = system_->mass_matrix() / scale;
    Vector compliance = Vector::Zero(rows_->size());
    std::vector<int> compliant;
    for (int c = 0; c < rows_->contacts(); ++c) {
      compliance[rows_->normal(c)] = scale * system_->compliance(c);
      if (compliance[rows_->normal(c)] > 0) compliant.push_back(c);
    }
    ConvexRelaxation r = relaxation_in_velocities(
        {mass, rows_->local(), -(mass * system_->free_velocity()) / unit,
         -rows_->wanted_with_restitution() / unit, compliance, mu(), rows_->dimension()});
    layout.add_velocities(*system_);
    layout.add_normals(*system_, compliant);
    r.partition.velocities = system_->velocity_partition();
    add_joint_equations(r.problem);
    return r;
  }

  void add_joint_equations(ConicQp& p) const {
    const int joints = system_->joint_count(), rows = p.A.rows();
    if (joints == 0) return;
    std::vector<Triplet> entries;
    for (int j = 0; j < p.A.cols(); ++j)
      p.A.for_column(j, [&](int i, double value) { entries.emplace_back(i, j, value); });
    for (int j = 0; j < rows_->joints().outerSize(); ++j) {
      for (SparseMatrix::InnerIterator it(rows_->joints(), j); it; ++it)
        entries.emplace_back(rows + static_cast<int>(it.row()), j, -it.value());
    }
    p.A = Matrix::from_triplets(rows + joints, p.A.cols(), entries);
    p.b.conservativeResize(rows + joints);
    p.b.tail(joints) = -system_->wanted_joint_velocities() / system_->velocity_scale();
    p.cones.push_back({ConeType::kZero, joints});
  }

  // min 1/2 p'Wp + q'p over the friction cones, joint impulses free.
  ConvexRelaxation in_impulses(UnknownLayout& layout) const {
    const int n = rows_->size(), joints = system_->joint_count();
    const double scale = system_->mass_scale();
    const SparseMatrix& contact_rows = rows_->contact_rows();
    std::vector<Triplet> select;
    for (int i = 0; i < joints; ++i) select.emplace_back(n + i, system_->joint_first() + i, 1.0);
    for (int j = 0; j < contact_rows.outerSize(); ++j) {
      for (SparseMatrix::InnerIterator it(contact_rows, j); it; ++it)
        select.emplace_back(static_cast<int>(it.row()), j, it.value());
    }
    SparseMatrix order(n + joints, system_->rows());
    order.setFromTriplets(select.begin(), select.end());
    const SparseMatrix rows = order * system_->jacobian();
    SparseMatrix w = scale * system_->delassus(rows);
    for (int c = 0; c < rows_->contacts(); ++c) {
      const int at = rows_->normal(c);
      if (system_->compliance(c) > 0) w.coeffRef(at, at) += scale * system_->compliance(c);
    }
    w.makeCompressed();
    Vector q(n + joints);
    q << rows_->local() * system_->free_velocity() - rows_->wanted_with_restitution(),
        rows_->joints() * system_->free_velocity() - system_->wanted_joint_velocities();
    q /= system_->velocity_scale();
    layout.add_local_impulses(*system_);
    layout.add_joints(*system_);
    return relaxation_in_impulses(Matrix(std::move(w)), std::move(q), mu(), rows_->dimension());
  }

  std::string velocities_ = "kept";
  ContactSystem* system_ = nullptr;
  std::optional<ConeRows> rows_;
  SparseMatrix cones_;
};

}  // namespace

std::unique_ptr<ContactLaw> make_convex_relaxation_law() {
  return std::make_unique<ConvexRelaxationLaw>();
}

}  // namespace perp
