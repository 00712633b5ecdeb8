#include <perp/formulations/law/pyramid/pyramid_law.hpp>

#include <perp/formulations/dynamics/unknown_layout.hpp>
#include <perp/problems/matrix/infinity.hpp>
#include <perp/problems/standard/friction_pyramid.hpp>

#include <optional>

namespace perp {

namespace {

constexpr Range kEdges{4, 60, false, false, 2};

class PyramidLaw final : public ContactLaw {
 public:
  void visit_settings(SettingVisitor& visitor) override {
    visitor.visit("edges", edges_, "of the pyramid in space; in the plane there are always 2",
                  kEdges);
    visitor.visit("velocities", velocities_,
                  "kept as free unknowns of a sparse mlcp, or eliminated", {"eliminated", "kept"});
  }

  Capabilities capabilities() const override { return {.torsional_friction = true}; }

  ModeTolerance mode_tolerance() const override { return {1e-12, 1e-9}; }

  // Edges of a pyramid inscribed in the friction ellipse, and both senses of torsion.
  std::vector<FrictionDirection> friction_directions(const ContactPoint3& contact,
                                                     const ContactFrame& f,
                                                     int dimension) const override {
    const ContactProperties& k = contact.properties;
    if (k.mu == 0.0) return {};
    const Vector3d none = Vector3d::Zero();
    if (dimension == 2) return {{k.e_t * f.t, none}, {-k.e_t * f.t, none}};
    std::vector<FrictionDirection> directions;
    for (int e = 0; e < edges_; ++e) {
      const Eigen::Vector2d edge = pyramid_edge(e, edges_);
      directions.push_back({k.e_t * edge[0] * f.t + k.e_o * edge[1] * f.o, none});
    }
    if (k.e_r > 0) {
      directions.push_back({none, k.e_r * f.n});
      directions.push_back({none, -k.e_r * f.n});
    }
    return directions;
  }

  StageOrEnd begin(ContactSystem& system) override {
    system_ = &system;
    const int nc = system.contacts();
    if (!matrix_ || !system.followed()) take_contacts();
    restitution_stage_ = false;
    given_ = Vector::Zero(nc);
    base_ = system.free_velocity();
    impulses_ = Vector::Zero(system.rows());
    if (system.rows() == 0) return StepEnd{base_, impulses_};
    return stage();
  }

  StageOrEnd advance(const Answer& answer) override {
    const SparseMatrix& inverse_mass = system_->inverse_mass();
    const SparseMatrix& jacobian = system_->jacobian();
    const Vector p = read_impulses(answer.z);
    impulses_ += p;
    const Vector v = base_ + inverse_mass * (jacobian.transpose() * p);
    if (restitution_stage_ || !restitutes(p)) return StepEnd{v, impulses_};
    // Poisson's law: the second stage gives back e times the normal impulses of the first stage,
    // and may add more.
    restitution_stage_ = true;
    system_->restore_stabilisation();
    for (int c = 0; c < system_->contacts(); ++c) {
      if (system_->bounces(c)) given_[c] = system_->contact(c).properties.restitution * p[c];
    }
    Vector back = Vector::Zero(system_->rows());
    back.head(system_->contacts()) = given_;
    impulses_ += back;
    base_ = v + inverse_mass * (jacobian.transpose() * back);
    return stage();
  }

  std::optional<Stage> relax() override {
    if (!system_->relax_further()) return {};
    return stage();
  }

 private:
  bool keeps_velocities() const { return velocities_ == "kept"; }

  // What follows from contacts, J and M.
  void take_contacts() {
    matrix_.reset();
    const int nc = system_->contacts();
    pyramids_ = {Vector(nc), {0}};
    std::vector<int> frictional;
    for (int c = 0; c < nc; ++c) {
      pyramids_.mu[c] = system_->contact(c).properties.mu;
      pyramids_.first.push_back(system_->friction_end(c));
      if (pyramids_.has_friction(c)) frictional.push_back(c);
    }
    lay_out(frictional);
    if (system_->rows() > 0)
      matrix_ = Matrix::share(keeps_velocities() ? mixed_matrix() : eliminated_matrix());
  }

  void lay_out(const std::vector<int>& frictional) {
    layout_ = {};
    at_ = {};
    if (keeps_velocities()) {
      at_.velocities = layout_.add_velocities(*system_);
      at_.joints = layout_.add_joints(*system_);
    }
    at_.normals = layout_.add_normals(*system_);
    at_.friction = layout_.add_friction(*system_);
    at_.slips = layout_.add_slips(*system_, frictional);
    if (!keeps_velocities()) at_.joints = layout_.add_joints(*system_);
  }

  // Right-hand sides of  J v+ >= rhs  (normals) and = rhs (joints).
  Vector stabilisation() const {
    Vector rhs = Vector::Zero(system_->rows());
    for (int c = 0; c < system_->contacts(); ++c) rhs[c] = system_->wanted_velocity(c);
    rhs.tail(system_->joint_count()) = system_->wanted_joint_velocities();
    return rhs;
  }

