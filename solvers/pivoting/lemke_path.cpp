#include <perp/solvers/pivoting/lemke_path.hpp>

#include <algorithm>
#include <cmath>
#include <limits>

namespace perp {

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kRefineAbove =
    1e-14;  // a direction with a larger relative residual is refined once
constexpr double kHopeless =
    1e-5;  // residual of a direction that a fresh factorisation must not leave
constexpr double kFeasibleAtStart = 1e-14;
constexpr double kIndependent =
    1e-7;  // pivot from which a column counts as independent of the basis
using Kind = CanonicalProblem::PairKind;

// Well-spread bits of an id (splitmix64 [BlackmanVigna2021]).
std::uint64_t mixed(int id) {
  std::uint64_t z =
      static_cast<std::uint64_t>(static_cast<std::int64_t>(id)) * 0x9e3779b97f4a7c15ULL + 1;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
  return z ^ (z >> 31);
}

}  // namespace

void LemkePath::attach(const CanonicalProblem& problem) {
  problem_ = &problem;
  basis_.attach(problem);
  const int m = problem.size();
  for (Vector* v : {&range_, &start_sign_, &values_, &lower_, &upper_, &direction_, &best_row_,
                    &other_row_, &work_, &x_, &ray_x_}) {
    v->setZero(m);
  }
  basic_.assign(2 * m + 1, 0);
  first_basic_ = basic_;
  at_upper_.assign(m, 0);
  status_.assign(m, PairStatus::kAtLower);
  start_head_.assign(m, 0);
  tied_.reserve(m + 1);
}

void LemkePath::reset_counts() {
  pivots = flips = ties = rows_solved = 0;
  largest_drift = 0.0;
  basis_.factorisations = basis_.linear_solves = 0;
}

PathEnd LemkePath::follow(const std::vector<PairStatus>& start, const Vector* covering,
                          const PathSettings& settings, long max_pivots, double time_limit,
                          Observer* observer) {
  settings_ = settings;
  time_limit_ = time_limit;
  started_ = std::chrono::steady_clock::now();
  steps_ = 0;
  next_kept_ = 1;
  PathEnd end = PathEnd::kNumerical;
  switch (begin(start, covering)) {
    case Begin::kReady:
      end = walk(max_pivots, observer);
      break;
    case Begin::kSolved:
      end = PathEnd::kSolution;
      break;
    case Begin::kSingular:
      break;
  }
  finish(end);
  return end;
}

PathEnd LemkePath::follow_from(const Vector& x, const Vector& w,
                               const std::vector<PairStatus>& start, const PathSettings& settings,
                               long max_pivots, double time_limit) {
  point_x_ = &x;
  point_w_ = &w;
  const PathEnd end = follow(start, nullptr, settings, max_pivots, time_limit, nullptr);
  point_x_ = point_w_ = nullptr;
  return end;
}

// The main loop [CottlePangStone2009, Sec. 4.4].
PathEnd LemkePath::walk(long max_pivots, Observer* observer) {
  while (true) {
    if (steps_ >= max_pivots) return PathEnd::kPivotLimit;
    if (out_of_time()) return PathEnd::kTimeLimit;
    if (!compute_direction()) return PathEnd::kNumerical;
    const Step step = ratio_test();
    if (step.kind == Step::Kind::kRay) return PathEnd::kRay;
    if (!tell(observer, step)) return PathEnd::kInterrupted;
    if (take(step)) return PathEnd::kSolution;  // t has left the basis
    if (at_start_again()) return PathEnd::kCycle;
    if (repeats()) return PathEnd::kNumerical;
    if (settings_.refactor_always || basis_.worth_factoring()) {
      if (!factor()) return PathEnd::kNumerical;
    }
  }
}

LemkePath::Begin LemkePath::begin(const std::vector<PairStatus>& start, const Vector* covering) {
  const int m = basis_.size();
  const double largest = m > 0 ? problem_->q.cwiseAbs().maxCoeff() : 0.0;
  scale_ = largest > 0 ? std::exp2(-std::ceil(std::log2(largest))) : 1.0;
  range_ = problem_->range * scale_;
  if (!build_basis(start) && !build_from_default(start)) return Begin::kSingular;
  if (!compute_values()) return Begin::kSingular;
  for (int p = 0; p < m; ++p) start_head_[p] = basis_.head(p);
  entering_ = -1;
  return point_x_ ? enter_from_point() : enter_covering(covering);
}

