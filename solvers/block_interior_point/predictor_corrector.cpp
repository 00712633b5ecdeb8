#include <perp/solvers/block_interior_point/predictor_corrector.hpp>

#include <algorithm>
#include <cmath>

namespace perp {

namespace {

constexpr double kToBoundary = 0.99;  // share of the step to the boundary
// Power of the share of the products that the predictor leaves, which gives the corrector's target.
// [Mehrotra1992] has 3 throughout. With 5, problems of packings take fewer steps; but close to the
// answer products become too unequal.
constexpr int kEarlyPower = 5, kLatePower = 3;
constexpr double kLate = 1e-3;  // share of the first products
// Correctors of centrality [Gondzio1996]: each costs a solve, about a tenth of a factorisation.
constexpr int kMostCorrectors = 4;
constexpr double kLongEnough = 0.9;  // step that needs none
constexpr double kLonger = 0.3;      // by how much a corrector tries to lengthen the step
constexpr double kLeastGain = 0.1;   // share of that which makes it worth another
// A direction is refined until it misses the linear equations by no more than this share of what
// is missing, or of the target.
constexpr double kSmallError = 0.01;
constexpr int kMostRefinements = 3;
constexpr double kRefined = 0.5;  // share of its error that a round of refinement may leave at most
constexpr double kLow = 0.01, kHigh = 100.0;  // products over the target that it leaves alone

using Block3 = Eigen::Vector3d;

Block3 segment(const Vector& x, const ImpulseCone& cone) {
  Block3 b = Block3::Zero();
  for (int i = 0; i < cone.size; ++i) b[i] = x[cone.first + i];
  return b;
}

void put(Vector& x, const ImpulseCone& cone, const Block3& b) {
  for (int i = 0; i < cone.size; ++i) x[cone.first + i] = b[i];
}

double determinant(const Block3& x, int size) {
  if (size == 1) return x[0] * x[0];
  const double t = std::sqrt(x[1] * x[1] + x[2] * x[2]);
  return (x[0] - t) * (x[0] + t);
}

// Jordan product of the cone.
Block3 product(const Block3& x, const Block3& y, int size) {
  if (size == 1) return {x[0] * y[0], 0.0, 0.0};
  return {x.dot(y), x[0] * y[1] + y[0] * x[1], x[0] * y[2] + y[0] * x[2]};
}

// The y with product(x, y) = r.
Block3 divide(const Block3& x, const Block3& r, int size) {
  if (size == 1) return {r[0] / x[0], 0.0, 0.0};
  const double det = determinant(x, size);
  const double first = (x[0] * r[0] - x[1] * r[1] - x[2] * r[2]) / det;
  return {first, (r[1] - first * x[1]) / x[0], (r[2] - first * x[2]) / x[0]};
}

// Largest t <= limit with x + t d in the cone, x inside.
double step_within(const Block3& x, const Block3& d, int size, double limit) {
  if (size == 1) return d[0] < 0 ? std::min(limit, -x[0] / d[0]) : limit;
  // (x0 + t d0)^2 - |xt + t dt|^2 = c + 2 b t + a t^2
  const double a = d[0] * d[0] - d[1] * d[1] - d[2] * d[2];
  const double b = x[0] * d[0] - x[1] * d[1] - x[2] * d[2], c = determinant(x, size);
  double t = limit;
  const double disc = b * b - a * c;
  if (a < 0 || (b < 0 && disc > 0)) {
    const double root = std::sqrt(std::max(disc, 0.0));
    // the smallest positive root
    const double q = b < 0 ? -b + root : -b - root;
    const double t1 = c / q, t2 = a != 0 ? q / a : -1.0;
    for (const double r : {t1, t2}) {
      if (r > 0) t = std::min(t, r);
    }
  }
  if (d[0] < 0) t = std::min(t, -x[0] / d[0]);
  return t;
}

}  // namespace

void PredictorCorrector::prepare(const ImpulseProgram& program) {
  program_ = &program;
  own_.J = program.J;
  own_.cost = program.cost_p;
  own_.e = program.e;
  degree_ = program.bounds() + (program.has_total() ? 1 : 0);
  for (const ImpulseCone& cone : program.cones) {
    ++degree_;
    if (cone.size == 1) continue;
    const double inverse = 1.0 / cone.mu;
    for (int k = own_.J.starts[cone.first]; k < own_.J.starts[cone.first + 1]; ++k)
      own_.J.values[k] *= inverse;
    own_.cost[cone.first] *= inverse;
    if (program.has_total()) own_.e[cone.first] *= inverse;
  }
  const int nv = program.velocities(), np = program.impulses(), nb = program.bounds();
  for (Iterate* x : {&x_, &d_, &kept_, &correction_}) {
    for (Vector* y : {&x->v, &x->m}) y->setZero(nv);
    for (Vector* y : {&x->p, &x->s}) y->setZero(np);
    for (Vector* y : {&x->lambda, &x->slack}) y->setZero(nb);
  }
  for (Missing* x : {&missing_, &error_}) {
    for (Vector* y : {&x->momentum, &x->multipliers}) y->setZero(nv);
    x->cones.setZero(np);
    x->bounds.setZero(nb);
  }
  for (Vector* x : {&system_.a, &system_.b, &system_.border, &system_.v, &system_.m, &work_})
    x->setZero(nv);
  for (Vector* x : {&system_.cones, &added_.cones}) x->setZero(np);
  for (Vector* x : {&system_.bounds, &weights_, &added_.bounds}) x->setZero(nb);
  scaling_.resize(program.cones.size());
  blocks_.resize(program.cones.size());
}

void PredictorCorrector::start() {
  const ImpulseProgram& p = *program_;
  x_.v = p.f;
  p.mass.solve(x_.v);
  x_.m = x_.v;
  double largest = 1.0;
  for (int i = 0; i < p.bounds(); ++i)
    largest = std::max(largest, std::abs(p.G.dot(i, x_.v.data()) - p.w[i]));
  const double size = p.has_total() && !p.cones.empty()
                          ? std::max(1.0, p.kappa / static_cast<double>(p.cones.size()))
                          : largest;
  x_.p.setZero();
  x_.s.setZero();
  for (const ImpulseCone& cone : p.cones) {
    x_.p[cone.first] = size * (cone.size > 1 ? cone.mu : 1.0);
    x_.s[cone.first] = size;
  }
  x_.lambda.setConstant(size);
  x_.slack.setConstant(size);
  x_.nu = size;
  x_.rest = size;
  first_mu_ = mu();
}

double PredictorCorrector::mu() const {
  double sum = x_.p.dot(x_.s) + x_.lambda.dot(x_.slack);
  if (program_->has_total()) sum += x_.nu * x_.rest;
  return sum / std::max(1, degree_);
}

// The largest of all residuals.
double PredictorCorrector::size_of(const Missing& r) {
  return std::max({max_abs(r.momentum), max_abs(r.multipliers), max_abs(r.cones), max_abs(r.bounds),
                   std::abs(r.total)});
}

void PredictorCorrector::find_missing() {
  const ImpulseProgram& p = *program_;
  missing_.momentum = -p.f;
  missing_.multipliers = -p.cost_v;
  missing_.cones = own_.cost;
  missing_.bounds = -p.w;
  missing_.total = p.has_total() ? p.kappa : 0.0;
  add_linear(x_, missing_);
}

// Adds the linear part of the equations at x to r.
void PredictorCorrector::add_linear(const Iterate& x, Missing& r) {
  const ImpulseProgram& p = *program_;
  p.mass.multiply(x.v, work_);
  r.momentum += work_;
  r.multipliers -= work_;
  p.mass.multiply(x.m, work_);
  r.multipliers += work_;
  for (int i = 0; i < p.impulses(); ++i) {
    own_.J.add(i, -x.p[i], r.momentum.data());
    r.cones[i] += own_.J.dot(i, x.m.data()) - x.s[i];
  }
  for (int i = 0; i < p.bounds(); ++i) {
    p.G.add(i, x.lambda[i], r.multipliers.data());
    r.bounds[i] += p.G.dot(i, x.v.data()) - x.slack[i];
  }
  if (p.has_total()) {
    r.cones += x.nu * own_.e;
    r.total -= own_.e.dot(x.p) + x.rest;
  }
}

bool PredictorCorrector::scale() {
  const ImpulseProgram& p = *program_;
  for (std::size_t c = 0; c < p.cones.size(); ++c) {
    const ImpulseCone& cone = p.cones[c];
    Scaling& k = scaling_[c];
    if (!(determinant(segment(x_.p, cone), cone.size) > 0 &&
          determinant(segment(x_.s, cone), cone.size) > 0))
      return false;
    scale_cone(cone, k);
    // In the units of ImpulseNewton, in which normals are not divided by mu.
    blocks_[c] = k.w * k.w;
    if (cone.size > 1) {
      blocks_[c].row(0) /= cone.mu;
      blocks_[c].col(0) /= cone.mu;
    }
  }
  weights_ = x_.lambda.cwiseQuotient(x_.slack);
  return true;
}

// W with W s = W^-1 p: W = sqrt(theta) (of the hyperbolic Householder form) [NesterovTodd1997].
void PredictorCorrector::scale_cone(const ImpulseCone& cone, Scaling& k) const {
  const Block3 x = segment(x_.p, cone), s = segment(x_.s, cone);
  k.w.setZero();
  k.inverse.setZero();
  if (cone.size == 1) {
    k.w(0, 0) = std::sqrt(x[0] / s[0]);
    k.inverse(0, 0) = 1.0 / k.w(0, 0);
  } else {
    const double nx = std::sqrt(determinant(x, cone.size)),
                 ns = std::sqrt(determinant(s, cone.size));
    const Block3 xb = x / nx;
    Block3 sb = s / ns;
    const double gamma = std::sqrt(0.5 * (1.0 + xb.dot(sb)));
    sb.tail<2>() *= -1.0;
    const Block3 w = (xb + sb) / (2.0 * gamma);  // det 1
    const double root = std::sqrt(nx / ns);
    // [w0, w1'; w1, I + w1 w1' / (1 + w0)]
    for (const double sign : {1.0, -1.0}) {
      Eigen::Matrix3d m = Eigen::Matrix3d::Identity();
      m.bottomRightCorner<2, 2>() += w.tail<2>() * w.tail<2>().transpose() / (1.0 + w[0]);
      m(0, 0) = w[0];
      for (int i = 1; i < 3; ++i) m(0, i) = m(i, 0) = sign * w[i];
      (sign > 0 ? k.w : k.inverse) = sign > 0 ? Eigen::Matrix3d(root * m) : m / root;
    }
    if (cone.size == 2) {
      for (Eigen::Matrix3d* m : {&k.w, &k.inverse}) {
        m->row(2).setZero();
        m->col(2).setZero();
      }
    }
  }
  k.scaled = k.w * s;
}

// Newton direction to products `target` and what is added to them. The first direction after a
// factorisation solves for the border too; it is not refined.
void PredictorCorrector::direction(ImpulseNewton& newton, double target, bool first) {
  find_products(target);
  solve(newton, missing_, first, d_);
  if (!first) refine(newton, target);
}

// Iterative refinement with the impulses among the unknowns. The matrix has them eliminated; close
// to the answer it has weights of 1e12 beside masses of 1, and the direction then misses the
// momentum by more than is left to do.
void PredictorCorrector::refine(ImpulseNewton& newton, double target) {
  const double enough = kSmallError * std::max(target, size_of(missing_));
  double before = INFINITY;
  for (int k = 0; k < kMostRefinements; ++k) {
    error_ = missing_;
    add_linear(d_, error_);
    const double error = size_of(error_);
    if (error <= enough || !(error < kRefined * before)) return;
    before = error;
    system_.cones.setZero();
    system_.bounds.setZero();
    system_.total = 0.0;
    solve(newton, error_, false, correction_);
    add(1.0, correction_, d_);
  }
}

// Solves the linear equations, of which `missing` is missing, with the products of find_products.
void PredictorCorrector::solve(ImpulseNewton& newton, const Missing& missing, bool first,
                               Iterate& d) {
  const ImpulseProgram& p = *program_;
  system_.a = missing.multipliers;
  for (int i = 0; i < p.bounds(); ++i) {
    p.G.add(i, (system_.bounds[i] - x_.lambda[i] * missing.bounds[i]) / x_.slack[i],
            system_.a.data());
  }
  const double known = gather_impulses(missing);
  if (first && p.has_total()) {
    system_.border.setZero();
    for (std::size_t c = 0; c < p.cones.size(); ++c)
      p.pull_total(p.cones[c], blocks_[c], system_.border);
    work_.setZero();
    newton.solve({{system_.a, system_.b, d.v, d.m}, {work_, system_.border, system_.v, system_.m}});
    system_.pivot = x_.rest / x_.nu + p.curvature_of_total(blocks_, weights_, system_.v, system_.m);
  } else {
    newton.solve({{system_.a, system_.b, d.v, d.m}});
  }
  d.nu = d.rest = 0.0;
  if (p.has_total()) solve_border(known, d);
  for (std::size_t c = 0; c < p.cones.size(); ++c) {
    const ImpulseCone& cone = p.cones[c];
    const Scaling& k = scaling_[c];
    Block3 ds = segment(missing.cones, cone);
    for (int i = 0; i < cone.size; ++i) {
      ds[i] += own_.J.dot(cone.first + i, d.m.data());
      if (p.has_total()) ds[i] += own_.e[cone.first + i] * d.nu;
    }
    put(d.s, cone, ds);
    put(d.p, cone, segment(system_.cones, cone) - k.w * (k.w * ds));
  }
  for (int i = 0; i < p.bounds(); ++i) {
    d.slack[i] = missing.bounds[i] + p.G.dot(i, d.v.data());
    d.lambda[i] = (system_.bounds[i] - x_.lambda[i] * d.slack[i]) / x_.slack[i];
  }
}

// Computes the terms from the complementarity of cones, bounds and the total.
void PredictorCorrector::find_products(double target) {
  const ImpulseProgram& p = *program_;
  for (std::size_t c = 0; c < p.cones.size(); ++c) {
    const ImpulseCone& cone = p.cones[c];
    const Scaling& k = scaling_[c];
    Block3 r = -product(k.scaled, k.scaled, cone.size);
    r[0] += target;
    r += segment(added_.cones, cone);
    put(system_.cones, cone, k.w * divide(k.scaled, r, cone.size));
  }
  for (int i = 0; i < p.bounds(); ++i)
    system_.bounds[i] = target - x_.lambda[i] * x_.slack[i] + added_.bounds[i];
  system_.total = target - x_.nu * x_.rest + added_.total;
}

// Computes the right-hand side b. @return the part of the residual of the total that does not
// depend on the direction
double PredictorCorrector::gather_impulses(const Missing& missing) {
  const ImpulseProgram& p = *program_;
  system_.b = missing.momentum;
  double known = missing.total;
  for (std::size_t c = 0; c < p.cones.size(); ++c) {
    const ImpulseCone& cone = p.cones[c];
    const Scaling& k = scaling_[c];
    const Block3 pull = segment(system_.cones, cone) - k.w * (k.w * segment(missing.cones, cone));
    for (int i = 0; i < cone.size; ++i) own_.J.add(cone.first + i, -pull[i], system_.b.data());
    if (p.has_total()) known -= segment(own_.e, cone).dot(pull);
  }
  return known;
}

// Computes d.nu from the equation of the total, and adds its contribution to the direction.
void PredictorCorrector::solve_border(double known, Iterate& d) const {
  d.nu = (system_.total / x_.nu - known - system_.border.dot(d.m)) / system_.pivot;
  d.v += d.nu * system_.v;
  d.m += d.nu * system_.m;
  d.rest = (system_.total - x_.rest * d.nu) / x_.nu;
}

double PredictorCorrector::longest_step() const {
  double t = 1.0 / kToBoundary;
  for (const ImpulseCone& cone : program_->cones) {
    t = step_within(segment(x_.p, cone), segment(d_.p, cone), cone.size, t);
    t = step_within(segment(x_.s, cone), segment(d_.s, cone), cone.size, t);
  }
  const auto limit = [&](double x, double d) {
    if (d < 0) t = std::min(t, -x / d);
  };
  for (int i = 0; i < program_->bounds(); ++i) {
    limit(x_.lambda[i], d_.lambda[i]);
    limit(x_.slack[i], d_.slack[i]);
  }
  if (program_->has_total()) {
    limit(x_.nu, d_.nu);
    limit(x_.rest, d_.rest);
  }
  return t;
}

// Mean product at step t.
double PredictorCorrector::products_at(double t) const {
  double sum = (x_.p + t * d_.p).dot(x_.s + t * d_.s) +
               (x_.lambda + t * d_.lambda).dot(x_.slack + t * d_.slack);
  if (program_->has_total()) sum += (x_.nu + t * d_.nu) * (x_.rest + t * d_.rest);
  return sum / std::max(1, degree_);
}

// Takes the product of the changes of the affine direction off [Mehrotra1992].
void PredictorCorrector::add_second_order() {
  const ImpulseProgram& p = *program_;
  for (std::size_t c = 0; c < p.cones.size(); ++c) {
    const ImpulseCone& cone = p.cones[c];
    const Scaling& k = scaling_[c];
    put(added_.cones, cone,
        -product(k.inverse * segment(d_.p, cone), k.w * segment(d_.s, cone), cone.size));
  }
  added_.bounds = -d_.lambda.cwiseProduct(d_.slack);
  added_.total = -d_.nu * d_.rest;
}

// Adds what brings the outlying products at step t back to between kLow and kHigh times the target
// [Gondzio1996]; of a cone, the eigenvalues of the product.
void PredictorCorrector::add_centrality(double t, double target) {
  const ImpulseProgram& p = *program_;
  const double low = kLow * target, high = kHigh * target;
  const auto change = [&](double x) { return std::max(std::clamp(x, low, high) - x, -high); };
  for (std::size_t c = 0; c < p.cones.size(); ++c) {
    const ImpulseCone& cone = p.cones[c];
    const Scaling& k = scaling_[c];
    const Block3 w = product(k.scaled + t * (k.inverse * segment(d_.p, cone)),
                             k.scaled + t * (k.w * segment(d_.s, cone)), cone.size);
    const double tangential = std::hypot(w[1], w[2]);
    Block3 add = Block3::Zero();
    if (cone.size == 1) {
      add[0] = change(w[0]);
    } else {
      const double more = change(w[0] + tangential), less = change(w[0] - tangential);
      add[0] = 0.5 * (more + less);
      if (tangential > 0) add.tail<2>() = 0.5 * (more - less) / tangential * w.tail<2>();
    }
    put(added_.cones, cone, segment(added_.cones, cone) + add);
  }
  for (int i = 0; i < p.bounds(); ++i) {
    added_.bounds[i] += change((x_.lambda[i] + t * d_.lambda[i]) * (x_.slack[i] + t * d_.slack[i]));
  }
  if (p.has_total()) added_.total += change((x_.nu + t * d_.nu) * (x_.rest + t * d_.rest));
}

// Lengthens the step along the direction by correctors of centrality, as long as they do. @return
// the step
double PredictorCorrector::centralise(ImpulseNewton& newton, double target) {
  double t = std::min(1.0, kToBoundary * longest_step());
  for (int k = 0; k < kMostCorrectors && t < kLongEnough; ++k) {
    kept_ = d_;
    const double aim = std::min(1.0, t + kLonger);
    add_centrality(aim, target);
    direction(newton, target, false);
    const double now = std::min(1.0, kToBoundary * longest_step());
    if (now < t + kLeastGain * (aim - t)) {
      if (now >= t) return now;
      std::swap(d_, kept_);
      return t;
    }
    t = now;
  }
  return t;
}

// y += t x.
void PredictorCorrector::add(double t, const Iterate& x, Iterate& y) {
  y.v += t * x.v;
  y.m += t * x.m;
  y.p += t * x.p;
  y.s += t * x.s;
  y.lambda += t * x.lambda;
  y.slack += t * x.slack;
  y.nu += t * x.nu;
  y.rest += t * x.rest;
}

bool PredictorCorrector::step(ImpulseNewton& newton) {
  find_missing();
  if (!scale() || !newton.factor(blocks_, weights_)) return false;
  const double before = mu();
  added_.cones.setZero();
  added_.bounds.setZero();
  added_.total = 0.0;
  direction(newton, 0.0, true);
  const double ratio = std::clamp(products_at(std::min(1.0, longest_step())) / before, 0.0, 1.0);
  const int power = before > kLate * first_mu_ ? kEarlyPower : kLatePower;
  const double target = std::pow(ratio, power) * before;
  add_second_order();
  direction(newton, target, false);
  last_step_ = centralise(newton, target);
  add(last_step_, d_, x_);
  return x_.v.allFinite() && last_step_ > 1e-8;
}

void PredictorCorrector::point(ImpulsePoint& x) const {
  x.p = x_.p;
  for (const ImpulseCone& cone : program_->cones) {
    if (cone.size > 1) x.p[cone.first] /= cone.mu;
  }
  x.lambda = x_.lambda;
  x.nu = program_->has_total() ? x_.nu : 0.0;
}

}  // namespace perp
