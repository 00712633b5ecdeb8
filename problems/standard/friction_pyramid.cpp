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

std::vector<Triplet> pyramid_matrix(const SparseMatrix& delassus,
                                    const FrictionPyramids& pyramids) {
  const int slips = pyramids.contacts() + pyramids.edges(), count = pyramids.slips();
  const auto place = [&](int row) { return row < slips ? row : row + count; };
  std::vector<Triplet> entries;
  for (int j = 0; j < delassus.outerSize(); ++j) {
    for (SparseMatrix::InnerIterator it(delassus, j); it; ++it)
      entries.emplace_back(place(static_cast<int>(it.row())), place(j), it.value());
  }
  add_pyramid_border(pyramids, 0, pyramids.contacts(), slips, entries);
  return entries;
}

Lcp pyramid_lcp(const SparseMatrix& delassus, const Vector& velocity,
                const FrictionPyramids& pyramids) {
  const int n = static_cast<int>(velocity.size()) + pyramids.slips();
  Vector q = Vector::Zero(n);
  q.head(velocity.size()) = velocity;
  return {Matrix::from_triplets(n, n, pyramid_matrix(delassus, pyramids)), std::move(q)};
}

}  // namespace perp
