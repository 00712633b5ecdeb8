#include <perp/formulations/max_dissipation/max_dissipation.hpp>

#include <perp/formulations/mechanics/cone_step.hpp>
#include <perp/formulations/mechanics/options.hpp>

#include <fmt/format.h>
#include <algorithm>
#include <cmath>
#include <memory>
#include <utility>

namespace perp {

namespace {

constexpr std::uint64_t kTotalKey = 3ULL << 62;  // of the row sum p_n <= kappa
constexpr double kSlack = 1e-6;  // of the scales: what an answer that is cut short may violate

enum class Phase { kNone, kNormal, kFriction, kRestitution };

class MaxDissipation final : public ConeStep {
 public:
  MaxDissipation(DissipationModel model, ConeSettings settings)
      : ConeStep(settings), model_(model) {}

  std::string_view name() const override {
    return model_ == DissipationModel::kStep ? "max-dissipation-step" : "max-dissipation-impulse";
  }
  bool treats_viscous_contacts() const override { return true; }
  bool is_at_velocity_level() const override { return model_ == DissipationModel::kImpulse; }
  std::vector<std::string> columns_of_law() const override {
    return {"kappa", "energy_change", "first_phase_energy_change", "phases"};
  }

  std::optional<std::string> refusal_of_law(const Scene& scene) const override {
    const auto field =
        find_contact_properties(scene, [](const ContactProperties& p) { return !p.rigid(); });
    if (field)
      return fmt::format("field \"{}.stiffness\": {} takes rigid contacts only", *field, name());
    return ConeStep::refusal_of_law(scene);
  }

  StageOrResult begin(const Scene& scene, const State& state, double h) override {
    begin_step(scene, state, h);
    order_rows();
    eliminate_joints();
    impulses_ = first_ = Vector::Zero(local_.rows());
    kappa_ = first_change_ = change_ = 0.0;
    phases_ = 0;
    phase_ = Phase::kNone;
    if (contacts() == 0) return finish();
    phase_ = Phase::kNormal;
    return normal_stage("normal", base_);
  }

  StageOrResult advance(const Answer& answer) override {
    ++phases_;
    if (phase_ == Phase::kFriction) {
      impulses_ = read_impulses(answer);
      // Within the tolerance of the answer, the first phase may be the better one.
      if (energy_change(impulses_) > first_change_) impulses_ = first_;
      return end_of_friction();
    }
    Vector p = Vector::Zero(local_.rows());
    for (int c = 0; c < contacts(); ++c)
      p[dimension() * c] = impulse_scale_ * std::max(0.0, answer.z[c]);
    if (phase_ == Phase::kRestitution) {
      impulses_ += p;
      return finish();
    }
    first_ = impulses_ = p;
    kappa_ = p.sum();
    set_viscous_bounds();
    first_change_ = energy_change(p);
    if (kappa_ == 0.0 || !frictional()) return end_of_friction();
    phase_ = Phase::kFriction;
    return friction_stage();
  }

  // What the solver has, as long as it is an impulse of the model that leaves no more energy than
  // the first phase did; else that phase.
  std::optional<StageOrResult> settle(const Answer& answer) override {
    if (phase_ != Phase::kFriction) return {};
    impulses_ = first_;
    if (answer.z.size() == unknowns() && answer.z.allFinite()) {
      const Vector p = read_impulses(answer);
      if (is_admissible(p) && energy_change(p) <= first_change_) impulses_ = p;
    }
    return end_of_friction();
  }

 protected:
  bool at_velocity_level(const ContactPoint3& c) const override {
    return model_ == DissipationModel::kImpulse || ConeStep::at_velocity_level(c);
  }

 private:
  bool frictional() const {
    for (int c = 0; c < contacts(); ++c) {
      if (has_friction(c)) return true;
    }
    return false;
  }
  bool has_friction(int c) const { return mu(c) > 0 || viscous_[c] > 0; }

  // What viscous friction adds to the radius of the cone, N s: nothing where the first phase
  // leaves the contact open.
  void set_viscous_bounds() {
    const Vector slip = local_ * base_;
    viscous_ = Vector::Zero(contacts());
    for (int c = 0; c < contacts(); ++c) {
      const int row = dimension() * c;
      if (first_[row] > 0)
        viscous_[c] =
            h_ * active_[c].properties.viscous * slip.segment(row + 1, dimension() - 1).norm();
    }
  }

