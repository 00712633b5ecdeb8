#include "dart_side.hpp"

#include <algorithm>
#include <dart/collision/CollisionObject.hpp>
#include <dart/collision/dart/DARTCollisionDetector.hpp>
#include <dart/constraint/ConstraintSolver.hpp>
#include <dart/constraint/DantzigBoxedLcpSolver.hpp>
#include <dart/constraint/PgsBoxedLcpSolver.hpp>
#include <dart/dynamics/BoxShape.hpp>
#include <dart/dynamics/FreeJoint.hpp>
#include <dart/dynamics/Skeleton.hpp>
#include <dart/dynamics/WeldJoint.hpp>
#include <dart/simulation/World.hpp>

namespace perp::dart_side {

namespace dd = dart::dynamics;
using Eigen::Vector3d;

namespace {

bool solve(dart::constraint::BoxedLcpSolver& solver, BoxedLcp problem, std::vector<double>& x) {
  std::vector<int> none(x.size(),
                        -1);  // no bound depends on another unknown, as friction bounds would
  return solver.solve(problem.n, problem.A.data(), x.data(), problem.b.data(), 0,
                      problem.lower.data(), problem.upper.data(), none.data(), true);
}

// m; half-spaces are boxes with edges of this length, because DART's detector has no planes.
constexpr double kGround = 1000.0;

Vector3d vector(const Triple& v) { return {v[0], v[1], v[2]}; }
Triple triple(const Vector3d& v) { return {v[0], v[1], v[2]}; }

void give_shape(dd::BodyNode& node, const Vector3d& size, double friction) {
  dd::ShapeNode* shape = node.createShapeNodeWith<dd::CollisionAspect, dd::DynamicsAspect>(
      std::make_shared<dd::BoxShape>(size));
  shape->getDynamicsAspect()->setFrictionCoeff(friction);
  shape->getDynamicsAspect()->setRestitutionCoeff(0.0);
}

}  // namespace

int row_length(int n) { return n > 1 ? ((n - 1) | 3) + 1 : n; }

bool dantzig(BoxedLcp problem, std::vector<double>& x) {
  dart::constraint::DantzigBoxedLcpSolver solver;
  return solve(solver, std::move(problem), x);
}

bool projected_gauss_seidel(BoxedLcp problem, int sweeps, double change, std::vector<double>& x) {
  dart::constraint::PgsBoxedLcpSolver solver;
  solver.setOption({sweeps, change, 0.0});
  return solve(solver, std::move(problem), x);
}

struct World::Data {
  dart::simulation::WorldPtr world = dart::simulation::World::create();
  std::vector<dd::BodyNode*> nodes;
};

World::World(const Triple& gravity, const std::vector<Solid>& solids)
    : data_(std::make_unique<Data>()) {
  data_->world->setGravity(vector(gravity));
  data_->world->getConstraintSolver()->setCollisionDetector(
      dart::collision::DARTCollisionDetector::create());
  for (const Solid& solid : solids) {
    const auto skeleton = dd::Skeleton::create(solid.name);
    const auto& q = solid.orientation;
    Eigen::Isometry3d at = Eigen::Isometry3d::Identity();
    at.linear() = Eigen::Quaterniond(q[0], q[1], q[2], q[3]).toRotationMatrix();
    at.translation() = vector(solid.position);
    if (solid.fixed) {
      const auto [joint, node] = skeleton->createJointAndBodyNodePair<dd::WeldJoint>();
      at.translation() += (solid.offset - kGround / 2) * at.linear().col(2);
      joint->setTransformFromParentBodyNode(at);
      give_shape(*node, Vector3d::Constant(kGround), solid.friction);
      data_->nodes.push_back(node);
    } else {
      const auto [joint, node] = skeleton->createJointAndBodyNodePair<dd::FreeJoint>();
      const Eigen::Matrix3d inertia = vector(solid.inertia).asDiagonal();
      node->setInertia(dd::Inertia(solid.mass, Vector3d::Zero(), inertia));
      joint->setTransform(at);
      joint->setLinearVelocity(vector(solid.velocity));
      joint->setAngularVelocity(vector(solid.angular_velocity));
      give_shape(*node, vector(solid.size), solid.friction);
      data_->nodes.push_back(node);
    }
    data_->world->addSkeleton(skeleton);
  }
}

World::~World() = default;

void World::apply(int solid, const Triple& force, const Triple& moment) {
  dd::BodyNode* node = data_->nodes[static_cast<std::size_t>(solid)];
  node->addExtForce(vector(force), Vector3d::Zero(), false, true);
  node->addExtTorque(vector(moment), false);
}

// DART clears the forces at the end of a step.
void World::step(double h) {
  data_->world->setTimeStep(h);
  data_->world->step();
}

Solid World::read(int solid) const {
  const dd::BodyNode& node = *data_->nodes[static_cast<std::size_t>(solid)];
  const Eigen::Quaterniond q(node.getWorldTransform().linear());
  Solid read;
  read.position = triple(node.getWorldTransform().translation());
  read.orientation = {q.w(), q.x(), q.y(), q.z()};
  read.velocity = triple(node.getLinearVelocity());
  read.angular_velocity = triple(node.getAngularVelocity());
  return read;
}

std::string version() { return DART_VERSION; }

std::vector<Touch> World::contacts() const {
  std::vector<Touch> list;
  const auto index_of = [&](const dart::collision::CollisionObject* object) {
    const dd::BodyNode* node = object->getShapeFrame()->asShapeNode()->getBodyNodePtr().get();
    const auto it = std::find(data_->nodes.begin(), data_->nodes.end(), node);
    return static_cast<int>(it - data_->nodes.begin());
  };
  for (const auto& contact : data_->world->getLastCollisionResult().getContacts()) {
    list.push_back({index_of(contact.collisionObject1), index_of(contact.collisionObject2),
                    triple(contact.point), triple(contact.normal), triple(contact.force),
                    contact.penetrationDepth});
  }
  return list;
}

}  // namespace perp::dart_side
