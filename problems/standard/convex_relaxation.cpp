#include <perp/problems/standard/convex_relaxation.hpp>

#include <utility>
#include <vector>

namespace perp {

ConvexRelaxation relaxation_in_impulses(Matrix w, Vector q, const Vector& mu, int dimension) {
  const int unknowns = static_cast<int>(q.size());
  ConvexRelaxation r;
  std::vector<Triplet> entries;
  for (int c = 0; c < mu.size(); ++c) {
    const int at = dimension * c, size = mu[c] > 0 ? dimension : 1;
    for (int i = 0; i < dimension; ++i) {
      const bool held = i >= size;
      (held ? r.partition.held.unknowns : r.partition.contacts.unknowns).push_back(at + i);
      (held ? r.partition.held.rows : r.partition.contacts.rows).push_back(at + i);
      entries.emplace_back(at + i, at + i, i == 0 && mu[c] > 0 ? mu[c] : 1.0);
    }
    r.partition.contacts.sizes.push_back(size);
    if (mu[c] > 0) {
      r.problem.cones.push_back({ConeType::kSecondOrder, dimension});
    } else {
      r.problem.cones.push_back({ConeType::kNonnegative, 1});
      r.problem.cones.push_back({ConeType::kZero, dimension - 1});
    }
  }
  const int rows = dimension * static_cast<int>(mu.size());
  r.cones.resize(rows, rows);
  r.cones.setFromTriplets(entries.begin(), entries.end());
  SparseMatrix a = -r.cones;
  a.conservativeResize(rows, unknowns);
  r.problem.P = std::move(w);
  r.problem.c = std::move(q);
  r.problem.A = Matrix(std::move(a));
  r.problem.b = Vector::Zero(rows);
  return r;
}

ConvexRelaxation relaxation_in_velocities(const VelocityRelaxation& data) {
  ConvexRelaxation r;
  std::vector<Triplet> entries;
  int row = 0;
  for (int c = 0; c < data.mu.size(); ++c) {
    const int at = data.dimension * c, size = data.mu[c] > 0 ? data.dimension : 1;
    for (int i = 0; i < size; ++i) {
      r.partition.contacts.rows.push_back(row);
      entries.emplace_back(row++, at + i, i == 0 ? 1.0 : data.mu[c]);
    }
    r.partition.contacts.sizes.push_back(size);
    r.problem.cones.push_back(
        {data.mu[c] > 0 ? ConeType::kSecondOrder : ConeType::kNonnegative, size});
  }
  const auto local = static_cast<int>(data.velocity.size());
  r.cones.resize(row, local);
  r.cones.setFromTriplets(entries.begin(), entries.end());
  std::vector<Triplet> hessian, map;
  const int velocities = static_cast<int>(data.mass.cols());
  for (int j = 0; j < velocities; ++j) {
    for (SparseMatrix::InnerIterator it(data.mass, j); it; ++it)
      hessian.emplace_back(static_cast<int>(it.row()), j, it.value());
    for (SparseMatrix::InnerIterator it(data.jacobian, j); it; ++it)
      map.emplace_back(static_cast<int>(it.row()), j, it.value());
  }
  int columns = velocities;
  for (int i = 0; i < data.compliance.size(); ++i) {
    if (!(data.compliance[i] > 0)) continue;
    hessian.emplace_back(columns, columns, data.compliance[i]);
    map.emplace_back(i, columns++, data.compliance[i]);
  }
  SparseMatrix j(local, columns);
  j.setFromTriplets(map.begin(), map.end());
  r.problem.P = Matrix::from_triplets(columns, columns, hessian);
  r.problem.c = Vector::Zero(columns);
  r.problem.c.head(velocities) = data.force;
  r.problem.A = Matrix(SparseMatrix(-(r.cones * j)));
  r.problem.b = r.cones * data.velocity;
  return r;
}

}  // namespace perp