  // 1/2 x'Ax + x'b of local impulses, J.
  double energy_change(const Vector& p) const {
    return 0.5 * p.dot(local_ * (velocity_after(p) + base_));
  }

  bool is_admissible(const Vector& p) const {
    const double slack = kSlack * impulse_scale_;
    if (normal_part(p).sum() > kappa_ + slack) return false;
    for (int c = 0; c < contacts(); ++c) {
      const double normal = p[dimension() * c];
      const double tangential = p.segment(dimension() * c + 1, dimension() - 1).norm();
      if (normal < -slack || tangential > mu(c) * normal + viscous_[c] + slack) return false;
    }
    const Vector excess = normal_part(local_ * velocity_after(p) - wanted());
    return excess.minCoeff() >= -kSlack * velocity_scale_;
  }

  Vector normal_part(const Vector& local) const {
    Vector n(contacts());
    for (int c = 0; c < contacts(); ++c) n[c] = local[dimension() * c];
    return n;
  }

  // Right-hand side of N v+ >= it in local order: gaps to be closed; 0 for what bounces, which is
  // Poisson's matter.
  Vector wanted() const {
    Vector w = Vector::Zero(local_.rows());
    for (int c = 0; c < contacts(); ++c) w[dimension() * c] = wanted_velocity(c);
    return w;
  }

  Vector read_impulses(const Answer& answer) const {
    const int begin = model_ == DissipationModel::kStep ? coordinates_->size() : 0;
    return impulse_scale_ * answer.z.segment(begin, local_.rows());
  }
  int unknowns() const {
    return static_cast<int>(local_.rows()) +
           (model_ == DissipationModel::kStep ? coordinates_->size() + joint_count() : 0);
  }

  // QP3: min 1/2 x'A_N x + x'b_N over x >= 0, b_N at velocities `v`.
  Stage normal_stage(const std::string& stage_name, const Vector& v) const {
    const int n = contacts();
    BoxQp qp;
    qp.H = scaled_normal_block(impulse_scale_ / velocity_scale_);
    qp.c = normal_part(local_ * v - wanted()) / velocity_scale_;
    qp.lower = Vector::Zero(n);
    qp.upper = Vector::Constant(n, std::numeric_limits<double>::infinity());
    Stage s{stage_name, {}, {}};
    s.problem.data = std::move(qp);
    for (int c = 0; c < n; ++c) {
      s.keys.push_back(active_[c].key() * 64);
      s.problem.variables.push_back(contact_name(c) + ".normal");
    }
    describe(stage_name, s.problem);
    return s;
  }

  // Rows of A x + s = b as they come, cone by cone.
  struct Rows {
    std::vector<Triplet> entries;
    std::vector<double> right;
    std::vector<Cone> cones;
    std::vector<std::uint64_t> keys;
    Partition partition;

    int count() const { return static_cast<int>(right.size()); }
    /// What the dual of the last row is carried over by.
    void key(std::uint64_t k) {
      keys.resize(right.size(), kNoKey);
      keys.back() = k;
    }
    void begin_cone(ConeType type) { cones.push_back({type, 0}); }
    // s = right - (entries put with put())
    int add(double value) {
      right.push_back(value);
      ++cones.back().size;
      return count() - 1;
    }
    void put(int row, int column, double value) { entries.emplace_back(row, column, value); }
    /// The last `size` rows are the cone of impulses from `unknown` on.
    void contact(int unknown, int size) {
      partition.contacts.sizes.push_back(size);
      for (int i = 0; i < size; ++i) {
        partition.contacts.unknowns.push_back(unknown + i);
        partition.contacts.rows.push_back(count() - size + i);
      }
    }
    void end_cone() {
      if (cones.back().size == 0) cones.pop_back();
    }
  };

