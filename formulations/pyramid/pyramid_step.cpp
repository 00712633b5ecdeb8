#include <perp/formulations/pyramid/pyramid_step.hpp>

#include <perp/formulations/mechanics/contact_step.hpp>
#include <perp/formulations/mechanics/options.hpp>

#include <fmt/format.h>
#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <stdexcept>

namespace perp {

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

class PyramidStep final : public ContactStep {
 public:
  PyramidStep(PyramidModel model, PyramidSettings settings)
      : ContactStep(settings.gap), model_(model), settings_(settings) {
    rest_speed_ = settings.rest_speed;
  }

  std::string_view name() const override {
    if (model_ == PyramidModel::kAnitescuPotra) return "anitescu-potra";
    return settings_.gap.gap->has_unit ? "ratio-metric" : "stewart-trinkle";
  }

  StageOrResult begin(const Scene& scene, const State& state, double h) override {
    begin_step(scene, state, h);
    slip_contact_.clear();
    for (int c = 0; c < contacts(); ++c) {
      if (active_[c].properties.mu > 0) slip_contact_.push_back(c);
    }
    restitution_stage_ = false;
    given_ = Vector::Zero(contacts());
    base_ = free_;
    impulses_ = Vector::Zero(jacobian_.rows());
    if (jacobian_.rows() == 0) return result(base_, impulses_);
    return stage("contact");
  }

  StageOrResult advance(const Answer& answer) override {
    const Vector p = read_impulses(answer.z);
    impulses_ += p;
    const Vector v = base_ + inverse_mass_ * (jacobian_.transpose() * p);
    if (!restitution_stage_ && restitutes(p)) {
      // Poisson: the second stage gives back e times the normal impulses of the first and may add
      // more.
      restitution_stage_ = true;
      restore_stabilisation();
      for (int c = 0; c < contacts(); ++c) {
        if (bounces(c)) given_[c] = active_[c].properties.restitution * p[c];
      }
      Vector back = Vector::Zero(jacobian_.rows());
      back.head(contacts()) = given_;
      impulses_ += back;
      base_ = v + inverse_mass_ * (jacobian_.transpose() * back);
      return stage("restitution");
    }
    return result(v, impulses_);
  }

  std::optional<Stage> relax() override {
    if (!relax_further()) return {};
    return stage(restitution_stage_ ? "restitution" : "contact");
  }

  bool is_at_velocity_level() const override { return model_ == PyramidModel::kAnitescuPotra; }

 protected:
  std::optional<std::string> refusal_of_law(const Scene& scene) const override {
    if (model_ == PyramidModel::kStewartTrinkle) return {};
    const auto field =
        find_contact_properties(scene, [](const ContactProperties& p) { return !p.rigid(); });
    if (field)
      return fmt::format("field \"{}.stiffness\": anitescu-potra takes rigid contacts only",
                         *field);
    return {};
  }

  ModeTolerance mode_tolerance() const override { return {1e-12, 1e-9}; }

  // A contact that restitutes must meet with its approach velocity, not be slowed down to close its
  // gap.
  bool at_velocity_level(const ContactPoint3& c) const override {
    return model_ == PyramidModel::kAnitescuPotra || c.properties.restitution > 0;
  }

  // Generators of the pyramid: edges inscribed in the friction ellipse, and both senses of torsion.
  std::vector<Direction> friction_directions(int c) const override {
    const ContactFrame& f = frames_[c];
    const ContactProperties& k = active_[c].properties;
    if (k.mu == 0.0) return {};
    const Vector3d none = Vector3d::Zero();
    if (scene_->dimension == 2) return {{k.e_t * f.t, none}, {-k.e_t * f.t, none}};
    std::vector<Direction> edges;
    for (int e = 0; e < settings_.edges; ++e) {
      const double angle = 2 * std::numbers::pi * e / settings_.edges;
      edges.push_back({k.e_t * std::cos(angle) * f.t + k.e_o * std::sin(angle) * f.o, none});
    }
    if (k.e_r > 0) {
      edges.push_back({none, k.e_r * f.n});
      edges.push_back({none, -k.e_r * f.n});
    }
    return edges;
  }

 private:
  int slips() const { return static_cast<int>(slip_contact_.size()); }

