#include <perp/solvers/linear_algebra/dense_equilibration.hpp>

#include <cmath>

namespace perp {

void equilibrate(DenseMatrix& a, Vector& row, Vector& column) {
  constexpr int kRounds = 4;
  const auto to_one = [](double largest) {
    return largest > 0 && std::isfinite(largest) ? std::ldexp(1.0, -std::ilogb(largest)) : 1.0;
  };
  row = Vector::Ones(a.rows());
  column = Vector::Ones(a.cols());
  if (a.size() == 0) return;
  for (int round = 0; round < kRounds; ++round) {
    for (int i = 0; i < a.rows(); ++i) {
      const double factor = to_one(a.row(i).cwiseAbs().maxCoeff());
      a.row(i) *= factor;
      row[i] *= factor;
    }
    for (int j = 0; j < a.cols(); ++j) {
      const double factor = to_one(a.col(j).cwiseAbs().maxCoeff());
      a.col(j) *= factor;
      column[j] *= factor;
    }
  }
}

}  // namespace perp