// The basis of the given statuses. @return false where it is singular.
bool LemkePath::build_basis(const std::vector<PairStatus>& start) {
  std::fill(basic_.begin(), basic_.end(), 0);
  for (int i = 0; i < basis_.size(); ++i) {
    const bool basic = start[i] == PairStatus::kBasic;
    at_upper_[i] = start[i] == PairStatus::kAtUpper;
    start_head_[i] = basic ? basis_.x_id(i) : basis_.w_id(i);
    basic_[start_head_[i]] = 1;
  }
  basis_.set_head(start_head_);
  return basis_.factor();
}

// From the default start, which is nonsingular, those x enter in place of their w that the given
// start has basic and that are independent of the ones before.
bool LemkePath::build_from_default(const std::vector<PairStatus>& start) {
  if (!build_basis(problem_->default_start)) return false;
  for (int i = 0; i < basis_.size(); ++i) {
    if (start[i] == PairStatus::kAtUpper && basic_[basis_.w_id(i)]) at_upper_[i] = 1;
    if (start[i] != PairStatus::kBasic || basic_[basis_.x_id(i)]) continue;
    if (out_of_time()) break;
    basis_.column(basis_.x_id(i), work_);
    basis_.solve(work_);
    const int position = basis_.slack_position(i);
    if (std::abs(work_[position]) <= kIndependent * std::max(1.0, work_.cwiseAbs().maxCoeff()))
      continue;
    basis_.replace(position, basis_.x_id(i), work_);
    basic_[basis_.w_id(i)] = 0;
    basic_[basis_.x_id(i)] = 1;
    if (basis_.worth_factoring() && !basis_.factor()) return false;
  }
  return basis_.factor();
}

// t enters: values(t) = values(0) + t p is within its bounds from t0 on, and what blocks at t0
// leaves.
LemkePath::Begin LemkePath::enter_covering(const Vector* covering) {
  const int m = basis_.size();
  Vector& p = direction_;
  const double feasible = kFeasibleAtStart * value_size_;
  double t0 = 0.0;
  bool outside = false;
  may_cycle_ = false;
  for (int i = 0; i < m; ++i) {
    const int id = basis_.head(i);
    const bool one_sided = std::isinf(lower_[i]) != std::isinf(upper_[i]);
    const double sign = std::isinf(lower_[i]) ? -1.0 : 1.0;
    const double below = lower_[i] - values_[i], above = values_[i] - upper_[i];
    start_sign_[i] = one_sided ? sign : (above > 0 ? -1.0 : 1.0);
    p[i] = 0.0;
    if (one_sided) {
      const bool given = covering && basis_.is_slack(id);
      p[i] = sign * (given ? (*covering)[basis_.pair_of(id)] : 1.0);
      if (p[i] != 0.0) t0 = std::max(t0, std::max(below, above) / std::abs(p[i]));
    }
    if (std::max(below, above) > feasible) {
      outside = true;
      may_cycle_ = may_cycle_ || !one_sided;
      if (one_sided && p[i] == 0.0) return Begin::kSingular;  // the covering vector does not cover
    }
  }
  if (!outside) return Begin::kSolved;
  if (may_cycle_ && t0 <= 0) t0 = 1.0;
  int leaving = -1;
  const double tie = settings_.tie_tolerance * value_size_;
  for (int i = 0; i < m; ++i) {
    const double outward = std::max(lower_[i] - values_[i], values_[i] - upper_[i]);
    const bool boxed = std::isfinite(lower_[i]) && std::isfinite(upper_[i]);
    if (boxed && outward > feasible) p[i] = (lower_[i] > values_[i] ? outward : -outward) / t0;
    // Of those that tie, the last position is lexicographically smallest: S e_i / |p_i|.
    if (p[i] != 0.0 && t0 * std::abs(p[i]) - outward <= tie) leaving = i;
  }
  first_t_ = t0 / scale_;
  return leave_for_covering(leaving, t0);
}

