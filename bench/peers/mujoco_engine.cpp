// Runs scenes with MuJoCo (Apache License 2.0): Newton's method on its convex problem of soft
// contacts, with the exact cone ("elliptic") instead of its default, a pyramid with four edges.
#include <mujoco/mujoco.h>

#include <fmt/format.h>
#include <perp/bench/peers/engine.hpp>
#include <stdexcept>
#include <string>
#include <vector>

namespace perp {
namespace {

std::string words(const Vector3d& v) {
  return fmt::format("{:.17g} {:.17g} {:.17g}", v[0], v[1], v[2]);
}

std::string words(const Quaterniond& q) {
  return fmt::format("{:.17g} {:.17g} {:.17g} {:.17g}", q.w(), q.x(), q.y(), q.z());
}

// The scene as XML, because MuJoCo builds models only from that.
std::string model_of(const Scene& scene) {
  std::string geoms, bodies;
  for (const Body& body : scene.bodies) {
    if (const auto* space = std::get_if<HalfSpace>(&body.shape)) {
      const Vector3d n = body.orientation * space->normal;
      const Quaterniond turn = Quaterniond::FromTwoVectors(Vector3d::UnitZ(), n);
      geoms += fmt::format(R"(<geom type="plane" size="0 0 1" pos="{}" quat="{}"/>)",
                           words(Vector3d(body.position + space->offset * n)), words(turn));
    } else {
      bodies += fmt::format(R"(<body pos="{}" quat="{}"><freejoint/>)"
                            R"(<inertial pos="0 0 0" mass="{:.17g}" diaginertia="{}"/>)"
                            R"(<geom type="box" size="{}"/></body>)",
                            words(body.position), words(body.orientation), body.mass,
                            words(body.inertia), words(std::get<Box>(body.shape).half));
    }
  }
  return fmt::format(
      R"(<mujoco><compiler angle="radian" balanceinertia="false"/>)"
      R"(<option cone="elliptic" gravity="{}"/>)"
      R"(<default><geom friction="{:.17g} 0 0"/></default><worldbody>{}{}</worldbody></mujoco>)",
      words(scene.gravity), scene.contact.mu, geoms, bodies);
}

class Mujoco final : public Engine {
 public:
  explicit Mujoco(const Scene& scene) {
    load(model_of(scene));
    int count = 0;
    for (const Body& body : scene.bodies) {
      index_.push_back(body.fixed ? -1 : count++);
      if (body.fixed) continue;
      mjtNum* velocity = data_->qvel + 6 * index_.back();
      const Vector3d turning = body.orientation.conjugate() * body.angular_velocity;
      for (int i = 0; i < 3; ++i) {
        velocity[i] = body.velocity[i];
        velocity[3 + i] = turning[i];  // in the body's frame
      }
    }
  }
  ~Mujoco() override {
    mj_deleteData(data_);
    mj_deleteModel(model_);
  }
  Mujoco(const Mujoco&) = delete;
  Mujoco& operator=(const Mujoco&) = delete;

  void apply(int body, const Vector3d& force, const Vector3d& moment) override {
    const int index = index_[static_cast<std::size_t>(body)];
    if (index < 0) return;
    mjtNum* wrench = data_->xfrc_applied + 6 * (index + 1);  // body 0 is the world
    for (int i = 0; i < 3; ++i) {
      wrench[i] += force[i];
      wrench[3 + i] += moment[i];
    }
  }

  void step(double h) override {
    model_->opt.timestep = h;
    mj_step(model_, data_);
    mju_zero(data_->xfrc_applied, 6 * model_->nbody);
  }

  BodyState body(int index) const override {
    const int k = index_[static_cast<std::size_t>(index)];
    const mjtNum *q = data_->qpos + 7 * k, *v = data_->qvel + 6 * k;
    const Quaterniond turn = Quaterniond(q[3], q[4], q[5], q[6]).normalized();
    return {Vector3d(q[0], q[1], q[2]), turn, Vector3d(v[0], v[1], v[2]),
            turn * Vector3d(v[3], v[4], v[5])};
  }

 private:
  void load(const std::string& xml) {
    constexpr const char* kFile = "scene.xml";
    const auto files = std::make_unique<mjVFS>();
    mj_defaultVFS(files.get());
    if (mj_makeEmptyFileVFS(files.get(), kFile, static_cast<int>(xml.size())) != 0)
      throw std::invalid_argument("scene: too large for MuJoCo");
    std::copy(xml.begin(), xml.end(), static_cast<char*>(files->filedata[0]));
    std::string message(500, '\0');
    model_ = mj_loadXML(kFile, files.get(), message.data(), static_cast<int>(message.size()));
    mj_deleteVFS(files.get());
    if (!model_) throw std::invalid_argument(fmt::format("MuJoCo: {}", message.c_str()));
    data_ = mj_makeData(model_);
  }

  mjModel* model_ = nullptr;
  mjData* data_ = nullptr;
  std::vector<int> index_;  // indices of the moving bodies
};

}  // namespace
}  // namespace perp

int main(int argc, char** argv) {
  return perp::run_engine("mujoco", argc, argv, [](const perp::Scene& scene) {
    return std::make_unique<perp::Mujoco>(scene);
  });
}
