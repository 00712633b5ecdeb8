#include <perp/solvers/gradient_projection/box_minimiser.hpp>

#include <perp/solvers/gradient_projection/tolerances.hpp>

#include <fmt/format.h>
#include <algorithm>
#include <cmath>
#include <perp/problems/matrix/infinity.hpp>
#include <perp/problems/standard/random.hpp>

namespace perp {

namespace {

constexpr double kNull = 1e-3;  // smaller shares of curvature in a regularised step are none
constexpr double kAim = 0.99;   // share of the tolerance: the verifier may round in another way
constexpr int kPatience = 10;   // iterations without gain that end the run
constexpr int kRefresh = 50;    // iterations after which the gradient is computed again
constexpr int kSparseIterations = 100;  // conjugate gradients before a sparse factorisation

// Names of the unknowns that a direction moves.
std::string names_of(const Vector& p) {
  std::string text;
  int named = 0, more = 0;
  for (int i = 0; i < p.size(); ++i) {
    if (p[i] == 0.0) continue;
    if (named++ < 3) {
      text += fmt::format("{}z[{}] {}", text.empty() ? "" : ", ", i, p[i] > 0 ? "grows" : "falls");
    } else {
      ++more;
    }
  }
  return more > 0 ? fmt::format("{} and {} more move", text, more) : text;
}

}  // namespace

void BoxMinimiser::attach() {
  const int n = problem.size();
  if (problem.has_matrix()) block_.attach(problem.rows(), true);
  for (Vector* v : {&point_.x, &point_.g, &best_, &stationary_}) v->setZero(n);
  face_.free.assign(n, 0);
  face_.members.clear();
  face_.members.reserve(n);
  search_.attach(problem, point_);
  cg_.attach(problem.h(), problem.weight(), problem.unit());
}

void BoxMinimiser::run(const Rules& rules, const Vector* start, Observer* observer,
                       Result& result) {
  rules_ = &rules;
  const int most = rules.limits.max_iterations;
  const int limit = most > 0 ? most : std::max(1000, 10 * problem.size());
  begin(start);
  while (!at_end(result)) {
    result.status = Status::kIterationLimit;
    if (result.iterations >= limit) break;
    if (const auto end = iterate(++result.iterations, observer)) {
      result.status = *end;
      break;
    }
  }
  finish(result);
  rules_ = nullptr;
}

// Whether the point solves the problem, and is no saddle point that can be left.
bool BoxMinimiser::at_end(Result& result) {
  look();
  if (!(point_.natural <= kAim * rules_->limits.tolerance) || !confirm()) return false;
  result.status = Status::kSolved;
  if (!search_.negative || !escape()) return true;
  look();
  return false;
}

// One iteration. @return the status if the run ends after it
std::optional<Status> BoxMinimiser::iterate(int iteration, Observer* observer) {
  const double before = search_.gained;
  const Step step = advance(iteration == 1);
  const bool gained =
      search_.gained > before * (1.0 + kFlatCurvature) || point_.natural < 0.9 * best_natural_;
  idle_ = gained ? 0 : idle_ + 1;
  IterationRecord record;
  record.iteration = iteration;
  record.step_type = step_type_;
  record.residual = point_.natural;
  record.merit = search_.gained;
  record.step = search_.length;
  record.active_set_size = static_cast<int>(face_.members.size());
  record.linear_solves = block_.linear_solves;
  record.factorisations = block_.factorisations;
  if (observer && !observer->on_iteration(record)) return Status::kInterrupted;
  if (step == Step::kUnbounded) {
    return certificate_->type == "ray" ? Status::kRay
           : certificate_->checked     ? Status::kInfeasible
                                       : Status::kExcluded;
  }
  if (rules_->deadline.passed()) return Status::kTimeLimit;
  if (idle_ >= kPatience || (step == Step::kNone && extended_)) return Status::kStalled;
  if (idle_ > 0 || step == Step::kNone) extended_ = problem.has_matrix();
  if (extended_ || iteration % kRefresh == 0) evaluate_gradient(extended_);
  return {};
}

void BoxMinimiser::finish(Result& result) {
  if (result.status == Status::kRay) {
    look();
    if (point_.natural <= kAim * rules_->limits.tolerance && confirm())
      result.status = Status::kSolved;
  }
  const bool ended = result.status == Status::kSolved || result.status == Status::kInterrupted;
  if (!ended && counts_.escapes > 0) {
    result.status = Status::kSolved;  // the saddle point that was left is a stationary point
    point_.x = stationary_;
  }
  const Vector& found = result.status == Status::kSolved || certificate_ ? point_.x : best_;
  result.z = found.cwiseProduct(problem.unit());
  result.certificate = certificate_;
  describe(result);
  result.statistics.emplace_back("products", problem.products);
  result.statistics.emplace_back("gradient_steps", counts_.gradient_steps);
  result.statistics.emplace_back("cg_iterations", cg_.iterations);
  result.statistics.emplace_back("factorisations", block_.factorisations);
  result.statistics.emplace_back("updates", block_.updates);
  result.statistics.emplace_back("regularised_steps", counts_.regularised_steps);
  result.statistics.emplace_back("escapes", counts_.escapes);
}

BoxMinimiser::Step BoxMinimiser::advance(bool first) {
  const bool stays = search_.flat;
  Step step = first || (point_.released && !stays) ? gradient_phase() : Step::kNone;
  if (step != Step::kUnbounded) {
    const Step second = face_phase();
    if (second != Step::kNone) step = second;
  }
  if (step == Step::kNone && stays && point_.released) step = gradient_phase();
  const bool far = step == Step::kDone && point_.x.lpNorm<Eigen::Infinity>() > far_;
  return far ? far_away() : step;
}

void BoxMinimiser::begin(const Vector* start) {
  block_.factorisations = block_.updates = block_.linear_solves = 0;
  block_.set_regularisation(0.0);
  cg_.iterations = problem.products = idle_ = 0;
  counts_ = {};
  extended_ = refined_ = false;
  search_.begin();
  certificate_.reset();
  best_natural_ = kInfinity;
  point_.x.setZero();
  if (start) point_.x = start->cwiseQuotient(problem.unit());
  problem.rows().clamp(point_.x);
  far_ = kUnboundedGrowth *
         std::max(1.0, point_.x.size() > 0 ? point_.x.lpNorm<Eigen::Infinity>() : 0.0);
  evaluate_gradient(false);
}

void BoxMinimiser::evaluate_gradient(bool extended) {
  if (extended) {
    for (int i = 0; i < problem.size(); ++i)
      point_.g[i] = static_cast<double>(problem.rows().extended_row(i, point_.x.data()));
  } else if ((point_.x.array() == 0.0).all()) {
    point_.g = problem.rows().q;
  } else {
    problem.multiply(point_.x, point_.g);
    point_.g += problem.rows().q;
  }
}

// Whether the unknown is at a bound and the objective falls if it leaves that bound.
bool BoxMinimiser::pulled_off(int i) const {
  if (problem.rows().is_fixed(i)) return false;
  const double least = kFaceTolerance * rules_->limits.tolerance * problem.unit()[i];
  return (point_.x[i] == problem.rows().lower[i] && point_.g[i] < -least) ||
         (point_.x[i] == problem.rows().upper[i] && point_.g[i] > least);
}

// Computes the natural residual, and whether an unknown is pulled off its bound.
void BoxMinimiser::look() {
  point_.natural = 0.0;
  point_.released = false;
  for (int i = 0; i < problem.size(); ++i) {
    point_.natural = std::max(point_.natural, problem.natural_row(i, point_.x[i], point_.g[i]));
    point_.released = point_.released || pulled_off(i);
  }
  if (!(point_.natural < best_natural_)) return;
  best_natural_ = point_.natural;
  best_ = point_.x;
}

// Whether the residual is within the tolerance in extended precision, as the verifier sums it. If
// not, gradients are summed in extended precision from now on.
bool BoxMinimiser::confirm() {
  if (!problem.has_matrix()) return true;
  double natural = 0.0;
  for (int i = 0; i < problem.size(); ++i) {
    const long double f = problem.rows().extended_row(i, point_.x.data());
    natural = std::max(natural, problem.natural_row(i, point_.x[i], static_cast<double>(f)));
  }
  if (natural <= kAim * rules_->limits.tolerance) return true;
  extended_ = true;
  evaluate_gradient(true);
  look();
  return false;
}

void BoxMinimiser::choose_face() {
  face_.members.clear();
  for (int i = 0; i < problem.size(); ++i) {
    face_.free[i] = problem.inside(i, point_.x[i]);
    if (face_.free[i]) face_.members.push_back(i);
  }
}

// Steps to P(x - alpha D g) until the set of unknowns at bounds stays the same or the gain is small
// [MoreToraldo1991].
BoxMinimiser::Step BoxMinimiser::gradient_phase() {
  double best_gain = 0.0, alpha = 1.0;
  Step done = Step::kNone;
  for (int k = 0; k < rules_->settings.gradient_steps && !rules_->deadline.passed(); ++k) {
    step_type_ = "gradient";
    search_.p = -problem.weight().cwiseProduct(point_.g);
    choose_face();
    const std::size_t free_before = face_.members.size();
    if (k > 0 && search_.bend > 0)
      alpha = search_.s.cwiseQuotient(problem.weight()).dot(search_.s) / search_.bend;
    const Step step = outcome(search_.search(alpha));
    if (step == Step::kUnbounded) return step;
    if (step == Step::kNone) break;
    done = step;
    ++counts_.gradient_steps;
    std::size_t same = 0, now = 0;
    for (int i = 0; i < problem.size(); ++i) {
      now += problem.inside(i, point_.x[i]);
      same += problem.inside(i, point_.x[i]) && face_.free[i];
    }
    if (same == now && now == free_before) break;
    if (search_.gain <= rules_->settings.gradient_progress * best_gain) break;
    best_gain = std::max(best_gain, search_.gain);
  }
  return done;
}

// While faces change, conjugate gradients end early: a rough minimum suffices to find the next
// face. If no unknown is pulled off its bound, they go on to the target.
BoxMinimiser::Step BoxMinimiser::face_phase() {
  choose_face();
  search_.flat = false;
  if (face_.members.empty()) return Step::kNone;
  ++counts_.faces;
  if (by_factors()) {
    const Step step = factorised_step();
    if (step != Step::kNone) return step;
  }
  const double target = kFaceTolerance * rules_->limits.tolerance;
  const int size = static_cast<int>(face_.members.size());
  refined_ = !point_.released;
  if (point_.released) return conjugate_step(target, rules_->settings.cg_progress, size);
  return conjugate_step(target, 0.0, may_factor() ? kSparseIterations : 2 * size + 10);
}

bool BoxMinimiser::may_factor() const {
  return problem.has_matrix() && rules_->settings.face != "cg";
}

// To factorise a dense face of half the unknowns costs less than a few products with H: this is
// done once faces no longer change much. A sparse face is factorised if many conjugate gradients
// were not enough.
bool BoxMinimiser::by_factors() const {
  if (!may_factor()) return false;
  if (rules_->settings.face == "factorise") return true;
  if (problem.rows().is_dense())
    return !point_.released || counts_.faces > rules_->settings.cg_faces;
  return cg_.iterations >= kSparseIterations || (!point_.released && refined_);
}

// Factorises the block of the face. If it is singular, rho is added to its diagonal.
bool BoxMinimiser::factor() {
  while (!block_.set(face_.free)) {
    const double rho = block_.regularisation();
    const double next = rho > 0 ? 100.0 * rho : rules_->settings.regularisation * problem.scale();
    if (!(next > rho) || !(next <= problem.scale())) return false;  // also if they are infinite
    block_.set_regularisation(next);
  }
  return true;
}

// A step to the minimum over the face by a factorisation of H_FF + rho I.
BoxMinimiser::Step BoxMinimiser::factorised_step() {
  if (!factor()) return Step::kNone;
  step_type_ = "factorised";
  for (int i = 0; i < problem.size(); ++i) search_.p[i] = face_.free[i] ? -point_.g[i] : 0.0;
  block_.solve(search_.p);
  const double slope = point_.g.dot(search_.p), rho = block_.regularisation();
  if (!(slope < 0) || !search_.p.allFinite()) return Step::kNone;
  if (rho > 0) {
    ++counts_.regularised_steps;
    // p'Hp = -g'p - rho p'p. If that is small, g has a part in the null space of H_FF.
    if (-slope - rho * search_.p.squaredNorm() < -kNull * slope) {
      purge();
      return point_.g.dot(search_.p) < 0 ? outcome(search_.search_flat()) : Step::kNone;
    }
  }
  return outcome(search_.search(1.0));
}

BoxMinimiser::Step BoxMinimiser::conjugate_step(double target, double progress, int limit) {
  step_type_ = "cg";
  problem.h().set_face(face_.members);
  const FaceEnd end =
      cg_.minimise(face_.members, point_.g, target, progress, limit, rules_->deadline, search_.p);
  if (end != FaceEnd::kFlat) return outcome(search_.search(1.0));
  return outcome(search_.search_flat());
}

// Leaves a stationary point along negative curvature on its face. @return false if there is none
bool BoxMinimiser::escape() {
  choose_face();
  if (face_.members.empty() || counts_.escapes >= rules_->settings.escapes) return false;
  Random random(static_cast<std::uint64_t>(counts_.escapes) + 1);
  for (int i = 0; i < problem.size(); ++i) search_.s[i] = face_.free[i] ? random.normal() : 0.0;
  problem.h().set_face(face_.members);
  const int size = static_cast<int>(face_.members.size());
  const FaceEnd end =
      cg_.minimise(face_.members, search_.s, 0.0, 0.0, 2 * size, rules_->deadline, search_.p);
  if (end != FaceEnd::kFlat) return false;
  if (!(cg_.curvature <
        kNegativeCurvature * search_.p.cwiseQuotient(problem.weight()).dot(search_.p)))
    return false;
  if (point_.g.dot(search_.p) > 0) search_.p = -search_.p;
  ++counts_.escapes;
  stationary_ = point_.x;
  return outcome(search_.search_flat()) == Step::kDone;
}

void BoxMinimiser::describe(Result& result) const {
  if (result.status == Status::kExcluded) {
    result.message = fmt::format(
                         "no stationary point has a 1-norm below {:.1e}: the objective "
                         "falls that far as ",
                         certificate_->radius) +
                     names_of(certificate_->y);
  } else if (certificate_ && certificate_->type == "farkas") {
    result.message = "unbounded below, no stationary point: the objective falls without end as " +
                     names_of(certificate_->y);
  } else if (certificate_) {
    result.message = "unbounded below by negative curvature: the objective falls without end as " +
                     names_of(certificate_->z);
    if (result.status == Status::kSolved) result.message = "a stationary point; " + result.message;
  } else if (result.status == Status::kSolved && search_.negative) {
    result.message = "H is indefinite (negative curvature found): a stationary point";
  } else if (result.status == Status::kStalled) {
    result.message = fmt::format("no more progress at a natural residual of {:.1e}", best_natural_);
  }
}

}  // namespace perp
