#include <perp/problems/standard/friction_pyramid.hpp>

#include <cmath>
#include <numbers>
#include <utility>

namespace perp {

int FrictionPyramids::slips() const {
  int count = 0;
  for (int c = 0; c < contacts(); ++c) count += has_friction(c);
  return count;
}

Eigen::Vector2d pyramid_edge(int e, int k) {
  const double angle = 2 * std::numbers::pi * e / k;
  return {std::cos(angle), std::sin(angle)};
}

void add_pyramid_border(const FrictionPyramids& pyramids, int normals, int edges, int slips,
                        std::vector<Triplet>& entries) {
  int slip = slips;
  for (int c = 0; c < pyramids.contacts(); ++c) {
    if (!pyramids.has_friction(c)) continue;
    entries.emplace_back(slip, normals + c, pyramids.mu[c]);
    const auto k = static_cast<std::size_t>(c);
    for (int e = pyramids.first[k]; e < pyramids.first[k + 1]; ++e) {
      entries.emplace_back(edges + e, slip, 1.0);
      entries.emplace_back(slip, edges + e, -1.0);
    }
    ++slip;
  }
}

SparseMatrix pyramid_matrix(const SparseMatrix& delassus, const FrictionPyramids& pyramids) {
  const int nc = pyramids.contacts(), slips = nc + pyramids.edges(), count = pyramids.slips();
  std::vector<int> slip_of(static_cast<std::size_t>(slips), -1), frictional;
  for (int c = 0; c < nc; ++c) {
    if (!pyramids.has_friction(c)) continue;
    const int slip = slips + static_cast<int>(frictional.size());
    frictional.push_back(c);
    slip_of[c] = slip;
    for (int e = pyramids.first[c]; e < pyramids.first[c + 1]; ++e) slip_of[nc + e] = slip;
  }
  const int n = static_cast<int>(delassus.rows()) + count;
  SparseMatrix m(n, n);
  m.reserve(delassus.nonZeros() + nc + 2 * static_cast<Eigen::Index>(pyramids.edges()));
  // The rows of a column of W, with the entry in the row of its slip between them.
  const auto copy_column = [&](int from, int to, int slip, double entry) {
    m.startVec(to);
    SparseMatrix::InnerIterator it(delassus, from);
    for (; it && it.row() < slips; ++it) m.insertBack(it.row(), to) = it.value();
    if (slip >= 0) m.insertBack(slip, to) = entry;
    for (; it; ++it) m.insertBack(it.row() + count, to) = it.value();
  };
  for (int j = 0; j < slips; ++j) copy_column(j, j, slip_of[j], j < nc ? pyramids.mu[j] : -1.0);
  for (int k = 0; k < count; ++k) {
    m.startVec(slips + k);
    for (int e = pyramids.first[frictional[k]]; e < pyramids.first[frictional[k] + 1]; ++e)
      m.insertBack(nc + e, slips + k) = 1.0;
  }
  for (int j = slips; j < delassus.cols(); ++j) copy_column(j, j + count, -1, 0.0);
  m.finalize();
  return m;
}

Lcp pyramid_lcp(const SparseMatrix& delassus, const Vector& velocity,
                const FrictionPyramids& pyramids) {
  const int n = static_cast<int>(velocity.size()) + pyramids.slips();
  Vector q = Vector::Zero(n);
  q.head(velocity.size()) = velocity;
  return {Matrix(pyramid_matrix(delassus, pyramids)), std::move(q)};
}

}  // namespace perp
