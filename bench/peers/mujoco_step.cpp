// Steps of a MuJoCo model (Apache License 2.0) as problems of perp: the problem that MuJoCo solves,
// and exact Coulomb friction for the same contacts (docs/how-to/import-step.md).
#include <mujoco/mujoco.h>

#include <fmt/format.h>
#include <CLI/CLI.hpp>
#include <Eigen/Cholesky>
#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <limits>
#include <memory>
#include <perp/bench/peers/engine_step.hpp>
#include <perp/bench/peers/step_options.hpp>
#include <perp/problems/json/text.hpp>

namespace perp {
namespace {

using RowMatrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

[[noreturn]] void fail(const char* message) {
  std::cerr << "mujoco: " << message_line(message) << '\n';
  std::_Exit(2);
}

struct DeleteModel {
  void operator()(mjModel* model) const { mj_deleteModel(model); }
};
struct DeleteData {
  void operator()(mjData* data) const { mj_deleteData(data); }
};

// Thrown if a step cannot be stated in a law.
struct Refused : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// Rows of MuJoCo's Jacobian that belong to one constraint.
struct Constraint {
  int row = 0, rows = 1;
  mjtConstraint type = mjCNSTR_EQUALITY;
  const mjContact* contact = nullptr;  // null: no contact
  bool limit() const { return type == mjCNSTR_LIMIT_JOINT || type == mjCNSTR_LIMIT_TENDON; }
};

// A constraint in terms of a normal and two tangents. A limit, or a contact without friction, has
// zero tangents and mu = 0.
struct PointContact {
  ContactInfo info;
  RowMatrix J;  // 3 x nv
  Vector3d force;
  double mu = 0.0, gap = 0.0;
};

class Simulation {
 public:
  Simulation(const std::string& file, const std::string& cone, int keyframe)
      : name_(std::filesystem::path(file).stem().string()) {
    std::string message(500, '\0');
    if (file.ends_with(".mjb")) {
      model_.reset(mj_loadModel(file.c_str(), nullptr));
      if (!model_) throw std::invalid_argument(file + ": MuJoCo cannot read it");
    } else {
      model_.reset(
          mj_loadXML(file.c_str(), nullptr, message.data(), static_cast<int>(message.size())));
      if (!model_)
        throw std::invalid_argument(fmt::format("{}: {}", file, message_line(message.c_str())));
    }
    model_->opt.jacobian = mjJAC_DENSE;
    if (!cone.empty()) model_->opt.cone = cone == "elliptic" ? mjCONE_ELLIPTIC : mjCONE_PYRAMIDAL;
    data_.reset(mj_makeData(model_.get()));
    if (keyframe >= model_->nkey)
      throw std::invalid_argument(
          fmt::format("{}: has {} keyframes, but no keyframe {}", file, model_->nkey, keyframe));
    if (keyframe >= 0) mj_resetDataKeyframe(model_.get(), data_.get(), keyframe);
  }

  // Computes the constraints and forces at the state at the beginning of the step.
  void look() {
    mj_forward(model_.get(), data_.get());
    constraints_.clear();
    for (int i = 0; i < data_->nefc;) {
      Constraint c{i, 1, static_cast<mjtConstraint>(data_->efc_type[i]), nullptr};
      if (c.type >= mjCNSTR_CONTACT_FRICTIONLESS) {
        c.contact = data_->contact + data_->efc_id[i];
        if (c.type == mjCNSTR_CONTACT_PYRAMIDAL) c.rows = 2 * (c.contact->dim - 1);
        if (c.type == mjCNSTR_CONTACT_ELLIPTIC) c.rows = c.contact->dim;
      }
      constraints_.push_back(c);
      i += c.rows;
    }
    const int nv = model_->nv;
    RowMatrix M(nv, nv);
    mj_fullM(model_.get(), M.data(), data_->qM);
    M_ = 0.5 * (M + M.transpose());
    h_ = model_->opt.timestep;
    velocity_ = Eigen::Map<const Vector>(data_->qvel, nv);
    free_ = velocity_ + h_ * Eigen::Map<const Vector>(data_->qacc_smooth, nv);
  }

  bool touching() const {
    return std::any_of(constraints_.begin(), constraints_.end(),
                       [](const Constraint& c) { return c.contact || c.limit(); });
  }

  // Must be called after look().
  EngineStep state(int step, const std::vector<std::string>& laws) const {
    EngineStep s{
        fmt::format("mujoco {}", mj_versionString()), name_, step, data_->time, h_, {}, {}};
    for (const std::string& law : laws) {
      try {
        EngineProblem p = law == "coulomb" ? coulomb() : own();
        p.law = law;
        p.problem.name = fmt::format("{} step {}, {}", name_, step, law);
        p.problem.source =
            json::Object{{"engine", s.engine},
                         {"model", name_},
                         {"law", law},
                         {"cone", std::string(elliptic() ? "elliptic" : "pyramidal")},
                         {"step", std::int64_t{step}},
                         {"time", s.time},
                         {"h", h_}};
        s.problems.push_back(std::move(p));
      } catch (const Refused& reason) {
        s.refused.emplace_back(law, reason.what());
      }
    }
    return s;
  }