  Stage friction_stage() const {
    Stage s{"friction", {}, {}};
    Rows rows;
    ConicQp qp;
    const bool kept = model_ == DissipationModel::kStep;
    if (kept) {
      state_momentum(qp, rows, s);
    } else {
      state_velocities(qp, rows);
    }
    const int begin = kept ? coordinates_->size() : 0;
    for (const std::string& unknown : impulse_names()) s.problem.variables.push_back(unknown);
    for (const std::uint64_t key : impulse_keys()) s.keys.push_back(key);
    for (int i = 0; kept && i < joint_count(); ++i) {
      s.problem.variables.push_back(fmt::format("joint{}", i));
      s.keys.push_back((2ULL << 62) + static_cast<std::uint64_t>(i));
    }
    add_cones(begin, rows);
    qp.A = Matrix::from_triplets(rows.count(), unknowns(), rows.entries);
    qp.b = Eigen::Map<const Vector>(rows.right.data(), rows.count());
    qp.cones = rows.cones;
    qp.partition = std::make_shared<const Partition>(std::move(rows.partition));
    rows.keys.resize(rows.right.size(), kNoKey);
    s.row_keys = std::move(rows.keys);
    Vector start = Vector::Zero(unknowns());
    start.segment(begin, local_.rows()) = first_ / impulse_scale_;
    if (kept) {
      start.head(begin) = velocity_after(first_) / velocity_scale_;
      start.tail(joint_count()) = all_impulses(first_).tail(joint_count()) / impulse_scale_;
    }
    s.problem.data = std::move(qp);
    s.problem.start = std::move(start);
    describe(s.name, s.problem);
    return s;
  }

  // QP2: velocities and impulses, min 1/2 v'Mv with M (v - v_free) = J'p, joints held.
  void state_momentum(ConicQp& qp, Rows& rows, Stage& s) const {
    const int nv = coordinates_->size(), np = static_cast<int>(local_.rows());
    const SparseMatrix mass = mass_matrix() * (velocity_scale_ / impulse_scale_);
    std::vector<Triplet> hessian;
    rows.begin_cone(ConeType::kZero);
    rows.partition.velocities = velocity_partition();
    const Vector momentum = mass * free_ / velocity_scale_;
    for (int j = 0; j < nv; ++j) {
      rows.partition.velocities.rows.push_back(rows.add(momentum[j]));
      s.problem.variables.push_back(fmt::format("velocity{}", j));
      s.keys.push_back((1ULL << 62) + static_cast<std::uint64_t>(j));
    }
    const Vector joints = wanted_joint_velocities() / velocity_scale_;
    for (int i = 0; i < joint_count(); ++i) rows.add(joints[i]);
    for (int j = 0; j < nv; ++j) {
      for (SparseMatrix::InnerIterator it(mass, j); it; ++it) {
        hessian.emplace_back(static_cast<int>(it.row()), j, it.value());
        rows.put(static_cast<int>(it.row()), j, it.value());
      }
      for (SparseMatrix::InnerIterator it(local_, j); it; ++it)
        rows.put(j, nv + static_cast<int>(it.row()), -it.value());
      for (SparseMatrix::InnerIterator it(joint_rows_, j); it; ++it) {
        rows.put(j, nv + np + static_cast<int>(it.row()), -it.value());
        rows.put(nv + static_cast<int>(it.row()), j, it.value());
      }
    }
    add_held_tangents(nv, rows);
    rows.end_cone();
    rows.begin_cone(ConeType::kNonnegative);
    const Vector least = wanted() / velocity_scale_;
    const SparseMatrix by_row = local_.transpose();  // columns: local rows
    for (int c = 0; c < contacts(); ++c) {
      const int row = rows.add(-least[dimension() * c]);
      rows.partition.bounds.push_back(row);
      rows.key(active_[c].key() * 64);
      for (SparseMatrix::InnerIterator it(by_row, dimension() * c); it; ++it)
        rows.put(row, static_cast<int>(it.row()), -it.value());
    }
    qp.P = Matrix::from_triplets(unknowns(), unknowns(), hessian);
    qp.c = Vector::Zero(unknowns());
  }