// t falls from 1, where the values are those of the point.
LemkePath::Begin LemkePath::enter_from_point() {
  const int m = basis_.size();
  Vector& p = direction_;
  bool outside = false;
  double longest = kInfinity;  // fall of t until the first value is at its bound
  int leaving = -1;
  for (int i = 0; i < m; ++i) {
    const int id = basis_.head(i);
    const Vector& from = basis_.is_slack(id) ? *point_w_ : *point_x_;
    const double here = std::clamp(scale_ * from[basis_.pair_of(id)], lower_[i], upper_[i]);
    start_sign_[i] = std::isinf(lower_[i]) ? -1.0 : 1.0;
    p[i] = here - values_[i];
    outside |=
        std::max(lower_[i] - values_[i], values_[i] - upper_[i]) > kFeasibleAtStart * value_size_;
    const double slack = p[i] > 0 ? here - lower_[i] : upper_[i] - here;
    // Of those that tie, the last position is lexicographically smallest, as above.
    if (p[i] == 0.0 || !(slack / std::abs(p[i]) <= longest)) continue;
    longest = slack / std::abs(p[i]);
    leaving = i;
  }
  if (!outside || longest >= 1.0) return Begin::kSolved;
  may_cycle_ = true;
  first_t_ = 1.0 / scale_;
  return leave_for_covering(leaving, 1.0 - longest);
}

// With d = -B p for the p that stands in direction_: t takes the place of what leaves.
LemkePath::Begin LemkePath::leave_for_covering(int leaving, double t) {
  const Vector& p = direction_;
  work_.setZero();
  for (int i = 0; i < basis_.size(); ++i) {
    if (p[i] != 0.0) basis_.add_column(basis_.head(i), -p[i], work_);
  }
  basis_.set_covering(work_);
  values_ += t * p;
  direction_ = -p;
  const int left = basis_.head(leaving);
  const bool to_upper =
      std::abs(upper_[leaving] - values_[leaving]) < std::abs(values_[leaving] - lower_[leaving]);
  replace(leaving, basis_.t_id(), t);
  choose_entering(left, to_upper);
  first_basic_ = basic_;
  first_entering_ = entering_;
  return Begin::kReady;
}

// direction := s B^-1 a, with a residual of rounding size or not at all.
bool LemkePath::compute_direction() {
  for (int attempt = 0; attempt < 2; ++attempt) {
    basis_.column(entering_, direction_);
    direction_ *= sense_;
    basis_.solve(direction_);
    work_.setZero();
    basis_.add_column(entering_, sense_, work_);
    basis_.subtract_product(direction_, work_);
    const double size = std::max(1.0, direction_.cwiseAbs().maxCoeff());
    const double drift = work_.cwiseAbs().maxCoeff() / size;
    largest_drift = std::max(largest_drift, drift);
    if (!(drift <= settings_.drift_tolerance) && basis_.updates() > 0 && attempt == 0) {
      if (!factor()) return false;
      continue;
    }
    if (!(drift <= kHopeless)) return false;
    if (drift > kRefineAbove) {
      basis_.solve(work_);
      direction_ += work_;
    }
    return true;
  }
  return false;
}

// Which basic variable blocks first as the entering one moves.
LemkePath::Step LemkePath::ratio_test() {
  const int m = basis_.size();
  const double small = settings_.pivot_tolerance * direction_.cwiseAbs().maxCoeff();
  const double tie = settings_.tie_tolerance * value_size_;
  const auto slack = [&](int i) {
    return direction_[i] > 0 ? values_[i] - lower_[i] : upper_[i] - values_[i];
  };
  double shortest = kInfinity;
  int nearest = -1;
  for (int i = 0; i < m; ++i) {
    const double rate = std::abs(direction_[i]);
    if (!(rate > small)) continue;
    const double length = std::max(0.0, slack(i)) / rate;
    if (length < shortest) {
      shortest = length;
      nearest = i;
    }
  }
  const bool boxed = entering_ < m && problem_->kind[entering_] == Kind::kBoxed;
  const double flip = boxed ? range_[entering_] : kInfinity;
  if (std::isinf(shortest) && std::isinf(flip)) return {Step::Kind::kRay, -1, kInfinity};
  if (flip < shortest - tie) return {Step::Kind::kFlip, -1, flip};
  tied_.clear();
  for (int i = 0; i < m; ++i) {
    const double rate = std::abs(direction_[i]);
    // The nearest ties with itself, though its slack and length * rate may differ by rounding.
    if (i != nearest && (!(rate > small) || slack(i) - shortest * rate > tie)) continue;
    if (basis_.head(i) == basis_.t_id())
      return {Step::Kind::kPivot, i, std::max(0.0, slack(i)) / rate};
    tied_.push_back(i);
  }
  const int position =
      settings_.largest_pivot ? largest_pivot() : lexicographic_minimum(flip <= shortest + tie);
  if (position < 0) return {Step::Kind::kFlip, -1, flip};
  return {Step::Kind::kPivot, position,
          std::max(0.0, slack(position)) / std::abs(direction_[position])};
}

