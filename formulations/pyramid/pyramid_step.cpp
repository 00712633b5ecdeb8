#include <perp/formulations/pyramid/pyramid_step.hpp>

#include <perp/formulations/mechanics/joints.hpp>

#include <fmt/format.h>
#include <Eigen/LU>
#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <stdexcept>

namespace perp {

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kTouching = 1e-6;   // m: gap that counts as contact at velocity level
constexpr double kRelaxation = 0.5;  // factor on gaps and drifts at each retry
constexpr int kRetries = 4;          // the last one drops them altogether

class PyramidStep final : public Formulation {
 public:
  PyramidStep(PyramidModel model, PyramidSettings settings) : model_(model), settings_(settings) {}

  std::string_view name() const override {
    return model_ == PyramidModel::kStewartTrinkle ? "stewart-trinkle" : "anitescu-potra";
  }
  std::optional<std::string> refusal(const Scene&) const override { return {}; }

  StageOrResult begin(const Scene& scene, const State& state, double h) override {
    scene_ = &scene;
    state_ = state;
    h_ = h;
    coordinates_.emplace(scene);
    find_active_contacts();
    assemble();
    relaxation_ = 1.0;
    retries_ = 0;
    restitution_stage_ = false;
    given_ = Vector::Zero(contacts());
    base_ = free_;
    impulses_ = Vector::Zero(jacobian_.rows());
    if (jacobian_.rows() == 0) return finish(base_);
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
      for (int c = 0; c < contacts(); ++c) given_[c] = active_[c].properties.restitution * p[c];
      Vector back = Vector::Zero(jacobian_.rows());
      back.head(contacts()) = given_;
      impulses_ += back;
      base_ = v + inverse_mass_ * (jacobian_.transpose() * back);
      return stage("restitution");
    }
    return finish(v);
  }

  std::optional<Stage> relax() override {
    if (retries_ >= kRetries) return {};
    relaxation_ = ++retries_ == kRetries ? 0.0 : relaxation_ * kRelaxation;
    return stage(restitution_stage_ ? "restitution" : "contact");
  }

 private:
  int contacts() const { return static_cast<int>(active_.size()); }
  int edges() const { return scene_->dimension == 2 ? 2 : settings_.edges; }
  int joint_first() const { return (1 + edges()) * contacts(); }
  int joint_count() const { return static_cast<int>(theta_.size()); }

  void find_active_contacts() {
    active_ = find_contacts(*scene_, state_, h_);
    std::erase_if(
        active_, [&](const ContactPoint3& c) { return at_velocity_level(c) && c.gap > kTouching; });
  }

  // A contact that restitutes must meet with its approach velocity, not be slowed down to close its
  // gap.
  bool at_velocity_level(const ContactPoint3& c) const {
    return model_ == PyramidModel::kAnitescuPotra || c.properties.restitution > 0;
  }

  Vector3d edge_direction(const ContactFrame& f, int e) const {
    const double angle = 2 * std::numbers::pi * e / edges();
    if (edges() == 2) return e == 0 ? f.t : Vector3d(-f.t);
    return std::cos(angle) * f.t + std::sin(angle) * f.o;
  }

  // Rows of J: normals, then the edges of every contact, then the joints.
  void assemble() {
    std::vector<Triplet> entries;
    frames_.clear();
    for (int c = 0; c < contacts(); ++c) {
      frames_.push_back(contact_frame(active_[c].normal, scene_->dimension));
      add_row(c, active_[c], frames_[c].n, entries);
      for (int e = 0; e < edges(); ++e) {
        add_row(contacts() + edges() * c + e, active_[c], edge_direction(frames_[c], e), entries);
      }
    }
    theta_ = joint_constraints(*scene_, state_, *coordinates_, joint_first(), entries);
    jacobian_.resize(joint_first() + joint_count(), coordinates_->size());
    jacobian_.setFromTriplets(entries.begin(), entries.end());
    inverse_mass_ = inverse_mass_matrix(*scene_, state_, *coordinates_);
    free_ = free_velocity(*scene_, state_, *coordinates_, h_);
    double mass = 0.0;
    int moving = 0;
    for (const Body& body : scene_->bodies) {
      if (body.fixed) continue;
      mass += body.mass;
      ++moving;
    }
    velocity_scale_ = std::max(h_ * scene_->gravity.norm(), 1e-2);
    impulse_scale_ = moving > 0 ? mass / moving * velocity_scale_ : 1.0;
  }

  void add_row(int row, const ContactPoint3& c, const Vector3d& d,
               std::vector<Triplet>& entries) const {
    const auto moment = [&](int body) {
      return Vector3d((c.point - state_.bodies[body].position).cross(d));
    };
    coordinates_->add_wrench(c.a, d, moment(c.a), 1.0, row, entries);
    coordinates_->add_wrench(c.b, d, moment(c.b), -1.0, row, entries);
  }