  // QP1: impulses alone, min 1/2 x'Ax + x'b with A_N x + b_N >= 0.
  void state_velocities(ConicQp& qp, Rows& rows) const {
    qp.P = scaled_delassus(impulse_scale_ / velocity_scale_);
    qp.c = local_ * base_ / velocity_scale_;
    rows.begin_cone(ConeType::kZero);
    add_held_tangents(0, rows);
    rows.end_cone();
    rows.begin_cone(ConeType::kNonnegative);
    const Vector least = qp.c - wanted() / velocity_scale_;
    for (int c = 0; c < contacts(); ++c) {
      const int row = rows.add(least[dimension() * c]);
      rows.partition.bounds.push_back(row);
      qp.P.for_column(dimension() * c,  // a row as well: W is symmetric
                      [&](int j, double value) { rows.put(row, j, -value); });
    }
  }

  // p_t = 0 where there is no friction.
  void add_held_tangents(int begin, Rows& rows) const {
    for (int c = 0; c < contacts(); ++c) {
      for (int i = 1; i < dimension() && !has_friction(c); ++i) {
        rows.partition.held.unknowns.push_back(begin + dimension() * c + i);
        rows.partition.held.rows.push_back(rows.add(0.0));
        rows.put(rows.partition.held.rows.back(), begin + dimension() * c + i, 1.0);
      }
    }
  }

  // Within the nonnegative cone: sum p_n <= kappa, and p_n >= 0 where no cone says so; then the
  // cones, (mu p_n + viscous bound, p_t).
  void add_cones(int begin, Rows& rows) const {
    const int total = rows.add(kappa_ / impulse_scale_);
    rows.key(kTotalKey);
    rows.partition.total = total;
    for (int c = 0; c < contacts(); ++c) rows.put(total, begin + dimension() * c, 1.0);
    for (int c = 0; c < contacts(); ++c) {
      if (mu(c) > 0 && !(viscous_[c] > 0)) continue;
      rows.put(rows.add(0.0), begin + dimension() * c, -1.0);
      if (!has_friction(c)) rows.contact(begin + dimension() * c, 1);
    }
    for (int c = 0; c < contacts(); ++c) {
      if (!has_friction(c)) continue;
      rows.begin_cone(ConeType::kSecondOrder);
      const int normal = rows.add(viscous_[c] / impulse_scale_);
      if (mu(c) > 0) rows.put(normal, begin + dimension() * c, -mu(c));
      for (int i = 1; i < dimension(); ++i)
        rows.put(rows.add(0.0), begin + dimension() * c + i, -1.0);
      if (mu(c) > 0) rows.contact(begin + dimension() * c, dimension());
    }
  }

  // Phase III, Poisson: what was compressed gives back e times its normal impulse; further normal
  // impulses keep apart what that pushes together.
  StageOrResult end_of_friction() {
    Vector back = Vector::Zero(local_.rows());
    for (int c = 0; c < contacts(); ++c) {
      if (bounces(c))
        back[dimension() * c] = active_[c].properties.restitution * impulses_[dimension() * c];
    }
    change_ = energy_change(impulses_);
    if (back.isZero(0.0)) return finish();
    impulses_ += back;
    phase_ = Phase::kRestitution;
    return normal_stage("restitution", velocity_after(impulses_));
  }

  StepResult finish() const {
    StepResult r = result(velocity_after(impulses_), all_impulses(impulses_));
    r.columns.insert(r.columns.begin(),
                     {kappa_, change_, first_change_, static_cast<double>(phases_)});
    return r;
  }

  DissipationModel model_;
  Phase phase_ = Phase::kNone;
  int phases_ = 0;           // of this step, that were solved
  Vector first_, impulses_;  // local; of phase I, and so far
  Vector viscous_;           // bounds of viscous friction by contact, N s
  double kappa_ = 0.0, first_change_ = 0.0, change_ = 0.0;
};

}  // namespace

std::unique_ptr<Formulation> make_max_dissipation(DissipationModel model,
                                                  const std::string& options) {
  ConeSettings settings;
  for (const auto& [key, value] : split_options(options)) {
    if (key == "rest_speed") {
      settings.rest_speed = read_speed_option(key, value);
    } else if (!read_gap_option(key, value, settings.gap)) {
      refuse_option(key, value, "rest_speed=V, " + gap_options());
    }
  }
  return std::make_unique<MaxDissipation>(model, settings);
}

}  // namespace perp
