#include <perp/solvers/gradient_projection/gradient_projection.hpp>

#include <perp/problems/standard/residuals.hpp>
#include <perp/solvers/gradient_projection/tolerances.hpp>

#include <fmt/format.h>
#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>

namespace perp {

using namespace gradient_projection;

namespace {

constexpr double kSymmetric = 1e-12;    // of the largest entry: what counts as symmetric
constexpr double kUnlike = 64.0;        // diagonal entries of H that ask for other units
constexpr double kNull = 1e-3;          // share of a proximal step that has curvature, below: none
constexpr double kAim = 0.99;           // of the tolerance: the verifier may round otherwise
constexpr int kPatience = 10;           // iterations without gain
constexpr int kRefresh = 50;            // iterations after which the gradient is evaluated afresh
constexpr int kSparseIterations = 100;  // conjugate gradients before a sparse factorisation

}  // namespace

const SolverTraits& GradientProjection::traits() const {
  static const SolverTraits traits{"gradient-projection",
                                   "gradient projection and conjugate gradients on faces (GPCG), "
                                   "for box QPs and symmetric LCPs",
                                   "MoreToraldo1991",
                                   {"box_qp", "lcp", "mlcp"}};
  return traits;
}

std::optional<std::string> GradientProjection::do_refusal(const Problem& problem) const {
  const auto* lcp = std::get_if<Lcp>(&problem.data);
  const auto* mlcp = std::get_if<Mlcp>(&problem.data);
  const Matrix* m = lcp ? &lcp->M : mlcp ? &mlcp->M : nullptr;
  if (m && !m->is_symmetric(kSymmetric)) return "gradient-projection takes a symmetric M only";
  return {};
}

void GradientProjection::do_prepare(const Problem& problem) {
  if (settings.face != "auto" && settings.face != "cg" && settings.face != "factorise") {
    throw std::invalid_argument(
        fmt::format("setting \"face\": \"{}\" is not auto, cg or factorise", settings.face));
  }
  choose_units(problem);
  matrix_.attach(problem_);
  block_.attach(problem_, true);
  h_ = &matrix_;
  has_matrix_ = true;
  scale_ = std::max(problem_.max_abs(), 1e-300);
  allocate(problem_.size());
}

// Builds the problem in x := x / s, where the diagonal of H asks for it. Powers of two: nothing is
// rounded. Curvatures are max(|H_ii|, H_ij^2 / |H_jj|), which is H_ii where H is PSD.
void GradientProjection::choose_units(const Problem& problem) {
  problem_.build(problem);
  const int n = problem_.size();
  unit_.setOnes(n);
  Vector curvature = problem_.diagonal.cwiseAbs();
  for (int i = 0; i < n; ++i) {
    problem_.for_row(i, [&](int j, double value) {
      const double d = std::abs(problem_.diagonal[j]);
      if (d > 0) curvature[i] = std::max(curvature[i], value * value / d);
    });
  }
  double least = kInfinity, most = 0.0;
  for (const double d : curvature) {
    if (d > 0) least = std::min(least, d);
    most = std::max(most, d);
  }
  if (!(most > kUnlike * least) || !std::isfinite(most)) return;
  for (int i = 0; i < n; ++i) {
    const double d = curvature[i] > 0 ? curvature[i] : most;
    unit_[i] = std::exp2(-std::round(0.5 * std::log2(d)));
  }
  Problem scaled;
  scaled.data = posed(1.0);
  problem_.build(scaled);
}

// The problem held, as an mlcp in units times unit_^power.
Mlcp GradientProjection::posed(double power) const {
  const int n = problem_.size();
  const Vector s = unit_.array().pow(power);
  const Vector lower = problem_.lower.cwiseQuotient(s), upper = problem_.upper.cwiseQuotient(s);
  if (problem_.is_dense()) {
    DenseMatrix h(n, n);
    for (int i = 0; i < n; ++i)
      h.col(i) = s[i] * s.cwiseProduct(Eigen::Map<const Vector>(problem_.dense_row(i), n));
    return {std::move(h), problem_.q.cwiseProduct(s), lower, upper};
  }
  std::vector<Triplet> entries;
  for (int i = 0; i < n; ++i) {
    problem_.for_row(i,
                     [&](int j, double value) { entries.emplace_back(i, j, s[i] * value * s[j]); });
  }
  return {Matrix::from_triplets(n, n, entries), problem_.q.cwiseProduct(s), lower, upper};
}

void GradientProjection::allocate(int n) {
  for (Vector* v : {&x_, &g_, &p_, &trial_, &s_, &hs_, &best_, &stationary_}) v->setZero(n);
  weight_.resize(n);
  negative_diagonal_ = false;
  for (int i = 0; i < n; ++i) {
    const double d = problem_.diagonal[i];
    weight_[i] = 1.0 / (d > kFlat * scale_ ? d : scale_);
    negative_diagonal_ |= d < kNegative * scale_ && !problem_.is_fixed(i);
  }
  free_.assign(n, 0);
  face_.clear();
  face_.reserve(n);
  cg_.attach(*h_, weight_, unit_);
}

void GradientProjection::do_solve(const Start& start, Observer* observer, Result& result) {
  deadline_ = Deadline(limits.time_limit);
  const int limit =
      limits.max_iterations > 0 ? limits.max_iterations : std::max(1000, 10 * problem_.size());
  begin(start.z);
  IterationRecord record;
  int idle = 0;
  while (true) {
    look();
    if (natural_ <= kAim * limits.tolerance && confirm()) {
      result.status = Status::kSolved;
      if (!negative_ || !escape()) break;
      look();
    }
    result.status = Status::kIterationLimit;
    if (result.iterations >= limit) break;
    record.iteration = ++result.iterations;
    const double before = gained_;
    const Step step = advance(result.iterations == 1);
    idle = gained_ > before * (1.0 + kFlat) || natural_ < 0.9 * best_natural_ ? 0 : idle + 1;
    record.step_type = step_type_;
    record.residual = natural_;
    record.merit = gained_;
    record.step = step_length_;
    record.active_set_size = static_cast<int>(face_.size());
    record.linear_solves = block_.linear_solves;
    record.factorisations = block_.factorisations;
    if (observer && !observer->on_iteration(record)) {
      result.status = Status::kInterrupted;
    } else if (step == Step::kUnbounded) {
      result.status = certificate_->type == "ray" ? Status::kRay
                      : certificate_->checked     ? Status::kInfeasible
                                                  : Status::kExcluded;
    } else if (deadline_.passed()) {
      result.status = Status::kTimeLimit;
    } else if (idle >= kPatience || (step == Step::kNone && extended_)) {
      result.status = Status::kStalled;
    } else {
      if (idle > 0 || step == Step::kNone) extended_ = has_matrix_;
      if (extended_ || result.iterations % kRefresh == 0) evaluate_gradient(extended_);
      continue;
    }
    break;
  }
  if (result.status == Status::kRay) {
    look();
    if (natural_ <= kAim * limits.tolerance && confirm()) result.status = Status::kSolved;
  }
  if (result.status != Status::kSolved && escapes_ > 0) {
    result.status = Status::kSolved;  // what was left, though the objective falls below it
    x_ = stationary_;
  }
  const Vector& found = result.status == Status::kSolved || certificate_ ? x_ : best_;
  result.z = found.cwiseProduct(unit_);
  result.certificate = certificate_;
  describe(result);
}

GradientProjection::Step GradientProjection::advance(bool first) {
  const bool stays = stays_;
  Step step = first || (released_ && !stays) ? gradient_phase() : Step::kNone;
  if (step != Step::kUnbounded) {
    const Step second = face_phase();
    if (second != Step::kNone) step = second;
  }
  if (step == Step::kNone && stays && released_) step = gradient_phase();
  const bool far = step == Step::kDone && x_.lpNorm<Eigen::Infinity>() > far_;
  return far ? far_away() : step;
}

void GradientProjection::begin(const Vector* start) {
  block_.factorisations = block_.updates = block_.linear_solves = 0;
  block_.set_regularisation(0.0);
  cg_.iterations = products_ = faces_ = gradient_steps_ = escapes_ = proximal_steps_ = 0;
  gained_ = gain_ = step_length_ = 0.0;
  extended_ = refined_ = stays_ = false;
  negative_ = negative_diagonal_;
  certificate_.reset();
  best_natural_ = kInfinity;
  x_.setZero();
  if (start) x_ = start->cwiseQuotient(unit_);
  problem_.clamp(x_);
  far_ = kFar * std::max(1.0, x_.size() > 0 ? x_.lpNorm<Eigen::Infinity>() : 0.0);
  evaluate_gradient(false);
}

void GradientProjection::evaluate_gradient(bool extended) {
  if (extended) {
    for (int i = 0; i < problem_.size(); ++i)
      g_[i] = static_cast<double>(problem_.extended_row(i, x_.data()));
  } else if ((x_.array() == 0.0).all()) {
    g_ = problem_.q;
  } else {
    h_->multiply(x_, g_);
    ++products_;
    g_ += problem_.q;
  }
}

// At a bound that the objective falls away from.
bool GradientProjection::pulled_off(int i) const {
  if (problem_.is_fixed(i)) return false;
  const double least = kOfTolerance * limits.tolerance * unit_[i];
  return (x_[i] == problem_.lower[i] && g_[i] < -least) ||
         (x_[i] == problem_.upper[i] && g_[i] > least);
}

// Row i of the natural map in the units of the problem as posed, F_i being f in those of x.
double GradientProjection::natural_row(int i, double f) const {
  const double s = unit_[i];
  const double r = mid((x_[i] - problem_.lower[i]) * s, (x_[i] - problem_.upper[i]) * s, f / s);
  return std::isfinite(f) ? std::abs(r) : kInfinity;
}

// The natural residual, and whether an unknown is pulled off its bound.
void GradientProjection::look() {
  natural_ = 0.0;
  released_ = false;
  for (int i = 0; i < problem_.size(); ++i) {
    natural_ = std::max(natural_, natural_row(i, g_[i]));
    released_ = released_ || pulled_off(i);
  }
  if (!(natural_ < best_natural_)) return;
  best_natural_ = natural_;
  best_ = x_;
}

// Whether the residual holds when it is summed in extended precision, as the verifier does. Where
// not, gradients are evaluated so from now on.
bool GradientProjection::confirm() {
  if (!has_matrix_) return true;
  double natural = 0.0;
  for (int i = 0; i < problem_.size(); ++i) {
    const long double f = problem_.extended_row(i, x_.data());
    natural = std::max(natural, natural_row(i, static_cast<double>(f)));
  }
  if (natural <= kAim * limits.tolerance) return true;
  extended_ = true;
  evaluate_gradient(true);
  look();
  return false;
}

void GradientProjection::choose_face() {
  face_.clear();
  for (int i = 0; i < problem_.size(); ++i) {
    free_[i] = inside(i);
    if (free_[i]) face_.push_back(i);
  }
}

// P(x - alpha D g) until the set at bounds settles or little is gained [MoreToraldo1991].
GradientProjection::Step GradientProjection::gradient_phase() {
  double best_gain = 0.0, alpha = 1.0;
  Step done = Step::kNone;
  for (int k = 0; k < settings.gradient_steps && !deadline_.passed(); ++k) {
    step_type_ = "gradient";
    p_ = -weight_.cwiseProduct(g_);
    choose_face();
    const std::size_t free_before = face_.size();
    if (k > 0 && bend_ > 0) alpha = s_.cwiseQuotient(weight_).dot(s_) / bend_;
    const Step step = search(alpha);
    if (step == Step::kUnbounded) return step;
    if (step == Step::kNone) break;
    done = step;
    ++gradient_steps_;
    std::size_t same = 0, now = 0;
    for (int i = 0; i < problem_.size(); ++i) {
      now += inside(i);
      same += inside(i) && free_[i];
    }
    if (same == now && now == free_before) break;
    if (gain_ <= settings.gradient_progress * best_gain) break;
    best_gain = std::max(best_gain, gain_);
  }
  return done;
}

// While faces change conjugate gradients end early, and what they find is enough for the next
// face; on one that no unknown wants to leave they go on to the target.
GradientProjection::Step GradientProjection::face_phase() {
  choose_face();
  stays_ = false;
  if (face_.empty()) return Step::kNone;
  ++faces_;
  if (by_factors()) {
    const Step step = factorised_step();
    if (step != Step::kNone) return step;
  }
  const double target = kOfTolerance * limits.tolerance;
  const int size = static_cast<int>(face_.size());
  refined_ = !released_;
  if (released_) return conjugate_step(target, settings.cg_progress, size);
  return conjugate_step(target, 0.0, may_factor() ? kSparseIterations : 2 * size + 10);
}

bool GradientProjection::may_factor() const { return has_matrix_ && settings.face != "cg"; }

// A dense face of half the unknowns costs less than a few products with H, so it is factorised once
// faces do not change much any more; a sparse one where many conjugate gradients were not enough.
bool GradientProjection::by_factors() const {
  if (!may_factor()) return false;
  if (settings.face == "factorise") return true;
  if (problem_.is_dense()) return !released_ || faces_ > settings.cg_faces;
  return cg_.iterations >= kSparseIterations || (!released_ && refined_);
}

// The block of the face; a singular one gets rho on its diagonal.
bool GradientProjection::factor() {
  while (!block_.set(free_)) {
    const double rho = block_.regularisation();
    const double next = rho > 0 ? 100.0 * rho : settings.regularisation * scale_;
    if (!(next > 0) || !(next <= scale_)) return false;
    block_.set_regularisation(next);
  }
  return true;
}

// The minimum over the face by a factorisation of H_FF + rho I.
GradientProjection::Step GradientProjection::factorised_step() {
  if (!factor()) return Step::kNone;
  step_type_ = "factorised";
  for (int i = 0; i < problem_.size(); ++i) p_[i] = free_[i] ? -g_[i] : 0.0;
  block_.solve(p_);
  const double slope = g_.dot(p_), rho = block_.regularisation();
  if (!(slope < 0) || !p_.allFinite()) return Step::kNone;
  if (rho > 0) {
    ++proximal_steps_;
    // p'Hp = -g'p - rho p'p: where little of it is left, g has a part in the null space of H_FF.
    if (-slope - rho * p_.squaredNorm() < -kNull * slope) {
      purge();
      return g_.dot(p_) < 0 ? search_flat() : Step::kNone;
    }
  }
  return search(1.0);
}

GradientProjection::Step GradientProjection::conjugate_step(double target, double progress,
                                                            int limit) {
  step_type_ = "cg";
  h_->set_face(face_);
  const FaceEnd end = cg_.minimise(face_, g_, target, progress, limit, p_);
  if (end != FaceEnd::kFlat) return search(1.0);
  return search_flat();
}

void GradientProjection::describe(Result& result) const {
  const auto direction = [](const Vector& p) {
    std::string text;
    int named = 0, more = 0;
    for (int i = 0; i < p.size(); ++i) {
      if (p[i] == 0.0) continue;
      if (named++ < 3) {
        text +=
            fmt::format("{}z[{}] {}", text.empty() ? "" : ", ", i, p[i] > 0 ? "grows" : "falls");
      } else {
        ++more;
      }
    }
    return more > 0 ? fmt::format("{} and {} more move", text, more) : text;
  };
  if (result.status == Status::kExcluded) {
    result.message = fmt::format(
                         "no stationary point has a 1-norm below {:.1e}: the objective "
                         "falls that far as ",
                         certificate_->radius) +
                     direction(certificate_->y);
  } else if (certificate_ && certificate_->type == "farkas") {
    result.message = "unbounded below, no stationary point: the objective falls without end as " +
                     direction(certificate_->y);
  } else if (certificate_) {
    result.message = "unbounded below by negative curvature: the objective falls without end as " +
                     direction(certificate_->z);
    if (result.status == Status::kSolved) result.message = "a stationary point; " + result.message;
  } else if (result.status == Status::kSolved && negative_) {
    result.message = "H is indefinite (negative curvature found): a stationary point";
  } else if (result.status == Status::kStalled) {
    result.message = fmt::format("no more progress at a natural residual of {:.1e}", best_natural_);
  }
  report(result);
}

void GradientProjection::report(Result& result) const {
  result.statistics.emplace_back("products", products_);
  result.statistics.emplace_back("gradient_steps", gradient_steps_);
  result.statistics.emplace_back("cg_iterations", cg_.iterations);
  result.statistics.emplace_back("factorisations", block_.factorisations);
  result.statistics.emplace_back("updates", block_.updates);
  result.statistics.emplace_back("proximal_steps", proximal_steps_);
  result.statistics.emplace_back("escapes", escapes_);
}

Result GradientProjection::minimise(SymmetricOperator& h, const Vector& c, const Vector& lower,
                                    const Vector& upper, const Vector& diagonal,
                                    const Vector* start, Observer* observer) const {
  const auto n = static_cast<Eigen::Index>(h.size());
  const auto check = [n](const char* name, const Vector& v) {
    if (v.size() != n)
      throw std::invalid_argument(fmt::format("{}: length is {}, expected {}", name, v.size(), n));
  };
  check("c", c);
  check("lower", lower);
  check("upper", upper);
  if (diagonal.size() > 0) check("diagonal", diagonal);
  if (start) check("start", *start);
  if (!(lower.array() <= upper.array()).all()) throw std::invalid_argument("lower: above upper");
  // An object of its own, so that nothing points at the operator afterwards.
  GradientProjection run;
  run.settings = settings;
  run.limits = limits;
  run.attach(h, c, lower, upper, diagonal);
  Result result;
  run.do_solve(start, observer, result);
  return result;
}

void GradientProjection::attach(SymmetricOperator& h, const Vector& c, const Vector& lower,
                                const Vector& upper, const Vector& diagonal) {
  const auto n = static_cast<Eigen::Index>(h.size());
  problem_.q = c;
  problem_.lower = lower;
  problem_.upper = upper;
  problem_.diagonal = diagonal.size() > 0 ? diagonal : Vector(Vector::Ones(n));
  scale_ = n > 0 ? std::max(problem_.diagonal.cwiseAbs().maxCoeff(), 1e-300) : 1.0;
  unit_.setOnes(n);
  h_ = &h;
  has_matrix_ = false;
  allocate(static_cast<int>(n));
}

}  // namespace perp
