#include <perp/solvers/core/structure.hpp>

#include <Eigen/Eigenvalues>
#include <Eigen/QR>
#include <Eigen/SparseCholesky>
#include <algorithm>
#include <cmath>
#include <limits>
#include <perp/problems/matrix/infinity.hpp>
#include <perp/solvers/linear_algebra/dense_equilibration.hpp>

namespace perp {

namespace {

constexpr double kRelative = 1e-10;
// Below 0 by more of the largest eigenvalue, times the rows, is indefinite: no matter of rounding.
constexpr double kNegative = 4 * std::numeric_limits<double>::epsilon();

// The symmetric part, with powers of two on both sides that bring the largest entry of each row
// near 1: definiteness is the same, and a small entry next to large ones counts.
DenseMatrix scaled_symmetric_part(const DenseMatrix& a) {
  constexpr int kRounds = 4;
  DenseMatrix s = 0.5 * a + 0.5 * a.transpose();
  for (int round = 0; round < kRounds; ++round) {
    Vector factor = Vector::Ones(s.rows());
    for (int i = 0; i < s.rows(); ++i) {
      const double most = s.row(i).cwiseAbs().maxCoeff();
      if (most > 0) factor[i] = std::ldexp(1.0, -std::ilogb(most) / 2);
    }
    s = factor.asDiagonal() * s * factor.asDiagonal();
  }
  return s;
}

std::string definiteness_of(const Matrix& a) {
  const double size = a.max_abs();
  if (a.rows() == 0) return "positive definite";
  if (size == 0) return "positive semidefinite";
  if (a.rows() <= kDenseAnalysisSize) {
    const DenseMatrix symmetric = scaled_symmetric_part(a.to_dense());
    const Eigen::SelfAdjointEigenSolver<DenseMatrix> eigen(symmetric, Eigen::EigenvaluesOnly);
    const double low = eigen.eigenvalues().minCoeff();
    const double scale = std::max(eigen.eigenvalues().cwiseAbs().maxCoeff(), 1.0);
    if (low > kRelative * scale) return "positive definite";
    return low >= -kNegative * a.rows() * scale ? "positive semidefinite" : "indefinite";
  }
  const SparseMatrix sparse = a.to_sparse();
  const SparseMatrix symmetric = 0.5 * (sparse + SparseMatrix(sparse.transpose()));
  const Eigen::SimplicialLLT<SparseMatrix> cholesky(symmetric);
  return cholesky.info() == Eigen::Success ? "positive definite" : "unknown";
}

void count_bounds(const Vector& lower, const Vector& upper, ProblemStructure& s) {
  for (int i = 0; i < lower.size(); ++i) {
    const bool below = lower[i] > -kInfinity, above = upper[i] < kInfinity;
    if (lower[i] == upper[i]) {
      ++s.fixed;
    } else if (below && above) {
      ++s.boxed;
    } else if (below) {
      ++s.lower_only;
    } else if (above) {
      ++s.upper_only;
    } else {
      ++s.free;
    }
  }
}

std::string class_of(const MatrixStructure& m) {
  if (m.definiteness == "positive definite")
    return "monotone, M positive definite: exactly one solution";
  if (m.definiteness == "positive semidefinite") {
    return "monotone, M positive semidefinite: a solution exists if the linear constraints are "
           "feasible";
  }
  if (m.definiteness == "indefinite") return "not monotone: solutions may be none, one or many";
  return "monotonicity not determined at this size";
}

std::string class_of(const ConicQp& problem, const MatrixStructure& p) {
  const bool linear = std::none_of(problem.cones.begin(), problem.cones.end(),
                                   [](const Cone& c) { return c.type == ConeType::kSecondOrder; });
  if (p.definiteness == "indefinite") return "not convex";
  const std::string condition = p.definiteness == "unknown" ? " if P is PSD" : "";
  if (p.nonzeros == 0) return linear ? "linear program" : "second-order cone program";
  return (linear ? "convex quadratic program" : "convex program over second-order cones") +
         condition;
}

}  // namespace

MatrixStructure analyse(const std::string& name, const Matrix& a) {
  MatrixStructure s;
  s.name = name;
  s.rows = a.rows();
  s.cols = a.cols();
  s.sparse = a.is_sparse();
  s.smallest = kInfinity;
  s.z_matrix = true;
  for (int j = 0; j < a.cols(); ++j) {
    bool diagonal = false;
    a.for_column(j, [&](int i, double value) {
      ++s.nonzeros;
      s.smallest = std::min(s.smallest, std::abs(value));
      s.largest = std::max(s.largest, std::abs(value));
      diagonal = diagonal || i == j;
      if (i != j && value > 0) s.z_matrix = false;
    });
    s.zero_diagonal += !diagonal;
  }
  if (s.nonzeros == 0) s.smallest = 0.0;
  if (a.rows() == a.cols()) {
    const SparseMatrix sparse = a.to_sparse();
    const SparseMatrix difference = sparse - SparseMatrix(sparse.transpose());
    s.asymmetry = s.largest > 0 ? Matrix(difference).max_abs() / s.largest : 0.0;
    s.symmetric = s.asymmetry == 0.0;
    s.definiteness = definiteness_of(a);
  }
  if (std::max(a.rows(), a.cols()) <= kDenseAnalysisSize && a.rows() > 0 && a.cols() > 0) {
    Eigen::ColPivHouseholderQR<DenseMatrix> qr;
    qr.setThreshold(kRelative);
    DenseMatrix scaled = a.to_dense();
    Vector row, column;
    equilibrate(scaled, row, column);
    qr.compute(scaled);
    s.rank = static_cast<int>(qr.rank());
  }
  return s;
}

namespace {

// The facts about each kind of problem.
void describe(const Lcp& p, ProblemStructure& s) {
  s.lower_only = s.size;
  s.matrices.push_back(analyse("M", p.M));
  s.problem_class = class_of(s.matrices[0]);
}

void describe(const Mlcp& p, ProblemStructure& s) {
  count_bounds(p.lower, p.upper, s);
  s.matrices.push_back(analyse("M", p.M));
  s.problem_class = class_of(s.matrices[0]);
}

void describe(const Mcp& p, ProblemStructure& s) {
  count_bounds(p.lower, p.upper, s);
  s.problem_class = "nonlinear";
}

void describe(const BoxQp& p, ProblemStructure& s) {
  count_bounds(p.lower, p.upper, s);
  s.matrices.push_back(analyse("H", p.H));
  s.problem_class =
      s.matrices[0].definiteness == "indefinite" ? "not convex" : "convex if H is PSD";
}

void describe(const ConicQp& p, ProblemStructure& s) {
  s.matrices.push_back(analyse("P", p.P));
  s.matrices.push_back(analyse("A", p.A));
  s.problem_class = class_of(p, s.matrices[0]);
}

void describe(const FrictionContact& p, ProblemStructure& s) {
  s.contacts = p.contacts();
  if (p.is_operator()) {
    s.matrices.push_back(analyse("J", p.J));
    s.matrices.push_back(analyse("M", p.M));
  } else {
    s.matrices.push_back(analyse("W", p.W));
  }
  s.problem_class = "exact Coulomb friction: not convex if mu > 0";
}

void describe(const ConvexContact& p, ProblemStructure& s) {
  s.contacts = p.contacts();
  s.matrices.push_back(analyse("A", p.A));
  s.matrices.push_back(analyse("J", p.J));
  s.problem_class = "strictly convex";
}

}  // namespace

ProblemStructure analyse(const Problem& problem) {
  ProblemStructure s;
  s.kind = problem.kind();
  s.size = problem.size();
  std::visit([&](const auto& data) { describe(data, s); }, problem.data);
  return s;
}

}  // namespace perp