  Stage stage() const {
    Stage s{restitution_stage_ ? "restitution" : "contact", {}, {}};
    s.problem.data = keeps_velocities() ? mixed_problem() : eliminated_problem();
    layout_.name(s);
    return s;
  }

  // Index of the unknown of a row of J.
  int place(int row) const {
    return row < system_->joint_first() ? at_.normals.first + row
                                        : at_.joints.first + row - system_->joint_first();
  }

  // Calls add(i, value) for the compliance of each contact, in row i of its normal impulse.
  template <class Add>
  void for_compliance(const Add& add) const {
    for (int c = 0; c < system_->contacts(); ++c) {
      const double diagonal =
          system_->compliance(c) * system_->impulse_scale() / system_->velocity_scale();
      if (diagonal > 0) add(at_.normals.first + c, diagonal);
    }
  }
  // Adds the friction bounds that come from normal impulses that were given back.
  void add_given_friction(Vector& q) const {
    for (int c = 0, slip = at_.slips.first; c < system_->contacts(); ++c) {
      if (pyramids_.has_friction(c))
        q[slip++] = pyramids_.mu[c] * given_[c] / system_->impulse_scale();
    }
  }

  // Bounds: free, except unknowns that are complementary to their rows.
  Mlcp mixed(Matrix m, Vector q, const std::vector<UnknownBlock>& free) const {
    const int n = layout_.size();
    Vector lower = Vector::Zero(n);
    for (const UnknownBlock& block : free)
      lower.segment(block.first, block.size).setConstant(-kInfinity);
    return {std::move(m), std::move(q), std::move(lower), Vector::Constant(n, kInfinity)};
  }

  SparseMatrix eliminated_matrix() const {
    SparseMatrix w = system_->delassus(system_->jacobian());
    w *= system_->mass_scale();
    SparseMatrix m = pyramid_matrix(w, pyramids_);
    for_compliance([&](int i, double diagonal) { m.coeffRef(i, i) += diagonal; });
    return m;
  }

  // Unknowns (c_n, beta, lambda[, joint multipliers]); an Lcp if there are no joints.
  ProblemData eliminated_problem() const {
    const int n = layout_.size();
    Vector q = Vector::Zero(n);
    const Vector r = (system_->jacobian() * base_ - stabilisation()) / system_->velocity_scale();
    for (int i = 0; i < r.size(); ++i) q[place(i)] = r[i];
    add_given_friction(q);
    if (system_->joint_count() == 0) return Lcp{*matrix_, std::move(q)};
    return mixed(*matrix_, std::move(q), {at_.joints});
  }

  SparseMatrix mixed_matrix() const {
    std::vector<Triplet> entries;
    const double mass = system_->mass_scale();
    const SparseMatrix m = system_->mass_matrix();
    for (int j = 0; j < system_->velocities(); ++j) {
      for (SparseMatrix::InnerIterator it(m, j); it; ++it)
        entries.emplace_back(static_cast<int>(it.row()), j, it.value() / mass);
      for (SparseMatrix::InnerIterator it(system_->jacobian(), j); it; ++it) {
        const int at = place(static_cast<int>(it.row()));
        entries.emplace_back(j, at, -it.value());
        entries.emplace_back(at, j, it.value());
      }
    }
    for_compliance([&](int i, double diagonal) { entries.emplace_back(i, i, diagonal); });
    add_pyramid_border(pyramids_, at_.normals.first, at_.friction.first, at_.slips.first, entries);
    SparseMatrix all(layout_.size(), layout_.size());
    all.setFromTriplets(entries.begin(), entries.end());
    return all;
  }

  // Unknowns (v, joint multipliers, c_n, beta, lambda), the first two free.
  ProblemData mixed_problem() const {
    Vector q = Vector::Zero(layout_.size());
    q.head(at_.velocities.size) = -(system_->mass_matrix() * base_) / system_->impulse_scale();
    const Vector rhs = stabilisation() / system_->velocity_scale();
    for (int i = 0; i < rhs.size(); ++i) q[place(i)] = -rhs[i];
    add_given_friction(q);
    return mixed(*matrix_, std::move(q), {at_.velocities, at_.joints});
  }

  // Impulses of the rows of J, in N s.
  Vector read_impulses(const Vector& z) const {
    Vector p(system_->rows());
    p << at_.normals.read(z), at_.friction.read(z), at_.joints.read(z);
    return p;
  }

  bool restitutes(const Vector& p) const {
    for (int c = 0; c < system_->contacts(); ++c) {
      if (system_->bounces(c) && p[c] > 0) return true;
    }
    return false;
  }

  int edges_ = 4;
  std::string velocities_ = "eliminated";
  ContactSystem* system_ = nullptr;
  FrictionPyramids pyramids_;
  std::optional<Matrix> matrix_;  // of the problem; nothing if it has no rows
  UnknownLayout layout_;
  struct Places {
    UnknownBlock velocities, joints, normals, friction, slips;
  };
  Places at_;
  Vector base_, impulses_;
  Vector given_;  // normal impulses of restitution, N s
  bool restitution_stage_ = false;
};

}  // namespace

std::unique_ptr<ContactLaw> make_pyramid_law() { return std::make_unique<PyramidLaw>(); }

}  // namespace perp