  void advance() { mj_step(model_.get(), data_.get()); }

 private:
  bool elliptic() const { return model_->opt.cone == mjCONE_ELLIPTIC; }

  Eigen::Map<const RowMatrix> jacobian() const { return {data_->efc_J, data_->nefc, model_->nv}; }

  std::string object(mjtObj type, int id) const {
    const char* name = mj_id2name(model_.get(), type, id);
    return name && *name ? to_utf8(name)
                         : fmt::format("{}{}", type == mjOBJ_GEOM ? "geom" : "", id);
  }

  std::string body_of(int geom) const { return object(mjOBJ_BODY, model_->geom_bodyid[geom]); }

  std::string name_of(const Constraint& c) const {
    const int id = data_->efc_id[c.row];
    if (c.contact)
      return fmt::format("{}/{} {}", body_of(c.contact->geom2), body_of(c.contact->geom1), id);
    switch (c.type) {
      case mjCNSTR_LIMIT_JOINT:
        return "limit of " + object(mjOBJ_JOINT, id);
      case mjCNSTR_LIMIT_TENDON:
        return "limit of " + object(mjOBJ_TENDON, id);
      case mjCNSTR_EQUALITY:
        return "equality " + object(mjOBJ_EQUALITY, id);
      default:
        return fmt::format("friction {}", id);
    }
  }

  // Rows of a pyramid's edges, or of a normal and tangents, as a point contact. @throws Refused
  PointContact point_contact(const Constraint& c) const {
    const auto rows = jacobian().middleRows(c.row, c.rows);
    const Eigen::Map<const Vector> force(data_->efc_force + c.row, c.rows);
    PointContact p{{}, RowMatrix::Zero(3, model_->nv), Vector3d::Zero()};
    p.gap = data_->efc_pos[c.row];
    p.info.name = name_of(c);
    p.info.gap = p.gap;
    if (c.contact) describe(*c.contact, p.info);
    if (c.rows == 1) {
      p.J.row(0) = rows.row(0);
      p.force[0] = force[0];
      return p;
    }
    const mjContact& contact = *c.contact;
    if (contact.dim > 3)
      throw Refused(fmt::format("contact {} has torsional or rolling friction (condim {})",
                                p.info.name, contact.dim));
    if (contact.friction[0] != contact.friction[1])
      throw Refused(fmt::format("contact {} has two friction coefficients", p.info.name));
    p.mu = contact.friction[0];
    if (c.type == mjCNSTR_CONTACT_ELLIPTIC) {
      p.J = rows;
      p.force = force;
      return p;
    }
    // The edges are n + mu t1, n - mu t1, n + mu t2, n - mu t2.
    p.J.row(0) = 0.5 * (rows.row(0) + rows.row(1));
    p.force[0] = force.sum();
    for (int i = 0; i < 2; ++i) {
      p.J.row(1 + i) = (rows.row(2 * i) - rows.row(2 * i + 1)) / (2 * p.mu);
      p.force[1 + i] = p.mu * (force[2 * i] - force[2 * i + 1]);
    }
    return p;
  }

  // MuJoCo's normal points from the first geom to the second.
  void describe(const mjContact& c, ContactInfo& info) const {
    info.body_a = body_of(c.geom2);
    info.body_b = body_of(c.geom1);
    info.point.assign(c.pos, c.pos + 3);
    info.normal.assign(c.frame, c.frame + 3);
    info.tangents = {{c.frame[3], c.frame[4], c.frame[5]}, {c.frame[6], c.frame[7], c.frame[8]}};
  }

  std::vector<PointContact> point_contacts(const std::string& law) const {
    std::vector<PointContact> list;
    for (const Constraint& c : constraints_) {
      if (!c.contact && !c.limit())
        throw Refused(fmt::format(
            "{} is neither a contact nor a limit; the problem of law {} can have no others",
            name_of(c), law));
      list.push_back(point_contact(c));
    }
    return list;
  }

  EngineProblem coulomb() const {
    const std::vector<PointContact> contacts = point_contacts("coulomb");
    const auto count = std::ssize(contacts);
    FrictionContact f;
    DenseMatrix J(3 * count, model_->nv);
    f.mu.resize(count);
    EngineProblem result{"coulomb", {}, Vector(3 * count)};
    for (std::ptrdiff_t k = 0; k < count; ++k) {
      const PointContact& p = contacts[static_cast<std::size_t>(k)];
      J.middleRows(3 * k, 3) = p.J;
      f.mu[k] = p.mu;
      result.z.segment<3>(3 * k) = h_ * p.force;
      result.problem.contacts.push_back(p.info);
    }
    f.q = J * free_;
    // An open contact may close. Bodies that overlap are not pushed apart.
    for (std::ptrdiff_t k = 0; k < count; ++k)
      f.q[3 * k] += std::max(contacts[static_cast<std::size_t>(k)].gap, 0.0) / h_;
    f.J = Matrix(std::move(J));
    f.M = Matrix(M_);
    result.problem.data = std::move(f);
    return result;
  }

