#include <perp/solvers/block_interior_point/impulse_newton.hpp>

#include <algorithm>

namespace perp {

namespace {

constexpr int kLargestGroup = 6;  // velocities of a body
constexpr double kLeastImpulsePivot = 1e-25, kSubstitute = 1e-12;

}  // namespace

void ImpulseNewton::prepare(const ImpulseProgram& program) {
  program_ = &program;
  factorisations = analyses = linear_solves = 0;
  find_touched();
  cone_in_.assign(program.cones.size(), 0);
  bound_in_.assign(program.bounds(), 0);
  number_unknowns();
  analysed_ = false;
}

void ImpulseNewton::update() {
  for (std::size_t c = 0; c < touched_.size(); ++c) {
    const ImpulseCone& cone = program_->cones[c];
    Touched& t = touched_[c];
    for (int i = 0; i < cone.size; ++i) {
      const int row = cone.first + i;
      for (int k = program_->J.starts[row]; k < program_->J.starts[row + 1]; ++k) {
        const auto at =
            std::lower_bound(t.velocities.begin(), t.velocities.end(), program_->J.columns[k]);
        t.rows(i, at - t.velocities.begin()) = program_->J.values[k];
      }
    }
  }
}

void ImpulseNewton::find_touched() {
  const RowMatrix& J = program_->J;
  touched_.resize(program_->cones.size());
  for (std::size_t c = 0; c < touched_.size(); ++c) {
    const ImpulseCone& cone = program_->cones[c];
    std::vector<int>& velocities = touched_[c].velocities;
    velocities.assign(J.columns.begin() + J.starts[cone.first],
                      J.columns.begin() + J.starts[cone.first + cone.size]);
    std::sort(velocities.begin(), velocities.end());
    velocities.erase(std::unique(velocities.begin(), velocities.end()), velocities.end());
    touched_[c].rows.setZero(3, static_cast<Eigen::Index>(velocities.size()));
  }
  update();
}

// Numbers the unknowns body by body: first v, if it is in a row of G, then m. So the pivots of v
// come before those of m, which they do not need.
void ImpulseNewton::number_unknowns() {
  const ImpulseProgram& p = *program_;
  const int nv = p.velocities();
  std::vector<char> bounded(static_cast<std::size_t>(p.mass.blocks()), 0);
  for (const int j : p.G.columns) bounded[p.mass.block_of(j)] = 1;
  const std::vector<int> body = find_bodies();
  v_index_.assign(nv, -1);
  m_index_.assign(nv, -1);
  groups_.clear();
  signs_.clear();
  const auto add = [&](std::vector<int>& index, int i, signed char sign) {
    index[i] = static_cast<int>(groups_.size());
    groups_.push_back(body[i]);
    signs_.push_back(sign);
  };
  for (int begin = 0; begin < nv;) {
    int end = begin;
    while (end < nv && body[end] == body[begin]) ++end;
    for (int i = begin; i < end; ++i) {
      if (bounded[p.mass.block_of(i)]) add(v_index_, i, 1);
    }
    for (int i = begin; i < end; ++i) add(m_index_, i, -1);
    begin = end;
  }
  work_.resize(static_cast<Eigen::Index>(groups_.size()));
}

// The body of each velocity: consecutive velocities form a body if the contacts of one are among
// those of the other.
std::vector<int> ImpulseNewton::find_bodies() const {
  const int nv = program_->velocities();
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
  return body;
}

// (row, column) of every contribution, row <= column.
std::vector<std::pair<int, int>> ImpulseNewton::list_places() const {
  const ImpulseProgram& p = *program_;
  std::vector<std::pair<int, int>> places;
  const auto put = [&](int a, int b) { places.emplace_back(std::min(a, b), std::max(a, b)); };
  for (int j = 0; j < p.velocities(); ++j) {
    const int b = p.mass.block_of(j);
    for (int i = p.mass.begin(b); i < p.mass.begin(b + 1); ++i) {
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
  return places;
}

void ImpulseNewton::analyse() {
  ++analyses;
  const int n = static_cast<int>(groups_.size());
  const std::vector<std::pair<int, int>> places = list_places();
  std::vector<int> first(n + 1, 0), by_column(places.size());
  for (const auto& [row, column] : places) ++first[column + 1];
  for (int j = 0; j < n; ++j) first[j + 1] += first[j];
  std::vector<int> next(first.begin(), first.end() - 1);
  for (std::size_t k = 0; k < places.size(); ++k)
    by_column[next[places[k].second]++] = static_cast<int>(k);
  auto& [starts, rows, targets] = pattern_;
  targets.resize(places.size());
  starts.assign(1, 0);
  rows.clear();
  std::vector<int> mark(n, -1), slot(n);
  for (int j = 0; j < n; ++j) {
    for (int k = first[j]; k < first[j + 1]; ++k) {
      const int row = places[by_column[k]].first;
      if (mark[row] != j) {
        mark[row] = j;
        slot[row] = static_cast<int>(rows.size());
        rows.push_back(row);
      }
      targets[by_column[k]] = slot[row];
    }
    starts.push_back(static_cast<int>(rows.size()));
  }
  values_.resize(rows.size());
  ldl_.analyse(n, starts, rows, signs_, groups_, {}, threads_);
}

// Adds the cones and rows with weight to the pattern. @return whether all of them were in it
// already
bool ImpulseNewton::let_in(const std::vector<ConeBlock>& blocks, const Vector& weights) {
  bool known = true;
  const auto take = [&](char& in, bool has_weight) {
    if (in == has_weight || (in && !first_)) return;
    in = has_weight;
    known = false;
  };
  for (std::size_t c = 0; c < blocks.size(); ++c) take(cone_in_[c], !blocks[c].isZero(0.0));
  for (int i = 0; i < program_->bounds(); ++i) take(bound_in_[i], weights[i] != 0.0);
  first_ = false;
  return known;
}

bool ImpulseNewton::factor(const std::vector<ConeBlock>& blocks, const Vector& weights) {
  analysed_ &= let_in(blocks, weights);
  if (!analysed_) analyse();
  analysed_ = true;
  ++factorisations;
  const ImpulseProgram& p = *program_;
  std::fill(values_.begin(), values_.end(), 0.0);
  const int* target = pattern_.targets.data();  // in the order of list_places()
  const auto put = [&](double value) { values_[*target++] += value; };
  for (int j = 0; j < p.velocities(); ++j) {
    const int b = p.mass.block_of(j);
    for (int i = p.mass.begin(b); i < p.mass.begin(b + 1); ++i) {
      const double mass = p.mass.value(i, j);
      if (v_index_[j] < 0) {
        if (i <= j) put(-mass);
        continue;
      }
      if (i <= j) put(mass);
      put(-mass);
      if (i == j) put(0.0);
    }
  }
  for (std::size_t c = 0; c < touched_.size(); ++c) {
    if (!cone_in_[c]) continue;
    const auto& rows = touched_[c].rows;
    for (Eigen::Index s = 0; s < rows.cols(); ++s) {
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
  return ldl_.factor(values_, kLeastImpulsePivot, kSubstitute);
}

void ImpulseNewton::put_side(const Side& side, double* x) const {
  for (int i = 0; i < program_->velocities(); ++i) {
    x[m_index_[i]] = side.b[i];
    if (v_index_[i] >= 0) {
      x[v_index_[i]] = side.a[i];
    } else {
      x[m_index_[i]] += side.a[i];
    }
  }
}

void ImpulseNewton::take_solution(const double* x, const Side& side) const {
  side.dv = side.a;
  program_->mass.solve(side.dv);
  for (int i = 0; i < program_->velocities(); ++i) {
    side.dm[i] = x[m_index_[i]];
    side.dv[i] = v_index_[i] >= 0 ? x[v_index_[i]] : side.dv[i] + side.dm[i];
  }
}

void ImpulseNewton::solve(std::initializer_list<Side> sides) {
  linear_solves += static_cast<int>(sides.size());
  const auto n = static_cast<Eigen::Index>(groups_.size());
  const auto count = static_cast<Eigen::Index>(sides.size());
  if (work_.size() < count * n) work_.resize(count * n);
  double* x = work_.data();
  for (const Side& side : sides) {
    put_side(side, x);
    x += n;
  }
  ldl_.solve(work_.data(), static_cast<int>(count));
  x = work_.data();
  for (const Side& side : sides) {
    take_solution(x, side);
    x += n;
  }
}

}  // namespace perp
