// Runs scenes with the Open Dynamics Engine (dWorldStep). Its friction is a box along two tangents,
// with the bound mu p_n for each (dContactApprox1).
#include <perp/bench/peers/engine.hpp>

#include <ode/ode.h>
#include <array>
#include <vector>

namespace perp {
namespace {

class Ode final : public Engine {
 public:
  explicit Ode(const Scene& scene) : mu_(scene.contact.mu) {
    dInitODE();
    world_ = dWorldCreate();
    space_ = dHashSpaceCreate(nullptr);
    contacts_ = dJointGroupCreate(0);
    dWorldSetGravity(world_, scene.gravity[0], scene.gravity[1], scene.gravity[2]);
    for (const Body& body : scene.bodies) add(body);
  }
  ~Ode() override {
    dJointGroupDestroy(contacts_);
    dSpaceDestroy(space_);
    dWorldDestroy(world_);
    dCloseODE();
  }
  Ode(const Ode&) = delete;
  Ode& operator=(const Ode&) = delete;

  void apply(int body, const Vector3d& force, const Vector3d& moment) override {
    dBodyID b = bodies_[static_cast<std::size_t>(body)];
    dBodyAddForce(b, force[0], force[1], force[2]);
    dBodyAddTorque(b, moment[0], moment[1], moment[2]);
  }

  void step(double h) override {
    dSpaceCollide(space_, this, &Ode::near);
    dWorldStep(world_, h);
    dJointGroupEmpty(contacts_);
  }

  BodyState body(int index) const override {
    dBodyID b = bodies_[static_cast<std::size_t>(index)];
    const auto vector = [](const dReal* v) { return Vector3d(v[0], v[1], v[2]); };
    const dReal* q = dBodyGetQuaternion(b);
    return {vector(dBodyGetPosition(b)), Quaterniond(q[0], q[1], q[2], q[3]),
            vector(dBodyGetLinearVel(b)), vector(dBodyGetAngularVel(b))};
  }

 private:
  void add(const Body& body) {
    if (const auto* space = std::get_if<HalfSpace>(&body.shape)) {
      const Vector3d n = body.orientation * space->normal;
      dCreatePlane(space_, n[0], n[1], n[2], n.dot(body.position) + space->offset);
      bodies_.push_back(nullptr);
      return;
    }
    dBodyID b = dBodyCreate(world_);
    dMass mass;
    dMassSetParameters(&mass, body.mass, 0, 0, 0, body.inertia[0], body.inertia[1], body.inertia[2],
                       0, 0, 0);
    dBodySetMass(b, &mass);
    const Vector3d &p = body.position, &v = body.velocity, &w = body.angular_velocity;
    const dQuaternion q = {body.orientation.w(), body.orientation.x(), body.orientation.y(),
                           body.orientation.z()};
    dBodySetPosition(b, p[0], p[1], p[2]);
    dBodySetQuaternion(b, q);
    dBodySetLinearVel(b, v[0], v[1], v[2]);
    dBodySetAngularVel(b, w[0], w[1], w[2]);
    const Vector3d size = 2 * std::get<Box>(body.shape).half;
    dGeomSetBody(dCreateBox(space_, size[0], size[1], size[2]), b);
    bodies_.push_back(b);
  }

  static void near(void* self, dGeomID a, dGeomID b) {
    const Ode& ode = *static_cast<Ode*>(self);
    std::array<dContact, 8> found{};
    const int n = dCollide(a, b, static_cast<int>(found.size()), &found[0].geom, sizeof(dContact));
    for (int k = 0; k < n; ++k) {
      dContact& contact = found[static_cast<std::size_t>(k)];
      contact.surface.mode = dContactApprox1;
      contact.surface.mu = ode.mu_;
      const dJointID joint = dJointCreateContact(ode.world_, ode.contacts_, &contact);
      dJointAttach(joint, dGeomGetBody(a), dGeomGetBody(b));
    }
  }

  double mu_;
  dWorldID world_;
  dSpaceID space_;
  dJointGroupID contacts_;
  std::vector<dBodyID> bodies_;
};

}  // namespace
}  // namespace perp

int main(int argc, char** argv) {
  return perp::run_engine("ode", argc, argv, [](const perp::Scene& scene) {
    return std::make_unique<perp::Ode>(scene);
  });
}