  // The problem that MuJoCo solves, in impulses h f. With pyramids it is stated in the multipliers,
  // as a (mixed) LCP with the matrix J M^-1 J' + R; with elliptic cones it is stated in the
  // velocities.
  EngineProblem own() const { return elliptic() ? own_convex() : own_multipliers(); }

  EngineProblem own_multipliers() const {
    const int n = data_->nefc;
    const DenseMatrix J = jacobian();
    const Eigen::Map<const Vector> R(data_->efc_R, n), aim(data_->efc_aref, n);
    DenseMatrix W = J * M_.llt().solve(J.transpose());
    W = (0.5 * (W + W.transpose())).eval();
    W.diagonal() += R;
    Mlcp p;
    p.q = J * (free_ - velocity_) - h_ * aim;
    p.lower = Vector::Zero(n);
    p.upper = Vector::Constant(n, std::numeric_limits<double>::infinity());
    EngineProblem result{"own", {}, h_ * Eigen::Map<const Vector>(data_->efc_force, n)};
    bool plain = true;
    for (const Constraint& c : constraints_) {
      for (int i = 0; i < c.rows; ++i) {
        result.problem.variables.push_back(
            c.rows == 1
                ? name_of(c)
                : fmt::format("{} edge {}{}", name_of(c), i % 2 == 0 ? '+' : '-', i / 2 + 1));
      }
      if (c.type == mjCNSTR_EQUALITY) p.lower[c.row] = -p.upper[c.row];
      if (c.type == mjCNSTR_FRICTION_DOF || c.type == mjCNSTR_FRICTION_TENDON) {
        p.upper[c.row] = h_ * data_->efc_frictionloss[c.row];
        p.lower[c.row] = -p.upper[c.row];
      }
      plain = plain && (c.contact || c.limit());
    }
    p.M = Matrix(std::move(W));
    if (plain) {
      result.problem.data = Lcp{std::move(p.M), std::move(p.q)};
    } else {
      result.problem.data = std::move(p);
    }
    return result;
  }

  EngineProblem own_convex() const {
    const std::vector<PointContact> contacts = point_contacts("own with elliptic cones");
    const auto count = std::ssize(contacts);
    ConvexContact c;
    DenseMatrix J(3 * count, model_->nv);
    c.R.resize(3 * count);
    c.bias = Vector::Zero(3 * count);
    c.mu.resize(count);
    EngineProblem result{
        "own", {}, velocity_ + h_ * Eigen::Map<const Vector>(data_->qacc, model_->nv)};
    for (std::ptrdiff_t k = 0; k < count; ++k) {
      const PointContact& p = contacts[static_cast<std::size_t>(k)];
      const Constraint& rows = constraints_[static_cast<std::size_t>(k)];
      J.middleRows(3 * k, 3) = p.J;
      c.mu[k] = p.mu;
      c.R.segment<3>(3 * k).setConstant(data_->efc_R[rows.row]);
      for (int i = 0; i < rows.rows; ++i) {
        c.R[3 * k + i] = data_->efc_R[rows.row + i];
        c.bias[3 * k + i] = h_ * data_->efc_aref[rows.row + i];
      }
      result.problem.contacts.push_back(p.info);
    }
    c.bias += J * velocity_;
    c.A = Matrix(M_);
    c.J = Matrix(std::move(J));
    c.v_star = free_;
    result.problem.data = std::move(c);
    return result;
  }

  std::string name_;
  std::unique_ptr<mjModel, DeleteModel> model_;
  std::unique_ptr<mjData, DeleteData> data_;
  std::vector<Constraint> constraints_;
  DenseMatrix M_;
  Vector velocity_,
      free_;  // velocities at the beginning of the step, and at its end without constraints
  double h_ = 0.0;
};

void run(const std::string& file, const std::string& cone, int keyframe, const StepOptions& o) {
  mju_user_error = fail;
  Simulation simulation(file, cone, keyframe);
  StepCounter counter(o);
  answer_lines(counter, [&] {
    simulation.look();
    const bool wanted = counter.next(simulation.touching());
    if (wanted)
      std::cout << engine_step_to_text(simulation.state(counter.step(), o.laws)) << std::endl;
    simulation.advance();
    return wanted;
  });
}

}  // namespace
}  // namespace perp

int main(int argc, char** argv) {
  std::string file, cone;
  int keyframe = -1;
  perp::StepOptions options;
  CLI::App app{
      "Prints steps of a MuJoCo model as problems of perp, one for every line of its input"};
  app.add_option("MODEL", file, "model file, .xml or .mjb")->required();
  app.add_option("--cone", cone, "friction cones (default: those of the model)")
      ->check(CLI::IsMember({"pyramidal", "elliptic"}));
  app.add_option("--keyframe", keyframe, "begin at this keyframe of the model (the first is 0)");
  perp::add_step_options(app, options);
  try {
    app.parse(argc, argv);
    perp::run(file, cone, keyframe, options);
    return 0;
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : 2;
  } catch (const std::exception& error) {
    std::cerr << "mujoco: " << perp::message_line(error.what()) << '\n';
    return 2;
  }
}
