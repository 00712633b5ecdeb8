#include <perp/solvers/gradient_projection/symmetric_operator.hpp>

namespace perp {

namespace {

using ConstColumn = Eigen::Map<const Vector>;
using ConstSquare = Eigen::Map<const DenseMatrix>;

}  // namespace

void MatrixOperator::attach(const RowProblem& problem) {
  problem_ = &problem;
  face_.clear();
  face_.reserve(problem.size());
  support_.reserve(problem.size());
  place_.assign(problem.size(), -1);
}

void MatrixOperator::multiply(const Vector& x, Vector& y) {
  const int n = size();
  if (!problem_->is_dense()) {
    for (int i = 0; i < n; ++i) y[i] = problem_->row_dot(i, x.data());
    return;
  }
  support_.clear();
  for (int i = 0; i < n; ++i) {
    if (x[i] != 0.0) support_.push_back(i);
  }
  if (2 * static_cast<int>(support_.size()) < n) return multiply_columns(x, y);
  const ConstSquare h(problem_->dense_row(0), n, n);
  y.noalias() = h.selfadjointView<Eigen::Lower>() * x;
}

// Four columns at a time, so that y is read and written only once for four columns.
void MatrixOperator::multiply_columns(const Vector& x, Vector& y) const {
  const int n = size();
  const auto column = [&](std::size_t k) {
    return ConstColumn(problem_->dense_row(support_[k]), n);
  };
  const auto factor = [&](std::size_t k) { return x[support_[k]]; };
  y.setZero();
  std::size_t k = 0;
  for (; k + 3 < support_.size(); k += 4) {
    y += factor(k) * column(k) + factor(k + 1) * column(k + 1) + factor(k + 2) * column(k + 2) +
         factor(k + 3) * column(k + 3);
  }
  for (; k < support_.size(); ++k) y += factor(k) * column(k);
}

void MatrixOperator::set_face(const std::vector<int>& face) {
  for (int i : face_) place_[i] = -1;
  face_ = face;
  for (std::size_t k = 0; k < face_.size(); ++k) place_[face_[k]] = static_cast<int>(k);
  if (!problem_->is_dense()) return;
  const std::size_t size = face_.size();
  if (block_.size() < size * size) block_.resize(size * size);
  for (std::size_t c = 0; c < size; ++c) {
    const double* const column = problem_->dense_row(face_[c]);
    double* const target = block_.data() + c * size;
    for (std::size_t r = c; r < size; ++r) target[r] = column[face_[r]];
  }
}

void MatrixOperator::multiply_face(const Vector& x, Vector& y) {
  const auto size = static_cast<Eigen::Index>(face_.size());
  if (problem_->is_dense()) {
    const ConstSquare block(block_.data(), size, size);
    y.head(size).noalias() = block.selfadjointView<Eigen::Lower>() * x.head(size);
    return;
  }
  for (Eigen::Index k = 0; k < size; ++k) {
    double sum = 0.0;
    problem_->for_row(face_[k], [&](int j, double value) {
      if (place_[j] >= 0) sum += value * x[place_[j]];
    });
    y[k] = sum;
  }
}

}  // namespace perp
