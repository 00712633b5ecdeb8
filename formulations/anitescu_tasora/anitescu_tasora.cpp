#include <perp/formulations/anitescu_tasora/anitescu_tasora.hpp>

#include <perp/formulations/mechanics/cone_step.hpp>

#include <fmt/format.h>
#include <algorithm>
#include <memory>
#include <utility>

namespace perp {

namespace {

class AnitescuTasora final : public ConeStep {
 public:
  explicit AnitescuTasora(ConeSettings settings) : ConeStep(settings) {}

  std::string_view name() const override { return "anitescu-tasora"; }

  StageOrResult begin(const Scene& scene, const State& state, double h) override {
    begin_step(scene, state, h);
    order_rows();
    find_cones();
    if (jacobian_.rows() == 0) return result(free_, Vector(0));
    return stage();
  }

  StageOrResult advance(const Answer& answer) override {
    const int joints = joint_count();
    Vector local, all = Vector::Zero(jacobian_.rows());
    if (settings_.keep_velocities) {  // multipliers of the cones, then of the joints
      local = cones_.transpose() * answer.dual.head(cones_.rows());
      all.tail(joints) = answer.dual.tail(joints);
    } else {
      local = answer.z.head(local_.rows());
      all.tail(joints) = answer.z.tail(joints);
    }
    all = impulse_scale_ * (all + contact_rows_.transpose() * local);
    // Momentum holds to rounding, whatever the tolerance of the multipliers.
    return result(free_ + inverse_mass_ * (jacobian_.transpose() * all), all);
  }

  std::optional<Stage> relax() override {
    if (!relax_further()) return {};
    return stage();
  }

 protected:
  // A sliding contact glides at a gap of h mu |v_t|, and must not be lost there.
  double candidate_share(const Scene& scene) const override {
    double most = scene.contact.mu * std::max(scene.contact.e_t, scene.contact.e_o);
    for (const auto& pair : scene.pairs) {
      const ContactProperties& k = pair.properties;
      most = std::max(most, k.mu * std::max(k.e_t, k.e_o));
    }
    return ConeStep::candidate_share(scene) + most;
  }

 private:
  // cones_ maps u to (u_n, mu u_t), which is in a second-order cone where u is in K_mu*;
  // frictionless contacts have their normal row only.
  void find_cones() {
    std::vector<Triplet> entries;
    types_.clear();
    int row = 0;
    for (int c = 0; c < contacts(); ++c) {
      const int at = dimension() * c;
      entries.emplace_back(row++, at, 1.0);
      for (int i = 1; i < dimension() && mu(c) > 0; ++i) entries.emplace_back(row++, at + i, mu(c));
      types_.push_back(mu(c) > 0 ? Cone{ConeType::kSecondOrder, dimension()}
                                 : Cone{ConeType::kNonnegative, 1});
    }
    cones_.resize(row, local_.rows());
    cones_.setFromTriplets(entries.begin(), entries.end());
  }

  Stage stage() {
    Stage s{"contact", {}, {}};
    s.problem.data = settings_.keep_velocities ? in_velocities(s) : in_impulses(s);
    describe(s.name, s.problem);
    return s;
  }

  // min 1/2 (v - v_free)'M (v - v_free) + 1/2 w'Cw, the rows of the cones at Jv - wanted + Cw, the
  // joints as equations; w has the rows of compliant contacts.
  ConicQp in_velocities(Stage& s) const {
    const int nv = coordinates_->size(), rows = static_cast<int>(cones_.rows());
    const double scale = impulse_scale_ / velocity_scale_;
    const SparseMatrix mass = mass_matrix() / scale;
    const SparseMatrix bound = cones_ * local_;
    std::vector<Triplet> hessian, constraint;
    for (int j = 0; j < nv; ++j) {
      for (SparseMatrix::InnerIterator it(mass, j); it; ++it)
        hessian.emplace_back(static_cast<int>(it.row()), j, it.value());
      for (SparseMatrix::InnerIterator it(bound, j); it; ++it)
        constraint.emplace_back(static_cast<int>(it.row()), j, -it.value());
      for (SparseMatrix::InnerIterator it(joint_rows_, j); it; ++it)
        constraint.emplace_back(rows + static_cast<int>(it.row()), j, -it.value());
      s.problem.variables.push_back(fmt::format("velocity{}", j));
      s.keys.push_back((1ULL << 62) + static_cast<std::uint64_t>(j));
    }
    int columns = nv, row = 0;
    for (int c = 0; c < contacts(); row += types_[c++].size) {
      const double softness = scale * compliance(c);
      if (!(softness > 0)) continue;
      hessian.emplace_back(columns, columns, softness);
      constraint.emplace_back(row, columns++, -softness);
      s.problem.variables.push_back(contact_name(c) + ".normal");
      s.keys.push_back(active_[c].key() * 64);
    }
    ConicQp p;
    p.P = Matrix::from_triplets(columns, columns, hessian);
    p.c = Vector::Zero(columns);
    p.c.head(nv) = -(mass * free_) / velocity_scale_;
    p.A = Matrix::from_triplets(rows + joint_count(), columns, constraint);
    p.b.resize(rows + joint_count());
    p.b << cones_ * -wanted_local() / velocity_scale_, -wanted_joint_velocities() / velocity_scale_;
    p.cones = types_;
    if (joint_count() > 0) p.cones.push_back({ConeType::kZero, joint_count()});
    Partition partition;
    partition.velocities = velocity_partition();
    for (const Cone& cone : types_) partition.contacts.sizes.push_back(cone.size);
    for (int i = 0; i < rows; ++i) partition.contacts.rows.push_back(i);
    p.partition = std::make_shared<const Partition>(std::move(partition));
    return p;
  }

