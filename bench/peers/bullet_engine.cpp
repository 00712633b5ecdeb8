// Runs scenes with Bullet's discrete dynamics world and its sequential impulses. Settings are the
// defaults, but damping and sleeping are off.
#include <perp/bench/peers/engine.hpp>

#include <btBulletDynamicsCommon.h>
#include <fmt/format.h>
#include <algorithm>
#include <cmath>
#include <memory>
#include <vector>

namespace perp {
namespace {

btVector3 to_bullet(const Vector3d& v) { return {v[0], v[1], v[2]}; }
Vector3d from_bullet(const btVector3& v) { return {v.x(), v.y(), v.z()}; }

class Bullet final : public Engine {
 public:
  explicit Bullet(const Scene& scene)
      : dispatcher_(&configuration_), world_(&dispatcher_, &pairs_, &solver_, &configuration_) {
    world_.setGravity(to_bullet(scene.gravity));
    for (const Body& body : scene.bodies) add(body, scene.contact.mu);
  }
  ~Bullet() override {
    for (const auto& body : bodies_) world_.removeRigidBody(body.get());
  }
  Bullet(const Bullet&) = delete;
  Bullet& operator=(const Bullet&) = delete;

  void apply(int body, const Vector3d& force, const Vector3d& moment) override {
    bodies_[static_cast<std::size_t>(body)]->applyCentralForce(to_bullet(force));
    bodies_[static_cast<std::size_t>(body)]->applyTorque(to_bullet(moment));
  }

  void step(double h) override { world_.stepSimulation(h, 0); }

  std::string version() const override {
    return fmt::format("{}.{:02}", btGetVersion() / 100, btGetVersion() % 100);
  }
  bool has_contacts() const override { return true; }
  std::vector<EngineContact> contacts(double /*h*/) const override {
    std::vector<EngineContact> list;
    for (int k = 0; k < dispatcher_.getNumManifolds(); ++k) {
      const btPersistentManifold& manifold = *dispatcher_.getManifoldByIndexInternal(k);
      for (int i = 0; i < manifold.getNumContacts(); ++i) {
        const btManifoldPoint& p = manifold.getContactPoint(i);
        EngineContact& c = list.emplace_back();
        c.a = index_of(manifold.getBody0());
        c.b = index_of(manifold.getBody1());
        c.point =
            0.5 * (from_bullet(p.getPositionWorldOnA()) + from_bullet(p.getPositionWorldOnB()));
        c.normal = from_bullet(p.m_normalWorldOnB);
        c.gap = p.getDistance();
        c.impulse = from_bullet(p.m_appliedImpulse * p.m_normalWorldOnB +
                                p.m_appliedImpulseLateral1 * p.m_lateralFrictionDir1 +
                                p.m_appliedImpulseLateral2 * p.m_lateralFrictionDir2);
      }
    }
    return list;
  }

  BodyState body(int index) const override {
    const btRigidBody& b = *bodies_[static_cast<std::size_t>(index)];
    const btQuaternion q = b.getOrientation();
    return {from_bullet(b.getCenterOfMassPosition()),
            Quaterniond(q.w(), q.x(), q.y(), q.z()).normalized(),
            from_bullet(b.getLinearVelocity()), from_bullet(b.getAngularVelocity())};
  }

 private:
  int index_of(const btCollisionObject* object) const {
    const auto is = [&](const auto& body) { return body.get() == object; };
    return static_cast<int>(std::find_if(bodies_.begin(), bodies_.end(), is) - bodies_.begin());
  }

  void add(const Body& body, double mu) {
    if (const auto* space = std::get_if<HalfSpace>(&body.shape)) {
      shapes_.push_back(
          std::make_unique<btStaticPlaneShape>(to_bullet(space->normal), space->offset));
    } else {
      shapes_.push_back(std::make_unique<btBoxShape>(to_bullet(std::get<Box>(body.shape).half)));
    }
    const Quaterniond& q = body.orientation;
    btRigidBody::btRigidBodyConstructionInfo info(
        body.fixed ? 0.0 : body.mass, nullptr, shapes_.back().get(),
        body.fixed ? btVector3(0, 0, 0) : to_bullet(body.inertia));
    info.m_startWorldTransform =
        btTransform(btQuaternion(q.x(), q.y(), q.z(), q.w()), to_bullet(body.position));
    info.m_friction = std::sqrt(mu);  // Bullet multiplies the coefficients of both bodies
    bodies_.push_back(std::make_unique<btRigidBody>(info));
    btRigidBody& b = *bodies_.back();
    if (!body.fixed) {
      b.setLinearVelocity(to_bullet(body.velocity));
      b.setAngularVelocity(to_bullet(body.angular_velocity));
      b.setActivationState(DISABLE_DEACTIVATION);
    }
    world_.addRigidBody(&b);
  }

  btDefaultCollisionConfiguration configuration_;
  btCollisionDispatcher dispatcher_;
  btDbvtBroadphase pairs_;
  btSequentialImpulseConstraintSolver solver_;
  btDiscreteDynamicsWorld world_;
  std::vector<std::unique_ptr<btCollisionShape>> shapes_;
  std::vector<std::unique_ptr<btRigidBody>> bodies_;
};

}  // namespace
}  // namespace perp

int main(int argc, char** argv) {
  return perp::run_engine("bullet", argc, argv, [](const perp::Scene& scene) {
    return std::make_unique<perp::Bullet>(scene);
  });
}
