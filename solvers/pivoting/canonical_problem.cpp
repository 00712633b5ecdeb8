#include <perp/solvers/pivoting/canonical_problem.hpp>

#include <perp/solvers/pivoting/partner_search.hpp>

#include <algorithm>
#include <cmath>
#include <perp/problems/matrix/infinity.hpp>

namespace perp {

namespace {

constexpr double kDenseAbove = 0.4;  // share of nonzero entries; with more, M is dense

}  // namespace

CanonicalProblem::CanonicalProblem() = default;
CanonicalProblem::~CanonicalProblem() = default;

int CanonicalProblem::partners() const {
  return free_.left_rows.empty() || !partner_search_ ? 0 : partner_search_->partners();
}

void CanonicalProblem::build(const Mlcp& problem, bool equilibrate, const Deadline& deadline) {
  stays_dense_ = false;
  free_.by_rank(problem);
  split_.assign(free_.left_rows.size(), 0);
  do {
    classify(problem);
    set_pairs(problem);
    if (equilibrate) scale(problem);
    assemble(problem);
  } while (!find_default_start(deadline));
}

void CanonicalProblem::build_pairs(const Mlcp& problem) {
  stays_dense_ = !problem.M.is_sparse();
  free_.by_row(problem);
  split_.clear();
  classify(problem);
  set_pairs(problem);
  default_start.assign(size(), PairStatus::kAtLower);
  for (int i = 0; i < size(); ++i) {
    if (kind[i] == PairKind::kFree) default_start[i] = PairStatus::kBasic;
  }
}

void CanonicalProblem::set_values(const Mlcp& problem, bool equilibrate) {
  set_offset(problem);
  set_signs(problem);
  if (equilibrate) scale(problem);
  assemble(problem);
}

// Finds the pairs that are not free, and z at x = 0.
void CanonicalProblem::classify(const Mlcp& problem) {
  kind.clear();
  variable.clear();
  set_offset(problem);
  for (int i = 0; i < problem.size(); ++i) {
    const bool has_lower = problem.lower[i] > -kInfinity, has_upper = problem.upper[i] < kInfinity;
    if (problem.lower[i] == problem.upper[i]) continue;  // fixed: its row is no condition
    if (!has_lower && !has_upper) continue;
    variable.push_back(i);
    kind.push_back(has_lower && has_upper ? PairKind::kBoxed : PairKind::kLower);
  }
  equation = variable;
}

void CanonicalProblem::set_offset(const Mlcp& problem) {
  offset_.resize(problem.size());
  for (int i = 0; i < problem.size(); ++i) {
    const bool has_lower = problem.lower[i] > -kInfinity, has_upper = problem.upper[i] < kInfinity;
    offset_[i] = has_lower ? problem.lower[i] : has_upper ? problem.upper[i] : 0.0;
  }
}

// Adds the free pairs after the bounded ones.
void CanonicalProblem::set_pairs(const Mlcp& problem) {
  const auto add = [&](int row, int column, PairKind k) {
    equation.push_back(row);
    variable.push_back(column);
    kind.push_back(k);
  };
  for (std::size_t i = 0; i < free_.rows.size(); ++i) {
    add(free_.rows[i], free_.columns[i], PairKind::kFree);
  }
  const std::vector<int>&left_rows = free_.left_rows, &left_columns = free_.left_columns;
  first_left_ = size();
  for (std::size_t i = 0; i < left_rows.size(); ++i) {
    add(left_rows[i], left_columns[i], split_[i] ? PairKind::kLower : PairKind::kFree);
  }
  first_split = size();
  for (std::size_t i = 0; i < left_rows.size(); ++i) {
    if (split_[i]) add(left_rows[i], left_columns[i], PairKind::kLower);
  }
  pairs_of_row_.assign(problem.size(), {-1, -1});
  for (int i = 0; i < size(); ++i) pairs_of_row_[equation[i]][i < first_split ? 0 : 1] = i;
  set_signs(problem);
}

void CanonicalProblem::set_signs(const Mlcp& problem) {
  row_scale.setOnes(size());
  column_scale.setOnes(size());
  for (int i = 0; i < size(); ++i) {
    const bool reflected = kind[i] == PairKind::kLower && problem.upper[variable[i]] < kInfinity;
    if (reflected || i >= first_split) row_scale[i] = column_scale[i] = -1.0;
  }
}

// The start has all unknowns at their lower bounds, free unknowns basic, and partners for those
// that M_FF leaves over. @return false if pairs had to be split: then the problem must be assembled
// again.
bool CanonicalProblem::find_default_start(const Deadline& deadline) {
  default_start.assign(size(), PairStatus::kAtLower);
  for (int i = 0; i < size(); ++i) {
    if (kind[i] == PairKind::kFree) default_start[i] = PairStatus::kBasic;
  }
  if (free_.left_rows.empty()) return true;
  if (!partner_search_) partner_search_ = std::make_unique<PartnerSearch>();
  partner_search_->run(*this, first_left_, deadline, default_start);
  for (const int i : partner_search_->without()) split_[i - first_left_] = 1;
  return partner_search_->without().empty();
}

void CanonicalProblem::scale(const Mlcp& problem) {
  equilibration_.compute(problem);
  for (int i = 0; i < size(); ++i) {
    row_scale[i] *= equilibration_.row[equation[i]];
    column_scale[i] *= equilibration_.column[variable[i]];
  }
}

void CanonicalProblem::assemble(const Mlcp& problem) {
  assemble_matrix(problem.M);
  sums_.assign(problem.size(), 0.0L);
  for (int j = 0; j < problem.size(); ++j) {
    if (offset_[j] == 0.0) continue;
    const long double x = offset_[j];
    problem.M.for_column(j, [&](int i, double value) { sums_[i] += value * x; });
  }
  q.resize(size());
  range.resize(size());
  for (int i = 0; i < size(); ++i) {
    q[i] = row_scale[i] * static_cast<double>(sums_[equation[i]] + problem.q[equation[i]]);
    const int v = variable[i];
    range[i] = kind[i] == PairKind::kBoxed
                   ? (problem.upper[v] - problem.lower[v]) / std::abs(column_scale[i])
                   : kInfinity;
  }
}

// Number of entries of the pairs' matrix that are not zero.
long CanonicalProblem::count_entries(const Matrix& original) const {
  long count = 0;
  for (const int v : variable) {
    original.for_column(v, [&](int row, double) {
      for (const int i : pairs_of_row_[row]) count += i >= 0;
    });
  }
  return count;
}

void CanonicalProblem::assemble_matrix(const Matrix& original) {
  const int m = size();
  const double dense_from = kDenseAbove * m * m;
  const bool dense = stays_dense_ || static_cast<double>(count_entries(original)) > dense_from;
  // Also room for stored zeros, which may become entries; split pairs repeat entries.
  const double copies = split_pairs() > 0 ? 4.0 : 1.0;
  const double most = std::min(dense_from, copies * static_cast<double>(original.stored()));
  dense ? M.begin_dense(m) : M.begin(m, static_cast<long>(most));
  for (int j = 0; j < m; ++j) {
    original.for_column(variable[j], [&](int row, double value) {
      for (const int i : pairs_of_row_[row]) {
        if (i < 0) continue;
        const double scaled = value * row_scale[i] * column_scale[j];
        dense ? M.set(i, j, scaled) : M.append(i, scaled);
      }
    });
    if (!dense) M.end_column();
  }
}

void CanonicalProblem::to_original(const Vector& x, Vector& z) const {
  z = offset_;
  for (int i = 0; i < size(); ++i) z[variable[i]] += column_scale[i] * x[i];
}

void CanonicalProblem::from_point(const Vector& z, const Vector& f, Vector& x, Vector& w) const {
  for (int i = 0; i < size(); ++i) {
    x[i] = (z[variable[i]] - offset_[variable[i]]) / column_scale[i];
    w[i] = row_scale[i] * f[equation[i]];
  }
}

void CanonicalProblem::direction_to_original(const Vector& x, Vector& z) const {
  z.setZero(offset_.size());
  for (int i = 0; i < size(); ++i) z[variable[i]] += column_scale[i] * x[i];
}

void CanonicalProblem::statuses_to_original(const std::vector<PairStatus>& pairs,
                                            std::vector<PairStatus>& original) const {
  std::fill(original.begin(), original.end(), PairStatus::kAtLower);
  for (int i = 0; i < size(); ++i) {
    const bool reflected = kind[i] == PairKind::kLower && column_scale[i] < 0 && i < first_split;
    PairStatus& status = original[variable[i]];
    if (pairs[i] == PairStatus::kBasic) {
      status = PairStatus::kBasic;
    } else if (status != PairStatus::kBasic) {
      status = reflected ? PairStatus::kAtUpper : pairs[i];
    }
  }
}

void CanonicalProblem::from_original(const std::vector<PairStatus>& original,
                                     std::vector<PairStatus>& pairs) const {
  pairs.assign(size(), PairStatus::kAtLower);
  for (int i = 0; i < size(); ++i) {
    const PairStatus status = original[variable[i]];
    if (kind[i] == PairKind::kFree) {
      pairs[i] = PairStatus::kBasic;
    } else if (kind[i] == PairKind::kBoxed) {
      pairs[i] = status;
    } else if (status == PairStatus::kBasic && i < first_split) {
      pairs[i] = PairStatus::kBasic;
    }
  }
}

}  // namespace perp