  // Right-hand sides of  J v+ >= rhs  (normals) and = rhs (joints).
  Vector stabilisation() const {
    Vector rhs = Vector::Zero(jacobian_.rows());
    for (int c = 0; c < contacts(); ++c) {
      const double gap = active_[c].gap;
      if (!at_velocity_level(active_[c])) rhs[c] = -(gap < 0 ? relaxation_ * gap : gap) / h_;
    }
    rhs.tail(joint_count()) = -relaxation_ * theta_ / h_;
    return rhs;
  }

  Stage stage(const std::string& name) {
    Stage s{name, settings_.keep_velocities ? mixed_problem() : eliminated_problem(), keys()};
    s.problem.name = fmt::format("{}-{}-{:.6f}", scene_->name, name, state_.time);
    s.problem.source = json::Object{{"scene", scene_->name},
                                    {"formulation", std::string(this->name())},
                                    {"stage", name},
                                    {"time", state_.time},
                                    {"h", h_},
                                    {"velocity_scale", velocity_scale_},
                                    {"impulse_scale", impulse_scale_}};
    for (int c = 0; c < contacts(); ++c) {
      const auto list = [](const Vector3d& v) { return std::vector<double>{v[0], v[1], v[2]}; };
      const ContactPoint3& k = active_[c];
      s.problem.contacts.push_back({fmt::format("contact{}", c),
                                    scene_->bodies[k.a].name,
                                    scene_->bodies[k.b].name,
                                    list(k.point),
                                    list(k.normal),
                                    {list(frames_[c].t), list(frames_[c].o)},
                                    k.gap});
    }
    return s;
  }

  // Rows and columns beside J M^-1 J': E, -E' and mu of every contact, from index `first` of c_n
  // on.
  void add_border(int first, std::vector<Triplet>& entries, Vector& q) const {
    const int nc = contacts(), k = edges(), beta = first + nc, lambda = beta + k * nc;
    for (int c = 0; c < nc; ++c) {
      entries.emplace_back(lambda + c, first + c, active_[c].properties.mu);
      q[lambda + c] = active_[c].properties.mu * given_[c] / impulse_scale_;
      for (int e = 0; e < k; ++e) {
        entries.emplace_back(beta + k * c + e, lambda + c, 1.0);
        entries.emplace_back(lambda + c, beta + k * c + e, -1.0);
      }
    }
  }