// Of the tied positions, the one whose row of B^-1 B0 S, divided by its rate, is lexicographically
// least; -1 for the entering variable's own bound, whose row is zero.
int LemkePath::lexicographic_minimum(bool flip_ties) {
  if (tied_.size() == 1 && !flip_ties) return tied_[0];
  ++ties;
  int best = -1;
  std::size_t next = 0;
  if (flip_ties) {
    best_row_.setZero();
  } else {
    best = tied_[next++];
    inverse_row(best, best_row_);
  }
  // Past the time limit any of them will do: the path ends after this step.
  for (; next < tied_.size() && !out_of_time(); ++next) {
    inverse_row(tied_[next], other_row_);
    if (lexicographically_less(other_row_, best_row_)) {
      best = tied_[next];
      best_row_.swap(other_row_);
    }
  }
  return best;
}

int LemkePath::largest_pivot() {
  if (tied_.size() > 1) ++ties;
  return *std::max_element(tied_.begin(), tied_.end(), [this](int a, int b) {
    return std::abs(direction_[a]) < std::abs(direction_[b]);
  });
}

void LemkePath::inverse_row(int position, Vector& row) {
  ++rows_solved;
  const int m = basis_.size();
  work_.setZero();
  work_[position] = 1.0;
  basis_.solve_transposed(work_);
  for (int j = 0; j < m; ++j) row[j] = start_sign_[j] * basis_.dot_column(start_head_[j], work_);
  row /= direction_[position];
}

bool LemkePath::lexicographically_less(const Vector& a, const Vector& b) const {
  const double equal =
      settings_.row_tolerance * std::max(a.cwiseAbs().maxCoeff(), b.cwiseAbs().maxCoeff());
  for (int j = 0; j < a.size(); ++j) {
    if (std::abs(a[j] - b[j]) > equal) return a[j] < b[j];
  }
  return false;
}

// Moves along the direction and exchanges. @return true where t has left.
bool LemkePath::take(const Step& step) {
  ++steps_;
  values_ -= step.length * direction_;
  value_size_ = std::max(1.0, values_.cwiseAbs().maxCoeff());
  if (step.kind == Step::Kind::kFlip) {
    ++flips;
    const int pair = entering_;
    set_at_upper(pair, sense_ > 0);
    entering_ = basis_.w_id(pair);  // w leaves zero to the side that the new bound asks for
    sense_ = -sense_;
    return false;
  }
  ++pivots;
  const int leaving = basis_.head(step.position);
  const bool to_upper = direction_[step.position] < 0;
  const double start = sense_ > 0 || entering_ >= basis_.size() ? 0.0 : range_[entering_];
  replace(step.position, entering_, start + sense_ * step.length);
  if (leaving == basis_.t_id()) return true;
  choose_entering(leaving, to_upper);
  return false;
}

void LemkePath::replace(int position, int entering, double value) {
  basis_hash_ ^= mixed(basis_.head(position)) ^ mixed(entering);
  basic_[basis_.head(position)] = 0;
  basic_[entering] = 1;
  if (entering < basis_.size()) set_at_upper(entering, false);
  basis_.replace(position, entering, direction_);
  values_[position] = value;
  update_bounds(position);
}

// The complement of what left.
void LemkePath::choose_entering(int leaving, bool at_upper) {
  const int pair = basis_.pair_of(leaving);
  if (basis_.is_slack(leaving)) {  // x moves away from the bound that w belonged to
    entering_ = basis_.x_id(pair);
    sense_ = at_upper_[pair] ? -1.0 : 1.0;
  } else {
    set_at_upper(pair, at_upper);
    entering_ = basis_.w_id(pair);
    sense_ = at_upper ? -1.0 : 1.0;
  }
}

bool LemkePath::factor() { return basis_.factor() && compute_values(); }

// values := B^-1 (b - columns of variables at their upper bounds), refined once.
bool LemkePath::compute_values() {
  const int m = basis_.size();
  const auto right_hand_side = [&](Vector& b) {
    b = -scale_ * problem_->q;
    for (int j = 0; j < m; ++j) {
      if (at_upper_[j] && !basic_[j]) problem_->M.add_column(j, -range_[j], b.data());
    }
  };
  right_hand_side(values_);
  basis_.solve(values_);
  right_hand_side(work_);
  basis_.subtract_product(values_, work_);
  basis_.solve(work_);
  values_ += work_;
  if (!values_.allFinite()) return false;
  value_size_ = m > 0 ? std::max(1.0, values_.cwiseAbs().maxCoeff()) : 1.0;
  for (int p = 0; p < m; ++p) update_bounds(p);
  return true;
}

