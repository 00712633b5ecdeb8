#include <perp/solvers/pivoting/product_form.hpp>

#include <algorithm>

namespace perp {

namespace {

constexpr std::size_t kReserved =
    1 << 21;  // most entries reserved in advance; more are allocated when needed

}  // namespace

void ProductForm::reset(int size, int most) {
  size_ = size;
  clear();
  factors_.reserve(most);
  const std::size_t entries = std::min(static_cast<std::size_t>(most) * size, kReserved);
  values_.reserve(entries);
  rows_.reserve(entries);
}

void ProductForm::clear() {
  factors_.clear();
  values_.clear();
  rows_.clear();
}

void ProductForm::append(int position, const Vector& direction) {
  const long filled = (direction.array() != 0.0).count();
  Factor factor{position, direction[position], 4 * filled > size_, values_.size(), 0};
  if (factor.dense) {
    values_.insert(values_.end(), direction.data(), direction.data() + size_);
    values_[factor.first + position] = 0.0;
    rows_.resize(values_.size());  // same length as values_, but not used
    factor.count = size_;
  } else {
    for (int i = 0; i < size_; ++i) {
      if (i == position || direction[i] == 0.0) continue;
      values_.push_back(direction[i]);
      rows_.push_back(i);
    }
    factor.count = values_.size() - factor.first;
  }
  factors_.push_back(factor);
}

void ProductForm::solve(Vector& a) const {
  for (const Factor& factor : factors_) {
    const double value = a[factor.position] /= factor.pivot;
    if (value == 0.0) continue;
    const double* const entries = values_.data() + factor.first;
    if (factor.dense) {
      a -= value * Eigen::Map<const Vector>(entries, size_);
      a[factor.position] = value;
    } else {
      const int* const rows = rows_.data() + factor.first;
      for (std::size_t i = 0; i < factor.count; ++i) a[rows[i]] -= value * entries[i];
    }
  }
}

void ProductForm::solve_transposed(Vector& y) const {
  for (auto factor = factors_.rbegin(); factor != factors_.rend(); ++factor) {
    const double* const entries = values_.data() + factor->first;
    double sum = 0.0;
    if (factor->dense) {
      sum = y.dot(Eigen::Map<const Vector>(entries, size_));
    } else {
      const int* const rows = rows_.data() + factor->first;
      for (std::size_t i = 0; i < factor->count; ++i) sum += y[rows[i]] * entries[i];
    }
    y[factor->position] = (y[factor->position] - sum) / factor->pivot;
  }
}

}  // namespace perp
