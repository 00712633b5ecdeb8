#include <perp/solvers/multigrid/aggregation.hpp>

#include <algorithm>
#include <cmath>

namespace perp {

namespace {

constexpr int kNone = -1;

std::vector<double> diagonal_of(const Csr& a) {
  std::vector<double> d(a.rows, 0.0);
  for (int i = 0; i < a.rows; ++i) {
    for (int k = a.start[i]; k < a.start[i + 1]; ++k) {
      if (a.column[k] == i) d[i] = a.value[k];
    }
  }
  return d;
}

}  // namespace

std::vector<int> aggregate(const Csr& a, double strength, int& count) {
  const std::vector<double> d = diagonal_of(a);
  std::vector<int> group(a.rows, kNone);
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
  const std::vector<int> first = group;
  for (int i = 0; i < a.rows; ++i) {
    if (group[i] != kNone) continue;
    double strongest = 0.0;
    for_strong(i, [&](int j, int k) {
      if (first[j] == kNone || std::abs(a.value[k]) <= strongest) return;
      strongest = std::abs(a.value[k]);
      group[i] = first[j];
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
  return group;
}

Csr smoothed_prolongation(const Csr& a, const std::vector<int>& group, int count) {
  const std::vector<double> d = diagonal_of(a);
  double lambda = 1.0;
  for (int i = 0; i < a.rows; ++i) {
    double sum = 0.0;
    for (int k = a.start[i]; k < a.start[i + 1]; ++k) sum += std::abs(a.value[k]);
    if (d[i] > 0) lambda = std::max(lambda, sum / d[i]);
  }
  const double omega = 4.0 / (3.0 * lambda);
  Csr p;
  p.rows = a.rows;
  p.cols = count;
  p.start.assign(1, 0);
  std::vector<std::pair<int, double>> row;
  for (int i = 0; i < a.rows; ++i) {
    row.assign(1, {group[i], 1.0});
    for (int k = a.start[i]; k < a.start[i + 1] && d[i] > 0; ++k) {
      row.emplace_back(group[a.column[k]], -omega * a.value[k] / d[i]);
    }
    std::sort(row.begin(), row.end(), [](auto& x, auto& y) { return x.first < y.first; });
    for (std::size_t k = 0; k < row.size(); ++k) {
      if (k > 0 && row[k].first == row[k - 1].first) {
        p.value.back() += row[k].second;
      } else {
        p.column.push_back(row[k].first);
        p.value.push_back(row[k].second);
      }
    }
    p.start.push_back(static_cast<int>(p.column.size()));
  }
  return p;
}

}  // namespace perp
