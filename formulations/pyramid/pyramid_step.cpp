#include <perp/formulations/pyramid/pyramid_step.hpp>

#include <perp/formulations/mechanics/joints.hpp>

#include <fmt/format.h>
#include <Eigen/LU>
#include <algorithm>
#include <charconv>
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
  std::optional<std::string> refusal(const Scene& scene) const override {
    if (model_ == PyramidModel::kStewartTrinkle) return {};
    const auto refuse = [](const std::string& field) {
      return fmt::format("field \"{}.stiffness\": anitescu-potra takes rigid contacts only", field);
    };
    if (!scene.contact.rigid()) return refuse("contact");
    for (std::size_t k = 0; k < scene.pairs.size(); ++k) {
      if (!scene.pairs[k].properties.rigid()) return refuse(fmt::format("pairs[{}]", k));
    }
    return {};
  }

  void set_release_speed(double speed) override { release_speed_ = speed; }

  StageOrResult begin(const Scene& scene, const State& state, double h) override {
    scene_ = &scene;
    state_ = state;
    h_ = h;
    coordinates_.emplace(scene);
    find_active_contacts();
    assemble();
    relaxation_ = least_relaxation_ = 1.0;
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
      least_relaxation_ = relaxation_;
      relaxation_ = 1.0;
      retries_ = 0;
      for (int c = 0; c < contacts(); ++c) {
        if (bounces(c)) given_[c] = active_[c].properties.restitution * p[c];
      }
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
  int joint_first() const { return contacts() + edge_first_.back(); }
  int edges_of(int c) const { return edge_first_[c + 1] - edge_first_[c]; }
  bool frictional(int c) const { return active_[c].properties.mu > 0; }
  int slips() const { return static_cast<int>(slip_contact_.size()); }
  int joint_count() const { return static_cast<int>(theta_.size()); }

  void find_active_contacts() {
    active_ = find_contacts(*scene_, state_, h_);
    std::erase_if(active_, [&](const ContactPoint3& c) {
      return at_velocity_level(c) &&
             (c.gap > kTouching || normal_velocity(c, state_) > release_speed_);
    });
  }

  // Its approach must be faster than what one step of free fall makes: what rests does not bounce.
  bool bounces(int c) const {
    return active_[c].properties.restitution > 0 &&
           approach_[c] < -std::max(h_ * scene_->gravity.norm(), settings_.rest_speed);
  }

  // A contact that restitutes must meet with its approach velocity, not be slowed down to close its
  // gap.
  bool at_velocity_level(const ContactPoint3& c) const {
    return model_ == PyramidModel::kAnitescuPotra || c.properties.restitution > 0;
  }

  // Generators of the pyramid: edges inscribed in the friction ellipse, and both senses of torsion.
  struct Edge {
    Vector3d force, moment;
  };
  std::vector<Edge> edges_at(int c) const {
    const ContactFrame& f = frames_[c];
    const ContactProperties& k = active_[c].properties;
    if (k.mu == 0.0) return {};
    const Vector3d none = Vector3d::Zero();
    if (scene_->dimension == 2) return {{k.e_t * f.t, none}, {-k.e_t * f.t, none}};
    std::vector<Edge> edges;
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

  // Rows of J: normals, then the edges of every contact, then the joints.
  void assemble() {
    std::vector<Triplet> entries;
    frames_.clear();
    edges_.clear();
    edge_first_.assign(1, 0);
    slip_contact_.clear();
    for (int c = 0; c < contacts(); ++c) {
      const ContactPoint3& k = active_[c];
      frames_.push_back(contact_frame(k.normal, scene_->dimension, k.properties.direction));
      add_row(c, k, {frames_[c].n, Vector3d::Zero()}, entries);
      for (const Edge& edge : edges_at(c)) {
        add_row(contacts() + static_cast<int>(edges_.size()), k, edge, entries);
        edges_.push_back(edge);
      }
      edge_first_.push_back(static_cast<int>(edges_.size()));
      if (frictional(c)) slip_contact_.push_back(c);
    }
    theta_ = joint_constraints(*scene_, state_, *coordinates_, joint_first(), entries);
    jacobian_.resize(joint_first() + joint_count(), coordinates_->size());
    jacobian_.setFromTriplets(entries.begin(), entries.end());
    inverse_mass_ = inverse_mass_matrix(*scene_, state_, *coordinates_);
    free_ = free_velocity(*scene_, state_, *coordinates_, h_);
    // What meets the contact at the beginning: impulses of the scene included, forces not.
    approach_ =
        jacobian_.topRows(contacts()) * velocity_after_impulses(*scene_, state_, *coordinates_, h_);
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

  void add_row(int row, const ContactPoint3& c, const Edge& d,
               std::vector<Triplet>& entries) const {
    const auto moment = [&](int body) {
      return Vector3d((c.point - state_.bodies[body].position).cross(d.force) + d.moment);
    };
    coordinates_->add_wrench(c.a, d.force, moment(c.a), 1.0, row, entries);
    coordinates_->add_wrench(c.b, d.force, moment(c.b), -1.0, row, entries);
  }

  // Time in which a gap is to be closed: of a compliant point p/h = -k (g + h v_n + tau v_n).
  double closing_time(int c) const { return h_ + active_[c].properties.dissipation; }
  // Velocity that an impulse takes off the constraint of a compliant point, s/kg.
  double compliance(int c) const {
    const ContactProperties& k = active_[c].properties;
    return k.rigid() ? 0.0 : 1.0 / (h_ * k.stiffness * closing_time(c));
  }
  double wanted_velocity(int c) const {
    if (at_velocity_level(active_[c])) return 0.0;
    const double gap = active_[c].gap;
    return -(gap < 0 && active_[c].properties.rigid() ? relaxation_ * gap : gap) / closing_time(c);
  }

  // Right-hand sides of  J v+ >= rhs  (normals) and = rhs (joints).
  Vector stabilisation() const {
    Vector rhs = Vector::Zero(jacobian_.rows());
    for (int c = 0; c < contacts(); ++c) rhs[c] = wanted_velocity(c);
    if (h_ > 0) rhs.tail(joint_count()) = -relaxation_ * theta_ / h_;
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
      s.problem.contacts.push_back({contact_name(c),
                                    scene_->bodies[k.a].name,
                                    scene_->bodies[k.b].name,
                                    list(k.point),
                                    list(k.normal),
                                    {list(frames_[c].t), list(frames_[c].o)},
                                    k.gap});
    }
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
      for (int e = edge_first_[c]; e < edge_first_[c + 1]; ++e) {
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

  // The same for the same contact from step to step.
  std::string contact_name(int c) const {
    const ContactPoint3& k = active_[c];
    return fmt::format("{}/{}:{}", scene_->bodies[k.a].name, scene_->bodies[k.b].name, k.feature);
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
      for (int e = 0; e < edges_of(c); ++e)
        p.variables[first + nc + edge_first_[c] + e] = fmt::format("{}.friction{}", contact, e);
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
      for (int e = 0; e < edges_of(c); ++e) k[first + nc + edge_first_[c] + e] = contact + 1 + e;
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

  StageOrResult finish(const Vector& v) {
    StepResult r;
    r.state = moved(*scene_, state_, *coordinates_, v, h_);
    r.joint_values = theta_;
    r.joint_impulses = impulses_.tail(joint_count());
    r.relaxation = std::min(relaxation_, least_relaxation_);
    const Vector u = jacobian_ * v;
    for (int c = 0; c < contacts(); ++c) {
      ContactResult k{active_[c], frames_[c]};
      k.p_n = impulses_[c];
      k.v_n = u[c];
      for (int e = edge_first_[c]; e < edge_first_[c + 1]; ++e) {
        const double beta = impulses_[contacts() + e];
        k.p_t += beta * edges_[e].force.dot(frames_[c].t);
        if (scene_->dimension == 3) k.p_o += beta * edges_[e].force.dot(frames_[c].o);
        k.p_r += beta * edges_[e].moment.dot(frames_[c].n);
      }
      k.slip = slip_speed(c, r.state);
      k.mode = k.p_n <= 1e-12 * impulse_scale_    ? ContactMode::kOpen
               : k.slip <= 1e-9 * velocity_scale_ ? ContactMode::kStick
                                                  : ContactMode::kSlide;
      r.feeding += k.p_n * std::max(0.0, wanted_velocity(c));
      r.contacts.push_back(k);
    }
    r.contact_work = impulses_.head(joint_first()).dot(u.head(joint_first()));
    r.feeding += std::max(0.0, impulses_.tail(joint_count()).dot(u.tail(joint_count())));
    r.momentum_error = momentum_error(v);
    return r;
  }

  // Of the point of contact as it was at the beginning, with the velocities of the end.
  double slip_speed(int c, const State& end) const {
    const auto velocity = [&](int body) {
      const BodyState& s = end.bodies[body];
      return Vector3d(s.velocity +
                      s.angular_velocity.cross(active_[c].point - state_.bodies[body].position));
    };
    const Vector3d v = velocity(active_[c].a) - velocity(active_[c].b);
    return (v - v.dot(frames_[c].n) * frames_[c].n).norm();
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
  std::vector<Edge> edges_;        // of all contacts
  std::vector<int> edge_first_;    // per contact: the first of its edges; one more at the end
  std::vector<int> slip_contact_;  // contacts with friction: those that have a lambda
  Vector approach_;                // normal velocities at the beginning, m/s
  Vector given_;                   // normal impulses of restitution, N s
  double velocity_scale_ = 1.0, impulse_scale_ = 1.0, relaxation_ = 1.0;
  double least_relaxation_ = 1.0;  // of the stage before
  double release_speed_ = kInfinity;
  int retries_ = 0;
  bool restitution_stage_ = false;
};

}  // namespace

namespace {

double read_speed(const std::string& text) {
  double value = -1.0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || !(value >= 0 && value < 1e9)) {
    throw std::invalid_argument(
        fmt::format("formulation option rest_speed: \"{}\" is not a speed in m/s", text));
  }
  return value;
}

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
    } else if (key == "rest_speed") {
      settings.rest_speed = read_speed(value);
    } else {
      throw std::invalid_argument(
          fmt::format("formulation option \"{}\": expected edges=K, velocities=kept|eliminated or "
                      "rest_speed=V",
                      item));
    }
  }
  return std::make_unique<PyramidStep>(model, settings);
}

}  // namespace perp