  // Right-hand sides of  J v+ >= rhs  (normals) and = rhs (joints).
  Vector stabilisation() const {
    Vector rhs = Vector::Zero(jacobian_.rows());
    for (int c = 0; c < contacts(); ++c) rhs[c] = wanted_velocity(c);
    rhs.tail(joint_count()) = wanted_joint_velocities();
    return rhs;
  }

  Stage stage(const std::string& name) {
    Stage s{name, settings_.keep_velocities ? mixed_problem() : eliminated_problem(), keys()};
    describe(name, s.problem);
    return s;
  }

  // Rows and columns beside J M^-1 J': E, -E', mu and compliance, from index `first` of c_n on.
  void add_border(int first, std::vector<Triplet>& entries, Vector& q) const {
    const int nc = contacts(), beta = first + nc, lambda = first + joint_first();
    for (int c = 0; c < nc; ++c) {
      const double diagonal = compliance(c) * impulse_scale_ / velocity_scale_;
      if (diagonal > 0) entries.emplace_back(first + c, first + c, diagonal);
    }
    for (int s = 0; s < slips(); ++s) {
      const int c = slip_contact_[s];
      entries.emplace_back(lambda + s, first + c, active_[c].properties.mu);
      q[lambda + s] = active_[c].properties.mu * given_[c] / impulse_scale_;
      for (int e = friction_begin(c); e < friction_end(c); ++e) {
        entries.emplace_back(beta + e, lambda + s, 1.0);
        entries.emplace_back(lambda + s, beta + e, -1.0);
      }
    }
  }

  // Unknowns (c_n, beta, lambda[, joint multipliers]); an Lcp where there are no joints.
  Problem eliminated_problem() const {
    const int first_joint = joint_first() + slips(), n = first_joint + joint_count();
    const auto place = [&](int row) {
      return row < joint_first() ? row : row + slips();
    };  // lambda lies between
    const double scale = impulse_scale_ / velocity_scale_;
    SparseMatrix w = delassus(jacobian_);
    w.prune(0.0, 0.0);
    std::vector<Triplet> entries;
    for (int j = 0; j < w.outerSize(); ++j) {
      for (SparseMatrix::InnerIterator it(w, j); it; ++it) {
        entries.emplace_back(place(static_cast<int>(it.row())), place(j), scale * it.value());
      }
    }
    Vector q = Vector::Zero(n);
    const Vector r = (jacobian_ * base_ - stabilisation()) / velocity_scale_;
    for (int i = 0; i < r.size(); ++i) q[place(i)] = r[i];
    add_border(0, entries, q);
    Problem p;
    if (joint_count() == 0) {
      p.data = Lcp{Matrix::from_triplets(n, n, entries), std::move(q)};
    } else {
      Vector lower = Vector::Zero(n);
      lower.tail(joint_count()).setConstant(-kInfinity);
      p.data = Mlcp{Matrix::from_triplets(n, n, entries), std::move(q), std::move(lower),
                    Vector::Constant(n, kInfinity)};
    }
    name_unknowns(0, p);
    return p;
  }

  // Unknowns (v, joint multipliers, c_n, beta, lambda), the first two free.
  Problem mixed_problem() const {
    const int nv = coordinates_->size(), nj = joint_count(), first = nv + nj;
    const int n = first + joint_first() + slips();
    std::vector<Triplet> entries;
    const double mass = impulse_scale_ / velocity_scale_;
    const SparseMatrix m = mass_matrix();
    for (int j = 0; j < nv; ++j) {
      for (SparseMatrix::InnerIterator it(m, j); it; ++it) {
        entries.emplace_back(static_cast<int>(it.row()), j, it.value() / mass);
      }
      for (SparseMatrix::InnerIterator it(jacobian_, j); it; ++it) {
        const int row = static_cast<int>(it.row());
        const int at = row < joint_first() ? first + row : nv + row - joint_first();
        entries.emplace_back(j, at, -it.value());
        entries.emplace_back(at, j, it.value());
      }
    }
    Vector q = Vector::Zero(n);
    q.head(nv) = -(m * base_) / impulse_scale_;
    const Vector rhs = stabilisation() / velocity_scale_;
    for (int i = 0; i < rhs.size(); ++i)
      q[i < joint_first() ? first + i : nv + i - joint_first()] = -rhs[i];
    add_border(first, entries, q);
    Vector lower = Vector::Zero(n);
    lower.head(first).setConstant(-kInfinity);
    Problem p;
    p.data = Mlcp{Matrix::from_triplets(n, n, entries), std::move(q), std::move(lower),
                  Vector::Constant(n, kInfinity)};
    name_unknowns(first, p);
    return p;
  }

