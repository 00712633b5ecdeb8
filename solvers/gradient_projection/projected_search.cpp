#include <perp/solvers/gradient_projection/projected_search.hpp>

#include <perp/solvers/gradient_projection/tolerances.hpp>

#include <algorithm>
#include <cmath>
#include <perp/problems/matrix/infinity.hpp>

namespace perp {

namespace {

constexpr double kSufficient = 0.1;  // least decrease over that of the slope
constexpr int kTrials = 60;          // of a projected search at most
constexpr double kOnBound = 1e-14;   // share of the way to a bound; less is rounding
constexpr double kTrace = 1e-9;      // smaller shares of the largest entry of p are rounding

}  // namespace

void ProjectedSearch::attach(BoxQuadratic& problem, BoxPoint& point) {
  problem_ = &problem;
  point_ = &point;
  for (Vector* v : {&p, &s, &hs, &trial_}) v->setZero(problem.size());
}

void ProjectedSearch::begin() {
  slope = bend = gain = gained = length = 0.0;
  negative = problem_->negative_diagonal();
  flat = false;
}

// trial := P(x + alpha p), s := trial - x, g's.
bool ProjectedSearch::project(double alpha) {
  clipped_ = false;
  bool moves = false;
  slope = 0.0;
  for (int i = 0; i < problem_->size(); ++i) {
    double to = point_->x[i] + alpha * p[i];
    const double bound = p[i] > 0 ? problem_->rows().upper[i] : problem_->rows().lower[i];
    const double way = std::abs(point_->x[i] - bound);
    if (way < kInfinity && std::abs(to - bound) <= kOnBound * way) to = bound;
    trial_[i] = std::min(std::max(to, problem_->rows().lower[i]), problem_->rows().upper[i]);
    s[i] = trial_[i] - point_->x[i];
    clipped_ = clipped_ || (trial_[i] != to && s[i] != 0.0);
    moves = moves || s[i] != 0.0;
    slope += point_->g[i] * s[i];
  }
  length = alpha;
  return moves;
}

void ProjectedSearch::move() {
  gain = -(slope + 0.5 * bend);
  gained += gain;
  point_->x = trial_;
  point_->g += hs;
}

// The alpha at which the path P(x + alpha p) bends for the first time.
double ProjectedSearch::first_bend() const {
  double first = kInfinity;
  for (int i = 0; i < problem_->size(); ++i) {
    const double way =
        (p[i] > 0 ? problem_->rows().upper[i] : problem_->rows().lower[i]) - point_->x[i];
    if (p[i] != 0.0 && way != 0.0) first = std::min(first, way / p[i]);
  }
  return first;
}

// Searches along P(x + alpha p) for a sufficient decrease [MoreToraldo1991]; if the path is
// straight up to its minimum, goes there. Backtracking stops at the first bend: if the minimum is
// beyond it, an unknown reaches its bound.
ProjectedSearch::End ProjectedSearch::search(double alpha) {
  double first = -1.0;
  for (int trial = 0; trial < kTrials; ++trial) {
    if (!project(alpha)) return End::kStuck;
    problem_->multiply(s, hs);
    bend = s.dot(hs);
    const double metric = s.cwiseQuotient(problem_->weight()).dot(s);
    if (!(bend > kFlatCurvature * metric)) {
      negative |= bend < kNegativeCurvature * metric;
      if (!clipped_ && slope < 0) return search_flat();
    }
    const double exact = bend > 0 ? -slope / bend : 0.0;
    const bool far_from_minimum = !clipped_ && alpha != first && !(exact > 0.5 && exact < 1.5);
    if (far_from_minimum && exact > 0) {
      if (first < 0) first = first_bend();
      if (alpha * exact > first) {  // the path bends before its minimum
        alpha = trial == 0 ? alpha * exact : first;
        continue;
      }
      alpha *= exact;
      project(alpha);
      hs *= exact;
      bend *= exact * exact;
      move();
      return End::kMoved;
    }
    if (slope < 0 && slope + 0.5 * bend <= kSufficient * slope) {
      move();
      return End::kMoved;
    }
    if (first < 0) first = first_bend();
    const double next = alpha * (slope < 0 ? std::clamp(exact, 0.1, 0.5) : 0.25);
    alpha = alpha > first ? std::max(next, first) : next;
  }
  return End::kStuck;
}

// Searches along a direction without positive curvature: to its last bound, or less far. The next
// face is this one without the unknowns that have reached their bounds. So if the objective falls
// without bound on a smaller face, that is found before unknowns are released again.
ProjectedSearch::End ProjectedSearch::search_flat() {
  flat = true;
  const double trace = kTrace * p.lpNorm<Eigen::Infinity>();
  double first = kInfinity, last = 0.0;
  for (int i = 0; i < problem_->size(); ++i) {
    if (std::abs(p[i]) <= trace) p[i] = 0.0;
    if (p[i] == 0.0) continue;
    const double room =
        ((p[i] > 0 ? problem_->rows().upper[i] : problem_->rows().lower[i]) - point_->x[i]) / p[i];
    if (!(room > 0)) {
      p[i] = 0.0;  // it is at the bound already
    } else if (room < kInfinity) {
      first = std::min(first, room);
      last = std::max(last, room);
    }
  }
  if (last == 0.0) return End::kNoBound;
  for (double alpha = last;; alpha = std::max(first, 0.25 * alpha)) {
    if (!project(alpha)) return End::kStuck;
    problem_->multiply(s, hs);
    bend = s.dot(hs);
    negative |= bend < kNegativeCurvature * s.cwiseQuotient(problem_->weight()).dot(s);
    // Not beyond a minimum of the chord: unknowns at their bounds would be released again.
    const bool short_of_minimum = alpha <= first || slope + bend <= 0;
    if (short_of_minimum && slope + 0.5 * bend < kSufficient * slope) {
      move();
      return End::kMoved;
    }
    if (alpha <= first) return End::kStuck;
  }
}

}  // namespace perp
