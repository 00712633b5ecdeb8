// Whether two problems have the same structure, and whether they have the same values.
#include <perp/solvers/session.hpp>

#include <perp/problems/matrix/sparse_copies.hpp>

#include <algorithm>
#include <cmath>

namespace perp {

namespace {

bool same_places(const SparseMatrix& a, const SparseMatrix& b) {
  return a.rows() == b.rows() && a.cols() == b.cols() && a.nonZeros() == b.nonZeros() &&
         a.isCompressed() && b.isCompressed() &&
         std::equal(a.outerIndexPtr(), a.outerIndexPtr() + a.outerSize() + 1, b.outerIndexPtr()) &&
         std::equal(a.innerIndexPtr(), a.innerIndexPtr() + a.nonZeros(), b.innerIndexPtr());
}

bool same_places(const Matrix& a, const Matrix& b) {
  if (a.shares(b)) return true;
  if (a.is_sparse() != b.is_sparse()) return false;
  if (a.is_sparse()) return same_places(a.sparse(), b.sparse());
  return a.rows() == b.rows() && a.cols() == b.cols();
}

bool same_matrix(const Matrix& a, const Matrix& b) {
  if (a.shares(b)) return true;
  if (!same_places(a, b)) return false;
  if (a.is_sparse())
    return same_bits(a.sparse().valuePtr(), b.sparse().valuePtr(), a.sparse().nonZeros());
  return same_bits(a.dense().data(), b.dense().data(), a.dense().size());
}

// Which bounds are finite, and which unknowns are fixed.
bool same_bounds(const Vector& low_a, const Vector& high_a, const Vector& low_b,
                 const Vector& high_b) {
  if (low_a.size() != low_b.size() || high_a.size() != high_b.size()) return false;
  for (int i = 0; i < low_a.size(); ++i) {
    if (std::isinf(low_a[i]) != std::isinf(low_b[i])) return false;
    if (std::isinf(high_a[i]) != std::isinf(high_b[i])) return false;
    if ((low_a[i] == high_a[i]) != (low_b[i] == high_b[i])) return false;
  }
  return true;
}

bool same_zeros(const Vector& a, const Vector& b) {
  if (a.size() != b.size()) return false;
  for (int i = 0; i < a.size(); ++i) {
    if ((a[i] == 0.0) != (b[i] == 0.0)) return false;
  }
  return true;
}

bool same_cones(const ConicQp& a, const ConicQp& b) {
  return std::equal(
      a.cones.begin(), a.cones.end(), b.cones.begin(), b.cones.end(),
      [](const Cone& x, const Cone& y) { return x.type == y.type && x.size == y.size; });
}

bool same_partition(const ConicQp& a, const ConicQp& b) {
  if (!a.partition || !b.partition) return a.partition == b.partition;
  return a.partition == b.partition || *a.partition == *b.partition;
}

bool structure(const Lcp& a, const Lcp& b) { return same_places(a.M, b.M); }
bool structure(const Mlcp& a, const Mlcp& b) {
  return same_places(a.M, b.M) && same_bounds(a.lower, a.upper, b.lower, b.upper);
}
bool structure(const Mcp& a, const Mcp& b) {
  return a.graph && a.graph == b.graph && same_bounds(a.lower, a.upper, b.lower, b.upper) &&
         a.parameters.size() == b.parameters.size();
}
bool structure(const BoxQp& a, const BoxQp& b) {
  return same_places(a.H, b.H) && same_bounds(a.lower, a.upper, b.lower, b.upper);
}
bool structure(const ConicQp& a, const ConicQp& b) {
  return same_places(a.P, b.P) && same_places(a.A, b.A) && same_cones(a, b) && same_partition(a, b);
}
bool structure(const FrictionContact& a, const FrictionContact& b) {
  return a.dimension == b.dimension && same_places(a.W, b.W) && same_places(a.J, b.J) &&
         same_places(a.M, b.M) && a.q.size() == b.q.size() && same_zeros(a.mu, b.mu) &&
         a.compliance.size() == b.compliance.size();
}
bool structure(const ConvexContact& a, const ConvexContact& b) {
  return same_places(a.A, b.A) && same_places(a.J, b.J) && same_zeros(a.mu, b.mu);
}

bool values(const Lcp& a, const Lcp& b) { return same_matrix(a.M, b.M) && same_bits(a.q, b.q); }
bool values(const Mlcp& a, const Mlcp& b) {
  return same_matrix(a.M, b.M) && same_bits(a.q, b.q) && same_bits(a.lower, b.lower) &&
         same_bits(a.upper, b.upper);
}
bool values(const Mcp& a, const Mcp& b) {
  return a.graph && a.graph == b.graph && same_bits(a.parameters, b.parameters) &&
         same_bits(a.lower, b.lower) && same_bits(a.upper, b.upper);
}
bool values(const BoxQp& a, const BoxQp& b) {
  return same_matrix(a.H, b.H) && same_bits(a.c, b.c) && same_bits(a.lower, b.lower) &&
         same_bits(a.upper, b.upper);
}
bool values(const ConicQp& a, const ConicQp& b) {
  return same_matrix(a.P, b.P) && same_bits(a.c, b.c) && same_matrix(a.A, b.A) &&
         same_bits(a.b, b.b) && same_cones(a, b);
}
bool values(const FrictionContact& a, const FrictionContact& b) {
  return a.dimension == b.dimension && same_matrix(a.W, b.W) && same_matrix(a.J, b.J) &&
         same_matrix(a.M, b.M) && same_bits(a.q, b.q) && same_bits(a.mu, b.mu) &&
         same_bits(a.compliance, b.compliance);
}
bool values(const ConvexContact& a, const ConvexContact& b) {
  return same_matrix(a.A, b.A) && same_matrix(a.J, b.J) && same_bits(a.R, b.R) &&
         same_bits(a.bias, b.bias) && same_bits(a.mu, b.mu) && same_bits(a.v_star, b.v_star);
}

// Applies f to two problems of one kind; false if their kinds differ.
template <class F>
bool both(const Problem& a, const Problem& b, F&& f) {
  if (a.data.index() != b.data.index()) return false;
  return std::visit(
      [&](const auto& x) { return f(x, std::get<std::decay_t<decltype(x)>>(b.data)); }, a.data);
}

}  // namespace

bool same_structure(const Problem& a, const Problem& b) {
  return both(a, b, [](const auto& x, const auto& y) { return structure(x, y); });
}

bool same_values(const Problem& a, const Problem& b) {
  return both(a, b, [](const auto& x, const auto& y) { return values(x, y); });
}

}  // namespace perp
