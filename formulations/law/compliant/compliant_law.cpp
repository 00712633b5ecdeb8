#include <perp/formulations/law/compliant/compliant_law.hpp>

#include <perp/formulations/dynamics/unknown_layout.hpp>
#include <perp/formulations/law/cone_rows.hpp>
#include <perp/problems/standard/compliant_point.hpp>

#include <fmt/format.h>
#include <Eigen/QR>
#include <algorithm>
#include <utility>

namespace perp {

namespace {

constexpr double kDependent = 1e-11;  // relative size of the pivots of dependent joint rows

class CompliantLaw final : public ContactLaw {
 public:
  void visit_settings(SettingVisitor& visitor) override {
    visitor.visit("beta", beta_, "of rigid points: their time scale over the step",
                  {0.0, 1e3, true});
    visitor.visit("sigma", sigma_,
                  "regularisation of friction: R_t over the inverse mass of a point",
                  {0.0, 1e3, true});
  }

  Capabilities capabilities() const override {
    Capabilities c;
    c.restitution = false;  // the law has dissipation instead
    return c;
  }

  // Not needed: impulses of open contacts are exactly zero, and the cone shows which contacts
  // stick.
  ModeTolerance mode_tolerance() const override { return {0.0, 0.0}; }
  std::vector<FrictionDirection> friction_directions(const ContactPoint3& contact,
                                                     const ContactFrame& frame,
                                                     int dimension) const override {
    return ellipse_axes(contact, frame, dimension);
  }

  // A sliding contact glides at a gap of (h + tau) mu |v_t|. At this gap it must still be a
  // candidate.
  double candidate_share(const Scene& scene, double h) const override {
    const auto glide = [h](const ContactProperties& k) {
      return k.mu * std::max(k.e_t, k.e_o) * (1.0 + k.dissipation / h);
    };
    double most = glide(scene.contact);
    for (const PairRule& pair : scene.pairs) most = std::max(most, glide(pair.properties));
    return ContactLaw::candidate_share(scene, h) + most;
  }

  StageOrEnd begin(ContactSystem& system) override {
    system_ = &system;
    rows_.emplace(system);
    rows_->eliminate_joints();
    if (rows_->contacts() == 0) return StepEnd{rows_->base(), rows_->all_impulses(Vector(0))};
    return stage();
  }

  StageOrEnd advance(const Answer& answer) override {
    const Vector v = velocity(answer.z);
    const Vector gamma = system_->impulse_scale() * problem_.impulses(answer.z);
    Vector local(rows_->size());
    std::vector<ContactMode> modes;
    for (int c = 0; c < rows_->contacts(); ++c) {
      const int d = rows_->dimension();
      local.segment(d * c, d) = gamma.segment(3 * c, d);
      const double most = rows_->mu(c) * gamma[3 * c];
      modes.push_back(gamma[3 * c] == 0.0                                   ? ContactMode::kOpen
                      : gamma.segment(3 * c + 1, 2).norm() < kInside * most ? ContactMode::kStick
                                                                            : ContactMode::kSlide);
    }
    return StepEnd{v, rows_->all_impulses(local), {}, std::move(modes)};
  }

  std::optional<Stage> relax() override { return {}; }  // strictly convex: always solvable

 private:
  static constexpr double kInside = 1.0 - 1e-9;  // share of the cone below which a contact sticks

  Stage stage() {
    const int contacts = rows_->contacts(), d = rows_->dimension();
    const double mass = system_->mass_scale(), speed = system_->velocity_scale();
    find_free_directions();
    SparseMatrix j(3 * contacts, rows_->local().cols());
    std::vector<Triplet> entries;
    for (int k = 0; k < rows_->local().outerSize(); ++k) {
      for (SparseMatrix::InnerIterator it(rows_->local(), k); it; ++it) {
        const int row = static_cast<int>(it.row());
        entries.emplace_back(row / d * 3 + row % d, k, it.value());
      }
    }
    j.setFromTriplets(entries.begin(), entries.end());
    ConvexContact p;
    regularise_points(j, p);
    p.bias =
        (p.bias - (has_joints() ? Vector(j * rows_->base()) : Vector::Zero(3 * contacts))) / speed;
    p.R *= mass;
    SparseMatrix a = system_->mass_matrix() / mass;
    if (has_joints()) {
      const SparseMatrix back = free_directions_.transpose();
      a = back * a * free_directions_;
      a = 0.5 * (a + SparseMatrix(a.transpose()));
      j = j * free_directions_;
      p.v_star = Vector::Zero(a.cols());
    } else {
      p.v_star = system_->free_velocity() / speed;
    }
    p.A = Matrix(std::move(a));
    p.J = Matrix(std::move(j));
    Stage s{"contact", {}, {}};
    problem_ = p;
    s.problem.data = std::move(p);
    name_unknowns(s);
    return s;
  }

