// Problems of exact friction whose answers are known, for tests of its solvers.
#pragma once

#include "support.hpp"

#include <vector>

namespace perp::test {

/// With the same mu at every contact.
inline FrictionContact contact_problem(const DenseMatrix& w, const Vector& q, double mu,
                                       int dimension) {
  FrictionContact f;
  f.dimension = dimension;
  f.W = Matrix(w);
  f.q = q;
  f.mu = Vector::Constant(q.size() / dimension, mu);
  return f;
}

/// q and the impulse of one contact, for W = diag(2, 4, 4) and mu = 0.5: take-off, stick, slide.
struct OneContactCase {
  Vector q, r;
};
inline std::vector<OneContactCase> one_contact_cases() {
  return {{vector({0.5, -3, 4}), vector({0, 0, 0})},
          {vector({-6, 2, -4}), vector({3, -0.5, 1})},
          {vector({-6, 30, -40}), vector({3, -0.9, 1.2})}};
}

/// In the plane, with r_t = b_1 - b_2: 0 <= r_n _|_ u_n, 0 <= b _|_ (u_t, -u_t) + s,
/// 0 <= s _|_ mu r_n - b_1 - b_2.
inline Lcp planar_lcp(const FrictionContact& f) {
  const int nc = f.contacts();
  DenseMatrix edges = DenseMatrix::Zero(2 * nc, 4 * nc);
  for (int c = 0; c < nc; ++c) {
    edges(2 * c, 4 * c) = edges(2 * c + 1, 4 * c + 1) = 1.0;
    edges(2 * c + 1, 4 * c + 2) = -1.0;
  }
  DenseMatrix m = edges.transpose() * f.W.to_dense() * edges;
  for (int c = 0; c < nc; ++c) {
    m(4 * c + 1, 4 * c + 3) = m(4 * c + 2, 4 * c + 3) = 1.0;
    m(4 * c + 3, 4 * c) = f.mu[c];
    m(4 * c + 3, 4 * c + 1) = m(4 * c + 3, 4 * c + 2) = -1.0;
  }
  return {std::move(m), edges.transpose() * f.q};
}

/// The impulses (r_n, r_t) of a solution of planar_lcp().
inline Vector planar_impulses(const Vector& z) {
  Vector r(z.size() / 2);
  for (int c = 0; c < z.size() / 4; ++c) {
    r[2 * c] = z[4 * c];
    r[2 * c + 1] = z[4 * c + 1] - z[4 * c + 2];
  }
  return r;
}

}  // namespace perp::test
