// A conic program of velocities and impulses, of any size.
#pragma once

#include "support.hpp"

namespace perp::test {

// A column of blocks that slide: momentum, normals that may not close, the bound of all impulses
// and a cone for each contact.
inline Problem sliding_column(int blocks) {
  const int nv = 3 * blocks, n = 2 * nv;
  std::vector<Triplet> hessian, rows;
  Vector b = Vector::Zero(nv + blocks + 1 + nv);
  for (int k = 0; k < blocks; ++k) {
    for (int i = 0; i < 3; ++i) {
      const int v = 3 * k + i, p = nv + v;
      hessian.emplace_back(v, v, 1.0);
      rows.emplace_back(v, v, 1.0);
      rows.emplace_back(v, p, -1.0);  // contact k lifts block k and presses on the one below
      if (k + 1 < blocks) rows.emplace_back(v, p + 3, 1.0);
      rows.emplace_back(nv + blocks + 1 + v, p, i == 0 ? -0.3 : -1.0);
    }
    b[3 * k] = -1.0;          // weight
    b[3 * k + 1] = 0.05 * k;  // slip
    rows.emplace_back(nv + k, 3 * k, -1.0);
    if (k > 0) rows.emplace_back(nv + k, 3 * k - 3, 1.0);
    rows.emplace_back(nv + blocks, nv + 3 * k, 1.0);
  }
  b[nv + blocks] = 0.5 * blocks * (blocks + 1);
  ConicQp qp{Matrix::from_triplets(n, n, hessian),
             Vector::Zero(n),
             Matrix::from_triplets(static_cast<int>(b.size()), n, rows),
             b,
             {{ConeType::kZero, nv}, {ConeType::kNonnegative, blocks + 1}}};
  Partition parts;
  parts.velocities.blocks.assign(nv, 1);
  for (int i = 0; i < nv; ++i) {
    parts.velocities.unknowns.push_back(i);
    parts.velocities.rows.push_back(i);
    parts.contacts.unknowns.push_back(nv + i);
    parts.contacts.rows.push_back(nv + blocks + 1 + i);
  }
  for (int k = 0; k < blocks; ++k) {
    qp.cones.push_back({ConeType::kSecondOrder, 3});
    parts.contacts.sizes.push_back(3);
    parts.bounds.push_back(nv + k);
  }
  parts.total = nv + blocks;
  qp.partition = std::make_shared<const Partition>(std::move(parts));
  return problem_of(std::move(qp));
}

}  // namespace perp::test