  bool has_joints() const { return system_->joint_count() > 0; }

  /// R, bias and mu of the points, SI. @param j rows of the points for the velocities of the step
  void regularise_points(const SparseMatrix& j, ConvexContact& p) const {
    const int contacts = rows_->contacts();
    p.R.resize(3 * contacts);
    p.bias = Vector::Zero(3 * contacts);
    p.mu.resize(contacts);
    const SparseMatrix back = system_->bodies_inverse_mass() * SparseMatrix(j.transpose());
    const Eigen::SparseMatrix<double, Eigen::RowMajor> by_rows(j);
    for (int c = 0; c < contacts; ++c) {
      Eigen::Matrix3d w;
      for (int r = 0; r < 3; ++r) {
        for (int s = 0; s < 3; ++s) w(r, s) = by_rows.row(3 * c + r).dot(back.col(3 * c + s));
      }
      if (rows_->dimension() == 2)
        w(2, 2) = w(0, 0);  // the direction across the plane is like the normal
      const ContactProperties& k = system_->contact(c).properties;
      const CompliantRegularisation r = regularise(
          {effective_inverse_mass(w), system_->carried_gap(c), k.stiffness, k.dissipation},
          {system_->h(), system_->gap_share(), beta_, sigma_});
      p.R.segment<3>(3 * c) << r.normal, r.tangential, r.tangential;
      p.bias[3 * c] = r.bias;
      p.mu[c] = rows_->mu(c);
    }
  }

  /// Orthonormal columns that span the velocities at which no joint moves.
  void find_free_directions() {
    if (!has_joints()) return;
    const SparseMatrix& rows = rows_->joints();
    std::vector<int> held;  // velocities in the rows of joints; each of the others is free
    std::vector<Triplet> entries;
    int columns = 0;
    for (int j = 0; j < rows.cols(); ++j) {
      if (rows.col(j).nonZeros() > 0) {
        held.push_back(j);
      } else {
        entries.emplace_back(j, columns++, 1.0);
      }
    }
    const auto size = static_cast<int>(held.size());
    DenseMatrix across(size, rows.rows());
    for (int i = 0; i < size; ++i) across.row(i) = DenseMatrix(rows.col(held[i])).transpose();
    Eigen::ColPivHouseholderQR<DenseMatrix> factors;
    factors.setThreshold(kDependent);
    factors.compute(across);
    const DenseMatrix q = factors.householderQ() * DenseMatrix::Identity(size, size);
    for (auto k = factors.rank(); k < size; ++k, ++columns) {
      for (int i = 0; i < size; ++i) entries.emplace_back(held[i], columns, q(i, k));
    }
    free_directions_.resize(rows.cols(), columns);
    free_directions_.setFromTriplets(entries.begin(), entries.end());
  }

  Vector velocity(const Vector& z) const {
    const Vector v = system_->velocity_scale() * z;
    return has_joints() ? Vector(rows_->base() + free_directions_ * v) : v;
  }

  // The start is the present velocity: velocities seldom change much in a step.
  void name_unknowns(Stage& s) const {
    UnknownLayout layout;
    if (!has_joints()) {
      layout.add_velocities(*system_);
    } else {
      for (int k = 0; k < free_directions_.cols(); ++k)
        layout.add(fmt::format("motion[{}]", k), kNoKey);
    }
    layout.name(s);
    const Vector before = system_->initial_velocity();
    s.problem.start =
        has_joints() ? Vector(free_directions_.transpose() * (before - rows_->base())) : before;
    *s.problem.start /= system_->velocity_scale();
  }

  double beta_ = 1.0, sigma_ = 1e-3;
  ContactSystem* system_ = nullptr;
  std::optional<ConeRows> rows_;
  SparseMatrix free_directions_;
  ConvexContact problem_;
};

}  // namespace

std::unique_ptr<ContactLaw> make_compliant_law() { return std::make_unique<CompliantLaw>(); }

}  // namespace perp
