#include <perp/formulations/law/max_dissipation/max_dissipation_law.hpp>

#include <perp/formulations/dynamics/unknown_layout.hpp>
#include <perp/formulations/law/cone_rows.hpp>

#include <algorithm>
#include <cmath>
#include <memory>
#include <utility>

namespace perp {

namespace {

constexpr double kSlack = 1e-6;  // over the scales: allowed violation if a solver was cut short

enum class Phase { kNone, kNormal, kFriction, kRestitution };

class MaxDissipationLaw final : public ContactLaw {
 public:
  void visit_settings(SettingVisitor& visitor) override {
    visitor.visit("velocities", velocities_, "kept as unknowns beside the impulses, or eliminated",
                  {"kept", "eliminated"});
  }

  Capabilities capabilities() const override {
    return {.compliant_contacts = false, .viscous_friction = true};
  }
  std::vector<std::string> columns() const override {
    return {"kappa", "energy_change", "first_phase_energy_change", "phases"};
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
    rows_.emplace(system);
    rows_->eliminate_joints();
    lay_out();
    impulses_ = first_ = Vector::Zero(rows_->size());
    kappa_ = first_change_ = change_ = 0.0;
    phases_ = 0;
    phase_ = Phase::kNone;
    if (rows_->contacts() == 0) return finish();
    phase_ = Phase::kNormal;
    return normal_stage("normal", rows_->base());
  }

