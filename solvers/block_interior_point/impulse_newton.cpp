#include <perp/solvers/block_interior_point/impulse_newton.hpp>

#include <algorithm>

namespace perp {

namespace {

constexpr int kLargestGroup = 6;  // velocities of a body
constexpr double kLeastPivot = 1e-25, kSubstitute = 1e-12;

}  // namespace

void ImpulseNewton::prepare(const ImpulseProgram& program) {
  program_ = &program;
  factorisations = analyses = linear_solves = 0;
  touched_.resize(program.cones.size());
  std::vector<int> place(static_cast<std::size_t>(program.velocities()), -1);
  for (std::size_t c = 0; c < program.cones.size(); ++c) {
    const ImpulseCone& cone = program.cones[c];
    Touched& t = touched_[c];
    t.velocities.clear();
    for (int i = cone.first; i < cone.first + cone.size; ++i) {
      for (int k = program.J.starts[i]; k < program.J.starts[i + 1]; ++k)
        t.velocities.push_back(program.J.columns[k]);
    }
    std::sort(t.velocities.begin(), t.velocities.end());
    t.velocities.erase(std::unique(t.velocities.begin(), t.velocities.end()), t.velocities.end());
    t.rows.setZero(3, static_cast<Eigen::Index>(t.velocities.size()));
    for (std::size_t k = 0; k < t.velocities.size(); ++k)
      place[t.velocities[k]] = static_cast<int>(k);
    for (int i = 0; i < cone.size; ++i) {
      const int row = cone.first + i;
      for (int k = program.J.starts[row]; k < program.J.starts[row + 1]; ++k)
        t.rows(i, place[program.J.columns[k]]) = program.J.values[k];
    }
  }
  cone_in_.assign(program.cones.size(), 0);
  bound_in_.assign(program.bounds(), 0);
  number_unknowns();
  starts_.clear();
}

// Body by body: first v, where G has it, then m. A pivot of v needs nothing of m, one of m follows
// those of v.
void ImpulseNewton::number_unknowns() {
  const ImpulseProgram& p = *program_;
  const int nv = p.velocities();
  std::vector<char> bounded(p.mass_blocks.size(), 0);
  for (const int j : p.G.columns) bounded[p.mass_block[j]] = 1;
  // A body: consecutive velocities with the same contacts, or with some of them.
  std::vector<std::vector<int>> contacts(nv);
  for (std::size_t c = 0; c < touched_.size(); ++c) {
    for (const int j : touched_[c].velocities) contacts[j].push_back(static_cast<int>(c));
  }
  std::vector<int> body(nv);
  int bodies = 0, first = 0;
  const auto within = [&](int a, int b) {
    return std::includes(contacts[b].begin(), contacts[b].end(), contacts[a].begin(),
                         contacts[a].end());
  };
  for (int i = 0; i < nv; ++i) {
    int largest = first;
    for (int k = first; k < i; ++k) {
      if (contacts[k].size() > contacts[largest].size()) largest = k;
    }
    if (i > first && (i - first >= kLargestGroup || !(within(i, largest) || within(largest, i)))) {
      ++bodies;
      first = i;
    }
    body[i] = bodies;
  }
  v_index_.assign(nv, -1);
  m_index_.assign(nv, -1);
  groups_.clear();
  signs_.clear();
  for (int begin = 0; begin < nv;) {
    int end = begin;
    while (end < nv && body[end] == body[begin]) ++end;
    for (int i = begin; i < end; ++i) {
      if (!bounded[p.mass_block[i]]) continue;
      v_index_[i] = static_cast<int>(groups_.size());
      groups_.push_back(body[i]);
      signs_.push_back(1);
    }
    for (int i = begin; i < end; ++i) {
      m_index_[i] = static_cast<int>(groups_.size());
      groups_.push_back(body[i]);
      signs_.push_back(-1);
    }
    begin = end;
  }
  work_.resize(static_cast<Eigen::Index>(groups_.size()));
}

// The pattern of what takes part, and where every contribution goes: those of M, then of the cones,
// then of the rows of G.
void ImpulseNewton::analyse() {
  ++analyses;
  const ImpulseProgram& p = *program_;
  const int n = static_cast<int>(groups_.size());
  std::vector<std::pair<int, int>> places;  // row <= column
  const auto put = [&](int a, int b) { places.emplace_back(std::min(a, b), std::max(a, b)); };
  for (int j = 0; j < p.velocities(); ++j) {
    for (SparseMatrix::InnerIterator it(p.M, j); it; ++it) {
      const int i = static_cast<int>(it.row());
      if (v_index_[j] < 0) {
        if (i <= j) put(m_index_[i], m_index_[j]);
        continue;
      }
      if (i <= j) put(v_index_[i], v_index_[j]);
      put(v_index_[i], m_index_[j]);
      if (i == j) put(m_index_[j], m_index_[j]);
    }
  }
  for (std::size_t c = 0; c < touched_.size(); ++c) {
    if (!cone_in_[c]) continue;
    const std::vector<int>& t = touched_[c].velocities;
    for (std::size_t s = 0; s < t.size(); ++s) {
      for (std::size_t r = 0; r <= s; ++r) put(m_index_[t[r]], m_index_[t[s]]);
    }
  }
  for (int i = 0; i < p.bounds(); ++i) {
    if (!bound_in_[i]) continue;
    for (int s = p.G.starts[i]; s < p.G.starts[i + 1]; ++s) {
      for (int r = p.G.starts[i]; r <= s; ++r)
        put(v_index_[p.G.columns[r]], v_index_[p.G.columns[s]]);
    }
  }
  std::vector<int> first(n + 1, 0), by_column(places.size());
  for (const auto& [row, column] : places) ++first[column + 1];
  for (int j = 0; j < n; ++j) first[j + 1] += first[j];
  std::vector<int> next(first.begin(), first.end() - 1);
  for (std::size_t k = 0; k < places.size(); ++k)
    by_column[next[places[k].second]++] = static_cast<int>(k);
  targets_.resize(places.size());
  starts_.assign(1, 0);
  rows_.clear();
  std::vector<int> mark(n, -1), slot(n);
  for (int j = 0; j < n; ++j) {
    for (int k = first[j]; k < first[j + 1]; ++k) {
      const int row = places[by_column[k]].first;
      if (mark[row] != j) {
        mark[row] = j;
        slot[row] = static_cast<int>(rows_.size());
        rows_.push_back(row);
      }
      targets_[by_column[k]] = slot[row];
    }
    starts_.push_back(static_cast<int>(rows_.size()));
  }
  values_.resize(rows_.size());
  ldl_.analyse(n, starts_, rows_, signs_, groups_);
}

bool ImpulseNewton::factor(const std::vector<ConeBlock>& blocks, const Vector& weights) {
  const ImpulseProgram& p = *program_;
  bool known = !starts_.empty();
  for (std::size_t c = 0; c < blocks.size(); ++c) {
    if (cone_in_[c] || blocks[c].isZero(0.0)) continue;
    cone_in_[c] = 1;
    known = false;
  }
  for (int i = 0; i < p.bounds(); ++i) {
    if (bound_in_[i] || weights[i] == 0.0) continue;
    bound_in_[i] = 1;
    known = false;
  }
  if (!known) analyse();
  ++factorisations;
  std::fill(values_.begin(), values_.end(), 0.0);
  const int* target = targets_.data();
  const auto put = [&](double value) { values_[*target++] += value; };
  for (int j = 0; j < p.velocities(); ++j) {
    for (SparseMatrix::InnerIterator it(p.M, j); it; ++it) {
      const int i = static_cast<int>(it.row());
      if (v_index_[j] < 0) {
        if (i <= j) put(-it.value());
        continue;
      }
      if (i <= j) put(it.value());
      put(-it.value());
      if (i == j) put(0.0);
    }
  }
  for (std::size_t c = 0; c < touched_.size(); ++c) {
    if (!cone_in_[c]) continue;
    const auto& rows = touched_[c].rows;
    const Eigen::Index n = rows.cols();
    for (Eigen::Index s = 0; s < n; ++s) {
      const Eigen::Vector3d x = blocks[c] * rows.col(s);
      for (Eigen::Index r = 0; r <= s; ++r) put(-rows.col(r).dot(x));
    }
  }
  for (int i = 0; i < p.bounds(); ++i) {
    if (!bound_in_[i]) continue;
    for (int s = p.G.starts[i]; s < p.G.starts[i + 1]; ++s) {
      const double x = weights[i] * p.G.values[s];
      for (int r = p.G.starts[i]; r <= s; ++r) put(x * p.G.values[r]);
    }
  }
  return ldl_.factor(values_, kLeastPivot, kSubstitute);
}

void ImpulseNewton::solve(const Vector& a, const Vector& b, Vector& dv, Vector& dm) {
  ++linear_solves;
  const ImpulseProgram& p = *program_;
  for (int i = 0; i < p.velocities(); ++i) {
    work_[m_index_[i]] = b[i];
    if (v_index_[i] >= 0) {
      work_[v_index_[i]] = a[i];
    } else {
      work_[m_index_[i]] += a[i];
    }
  }
  ldl_.solve(work_.data());
  dv = a;
  p.solve_mass(dv);
  for (int i = 0; i < p.velocities(); ++i) {
    dm[i] = work_[m_index_[i]];
    dv[i] = v_index_[i] >= 0 ? work_[v_index_[i]] : dv[i] + dm[i];
  }
}

}  // namespace perp
