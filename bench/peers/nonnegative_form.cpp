#include <perp/bench/peers/nonnegative_form.hpp>

#include <algorithm>
#include <cmath>

namespace perp::peer {

NonnegativeForm::NonnegativeForm(const Mlcp& problem) {
  const int n = problem.size();
  sign_ = Vector::Ones(n);
  shift_ = Vector::Zero(n);
  std::vector<int> bounded, twice;
  for (int i = 0; i < n; ++i) {
    const double lower = problem.lower[i], upper = problem.upper[i];
    if (std::isinf(lower) && std::isinf(upper)) {
      index_.push_back(i);
      continue;
    }
    if (std::isinf(lower)) sign_[i] = -1.0;
    shift_[i] = std::isinf(lower) ? upper : lower;
    if (lower == upper) continue;  // fixed
    if (!std::isinf(lower) && !std::isinf(upper)) twice.push_back(i);
    bounded.push_back(i);
  }
  free = static_cast<int>(index_.size());
  index_.insert(index_.end(), bounded.begin(), bounded.end());
  const int kept = static_cast<int>(index_.size()), size = kept + static_cast<int>(twice.size());
  const DenseMatrix full = problem.M.to_dense();
  const Vector at_shift = full * shift_ + problem.q;
  M.setZero(size, size);
  q.resize(size);
  std::vector<int> place(static_cast<std::size_t>(n), -1);
  for (int a = 0; a < kept; ++a) {
    const int i = index_[static_cast<std::size_t>(a)];
    place[static_cast<std::size_t>(i)] = a;
    q[a] = sign_[i] * at_shift[i];
    for (int b = 0; b < kept; ++b) {
      const int j = index_[static_cast<std::size_t>(b)];
      M(a, b) = sign_[i] * full(i, j) * sign_[j];
    }
  }
  for (int k = kept; k < size; ++k) {
    const int i = twice[static_cast<std::size_t>(k - kept)];
    const int a = place[static_cast<std::size_t>(i)];
    M(a, k) = 1.0;
    M(k, a) = -1.0;
    q[k] = problem.upper[i] - problem.lower[i];
  }
}

Vector NonnegativeForm::map_back(const Vector& x) const {
  Vector z = shift_;
  for (std::size_t a = 0; a < index_.size(); ++a) {
    const int i = index_[a];
    z[i] += sign_[i] * x[static_cast<Eigen::Index>(a)];
  }
  return z;
}

Vector NonnegativeForm::map_forward(const Vector& z) const {
  Vector x = Vector::Zero(q.size());
  for (std::size_t a = 0; a < index_.size(); ++a) {
    const int i = index_[a];
    const auto at = static_cast<Eigen::Index>(a);
    x[at] = sign_[i] * (z[i] - shift_[i]);
    if (at >= free) x[at] = std::max(x[at], 0.0);
  }
  return x;
}

}  // namespace perp::peer
