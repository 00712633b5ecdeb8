#include <perp/solvers/block_interior_point/impulse_multipliers.hpp>

#include <algorithm>
#include <cmath>

namespace perp {

namespace {

constexpr double kLeastCurvature = 1e-12;  // along nu, where no cone is active
constexpr double kFlatEnough = 0.5;        // slope at 1 over that at 0 for a whole step
constexpr double kRoot = 0.2;              // the same at the root that is looked for otherwise
constexpr int kSearchSteps = 12;

double largest(const Vector& x) { return x.size() > 0 ? x.cwiseAbs().maxCoeff() : 0.0; }

}  // namespace

void ImpulseMultipliers::prepare(const ImpulseProgram& program) {
  program_ = &program;
  const int nv = program.velocities(), np = program.impulses(), nb = program.bounds();
  const int nc = static_cast<int>(program.cones.size());
  for (Vector* x :
       {&m_, &mv_, &g_m_, &d_m_, &d_v_, &d_mv_, &a_, &pull_, &pull_v_, &pull_m_, &work_})
    x->setZero(nv);
  for (Vector* x : {&p_, &z_, &p_centre_, &d_s_}) x->setZero(np);
  for (Vector* x : {&lambda_, &u_, &u_centre_, &lambda_centre_, &slack_, &g_lambda_, &d_lambda_,
                    &weights_, &bound_size_, &tau_, &eps_})
    x->setZero(nb);
  cone_size_.setZero(nc);
  sigma_.setZero(nc);
  blocks_.resize(program.cones.size());
  for (int c = 0; c < nc; ++c) {
    const ImpulseCone& cone = program.cones[c];
    for (int i = cone.first; i < cone.first + cone.size; ++i)
      cone_size_[c] += program.stiffness(program.J, i) / cone.size;
  }
  for (int i = 0; i < nb; ++i) bound_size_[i] = program.stiffness(program.G, i);
}

void ImpulseMultipliers::set_penalty(double penalty) {
  sigma_ = penalty * cone_size_.cwiseInverse();
  tau_ = penalty * bound_size_;
  eps_ = bound_size_ / penalty;
}

void ImpulseMultipliers::start(const ImpulsePoint& x, double penalty) {
  const ImpulseProgram& p = *program_;
  set_penalty(penalty);
  p_centre_ = x.p;
  lambda_ = lambda_centre_ = x.lambda;
  nu_ = x.nu;
  work_ = p.f;
  for (int i = 0; i < p.impulses(); ++i) p.J.add(i, x.p[i], work_.data());
  p.solve_mass(work_);  // v
  for (int i = 0; i < p.bounds(); ++i)
    u_centre_[i] = std::max(0.0, p.G.dot(i, work_.data()) - p.w[i]);
  m_ = p.cost_v;
  for (int i = 0; i < p.bounds(); ++i) p.G.add(i, -lambda_[i], m_.data());
  p.solve_mass(m_);
  m_ += work_;
  evaluate();
}

void ImpulseMultipliers::update(double penalty) {
  p_centre_ = p_;
  u_centre_ = u_;
  lambda_centre_ = lambda_;
  set_penalty(penalty);
  evaluate();
}

void ImpulseMultipliers::point(ImpulsePoint& x) const {
  x.p = p_;
  x.lambda = lambda_.cwiseMax(0.0);
  x.nu = nu_;
}

// Impulses, slacks and gradient at (m, lambda, nu).
void ImpulseMultipliers::evaluate() {
  const ImpulseProgram& p = *program_;
  const bool total = p.e.size() > 0;
  work_ = -p.cost_v;
  for (int i = 0; i < p.bounds(); ++i) p.G.add(i, lambda_[i], work_.data());
  mv_.noalias() = p.M * m_;
  mv_ += work_;
  p.solve_mass(work_);
  work_ += m_;  // v
  for (int i = 0; i < p.bounds(); ++i) slack_[i] = p.G.dot(i, work_.data()) - p.w[i];
  g_m_ = mv_ - p.f;
  for (std::size_t c = 0; c < p.cones.size(); ++c) {
    const ImpulseCone& cone = p.cones[c];
    for (int i = cone.first; i < cone.first + cone.size; ++i) {
      const double s = p.J.dot(i, m_.data()) + p.cost_p[i] + (total ? nu_ * p.e[i] : 0.0);
      z_[i] = p_centre_[i] - sigma_[static_cast<int>(c)] * s;
    }
    project_on(cone, z_.data() + cone.first, p_.data() + cone.first);
    for (int i = cone.first; i < cone.first + cone.size; ++i) p.J.add(i, -p_[i], g_m_.data());
  }
  u_ = (u_centre_ - tau_.cwiseProduct(lambda_)).cwiseMax(0.0);
  g_lambda_ = slack_ - u_ + eps_.cwiseProduct(lambda_ - lambda_centre_);
  g_nu_ = total ? p.kappa - p.e.dot(p_) : 0.0;
  gradient_ = std::max({largest(g_m_), largest(g_lambda_), nu_ > 0 ? std::abs(g_nu_) : -g_nu_});
  change_ = largest_change();
}

double ImpulseMultipliers::largest_change() const {
  double change = 0.0;
  for (std::size_t c = 0; c < program_->cones.size(); ++c) {
    const ImpulseCone& cone = program_->cones[c];
    for (int i = cone.first; i < cone.first + cone.size; ++i)
      change = std::max(change, std::abs(p_[i] - p_centre_[i]) / sigma_[static_cast<int>(c)]);
  }
  for (int i = 0; i < program_->bounds(); ++i) {
    change = std::max({change, std::abs(u_[i] - u_centre_[i]) / tau_[i],
                       eps_[i] * std::abs(lambda_[i] - lambda_centre_[i])});
  }
  return change;
}

bool ImpulseMultipliers::find_direction(ImpulseNewton& newton) {
  const ImpulseProgram& p = *program_;
  const bool total = p.e.size() > 0;
  pull_.setZero();  // J'B e
  double curvature = kLeastCurvature;
  for (std::size_t c = 0; c < p.cones.size(); ++c) {
    const ImpulseCone& cone = p.cones[c];
    blocks_[c] = sigma_[static_cast<int>(c)] * projection_derivative(cone, z_.data() + cone.first);
    if (total) curvature += p.pull_total(cone, blocks_[c], p.e, pull_);
  }
  a_.setZero();
  for (int i = 0; i < p.bounds(); ++i) {
    // A row that was open, and is violated by no more than what changes now, is not yet closed.
    const bool open = u_[i] > 0 || (lambda_[i] == 0.0 && slack_[i] > -change_);
    weights_[i] = 1.0 / (eps_[i] + (open ? tau_[i] : 0.0));
    p.G.add(i, -weights_[i] * g_lambda_[i], a_.data());
  }
  if (!newton.factor(blocks_, weights_)) return false;
  newton.solve(a_, g_m_, d_v_, d_m_);
  d_nu_ = 0.0;
  if (total) {
    work_.setZero();
    newton.solve(work_, pull_, pull_v_, pull_m_);
    const double pivot = curvature + pull_.dot(pull_m_);
    if (pivot > 0) d_nu_ = std::max(-nu_, -(g_nu_ + pull_.dot(d_m_)) / pivot);
    d_v_ += d_nu_ * pull_v_;
    d_m_ += d_nu_ * pull_m_;
  }
  // lambda follows from v, then v from it, so that they agree to rounding.
  work_.setZero();
  for (int i = 0; i < p.bounds(); ++i) {
    d_lambda_[i] = -weights_[i] * (g_lambda_[i] + p.G.dot(i, d_v_.data()));
    p.G.add(i, d_lambda_[i], work_.data());
  }
  d_mv_.noalias() = p.M * d_m_;
  d_mv_ += work_;
  p.solve_mass(work_);
  d_v_ = d_m_ + work_;
  for (int i = 0; i < p.impulses(); ++i)
    d_s_[i] = p.J.dot(i, d_m_.data()) + (total ? d_nu_ * p.e[i] : 0.0);
  return d_m_.allFinite();
}

// Of the augmented Lagrangian along the direction.
double ImpulseMultipliers::slope(double t) const {
  const ImpulseProgram& p = *program_;
  double sum = d_v_.dot(mv_) + t * d_v_.dot(d_mv_) - p.f.dot(d_m_) + p.kappa * d_nu_;
  for (std::size_t c = 0; c < p.cones.size(); ++c) {
    const ImpulseCone& cone = p.cones[c];
    double z[3], q[3];
    for (int i = 0; i < cone.size; ++i)
      z[i] = z_[cone.first + i] - t * sigma_[static_cast<int>(c)] * d_s_[cone.first + i];
    project_on(cone, z, q);
    for (int i = 0; i < cone.size; ++i) sum -= q[i] * d_s_[cone.first + i];
  }
  for (int i = 0; i < p.bounds(); ++i) {
    const double lambda = lambda_[i] + t * d_lambda_[i];
    sum += d_lambda_[i] * (eps_[i] * (lambda - lambda_centre_[i]) - p.w[i] -
                           std::max(0.0, u_centre_[i] - tau_[i] * lambda));
  }
  return sum;
}

double ImpulseMultipliers::search() const {
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

double ImpulseMultipliers::step(ImpulseNewton& newton) {
  if (!find_direction(newton)) return 0.0;
  const double t = search();
  if (!(t > 0)) return 0.0;
  m_ += t * d_m_;
  lambda_ += t * d_lambda_;
  nu_ = std::max(0.0, nu_ + t * d_nu_);
  evaluate();
  return t;
}

}  // namespace perp