  // Unknowns (c_n, beta, lambda[, joint multipliers]); an Lcp where there are no joints.
  Problem eliminated_problem() const {
    const int nc = contacts(), first_joint = joint_first() + nc, n = first_joint + joint_count();
    const auto place = [&](int row) {
      return row < joint_first() ? row : row + nc;
    };  // lambda lies between
    const double scale = impulse_scale_ / velocity_scale_;
    SparseMatrix w = jacobian_ * inverse_mass_ * SparseMatrix(jacobian_.transpose());
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
    const int nv = coordinates_->size(), nj = joint_count(), nc = contacts(), first = nv + nj;
    const int n = first + joint_first() + nc;
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

  SparseMatrix mass_matrix() const {
    // Blocks of at most 3 x 3: inverted one by one.
    std::vector<Triplet> entries;
    for (int at = 0; at < coordinates_->size(); at += 3) {
      const Matrix3d block = Matrix3d(inverse_mass_.block(at, at, 3, 3)).inverse();
      for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < 3; ++j) {
          if (block(i, j) != 0.0) entries.emplace_back(at + i, at + j, block(i, j));
        }
      }
    }
    SparseMatrix m(coordinates_->size(), coordinates_->size());
    m.setFromTriplets(entries.begin(), entries.end());
    return m;
  }

  void name_unknowns(int first, Problem& p) const {
    const int n = p.size(), nc = contacts();
    p.variables.resize(n);
    const int joints = first > 0 ? coordinates_->size() : joint_first() + nc;
    for (int i = 0; i < (first > 0 ? coordinates_->size() : 0); ++i)
      p.variables[i] = fmt::format("velocity{}", i);
    for (int i = 0; i < joint_count(); ++i) p.variables[joints + i] = fmt::format("joint{}", i);
    for (int c = 0; c < nc; ++c) {
      p.variables[first + c] = fmt::format("contact{}.normal", c);
      for (int e = 0; e < edges(); ++e) {
        p.variables[first + nc + edges() * c + e] = fmt::format("contact{}.friction{}", c, e);
      }
      p.variables[first + joint_first() + c] = fmt::format("contact{}.slip", c);
    }
  }

  std::vector<std::uint64_t> keys() const {
    const int nc = contacts(), nv = coordinates_->size(),
              first = settings_.keep_velocities ? nv + joint_count() : 0;
    const int joints = first > 0 ? nv : joint_first() + nc;
    std::vector<std::uint64_t> k(first > 0 ? first + joint_first() + nc
                                           : joint_first() + nc + joint_count());
    const std::uint64_t other = 1ULL << 62;
    for (int i = 0; i < (first > 0 ? nv : 0); ++i) k[i] = other + i;
    for (int i = 0; i < joint_count(); ++i) k[joints + i] = 2 * other + i;
    for (int c = 0; c < nc; ++c) {
      const std::uint64_t contact = active_[c].key() * 64;
      k[first + c] = contact;
      for (int e = 0; e < edges(); ++e) k[first + nc + edges() * c + e] = contact + 1 + e;
      k[first + joint_first() + c] = contact + 63;
    }
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
      if (active_[c].properties.restitution > 0 && p[c] > 0) return true;
    }
    return false;
  }

  StageOrResult finish(const Vector& v) {
    StepResult r;
    r.state = moved(*scene_, state_, *coordinates_, v, h_);
    r.joint_values = theta_;
    r.joint_impulses = impulses_.tail(joint_count());
    r.relaxation = relaxation_;
    const Vector u = jacobian_ * v;
    for (int c = 0; c < contacts(); ++c) {
      ContactResult k{active_[c], frames_[c]};
      k.p_n = impulses_[c];
      k.v_n = u[c];
      Vector3d friction = Vector3d::Zero();
      for (int e = 0; e < edges(); ++e) {
        friction += impulses_[contacts() + edges() * c + e] * edge_direction(frames_[c], e);
      }
      k.p_t = friction.dot(frames_[c].t);
      k.p_o = scene_->dimension == 3 ? friction.dot(frames_[c].o) : 0.0;
      k.slip = slip_speed(c, u);
      k.mode = k.p_n <= 1e-12 * impulse_scale_    ? ContactMode::kOpen
               : k.slip <= 1e-9 * velocity_scale_ ? ContactMode::kStick
                                                  : ContactMode::kSlide;
      if (!at_velocity_level(active_[c])) {
        r.feeding += k.p_n * std::max(0.0, -relaxation_ * active_[c].gap / h_);
      }
      r.contacts.push_back(k);
    }
    r.contact_work = impulses_.head(joint_first()).dot(u.head(joint_first()));
    r.feeding += std::max(0.0, impulses_.tail(joint_count()).dot(u.tail(joint_count())));
    r.momentum_error = momentum_error(v);
    return r;
  }

  // From the velocities along t and o, which are edges 0 and k/4 where k is a multiple of 4.
  double slip_speed(int c, const Vector& u) const {
    const int first = contacts() + edges() * c;
    if (edges() == 2) return std::abs(u[first]);
    Eigen::MatrixXd d(edges(), 2);
    for (int e = 0; e < edges(); ++e) {
      const double angle = 2 * std::numbers::pi * e / edges();
      d.row(e) << std::cos(angle), std::sin(angle);
    }
    return (2.0 / edges() * d.transpose() * u.segment(first, edges())).norm();  // D'D = k/2 I
  }

  double momentum_error(const Vector& v) const {
    const Vector wrench = jacobian_.transpose() * impulses_;
    const Vector change = mass_matrix() * (v - free_);
    const SparseMatrix mass = mass_matrix().cwiseAbs();
    const double size = (jacobian_.cwiseAbs().transpose() * impulses_.cwiseAbs()).sum() +
                        (mass * (v.cwiseAbs() + free_.cwiseAbs())).sum();
    const double error = (change - wrench).cwiseAbs().sum();
    return size > 0 ? error / size : error;
  }

  PyramidModel model_;
  PyramidSettings settings_;
  const Scene* scene_ = nullptr;
  State state_;
  double h_ = 0.0;
  std::optional<Coordinates> coordinates_;
  std::vector<ContactPoint3> active_;
  std::vector<ContactFrame> frames_;
  SparseMatrix jacobian_, inverse_mass_;
  Vector theta_, free_, base_, impulses_;
  Vector given_;  // normal impulses of restitution, N s
  double velocity_scale_ = 1.0, impulse_scale_ = 1.0, relaxation_ = 1.0;
  int retries_ = 0;
  bool restitution_stage_ = false;
};

}  // namespace

std::unique_ptr<Formulation> make_pyramid_step(PyramidModel model, const std::string& options) {
  PyramidSettings settings;
  std::string_view rest = options;
  while (!rest.empty()) {
    const std::string_view item = rest.substr(0, rest.find(','));
    rest.remove_prefix(std::min(item.size() + 1, rest.size()));
    const auto equals = item.find('=');
    const std::string key(item.substr(0, equals));
    const std::string value(equals == std::string_view::npos ? "" : item.substr(equals + 1));
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
    } else {
      throw std::invalid_argument(fmt::format(
          "formulation option \"{}\": expected edges=K or velocities=kept|eliminated", item));
    }
  }
  return std::make_unique<PyramidStep>(model, settings);
}

}  // namespace perp
