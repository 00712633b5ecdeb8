#include <perp/solvers/pivoting/lemke_path.hpp>

#include <algorithm>
#include <cmath>
#include <perp/problems/limits/current_deadline.hpp>
#include <perp/problems/matrix/infinity.hpp>

namespace perp {

namespace {

constexpr double kRefineAbove =
    1e-14;  // a direction with a larger relative residual is refined once
constexpr double kHopeless =
    1e-5;  // a larger residual of a direction after a new factorisation ends the path
constexpr double kIndependent =
    1e-7;  // a column with a larger pivot counts as independent of the basis

}  // namespace

void LemkePath::attach(const CanonicalProblem& problem) {
  problem_ = &problem;
  const int m = problem.size();
  basis_.attach(problem);
  set_.attach(m);
  values_.attach(problem, basis_, set_);
  entry_.attach(m);
  entering_.attach(m);
  order_.attach(m);
  repeated_.attach(m);
  for (Vector* v : {&work_, &end_.x, &end_.ray_x}) v->setZero(m);
  end_.status.assign(m, PairStatus::kAtLower);
  tied_.reserve(m + 1);
}

void LemkePath::reset_counts() {
  counts_ = {};
  order_.rows_solved = 0;
  basis_.factorisations = basis_.linear_solves = 0;
}

PathEnd LemkePath::follow(const std::vector<PairStatus>& start, const Vector* covering,
                          const PathSettings& settings, long max_pivots, const Deadline& deadline,
                          Observer* observer) {
  settings_ = settings;
  deadline_ = deadline;
  return follow(start, covering, nullptr, max_pivots, observer);
}

PathEnd LemkePath::follow_from(const Vector& x, const Vector& w,
                               const std::vector<PairStatus>& start, const PathSettings& settings,
                               long max_pivots, const Deadline& deadline) {
  settings_ = settings;
  deadline_ = deadline;
  const PathOrigin origin{&x, &w};
  return follow(start, nullptr, &origin, max_pivots, nullptr);
}

PathEnd LemkePath::follow(const std::vector<PairStatus>& start, const Vector* covering,
                          const PathOrigin* origin, long max_pivots, Observer* observer) {
  PathEnd end = PathEnd::kNumerical;
  steps_ = 0;
  values_.set_scale();
  if (begin(start)) {
    order_.begin(basis_);
    const double tie = settings_.largest_pivot ? 0.0 : settings_.tie_tolerance * values_.size;
    switch (origin ? entry_.from_point(values_, basis_, *origin, order_)
                   : entry_.from_far_away(values_, basis_, covering, tie, order_)) {
      case CoveringEntry::Kind::kReady:
        enter_covering();
        end = walk(max_pivots, observer);
        break;
      case CoveringEntry::Kind::kSolved:
        end = PathEnd::kSolution;
        break;
      case CoveringEntry::Kind::kUncovered:
        break;
    }
  }
  if (end == PathEnd::kNumerical && CurrentDeadline::passed())  // in a factorisation
    end = CurrentDeadline::interrupted() ? PathEnd::kInterrupted : PathEnd::kTimeLimit;
  finish(end);
  return end;
}

// The main loop [CottlePangStone2009, Sec. 4.4].
PathEnd LemkePath::walk(long max_pivots, Observer* observer) {
  while (true) {
    if (steps_ >= max_pivots) return PathEnd::kPivotLimit;
    if (deadline_.passed()) return PathEnd::kTimeLimit;
    if (CurrentDeadline::interrupted()) return PathEnd::kInterrupted;  // there may be no observer
    if (!compute_direction()) return PathEnd::kNumerical;
    const Step step = settings_.largest_pivot ? relaxed_ratio_test() : ratio_test();
    if (step.kind == Step::Kind::kRay) return PathEnd::kRay;
    if (!tell(observer, step)) return PathEnd::kInterrupted;
    if (take(step)) return PathEnd::kSolution;  // t has left the basis
    if (repeated_.is_first(set_, entering_.id, steps_)) return PathEnd::kCycle;
    if (repeated_.repeats(set_, entering_.id, steps_)) return PathEnd::kNumerical;
    if (settings_.refactor_always || basis_.worth_factoring()) {
      if (!factor()) return PathEnd::kNumerical;
    }
  }
}

// Builds the basis of the start and its values. If that basis is nearly singular, so that the
// values are far larger than the constants, only independent columns are kept.
bool LemkePath::begin(const std::vector<PairStatus>& start) {
  const bool regular = build_basis(start) && values_.compute();
  if (regular && values_.size <= 1.0 / kIndependent) return true;
  if (start == problem_->default_start) return regular;
  if (build_from_default(start) && values_.compute()) return true;
  return regular && build_basis(start) && values_.compute();
}

// Builds the basis of the given statuses. @return false if it is singular.
bool LemkePath::build_basis(const std::vector<PairStatus>& start) {
  set_.begin(start);
  basis_.set_head(start);
  return basis_.factor();
}

// Begins with the default start, which is nonsingular. Then each x that is basic in the given start
// replaces its w if it is independent of those before.
bool LemkePath::build_from_default(const std::vector<PairStatus>& start) {
  if (!build_basis(problem_->default_start)) return false;
  for (int i = 0; i < basis_.size(); ++i) {
    const int x = basis_.x_id(i), w = basis_.w_id(i);
    if (start[i] == PairStatus::kAtUpper && set_.is_basic(w)) set_.set_at_upper(i, true);
    if (start[i] != PairStatus::kBasic || set_.is_basic(x)) continue;
    if (deadline_.passed()) break;
    basis_.column(x, work_);
    basis_.solve(work_);
    const int position = basis_.slack_position(i);
    if (std::abs(work_[position]) <= kIndependent * std::max(1.0, work_.cwiseAbs().maxCoeff()))
      continue;
    basis_.replace(position, x, work_);
    set_.exchange(w, x);
    if (basis_.worth_factoring() && !basis_.factor()) return false;
  }
  return basis_.factor();
}

// t replaces the variable that leaves, with d = -B p.
void LemkePath::enter_covering() {
  const Vector& p = entry_.p;
  work_.setZero();
  for (int i = 0; i < basis_.size(); ++i) {
    if (p[i] != 0.0) basis_.add_column(basis_.head(i), -p[i], work_);
  }
  basis_.set_covering(work_);
  values_.value += entry_.t * p;
  entering_.direction = -p;
  const int left = basis_.head(entry_.leaving);
  const bool to_upper = values_.nearer_to_upper(entry_.leaving);
  replace(entry_.leaving, basis_.t_id(), entry_.t);
  entering_.complement(left, to_upper, basis_, set_);
  repeated_.begin(set_, entering_.id, entry_.may_close);
}

// Computes the direction. @return false if its residual is not of the size of rounding
bool LemkePath::compute_direction() {
  for (int attempt = 0; attempt < 2; ++attempt) {
    const double drift = entering_.solve(basis_);
    counts_.largest_drift = std::max(counts_.largest_drift, drift);
    if (!(drift <= settings_.drift_tolerance) && basis_.updates() > 0 && attempt == 0) {
      if (!factor()) return false;
      continue;
    }
    if (!(drift <= kHopeless)) return false;
    if (drift > kRefineAbove) entering_.refine(basis_);
    return true;
  }
  return false;
}

// Finds the basic variable that blocks first if the entering one moves.
LemkePath::Step LemkePath::ratio_test() {
  const int m = basis_.size();
  const Vector& direction = entering_.direction;
  const double small = settings_.pivot_tolerance * direction.cwiseAbs().maxCoeff();
  const double tie = settings_.tie_tolerance * values_.size;
  const auto slack = [&](int i) { return values_.slack(i, direction[i]); };
  double shortest = kInfinity;
  int nearest = -1;
  for (int i = 0; i < m; ++i) {
    const double rate = std::abs(direction[i]);
    if (!(rate > small)) continue;
    const double length = std::max(0.0, slack(i)) / rate;
    if (length < shortest) {
      shortest = length;
      nearest = i;
    }
  }
  const double flip = entering_.id < m ? values_.range[entering_.id] : kInfinity;
  if (std::isinf(shortest) && std::isinf(flip)) return {Step::Kind::kRay, -1, kInfinity};
  if (flip < shortest - tie) return {Step::Kind::kFlip, -1, flip};
  tied_.clear();
  for (int i = 0; i < m; ++i) {
    const double rate = std::abs(direction[i]);
    // The nearest ties with itself, though its slack and length * rate may differ by rounding.
    if (i != nearest && (!(rate > small) || slack(i) - shortest * rate > tie)) continue;
    if (basis_.head(i) == basis_.t_id())
      return {Step::Kind::kPivot, i, std::max(0.0, slack(i)) / rate};
    tied_.push_back(i);
  }
  const int position = choose_leaving(flip <= shortest + tie);
  if (position < 0) return {Step::Kind::kFlip, -1, flip};
  return {Step::Kind::kPivot, position,
          std::max(0.0, slack(position)) / std::abs(direction[position])};
}

// As textbook codes have it [Harris1973]: the tied are those that reach their bound before any
// variable is further than the tolerance beyond its own. The covering variable leaves if it is one
// of them, else the largest pivot. Both tolerances are absolute here. A value outside its bound
// moves back: a step may be negative.
LemkePath::Step LemkePath::relaxed_ratio_test() {
  const int m = basis_.size();
  const Vector& direction = entering_.direction;
  const auto blocks = [&](int i) { return std::abs(direction[i]) > settings_.pivot_tolerance; };
  const auto length = [&](int i, double beyond) {
    return (values_.slack(i, direction[i]) + beyond) / std::abs(direction[i]);
  };
  const double tie = settings_.tie_tolerance * values_.scale;
  double relaxed = kInfinity;
  for (int i = 0; i < m; ++i) {
    if (blocks(i)) relaxed = std::min(relaxed, length(i, tie));
  }
  const double flip = entering_.id < m ? values_.range[entering_.id] : kInfinity;
  if (std::isinf(relaxed) && std::isinf(flip)) return {Step::Kind::kRay, -1, kInfinity};
  if (flip <= relaxed) return {Step::Kind::kFlip, -1, flip};
  int leaving = -1, tied = 0;
  for (int i = 0; i < m; ++i) {
    if (!blocks(i) || length(i, 0.0) > relaxed) continue;
    if (basis_.head(i) == basis_.t_id()) return {Step::Kind::kPivot, i, length(i, 0.0)};
    if (leaving < 0 || std::abs(direction[i]) > std::abs(direction[leaving])) leaving = i;
    ++tied;
  }
  if (tied > 1) ++counts_.ties;
  if (leaving < 0) return {Step::Kind::kRay, -1, kInfinity};  // a free variable alone
  return {Step::Kind::kPivot, leaving, length(leaving, 0.0)};
}

// The one of the tied positions that leaves; -1 for the entering variable's own bound.
int LemkePath::choose_leaving(bool flip_ties) {
  const Vector& direction = entering_.direction;
  if (tied_.size() == 1 && !flip_ties) return tied_[0];
  ++counts_.ties;
  return order_.least(basis_, tied_, flip_ties, direction, settings_.row_tolerance, deadline_);
}

// Moves along the direction and exchanges. @return true if t has left.
bool LemkePath::take(const Step& step) {
  ++steps_;
  values_.move(step.length, entering_.direction);
  if (step.kind == Step::Kind::kFlip) {
    flip(entering_.id);
    return false;
  }
  ++counts_.pivots;
  const int leaving = basis_.head(step.position);
  const bool to_upper = entering_.direction[step.position] < 0;
  const bool from_upper = entering_.sense < 0 && entering_.id < basis_.size();
  const double start = from_upper ? values_.range[entering_.id] : 0.0;
  replace(step.position, entering_.id, start + entering_.sense * step.length);
  if (leaving == basis_.t_id()) return true;
  entering_.complement(leaving, to_upper, basis_, set_);
  return false;
}

// x has moved to its other bound; w leaves zero to the side that belongs to this bound.
void LemkePath::flip(int pair) {
  ++counts_.flips;
  set_.set_at_upper(pair, entering_.sense > 0);
  entering_.id = basis_.w_id(pair);
  entering_.sense = -entering_.sense;
}

void LemkePath::replace(int position, int entering, double value) {
  set_.exchange(basis_.head(position), entering);
  basis_.replace(position, entering, entering_.direction);
  values_.enter(position, value);
}

bool LemkePath::factor() { return basis_.factor() && values_.compute(); }

void LemkePath::finish(PathEnd end) {
  const int m = basis_.size();
  for (int j = 0; j < m; ++j) {
    end_.status[j] = set_.is_basic(j)
                         ? PairStatus::kBasic
                         : (set_.at_upper(j) ? PairStatus::kAtUpper : PairStatus::kAtLower);
    end_.x[j] = set_.at_upper(j) ? problem_->range[j] : 0.0;
  }
  end_.t = 0.0;
  if (end == PathEnd::kRay) {
    end_.ray_x.setZero();
    end_.ray_t = 0.0;
    if (entering_.id < m) end_.ray_x[entering_.id] = entering_.sense;
  }
  for (int p = 0; p < m; ++p) {
    const int id = basis_.head(p);
    if (id < m) end_.x[id] = values_.value[p] / values_.scale;
    if (id == basis_.t_id()) end_.t = values_.value[p] / values_.scale;
    if (end != PathEnd::kRay) continue;
    if (id < m) end_.ray_x[id] = -entering_.direction[p];
    if (id == basis_.t_id()) end_.ray_t = -entering_.direction[p];
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

bool LemkePath::tell(Observer* observer, const Step& step) const {
  if (!observer) return true;
  IterationRecord record;
  record.iteration = static_cast<int>(steps_ + 1);
  record.step_type = step.kind == Step::Kind::kFlip ? "flip" : "pivot";
  for (int p = 0; p < basis_.size(); ++p) {
    if (basis_.head(p) == basis_.t_id()) record.merit = values_.value[p] / values_.scale;
  }
  record.step = step.length / values_.scale;
  record.active_set_size = basis_.kernel_size();
  const auto original = [&](int pair) { return pair < 0 ? -1 : problem_->variable[pair]; };
  record.entering = original(basis_.pair_of(entering_.id));
  if (step.position >= 0) record.leaving = original(basis_.pair_of(basis_.head(step.position)));
  record.linear_solves = basis_.linear_solves;
  record.factorisations = basis_.factorisations;
  return observer->on_iteration(record);
}

}  // namespace perp