  StageOrEnd advance(const Answer& answer) override {
    ++phases_;
    if (phase_ == Phase::kFriction) {
      impulses_ = at_.impulses.read(answer.z);
      // The answer has a tolerance, so the first phase may be better.
      if (energy_change(impulses_) > first_change_) impulses_ = first_;
      return end_of_friction();
    }
    Vector p = Vector::Zero(rows_->size());
    for (int c = 0; c < rows_->contacts(); ++c)
      p[rows_->normal(c)] = system_->impulse_scale() * std::max(0.0, answer.z[c]);
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

  // The first phase is unbounded if overlaps or drift demand something impossible, for example from
  // bodies in a wedge.
  std::optional<Stage> relax() override {
    if (phase_ != Phase::kNormal || !system_->relax_further()) return {};
    rows_->free_of_drift();
    return normal_stage("normal", rows_->base());
  }

  // Takes the point that the solver reached if it is allowed by the model and leaves no more energy
  // than the first phase; else the first phase.
  std::optional<StageOrEnd> settle(const Answer& answer) override {
    if (phase_ != Phase::kFriction) return {};
    impulses_ = first_;
    if (answer.z.size() == layout_.size() && answer.z.allFinite()) {
      const Vector p = at_.impulses.read(answer.z);
      if (is_admissible(p) && energy_change(p) <= first_change_) impulses_ = p;
    }
    return end_of_friction();
  }

 private:
  bool keeps_velocities() const { return velocities_ == "kept"; }

  void lay_out() {
    layout_ = {};
    at_ = {};
    if (keeps_velocities()) at_.velocities = layout_.add_velocities(*system_);
    at_.impulses = layout_.add_local_impulses(*system_);
    if (keeps_velocities()) at_.joints = layout_.add_joints(*system_);
  }

  // Index of the normal impulse of a contact.
  int unknown(int c) const { return at_.impulses.first + rows_->normal(c); }

  bool frictional() const {
    for (int c = 0; c < rows_->contacts(); ++c) {
      if (has_friction(c)) return true;
    }
    return false;
  }
  bool has_friction(int c) const { return rows_->mu(c) > 0 || viscous_[c] > 0; }

  // Sets what viscous friction adds to the radius of the cone, N s: nothing if the first phase
  // leaves the contact open.
  void set_viscous_bounds() {
    const Vector slip = rows_->local() * rows_->base();
    viscous_ = Vector::Zero(rows_->contacts());
    for (int c = 0; c < rows_->contacts(); ++c) {
      const int row = rows_->normal(c);
      if (first_[row] > 0)
        viscous_[c] = system_->h() * system_->contact(c).properties.viscous *
                      slip.segment(row + 1, rows_->dimension() - 1).norm();
    }
  }

  // 1/2 x'Ax + x'b of local impulses, J.
  double energy_change(const Vector& p) const {
    return 0.5 * p.dot(rows_->local() * (rows_->velocity_after(p) + rows_->base()));
  }

  bool is_admissible(const Vector& p) const {
    const double slack = kSlack * system_->impulse_scale();
    if (rows_->normal_part(p).sum() > kappa_ + slack) return false;
    for (int c = 0; c < rows_->contacts(); ++c) {
      const double normal = p[rows_->normal(c)];
      const double tangential = p.segment(rows_->normal(c) + 1, rows_->dimension() - 1).norm();
      if (normal < -slack || tangential > rows_->mu(c) * normal + viscous_[c] + slack) return false;
    }
    const Vector excess =
        rows_->normal_part(rows_->local() * rows_->velocity_after(p) - rows_->wanted());
    return excess.minCoeff() >= -kSlack * system_->velocity_scale();
  }

  // QP3: min 1/2 x'A_N x + x'b_N over x >= 0, b_N at velocities `v`.
  Stage normal_stage(const std::string& stage_name, const Vector& v) const {
    const int n = rows_->contacts();
    BoxQp qp;
    qp.H = rows_->scaled_normal_block(system_->mass_scale());
    qp.c = rows_->normal_part(rows_->local() * v - rows_->wanted()) / system_->velocity_scale();
    qp.lower = Vector::Zero(n);
    qp.upper = Vector::Constant(n, std::numeric_limits<double>::infinity());
    Stage s{stage_name, {}, {}};
    s.problem.data = std::move(qp);
    UnknownLayout normals;
    normals.add_normals(*system_);
    normals.name(s);
    return s;
  }

  // Collects the rows of A x + s = b, cone by cone.
  struct Rows {
    std::vector<Triplet> entries;
    std::vector<double> right;
    std::vector<Cone> cones;
    std::vector<std::uint64_t> keys;
    Partition partition;

    int count() const { return static_cast<int>(right.size()); }
    /// The key by which the dual of the last row is carried over.
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
    /// The last `size` rows are the cone of the impulses from `unknown` on.
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
    Rows rows;
    ConicQp qp;
    if (keeps_velocities()) {
      state_momentum(qp, rows);
    } else {
      state_velocities(qp, rows);
    }
    add_cones(rows);
    qp.A = Matrix::from_triplets(rows.count(), layout_.size(), rows.entries);
    qp.b = Eigen::Map<const Vector>(rows.right.data(), rows.count());
    qp.cones = rows.cones;
    qp.partition = std::make_shared<const Partition>(std::move(rows.partition));
    rows.keys.resize(rows.right.size(), kNoKey);
    Stage s{"friction", {}, {}, std::move(rows.keys)};
    Vector start = Vector::Zero(layout_.size());
    at_.impulses.write(first_, start);
    if (keeps_velocities()) {
      at_.velocities.write(rows_->velocity_after(first_), start);
      at_.joints.write(rows_->all_impulses(first_).tail(at_.joints.size), start);
    }
    s.problem.data = std::move(qp);
    s.problem.start = std::move(start);
    layout_.name(s);
    return s;
  }

  // QP2: velocities and impulses, min 1/2 v'Mv with M (v - v_free) = J'p, joints held.
  void state_momentum(ConicQp& qp, Rows& rows) const {
    const int nv = at_.velocities.size;
    const SparseMatrix mass =
        system_->mass_matrix() * (system_->velocity_scale() / system_->impulse_scale());
    std::vector<Triplet> hessian;
    rows.begin_cone(ConeType::kZero);
    rows.partition.velocities = system_->velocity_partition();
    const Vector momentum = mass * system_->free_velocity() / system_->velocity_scale();
    for (int j = 0; j < nv; ++j) rows.partition.velocities.rows.push_back(rows.add(momentum[j]));
    const Vector joints = system_->wanted_joint_velocities() / system_->velocity_scale();
    for (int i = 0; i < system_->joint_count(); ++i) rows.add(joints[i]);
    for (int j = 0; j < nv; ++j) {
      for (SparseMatrix::InnerIterator it(mass, j); it; ++it) {
        hessian.emplace_back(static_cast<int>(it.row()), j, it.value());
        rows.put(static_cast<int>(it.row()), j, it.value());
      }
      for (SparseMatrix::InnerIterator it(rows_->local(), j); it; ++it)
        rows.put(j, at_.impulses.first + static_cast<int>(it.row()), -it.value());
      for (SparseMatrix::InnerIterator it(rows_->joints(), j); it; ++it) {
        rows.put(j, at_.joints.first + static_cast<int>(it.row()), -it.value());
        rows.put(nv + static_cast<int>(it.row()), j, it.value());
      }
    }
    add_held_tangents(rows);
    rows.end_cone();
    rows.begin_cone(ConeType::kNonnegative);
    const Vector least = rows_->wanted() / system_->velocity_scale();
    const SparseMatrix by_row = rows_->local().transpose();  // columns: local rows
    for (int c = 0; c < rows_->contacts(); ++c) {
      const int row = rows.add(-least[rows_->normal(c)]);
      rows.partition.bounds.push_back(row);
      rows.key(contact_key(system_->contact(c), 0));
      for (SparseMatrix::InnerIterator it(by_row, rows_->normal(c)); it; ++it)
        rows.put(row, static_cast<int>(it.row()), -it.value());
    }
    qp.P = Matrix::from_triplets(layout_.size(), layout_.size(), hessian);
    qp.c = Vector::Zero(layout_.size());
  }

  // QP1: impulses alone, min 1/2 x'Ax + x'b with A_N x + b_N >= 0.
  void state_velocities(ConicQp& qp, Rows& rows) const {
    qp.P = rows_->scaled_delassus(system_->mass_scale());
    qp.c = rows_->local() * rows_->base() / system_->velocity_scale();
    rows.begin_cone(ConeType::kZero);
    add_held_tangents(rows);
    rows.end_cone();
    rows.begin_cone(ConeType::kNonnegative);
    const Vector least = qp.c - rows_->wanted() / system_->velocity_scale();
    for (int c = 0; c < rows_->contacts(); ++c) {
      const int row = rows.add(least[rows_->normal(c)]);
      rows.partition.bounds.push_back(row);
      qp.P.for_column(rows_->normal(c),  // also the row: W is symmetric
                      [&](int j, double value) { rows.put(row, j, -value); });
    }
  }

  // p_t = 0 for contacts without friction.
  void add_held_tangents(Rows& rows) const {
    for (int c = 0; c < rows_->contacts(); ++c) {
      for (int i = 1; i < rows_->dimension() && !has_friction(c); ++i) {
        rows.partition.held.unknowns.push_back(unknown(c) + i);
        rows.partition.held.rows.push_back(rows.add(0.0));
        rows.put(rows.partition.held.rows.back(), unknown(c) + i, 1.0);
      }
    }
  }

  // In the nonnegative cone: sum p_n <= kappa, and p_n >= 0 if no other cone implies it. Then the
  // cones (mu p_n + viscous bound, p_t).
  void add_cones(Rows& rows) const {
    const int total = rows.add(kappa_ / system_->impulse_scale());
    rows.key(kTotalKey);
    rows.partition.total = total;
    for (int c = 0; c < rows_->contacts(); ++c) rows.put(total, unknown(c), 1.0);
    for (int c = 0; c < rows_->contacts(); ++c) {
      if (rows_->mu(c) > 0 && !(viscous_[c] > 0)) continue;
      rows.put(rows.add(0.0), unknown(c), -1.0);
      if (!has_friction(c)) rows.contact(unknown(c), 1);
    }
    for (int c = 0; c < rows_->contacts(); ++c) {
      if (!has_friction(c)) continue;
      rows.begin_cone(ConeType::kSecondOrder);
      const int normal = rows.add(viscous_[c] / system_->impulse_scale());
      if (rows_->mu(c) > 0) rows.put(normal, unknown(c), -rows_->mu(c));
      for (int i = 1; i < rows_->dimension(); ++i) rows.put(rows.add(0.0), unknown(c) + i, -1.0);
      if (rows_->mu(c) > 0) rows.contact(unknown(c), rows_->dimension());
    }
  }

  // Phase III, Poisson's law: each contact that was compressed gives back e times its normal
  // impulse. Further normal impulses keep bodies apart that this would push together.
  StageOrEnd end_of_friction() {
    Vector back = Vector::Zero(rows_->size());
    for (int c = 0; c < rows_->contacts(); ++c) {
      if (system_->bounces(c))
        back[rows_->normal(c)] =
            system_->contact(c).properties.restitution * impulses_[rows_->normal(c)];
    }
    change_ = energy_change(impulses_);
    if (back.isZero(0.0)) return finish();
    impulses_ += back;
    phase_ = Phase::kRestitution;
    return normal_stage("restitution", rows_->velocity_after(impulses_));
  }

  StepEnd finish() const {
    return {rows_->velocity_after(impulses_),
            rows_->all_impulses(impulses_),
            {kappa_, change_, first_change_, static_cast<double>(phases_)}};
  }

  std::string velocities_ = "kept";
  ContactSystem* system_ = nullptr;
  std::optional<ConeRows> rows_;
  UnknownLayout layout_;
  struct Places {
    UnknownBlock velocities, impulses, joints;
  };
  Places at_;
  Phase phase_ = Phase::kNone;
  int phases_ = 0;           // solved in this step
  Vector first_, impulses_;  // local; those of phase I, and those so far
  Vector viscous_;           // bounds of viscous friction by contact, N s
  double kappa_ = 0.0, first_change_ = 0.0, change_ = 0.0;
};

}  // namespace

std::unique_ptr<ContactLaw> make_max_dissipation_law() {
  return std::make_unique<MaxDissipationLaw>();
}

}  // namespace perp
