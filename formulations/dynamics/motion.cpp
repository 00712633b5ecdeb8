#include <perp/formulations/dynamics/motion.hpp>

#include <Eigen/Cholesky>
#include <Eigen/LU>
#include <numeric>

namespace perp {

namespace {

// Appends the blocks of the velocities of the next body; in space the components of its rotation
// are coupled.
void add_blocks_of_body(const Coordinates& coordinates, std::vector<std::vector<int>>& blocks) {
  int at = 0;
  for (const auto& block : blocks) at += static_cast<int>(block.size());
  for (int k = 0; k < 3; ++k) blocks.push_back({at + k});
  if (coordinates.per_body() == 6) blocks.push_back({at + 3, at + 4, at + 5});
}

}  // namespace

Motion maximal_motion(const Scene& scene, const State& state, double h) {
  const Coordinates coordinates(scene);
  Motion m;
  m.inverse_mass = inverse_mass_matrix(scene, state, coordinates);
  m.free = free_velocity(scene, state, coordinates, h);
  m.moved = [&scene, state, coordinates, h](const Vector& v) {
    return ::perp::moved(scene, state, coordinates, v, h);
  };
  for (int at = 0; at < coordinates.size(); at += coordinates.per_body())
    add_blocks_of_body(coordinates, m.blocks);
  return m;
}

Motion reduced_motion(const Scene& scene, const Articulation& arm, const State& state, double h) {
  const Coordinates coordinates(scene);
  const JointState joints = arm.read(state);
  const Articulation::Dynamics d = arm.dynamics(joints);
  const int n = arm.size(), per_body = coordinates.per_body();
  const Eigen::LLT<DenseMatrix> inertia(d.inertia);
  const DenseMatrix inverse = inertia.solve(DenseMatrix::Identity(n, n));
  const SparseMatrix bodies = inverse_mass_matrix(scene, state, coordinates);
  const Vector flight = free_velocity(scene, state, coordinates, h);

  Motion m;
  m.twists = arm.twists(state);
  const int size = static_cast<int>(m.twists.cols());
  std::vector<Triplet> mass, inverse_mass;
  for (int i = 0; i < n; ++i) {
    for (int j = 0; j < n; ++j) {
      mass.emplace_back(i, j, d.inertia(i, j));
      inverse_mass.emplace_back(i, j, 0.5 * (inverse(i, j) + inverse(j, i)));
    }
  }
  m.free.resize(size);
  m.free.head(n) = joints.rate + h * inertia.solve(arm.applied(state) - d.bias);
  m.blocks.emplace_back(n);
  std::iota(m.blocks.back().begin(), m.blocks.back().end(), 0);
  int at = n;
  for (const int body : arm.loose()) {
    const int from = coordinates.offset(body);
    const DenseMatrix block = DenseMatrix(bodies.block(from, from, per_body, per_body));
    const DenseMatrix back = block.inverse();
    for (int i = 0; i < per_body; ++i) {
      for (int j = 0; j < per_body; ++j) {
        if (block(i, j) == 0.0) continue;
        inverse_mass.emplace_back(at + i, at + j, block(i, j));
        mass.emplace_back(at + i, at + j, 0.5 * (back(i, j) + back(j, i)));
      }
    }
    m.free.segment(at, per_body) = flight.segment(from, per_body);
    add_blocks_of_body(coordinates, m.blocks);
    at += per_body;
  }
  for (SparseMatrix* matrix : {&m.mass, &m.inverse_mass}) matrix->resize(size, size);
  m.mass.setFromTriplets(mass.begin(), mass.end());
  m.inverse_mass.setFromTriplets(inverse_mass.begin(), inverse_mass.end());
  m.displacements.setZero(static_cast<int>(scene.joints.size()));
  m.rates.assign(scene.joints.size(), -1);
  for (int k = 0; k < n; ++k) {
    m.displacements[arm.joint(k)] = joints.position[k];
    m.rates[static_cast<std::size_t>(arm.joint(k))] = k;
  }
  m.moved = [&scene, &arm, state, coordinates, h, joints, x = m.twists](const Vector& v) {
    State end = ::perp::moved(scene, state, coordinates, x * v, h);
    const Vector rates = v.head(arm.size());
    arm.write({joints.position + h * rates, rates}, end);
    return end;
  };
  return m;
}

}  // namespace perp
