#include <perp/problems/io/global_friction.hpp>

#include <fmt/format.h>
#include <Eigen/SparseCholesky>
#include <stdexcept>

namespace perp {

namespace {

// Completes a matrix of which only one triangle is stored. @return whether that was so
bool complete_triangle(SparseMatrix& m) {
  long below = 0, above = 0;
  for (int j = 0; j < m.cols(); ++j) {
    for (SparseMatrix::InnerIterator it(m, j); it; ++it) {
      if (it.value() == 0.0) continue;
      below += it.row() > j;
      above += it.row() < j;
    }
  }
  if ((below == 0) == (above == 0)) return false;
  const SparseMatrix diagonal(m.diagonal().asDiagonal());
  m = SparseMatrix(m + SparseMatrix(m.transpose()) - diagonal);
  m.makeCompressed();
  return true;
}

}  // namespace

Vector solve_mass(const SparseMatrix& m, const Vector& x) {
  const Eigen::SimplicialLDLT<SparseMatrix> factors(m);
  if (factors.info() != Eigen::Success || !(factors.vectorD().array() > 0).all())
    throw std::invalid_argument("M: is not positive definite");
  Vector solution = factors.solve(x);
  solution += factors.solve(x - Matrix(m).multiply(solution));
  if (!solution.allFinite()) throw std::invalid_argument("M: is nearly singular");
  return solution;
}

FrictionContact friction_from_global(int dimension, SparseMatrix m, const SparseMatrix& h,
                                     const Vector& f, const Vector& w, Vector mu, bool& completed) {
  if (m.rows() != m.cols() || h.rows() != m.rows() || h.cols() % dimension != 0) {
    throw std::invalid_argument(fmt::format("H: is {} x {}, but M is {} x {} and the dimension {}",
                                            h.rows(), h.cols(), m.rows(), m.cols(), dimension));
  }
  completed = complete_triangle(m);
  FrictionContact p;
  p.dimension = dimension;
  p.J = Matrix(SparseMatrix(h.transpose()));
  p.q = w + p.J.multiply(solve_mass(m, f));
  p.M = Matrix(std::move(m));
  p.mu = std::move(mu);
  return p;
}

}  // namespace perp