  // min 1/2 p'Wp + q'p over the friction cones, joint impulses free.
  ConicQp in_impulses(Stage& s) const {
    const int n = static_cast<int>(local_.rows()), joints = joint_count();
    const double scale = impulse_scale_ / velocity_scale_;
    std::vector<Triplet> select;
    for (int i = 0; i < joints; ++i)
      select.emplace_back(n + i, static_cast<int>(jacobian_.rows()) - joints + i, 1.0);
    for (int j = 0; j < contact_rows_.outerSize(); ++j) {
      for (SparseMatrix::InnerIterator it(contact_rows_, j); it; ++it)
        select.emplace_back(static_cast<int>(it.row()), j, it.value());
    }
    SparseMatrix order(n + joints, jacobian_.rows());
    order.setFromTriplets(select.begin(), select.end());
    const SparseMatrix rows = order * jacobian_;
    SparseMatrix w = scale * delassus(rows);
    for (int c = 0; c < contacts(); ++c) {
      if (compliance(c) > 0) w.coeffRef(dimension() * c, dimension() * c) += scale * compliance(c);
    }
    w = 0.5 * (w + SparseMatrix(w.transpose()));  // symmetric to the last bit
    ConicQp p;
    p.P = Matrix(std::move(w));
    p.c.resize(n + joints);
    p.c << local_ * free_ - wanted_local(), joint_rows_ * free_ - wanted_joint_velocities();
    p.c /= velocity_scale_;
    set_impulse_cones(p);
    s.problem.variables = impulse_names();
    s.keys = impulse_keys();
    for (int i = 0; i < joints; ++i) {
      s.problem.variables.push_back(fmt::format("joint{}", i));
      s.keys.push_back((2ULL << 62) + static_cast<std::uint64_t>(i));
    }
    return p;
  }

  // (mu p_n, p_t) in second-order cones; p_n >= 0 and p_t = 0 where there is no friction.
  void set_impulse_cones(ConicQp& p) const {
    std::vector<Triplet> entries;
    Partition partition;
    int row = 0;
    for (int c = 0; c < contacts(); ++c) {
      const int at = dimension() * c;
      for (int i = 0; i < dimension(); ++i) {
        const bool held = i >= types_[c].size;
        (held ? partition.held.unknowns : partition.contacts.unknowns).push_back(at + i);
        (held ? partition.held.rows : partition.contacts.rows).push_back(row);
        entries.emplace_back(row++, at + i, i == 0 && mu(c) > 0 ? -mu(c) : -1.0);
      }
      partition.contacts.sizes.push_back(types_[c].size);
      p.cones.push_back(types_[c]);
      if (!(mu(c) > 0)) p.cones.push_back({ConeType::kZero, dimension() - 1});
    }
    p.A = Matrix::from_triplets(row, static_cast<int>(p.c.size()), entries);
    p.b = Vector::Zero(row);
    p.partition = std::make_shared<const Partition>(std::move(partition));
  }

  SparseMatrix cones_;
  std::vector<Cone> types_;
};

}  // namespace

std::unique_ptr<Formulation> make_anitescu_tasora(const std::string& options) {
  return std::make_unique<AnitescuTasora>(read_cone_settings(options));
}

}  // namespace perp
