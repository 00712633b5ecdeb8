#include <perp/solvers/multigrid/aggregation.hpp>

#include <algorithm>
#include <cmath>

namespace perp {

namespace {

constexpr int kNone = -1;

void diagonal_of(const Csr& a, std::vector<double>& d) {
  d.assign(a.rows, 0.0);
  for (int i = 0; i < a.rows; ++i) {
    for (int k = a.start[i]; k < a.start[i + 1]; ++k) {
      if (a.column[k] == i) d[i] = a.value[k];
    }
  }
}

}  // namespace

void Aggregates::build(const Csr& a, double strength) {
  diagonal_of(a, diagonal_);
  const std::vector<double>& d = diagonal_;
  group.assign(a.rows, kNone);
  const auto for_strong = [&](int i, auto&& f) {
    for (int k = a.start[i]; k < a.start[i + 1]; ++k) {
      const int j = a.column[k];
      if (j != i && a.value[k] * a.value[k] > strength * strength * std::abs(d[i] * d[j])) f(j, k);
    }
  };
  count = 0;
  for (int i = 0; i < a.rows; ++i) {
    bool untouched = group[i] == kNone;
    for_strong(i, [&](int j, int) { untouched = untouched && group[j] == kNone; });
    if (!untouched) continue;
    group[i] = count;
    for_strong(i, [&](int j, int) { group[j] = count; });
    ++count;
  }
  first_ = group;
  for (int i = 0; i < a.rows; ++i) {
    if (group[i] != kNone) continue;
    double strongest = 0.0;
    for_strong(i, [&](int j, int k) {
      if (first_[j] == kNone || std::abs(a.value[k]) <= strongest) return;
      strongest = std::abs(a.value[k]);
      group[i] = first_[j];
    });
  }
  for (int i = 0; i < a.rows; ++i) {
    if (group[i] != kNone) continue;
    group[i] = count;
    for_strong(i, [&](int j, int) {
      if (group[j] == kNone) group[j] = count;
    });
    ++count;
  }
}

void Aggregates::smoothed_prolongation(const Csr& a, Csr& p) {
  const std::vector<double>& d = diagonal_;
  double lambda = 1.0;
  for (int i = 0; i < a.rows; ++i) {
    double sum = 0.0;
    for (int k = a.start[i]; k < a.start[i + 1]; ++k) sum += std::abs(a.value[k]);
    if (d[i] > 0) lambda = std::max(lambda, sum / d[i]);
  }
  const double omega = 4.0 / (3.0 * lambda);
  p.rows = a.rows;
  p.cols = count;
  p.start.assign(1, 0);
  p.column.clear();
  p.value.clear();
  for (int i = 0; i < a.rows; ++i) {
    row_.assign(1, {group[i], 1.0});
    for (int k = a.start[i]; k < a.start[i + 1] && d[i] > 0; ++k) {
      row_.emplace_back(group[a.column[k]], -omega * a.value[k] / d[i]);
    }
    std::sort(row_.begin(), row_.end(), [](auto& x, auto& y) { return x.first < y.first; });
    for (std::size_t k = 0; k < row_.size(); ++k) {
      if (k > 0 && row_[k].first == row_[k - 1].first) {
        p.value.back() += row_[k].second;
      } else {
        p.column.push_back(row_[k].first);
        p.value.push_back(row_[k].second);
      }
    }
    p.start.push_back(static_cast<int>(p.column.size()));
  }
}

}  // namespace perp
