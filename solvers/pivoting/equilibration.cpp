#include <perp/solvers/pivoting/equilibration.hpp>

#include <algorithm>
#include <cmath>

namespace perp {

namespace {

double power_of_two(double x) { return x > 0 ? std::exp2(std::round(std::log2(x))) : 1.0; }

}  // namespace

void Equilibration::compute(const Mlcp& problem) {
  const int n = problem.size();
  row.setOnes(n);
  column.setOnes(n);
  for (int sweep = 0; sweep < 2; ++sweep) {
    row_max_.setZero(n);
    column_max_.setZero(n);
    for (int j = 0; j < n; ++j) {
      if (problem.lower[j] == problem.upper[j]) continue;
      problem.M.for_column(j, [&](int i, double value) {
        if (problem.lower[i] == problem.upper[i]) return;
        const double size = std::abs(value) * row[i] * column[j];
        row_max_[i] = std::max(row_max_[i], size);
        column_max_[j] = std::max(column_max_[j], size);
      });
    }
    for (int i = 0; i < n; ++i) {
      if (row_max_[i] > 0) row[i] /= std::sqrt(row_max_[i]);
      if (column_max_[i] > 0) column[i] /= std::sqrt(column_max_[i]);
    }
  }
  for (Vector* v : {&row, &column}) {
    for (double& factor : *v) factor = power_of_two(factor);
  }
}

}  // namespace perp
