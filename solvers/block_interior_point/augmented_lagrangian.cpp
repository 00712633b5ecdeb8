#include <perp/solvers/block_interior_point/augmented_lagrangian.hpp>

#include <algorithm>
#include <cmath>

namespace perp {

namespace {

constexpr double kLeastCurvature = 1e-12;  // along nu, if no cone is active
constexpr double kFlatEnough = 0.5;  // slope at 1 over |slope at 0| up to which t = 1 is taken
constexpr double kRoot = 0.2;        // the same at the t that the search finds otherwise
constexpr int kSearchSteps = 12;

// p := projection of z on the cone.
void project(const ImpulseCone& cone, const double* z, double* p) {
  std::copy_n(z, cone.size, p);
  project_on_cone(cone.mu, cone.size, p);
}

}  // namespace

void AugmentedLagrangian::prepare(const ImpulseProgram& program) {
  program_ = &program;
  const int nv = program.velocities(), np = program.impulses(), nb = program.bounds();
  const int nc = static_cast<int>(program.cones.size());
  for (Vector* x : {&x_.m, &x_.mv, &gradient_.m, &d_.m, &d_.v, &d_.mv, &border_.pull, &border_.v,
                    &border_.m, &a_, &work_})
    x->setZero(nv);
  for (Vector* x : {&x_.p, &x_.z, &centre_.p, &d_.s}) x->setZero(np);
  for (Vector* x : {&x_.lambda, &x_.u, &x_.slack, &centre_.u, &centre_.lambda, &gradient_.lambda,
                    &d_.lambda, &weights_, &stiffness_.bounds, &penalties_.tau, &penalties_.eps})
    x->setZero(nb);
  for (Vector* x : {&stiffness_.cones, &penalties_.sigma}) x->setZero(nc);
  blocks_.resize(program.cones.size());
  for (int c = 0; c < nc; ++c) {
    const ImpulseCone& cone = program.cones[c];
    for (int i = cone.first; i < cone.first + cone.size; ++i)
      stiffness_.cones[c] += program.stiffness(program.J, i) / cone.size;
  }
  for (int i = 0; i < nb; ++i) stiffness_.bounds[i] = program.stiffness(program.G, i);
}

void AugmentedLagrangian::set_penalty(double penalty) {
  penalties_.sigma = penalty * stiffness_.cones.cwiseInverse();
  penalties_.tau = penalty * stiffness_.bounds;
  penalties_.eps = stiffness_.bounds / penalty;
}

void AugmentedLagrangian::start(const ImpulsePoint& x, double penalty) {
  const ImpulseProgram& p = *program_;
  set_penalty(penalty);
  centre_.p = x.p;
  x_.lambda = centre_.lambda = x.lambda;
  x_.nu = x.nu;
  work_ = p.f;
  for (int i = 0; i < p.impulses(); ++i) p.J.add(i, x.p[i], work_.data());
  p.mass.solve(work_);  // v
  for (int i = 0; i < p.bounds(); ++i)
    centre_.u[i] = std::max(0.0, p.G.dot(i, work_.data()) - p.w[i]);
  x_.m = p.cost_v;
  for (int i = 0; i < p.bounds(); ++i) p.G.add(i, -x_.lambda[i], x_.m.data());
  p.mass.solve(x_.m);
  x_.m += work_;
  evaluate();
}

void AugmentedLagrangian::update(double penalty) {
  centre_.p = x_.p;
  centre_.u = x_.u;
  centre_.lambda = x_.lambda;
  set_penalty(penalty);
  evaluate();
}

void AugmentedLagrangian::point(ImpulsePoint& x) const {
  x.p = x_.p;
  x.lambda = x_.lambda.cwiseMax(0.0);
  x.nu = x_.nu;
}

// Computes impulses, slacks and gradient at (m, lambda, nu).
void AugmentedLagrangian::evaluate() {
  const ImpulseProgram& p = *program_;
  const bool total = p.has_total();
  work_ = -p.cost_v;
  for (int i = 0; i < p.bounds(); ++i) p.G.add(i, x_.lambda[i], work_.data());
  p.mass.multiply(x_.m, x_.mv);
  x_.mv += work_;
  p.mass.solve(work_);
  work_ += x_.m;  // v
  for (int i = 0; i < p.bounds(); ++i) x_.slack[i] = p.G.dot(i, work_.data()) - p.w[i];
  gradient_.m = x_.mv - p.f;
  for (std::size_t c = 0; c < p.cones.size(); ++c) {
    const ImpulseCone& cone = p.cones[c];
    for (int i = cone.first; i < cone.first + cone.size; ++i) {
      const double s = p.J.dot(i, x_.m.data()) + p.cost_p[i] + (total ? x_.nu * p.e[i] : 0.0);
      x_.z[i] = centre_.p[i] - penalties_.sigma[static_cast<int>(c)] * s;
    }
    project(cone, x_.z.data() + cone.first, x_.p.data() + cone.first);
    for (int i = cone.first; i < cone.first + cone.size; ++i)
      p.J.add(i, -x_.p[i], gradient_.m.data());
  }
  x_.u = (centre_.u - penalties_.tau.cwiseProduct(x_.lambda)).cwiseMax(0.0);
  gradient_.lambda = x_.slack - x_.u + penalties_.eps.cwiseProduct(x_.lambda - centre_.lambda);
  gradient_.nu = total ? p.kappa - p.e.dot(x_.p) : 0.0;
  gradient_.largest = std::max({max_abs(gradient_.m), max_abs(gradient_.lambda),
                                x_.nu > 0 ? std::abs(gradient_.nu) : -gradient_.nu});
  change_ = largest_change();
}

double AugmentedLagrangian::largest_change() const {
  double change = 0.0;
  for (std::size_t c = 0; c < program_->cones.size(); ++c) {
    const ImpulseCone& cone = program_->cones[c];
    for (int i = cone.first; i < cone.first + cone.size; ++i)
      change = std::max(change,
                        std::abs(x_.p[i] - centre_.p[i]) / penalties_.sigma[static_cast<int>(c)]);
  }
  for (int i = 0; i < program_->bounds(); ++i) {
    change = std::max({change, std::abs(x_.u[i] - centre_.u[i]) / penalties_.tau[i],
                       penalties_.eps[i] * std::abs(x_.lambda[i] - centre_.lambda[i])});
  }
  return change;
}

bool AugmentedLagrangian::find_direction(ImpulseNewton& newton) {
  const ImpulseProgram& p = *program_;
  const bool total = p.has_total();
  border_.pull.setZero();  // J'B e
  for (std::size_t c = 0; c < p.cones.size(); ++c) {
    const ImpulseCone& cone = p.cones[c];
    blocks_[c] = penalties_.sigma[static_cast<int>(c)] *
                 cone_projection_derivative(cone.mu, cone.size, x_.z.data() + cone.first);
    if (total) p.pull_total(cone, blocks_[c], border_.pull);
  }
  a_.setZero();
  for (int i = 0; i < p.bounds(); ++i) {
    // A row that was open stays open as long as its violation is smaller than the present change.
    const bool open = x_.u[i] > 0 || (x_.lambda[i] == 0.0 && x_.slack[i] > -change_);
    weights_[i] = 1.0 / (penalties_.eps[i] + (open ? penalties_.tau[i] : 0.0));
    p.G.add(i, -weights_[i] * gradient_.lambda[i], a_.data());
  }
  if (!newton.factor(blocks_, weights_)) return false;
  d_.nu = 0.0;
  if (total) {
    work_.setZero();
    newton.solve({{a_, gradient_.m, d_.v, d_.m}, {work_, border_.pull, border_.v, border_.m}});
    add_border();
  } else {
    newton.solve({{a_, gradient_.m, d_.v, d_.m}});
  }
  complete_direction();
  return d_.m.allFinite();
}

// Computes d_nu, limited by nu >= 0, and adds its contribution to the direction.
void AugmentedLagrangian::add_border() {
  const double pivot =
      kLeastCurvature + program_->curvature_of_total(blocks_, weights_, border_.v, border_.m);
  d_.nu = std::max(-x_.nu, -(gradient_.nu + border_.pull.dot(d_.m)) / pivot);
  d_.v += d_.nu * border_.v;
  d_.m += d_.nu * border_.m;
}

// Computes d_lambda from d_v, then d_v from d_lambda, so that they agree to rounding.
void AugmentedLagrangian::complete_direction() {
  const ImpulseProgram& p = *program_;
  work_.setZero();
  for (int i = 0; i < p.bounds(); ++i) {
    d_.lambda[i] = -weights_[i] * (gradient_.lambda[i] + p.G.dot(i, d_.v.data()));
    p.G.add(i, d_.lambda[i], work_.data());
  }
  p.mass.multiply(d_.m, d_.mv);
  d_.mv += work_;
  p.mass.solve(work_);
  d_.v = d_.m + work_;
  for (int i = 0; i < p.impulses(); ++i)
    d_.s[i] = p.J.dot(i, d_.m.data()) + (p.has_total() ? d_.nu * p.e[i] : 0.0);
}

// The slope of the augmented Lagrangian along the direction, at step t.
double AugmentedLagrangian::slope(double t) const {
  const ImpulseProgram& p = *program_;
  double sum = d_.v.dot(x_.mv) + t * d_.v.dot(d_.mv) - p.f.dot(d_.m) + p.kappa * d_.nu;
  for (std::size_t c = 0; c < p.cones.size(); ++c) {
    const ImpulseCone& cone = p.cones[c];
    double z[3], q[3];
    for (int i = 0; i < cone.size; ++i)
      z[i] =
          x_.z[cone.first + i] - t * penalties_.sigma[static_cast<int>(c)] * d_.s[cone.first + i];
    project(cone, z, q);
    for (int i = 0; i < cone.size; ++i) sum -= q[i] * d_.s[cone.first + i];
  }
  for (int i = 0; i < p.bounds(); ++i) {
    const double lambda = x_.lambda[i] + t * d_.lambda[i];
    sum += d_.lambda[i] * (penalties_.eps[i] * (lambda - centre_.lambda[i]) - p.w[i] -
                           std::max(0.0, centre_.u[i] - penalties_.tau[i] * lambda));
  }
  return sum;
}

double AugmentedLagrangian::search() const {
  const double at0 = slope(0.0), at1 = slope(1.0);
  if (!(at0 < 0)) return at1 <= 0 ? 1.0 : 0.0;
  if (at1 <= kFlatEnough * std::abs(at0)) return 1.0;
  double low = 0.0, high = 1.0, f_low = at0, f_high = at1, t = 1.0;
  for (int k = 0; k < kSearchSteps; ++k) {
    t = k % 3 == 2 ? 0.5 * (low + high) : (low * f_high - high * f_low) / (f_high - f_low);
    const double f = slope(t);
    if (std::abs(f) <= kRoot * std::abs(at0)) break;
    (f > 0 ? high : low) = t;
    (f > 0 ? f_high : f_low) = f;
  }
  return t;
}

double AugmentedLagrangian::step(ImpulseNewton& newton) {
  if (!find_direction(newton)) return 0.0;
  const double t = search();
  if (!(t > 0)) return 0.0;
  x_.m += t * d_.m;
  x_.lambda += t * d_.lambda;
  x_.nu = std::max(0.0, x_.nu + t * d_.nu);
  evaluate();
  return t;
}

}  // namespace perp
