#include <perp/solvers/friction/sap_matrix.hpp>

#include <algorithm>

namespace perp {

namespace {

// H - A is positive semidefinite and A is positive definite: pivots are replaced only if rounding
// makes them too small.
constexpr double kLeastSapPivot = 1e-300;

}  // namespace

void SapMatrix::build(const Matrix& a, const CompliantContacts& contacts, int threads) {
  contacts_ = &contacts;
  a_ = &a;
  find_pattern();
  find_groups();
  if (starts_ != analysed_starts_ || rows_ != analysed_rows_ || groups_ != analysed_groups_ ||
      threads != analysed_threads_) {
    ldl_.analyse(a.cols(), starts_, rows_, std::vector<signed char>(a.cols(), 1), groups_, {},
                 threads);
    analysed_threads_ = threads;
    analysed_starts_ = starts_;
    analysed_rows_ = rows_;
    analysed_groups_ = groups_;
  }
  fixed_.assign(rows_.size(), 0.0);
  for (int j = 0; j < a.cols(); ++j) {
    a.for_column(j, [&](int i, double value) {
      if (i <= j) fixed_[place(i, j)] = value;
    });
  }
  places_.clear();
  for (int c = 0; c < contacts.size(); ++c) {
    for (int k = 0; k < contacts.count(c); ++k) {
      for (int i = 0; i <= k; ++i)
        places_.push_back(place(contacts.places(c)[i], contacts.places(c)[k]));
    }
  }
}

// Finds the rows of the upper triangle, column by column: those of A and those of the contacts in
// which the column takes part.
void SapMatrix::find_pattern() {
  const int n = a_->cols();
  contact_starts_.assign(n + 1, 0);
  for (int c = 0; c < contacts_->size(); ++c) {
    for (int k = 0; k < contacts_->count(c); ++k) ++contact_starts_[contacts_->places(c)[k] + 1];
  }
  for (int j = 0; j < n; ++j) contact_starts_[j + 1] += contact_starts_[j];
  contact_lists_.resize(contact_starts_[n]);
  next_.assign(contact_starts_.begin(), contact_starts_.end() - 1);
  for (int c = 0; c < contacts_->size(); ++c) {
    for (int k = 0; k < contacts_->count(c); ++k)
      contact_lists_[next_[contacts_->places(c)[k]]++] = c;
  }
  starts_.assign(1, 0);
  rows_.clear();
  seen_.assign(n, -1);
  const auto add = [&](int row, int column) {
    if (row > column || seen_[row] == column) return;
    seen_[row] = column;
    rows_.push_back(row);
  };
  for (int j = 0; j < n; ++j) {
    add(j, j);
    a_->for_column(j, [&](int i, double) { add(i, j); });
    for (int k = contact_starts_[j]; k < contact_starts_[j + 1]; ++k) {
      const int c = contact_lists_[k];
      for (int i = 0; i < contacts_->count(c); ++i) add(contacts_->places(c)[i], j);
    }
    std::sort(rows_.begin() + starts_[j], rows_.end());
    starts_.push_back(static_cast<int>(rows_.size()));
  }
}

// Groups neighbouring unknowns that take part in the same contacts.
void SapMatrix::find_groups() {
  groups_.assign(a_->cols(), 0);
  const auto list = [&](int column) { return contact_lists_.begin() + contact_starts_[column]; };
  for (int j = 1; j < a_->cols(); ++j) {
    const bool same =
        list(j) != list(j + 1) && std::equal(list(j - 1), list(j), list(j), list(j + 1));
    groups_[j] = groups_[j - 1] + (same ? 0 : 1);
  }
}

void SapMatrix::multiply(const Vector& x, Vector& y) const {
  y.setZero();
  for (int j = 0; j < a_->cols(); ++j)
    a_->for_column(j, [&](int i, double value) { y[i] += value * x[j]; });
}

int SapMatrix::place(int row, int column) const {
  const auto begin = rows_.begin() + starts_[column], end = rows_.begin() + starts_[column + 1];
  return static_cast<int>(std::lower_bound(begin, end, row) - rows_.begin());
}

bool SapMatrix::factor(const std::vector<Eigen::Matrix3d>& stiffness) {
  values_ = fixed_;
  const int* to = places_.data();
  for (int c = 0; c < contacts_->size(); ++c) {
    const auto j = contacts_->block(c);
    const int count = contacts_->count(c);
    if (stiffness[c].isZero(0.0)) {
      to += count * (count + 1) / 2;
      continue;
    }
    for (int k = 0; k < count; ++k) {
      const Eigen::Vector3d pushed = stiffness[c] * j.col(k);
      for (int i = 0; i <= k; ++i) values_[*to++] += j.col(i).dot(pushed);
    }
  }
  return ldl_.factor(values_, kLeastSapPivot, 1.0);
}

}  // namespace perp
