// What can be said of a problem before solving it.
#pragma once

#include <perp/problems/standard/problem.hpp>
#include <string>
#include <vector>

namespace perp {

/// Facts about a matrix. Numbers that are too expensive for its size stay -1 or NaN.
struct MatrixStructure {
  std::string name;
  int rows = 0, cols = 0;
  bool sparse = false;
  long nonzeros = 0;
  bool symmetric = false;
  double asymmetry = 0.0;    ///< max|A - A'| / max|A|
  std::string definiteness;  ///< of the symmetric part: positive definite, positive semidefinite,
                             ///< indefinite, unknown
  int rank = -1;             ///< numerical: relative threshold 1e-10 after equilibrate()
  int zero_diagonal = 0;     ///< zero diagonal entries
  double smallest = 0.0, largest = 0.0;  ///< of the absolute values of nonzero entries
  bool z_matrix = false;                 ///< no positive entry off the diagonal
};

/// What is known of a problem before it is solved.
struct ProblemStructure {
  std::string kind;
  int size = 0;
  int free = 0, lower_only = 0, upper_only = 0, boxed = 0, fixed = 0;  ///< of kinds with bounds
  int contacts = 0;
  std::vector<MatrixStructure> matrices;
  std::string problem_class;  ///< one line: what theory says
};

/// Largest size for which eigenvalues and rank are computed, which takes O(n^3) operations.
inline constexpr int kDenseAnalysisSize = 1500;

/// Analyses one matrix. @param name its name in the problem
MatrixStructure analyse(const std::string& name, const Matrix& matrix);
/// Analyses a problem and its matrices.
ProblemStructure analyse(const Problem& problem);

}  // namespace perp
