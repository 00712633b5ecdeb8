// Runs scenes with DART's world and its default settings: contact LCPs with friction as a box,
// solved by Dantzig's method or, if that fails, by projected Gauss-Seidel.
#include "dart_side.hpp"

#include <perp/bench/peers/engine.hpp>

namespace perp {
namespace {

dart_side::Triple triple(const Vector3d& v) { return {v[0], v[1], v[2]}; }
Vector3d vector(const dart_side::Triple& v) { return {v[0], v[1], v[2]}; }

std::vector<dart_side::Solid> solids_of(const Scene& scene) {
  std::vector<dart_side::Solid> solids;
  for (const Body& body : scene.bodies) {
    dart_side::Solid& solid = solids.emplace_back();
    solid.name = body.name;
    solid.fixed = body.fixed;
    solid.friction = scene.contact.mu;
    solid.position = triple(body.position);
    Quaterniond turn = body.orientation;
    if (const auto* space = std::get_if<HalfSpace>(&body.shape)) {
      solid.offset = space->offset;
      turn = Quaterniond::FromTwoVectors(Vector3d::UnitZ(), body.orientation * space->normal);
    } else {
      solid.size = triple(2 * std::get<Box>(body.shape).half);
      solid.mass = body.mass;
      solid.inertia = triple(body.inertia);
      solid.velocity = triple(body.velocity);
      solid.angular_velocity = triple(body.angular_velocity);
    }
    solid.orientation = {turn.w(), turn.x(), turn.y(), turn.z()};
  }
  return solids;
}

class Dart final : public Engine {
 public:
  explicit Dart(const Scene& scene) : world_(triple(scene.gravity), solids_of(scene)) {}

  void apply(int body, const Vector3d& force, const Vector3d& moment) override {
    world_.apply(body, triple(force), triple(moment));
  }
  void step(double h) override { world_.step(h); }
  std::string version() const override { return dart_side::version(); }
  bool has_contacts() const override { return true; }
  std::vector<EngineContact> contacts(double h) const override {
    std::vector<EngineContact> list;
    for (const dart_side::Touch& touch : world_.contacts()) {
      list.push_back({touch.a, touch.b, vector(touch.point), vector(touch.normal), -touch.depth,
                      h * vector(touch.force)});
    }
    return list;
  }
  BodyState body(int index) const override {
    const dart_side::Solid solid = world_.read(index);
    const auto& q = solid.orientation;
    return {vector(solid.position), Quaterniond(q[0], q[1], q[2], q[3]).normalized(),
            vector(solid.velocity), vector(solid.angular_velocity)};
  }

 private:
  dart_side::World world_;
};

}  // namespace
}  // namespace perp

int main(int argc, char** argv) {
  return perp::run_engine("dart", argc, argv, [](const perp::Scene& scene) {
    return std::make_unique<perp::Dart>(scene);
  });
}