  void name_unknowns(int first, Problem& p) const {
    const int n = p.size(), nc = contacts();
    p.variables.resize(n);
    const int joints = first > 0 ? coordinates_->size() : joint_first() + slips();
    for (int i = 0; i < (first > 0 ? coordinates_->size() : 0); ++i)
      p.variables[i] = fmt::format("velocity{}", i);
    for (int i = 0; i < joint_count(); ++i) p.variables[joints + i] = fmt::format("joint{}", i);
    for (int c = 0; c < nc; ++c) {
      const std::string contact = contact_name(c);
      p.variables[first + c] = contact + ".normal";
      for (int e = 0; e < friction_end(c) - friction_begin(c); ++e)
        p.variables[first + nc + friction_begin(c) + e] = fmt::format("{}.friction{}", contact, e);
    }
    for (int s = 0; s < slips(); ++s)
      p.variables[first + joint_first() + s] = contact_name(slip_contact_[s]) + ".slip";
  }

  std::vector<std::uint64_t> keys() const {
    const int nc = contacts(), nv = coordinates_->size(),
              first = settings_.keep_velocities ? nv + joint_count() : 0;
    const int joints = first > 0 ? nv : joint_first() + slips();
    std::vector<std::uint64_t> k(joint_first() + slips() + (first > 0 ? first : joint_count()));
    const std::uint64_t other = 1ULL << 62;
    for (int i = 0; i < (first > 0 ? nv : 0); ++i) k[i] = other + i;
    for (int i = 0; i < joint_count(); ++i) k[joints + i] = 2 * other + i;
    for (int c = 0; c < nc; ++c) {
      const std::uint64_t contact = active_[c].key() * 64;
      k[first + c] = contact;
      for (int e = 0; e < friction_end(c) - friction_begin(c); ++e)
        k[first + nc + friction_begin(c) + e] = contact + 1 + e;
    }
    for (int s = 0; s < slips(); ++s)
      k[first + joint_first() + s] = active_[slip_contact_[s]].key() * 64 + 63;
    return k;
  }

  // Impulses of the rows of J, in N s.
  Vector read_impulses(const Vector& z) const {
    Vector p(jacobian_.rows());
    const int nv = coordinates_->size();
    if (settings_.keep_velocities) {
      p.head(joint_first()) = z.segment(nv + joint_count(), joint_first());
      p.tail(joint_count()) = z.segment(nv, joint_count());
    } else {
      p.head(joint_first()) = z.head(joint_first());
      p.tail(joint_count()) = z.tail(joint_count());
    }
    return impulse_scale_ * p;
  }

  bool restitutes(const Vector& p) const {
    for (int c = 0; c < contacts(); ++c) {
      if (bounces(c) && p[c] > 0) return true;
    }
    return false;
  }

  PyramidModel model_;
  PyramidSettings settings_;
  std::vector<int> slip_contact_;  // contacts with friction: those that have a lambda
  Vector base_, impulses_;
  Vector given_;  // normal impulses of restitution, N s
  bool restitution_stage_ = false;
};

}  // namespace

std::unique_ptr<Formulation> make_pyramid_step(PyramidModel model, const std::string& options,
                                               PyramidSettings settings) {
  for (const auto& [key, value] : split_options(options)) {
    if (key == "edges") {
      settings.edges = value.find_first_not_of("0123456789") == std::string::npos &&
                               value.size() < 4 && !value.empty()
                           ? std::stoi(value)
                           : 0;
      if (settings.edges < 4 || settings.edges % 2 != 0 || settings.edges > 60) {
        throw std::invalid_argument(
            fmt::format("formulation option edges: \"{}\" is not an even number in 4..60", value));
      }
    } else if (key == "velocities" && (value == "kept" || value == "eliminated")) {
      settings.keep_velocities = value == "kept";
    } else if (key == "rest_speed") {
      settings.rest_speed = read_speed_option(key, value);
    } else if (!read_gap_option(key, value, settings.gap)) {
      refuse_option(key, value,
                    "edges=K, velocities=kept|eliminated, rest_speed=V, " + gap_options());
    }
  }
  return std::make_unique<PyramidStep>(model, settings);
}

}  // namespace perp