void LemkePath::update_bounds(int position) {
  const int id = basis_.head(position), pair = basis_.pair_of(id);
  lower_[position] = 0.0;
  upper_[position] = kInfinity;
  if (id == basis_.t_id()) return;
  if (basis_.is_slack(id)) {
    if (at_upper_[pair]) {
      lower_[position] = -kInfinity;
      upper_[position] = 0.0;
    }
  } else if (problem_->kind[pair] == Kind::kBoxed) {
    upper_[position] = range_[pair];
  } else if (problem_->kind[pair] == Kind::kFree) {
    lower_[position] = -kInfinity;
  }
}

void LemkePath::set_at_upper(int pair, bool at_upper) {
  if (static_cast<bool>(at_upper_[pair]) == at_upper) return;
  at_upper_[pair] = at_upper;
  basis_hash_ ^= mixed(-1 - pair);
}

// In exact arithmetic the lexicographic rule never comes back to a basis. One that does has been
// misled by rounding; Brent's method finds the cycle within about three times its length, in
// constant memory.
bool LemkePath::repeats() {
  const std::uint64_t now = basis_hash_ ^ mixed(entering_) * 3;
  if (steps_ > 1 && now == kept_hash_) return true;
  if (steps_ >= next_kept_) {
    kept_hash_ = now;
    next_kept_ = 2 * steps_;
  }
  return false;
}

bool LemkePath::at_start_again() const {
  return may_cycle_ && steps_ > 1 && entering_ == first_entering_ && basic_ == first_basic_;
}

void LemkePath::finish(PathEnd end) {
  const int m = basis_.size();
  for (int j = 0; j < m; ++j) {
    status_[j] = basic_[j] ? PairStatus::kBasic
                           : (at_upper_[j] ? PairStatus::kAtUpper : PairStatus::kAtLower);
    x_[j] = at_upper_[j] ? problem_->range[j] : 0.0;
  }
  t_ = 0.0;
  if (end == PathEnd::kRay) {
    ray_x_.setZero();
    ray_t_ = 0.0;
    if (entering_ < m) ray_x_[entering_] = sense_;
  }
  for (int p = 0; p < m; ++p) {
    const int id = basis_.head(p);
    if (id < m) x_[id] = values_[p] / scale_;
    if (id == basis_.t_id()) t_ = values_[p] / scale_;
    if (end != PathEnd::kRay) continue;
    if (id < m) ray_x_[id] = -direction_[p];
    if (id == basis_.t_id()) ray_t_ = -direction_[p];
  }
}

bool LemkePath::correct(const Vector& rows, Vector& x_correction) {
  if (basis_.updates() > 0 && !basis_.factor()) return false;
  work_ = rows;
  basis_.solve(work_);
  x_correction.setZero();
  for (int p = 0; p < basis_.size(); ++p) {
    if (basis_.head(p) < basis_.size()) x_correction[basis_.head(p)] = work_[p];
  }
  return work_.allFinite();
}

bool LemkePath::out_of_time() const {
  if (time_limit_ <= 0) return false;
  const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - started_;
  return elapsed.count() > time_limit_;
}

bool LemkePath::tell(Observer* observer, const Step& step) const {
  if (!observer) return true;
  IterationRecord record;
  record.iteration = static_cast<int>(steps_ + 1);
  record.step_type = step.kind == Step::Kind::kFlip ? "flip" : "pivot";
  for (int p = 0; p < basis_.size(); ++p) {
    if (basis_.head(p) == basis_.t_id()) record.merit = values_[p] / scale_;
  }
  record.step = step.length / scale_;
  record.active_set_size = basis_.kernel_size();
  const auto original = [&](int pair) { return pair < 0 ? -1 : problem_->variable[pair]; };
  record.entering = original(basis_.pair_of(entering_));
  if (step.position >= 0) record.leaving = original(basis_.pair_of(basis_.head(step.position)));
  record.linear_solves = basis_.linear_solves;
  record.factorisations = basis_.factorisations;
  return observer->on_iteration(record);
}

}  // namespace perp
