#include <perp/solvers/augmented_lagrangian/augmented_lagrangian.hpp>

#include <perp/solvers/augmented_lagrangian/impulse_path.hpp>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>

namespace perp {

namespace {
double cpu() { return static_cast<double>(clock()) / CLOCKS_PER_SEC; }

// Projection of z on { ||p_t|| <= mu p_n } (or p >= 0), and its derivative.
void project_cone(const ImpulseCone& cone, const double* z, double* p) {
  if (cone.size == 1) {
    p[0] = std::max(0.0, z[0]);
    return;
  }
  const double t = cone.size == 2 ? std::abs(z[1]) : std::hypot(z[1], z[2]);
  if (t <= cone.mu * z[0]) {
    for (int i = 0; i < cone.size; ++i) p[i] = z[i];
  } else if (cone.mu * t <= -z[0]) {
    for (int i = 0; i < cone.size; ++i) p[i] = 0.0;
  } else {
    const double a = (z[0] + cone.mu * t) / (1 + cone.mu * cone.mu);
    p[0] = a;
    for (int i = 1; i < cone.size; ++i) p[i] = z[i] * (cone.mu * a / t);
  }
}

void cone_derivative(const ImpulseCone& cone, const double* z, Eigen::Matrix3d& d) {
  d.setZero();
  if (cone.size == 1) {
    if (z[0] > 0) d(0, 0) = 1.0;
    return;
  }
  const double t = cone.size == 2 ? std::abs(z[1]) : std::hypot(z[1], z[2]);
  if (t <= cone.mu * z[0]) {
    for (int i = 0; i < cone.size; ++i) d(i, i) = 1.0;
  } else if (cone.mu * t > -z[0]) {
    const double a = (z[0] + cone.mu * t) / (1 + cone.mu * cone.mu), ratio = cone.mu * a / t;
    Eigen::Vector3d axis = Eigen::Vector3d::Zero(), u = Eigen::Vector3d::Zero();
    for (int i = 1; i < cone.size; ++i) axis[i] = z[i] / t;
    u = cone.mu * axis;
    u[0] = 1.0;
    d = u * u.transpose() / (1 + cone.mu * cone.mu) - ratio * axis * axis.transpose();
    for (int i = 1; i < cone.size; ++i) d(i, i) += ratio;
  }
}

}  // namespace

const SolverTraits& AugmentedLagrangian::traits() const {
  static const SolverTraits traits{"augmented-lagrangian",
                                   "semismooth Newton on the augmented Lagrangian of the dual",
                                   "LiSunToh2018",
                                   {"conic_qp"}};
  return traits;
}

std::optional<std::string> AugmentedLagrangian::do_refusal(const Problem& problem) const {
  ImpulseProgram program;
  return program.read(std::get<ConicQp>(problem.data));
}

void AugmentedLagrangian::do_prepare(const Problem& problem) {
  copy_ = std::get<ConicQp>(problem.data);
  program_.read(copy_);
  newton_.prepare(program_);
  const ImpulseProgram& p = program_;
  const int nv = p.velocities(), np = p.impulses(), nb = p.bounds_count();
  Vector work = Vector::Zero(nv);
  const auto size = [&](const RowMatrix& rows, int i) {
    work.setZero();
    rows.add(i, 1.0, work.data());
    p.solve_mass(work);
    return rows.dot(i, work.data());
  };
  cone_size_.resize(static_cast<int>(p.cones.size()));
  for (std::size_t c = 0; c < p.cones.size(); ++c) {
    double sum = 0.0;
    for (int i = 0; i < p.cones[c].size; ++i) sum += size(p.J, p.cones[c].first + i);
    cone_size_[static_cast<int>(c)] = sum / p.cones[c].size;
  }
  bound_size_.resize(nb);
  for (int i = 0; i < nb; ++i) bound_size_[i] = size(p.G, i);
  for (Point* x : {&x_, &d_, &centre_}) {
    x->m.setZero(nv);
    x->lambda.setZero(nb);
  }
  for (Row* r : {&at_, &along_}) {
    r->v.setZero(nv);
    r->mv.setZero(nv);
    r->s.setZero(np);
    r->slack.setZero(nb);
  }
  for (Vector* x : {&p_, &z_, &p_centre_, &p_out_, &s_out_}) x->setZero(np);
  for (Vector* x : {&u_, &u_centre_, &g_lambda_, &tau_, &eps_, &weights_, &lambda_out_}) x->setZero(nb);
  for (Vector* x : {&g_m_, &a_, &b_, &du_v_, &du_m_, &work_, &v_out_, &m_out_}) x->setZero(nv);
  sigma_.setZero(static_cast<int>(p.cones.size()));
  blocks_.resize(p.cones.size());
}

// v, M v + c_v, J m + c_p and G v - w at x_.
void AugmentedLagrangian::evaluate() {
  const ImpulseProgram& p = program_;
  work_ = -p.cost_v;
  for (int i = 0; i < p.bounds_count(); ++i) p.G.add(i, x_.lambda[i], work_.data());
  at_.mv.noalias() = p.M * x_.m;
  at_.mv += work_;
  p.solve_mass(work_);
  at_.v = x_.m + work_;
  for (int i = 0; i < p.impulses(); ++i) at_.s[i] = p.J.dot(i, x_.m.data()) + p.cost_p[i];
  for (int i = 0; i < p.bounds_count(); ++i) at_.slack[i] = p.G.dot(i, at_.v.data()) - p.w[i];
}

// Impulses and slacks that the multipliers become.
void AugmentedLagrangian::project() {
  const ImpulseProgram& p = program_;
  for (std::size_t c = 0; c < p.cones.size(); ++c) {
    const ImpulseCone& cone = p.cones[c];
    const double sigma = sigma_[static_cast<int>(c)];
    for (int i = cone.first; i < cone.first + cone.size; ++i) {
      z_[i] = p_centre_[i] - sigma * (at_.s[i] + (p.e.size() > 0 ? x_.nu * p.e[i] : 0.0));
    }
    project_cone(cone, z_.data() + cone.first, p_.data() + cone.first);
  }
  u_ = (u_centre_ - tau_.cwiseProduct(x_.lambda)).cwiseMax(0.0);
  total_p_ = p.e.size() > 0 ? p.e.dot(p_) : 0.0;
}

double AugmentedLagrangian::gradient() {
  const ImpulseProgram& p = program_;
  project();
  g_m_ = at_.mv - p.f;
  for (int i = 0; i < p.impulses(); ++i) p.J.add(i, -p_[i], g_m_.data());
  g_lambda_ = at_.slack - u_ + eps_.cwiseProduct(x_.lambda - centre_.lambda);
  g_nu_ = p.kappa - total_p_;
  const double nu_part = p.e.size() == 0 ? 0.0 : x_.nu > 0 ? std::abs(g_nu_) : std::max(0.0, -g_nu_);
  work_ = g_m_;
  return std::max({g_m_.cwiseAbs().maxCoeff(),
                   g_lambda_.size() > 0 ? g_lambda_.cwiseAbs().maxCoeff() : 0.0, nu_part});
}

bool AugmentedLagrangian::newton_direction() {
  const ImpulseProgram& p = program_;
  const bool total = p.e.size() > 0;
  Vector& g = g_sigma_;
  g.setZero(p.velocities());
  double curvature = 1e-12;
  for (std::size_t c = 0; c < p.cones.size(); ++c) {
    const ImpulseCone& cone = p.cones[c];
    Eigen::Matrix3d& block = blocks_[c];
    cone_derivative(cone, z_.data() + cone.first, block);
    block *= sigma_[static_cast<int>(c)];
    if (!total) continue;
    Eigen::Vector3d e = Eigen::Vector3d::Zero();
    for (int i = 0; i < cone.size; ++i) e[i] = p.e[cone.first + i];
    const Eigen::Vector3d be = block * e;
    curvature += e.dot(be);
    for (int i = 0; i < cone.size; ++i) {
      if (be[i] != 0.0) p.J.add(cone.first + i, be[i], g.data());
    }
  }
  a_.setZero();
  for (int i = 0; i < p.bounds_count(); ++i) {
    const bool held = u_[i] > 0;  // lambda is pushed to 0
    const double d = eps_[i] + (held ? tau_[i] : 0.0);
    weights_[i] = held ? 0.0 : 1.0 / d;
    if (!held) p.G.add(i, -g_lambda_[i] / d, a_.data());
  }
  if (!newton_.factor(blocks_, weights_)) return false;
  b_ = g_m_;
  newton_.solve(a_, b_, along_.v, d_.m);
  d_.nu = 0.0;
  if (total) {
    work_.setZero();
    newton_.solve(work_, g, du_v_, du_m_);
    const double pivot = curvature + g.dot(du_m_);
    d_.nu = pivot > 0 ? -(g_nu_ + g.dot(d_.m)) / pivot : 0.0;
    d_.nu = std::max(d_.nu, -x_.nu);
    along_.v += d_.nu * du_v_;
    d_.m += d_.nu * du_m_;
  }
  // lambda follows from v; then v from it, to rounding.
  work_.setZero();
  for (int i = 0; i < p.bounds_count(); ++i) {
    const double d = eps_[i] + (u_[i] > 0 ? tau_[i] : 0.0);
    d_.lambda[i] = -(g_lambda_[i] + p.G.dot(i, along_.v.data())) / d;
    p.G.add(i, d_.lambda[i], work_.data());
  }
  along_.mv.noalias() = p.M * d_.m;
  along_.mv += work_;
  p.solve_mass(work_);
  along_.v = d_.m + work_;
  for (int i = 0; i < p.impulses(); ++i) along_.s[i] = p.J.dot(i, d_.m.data());
  if (total) along_.s += d_.nu * p.e;
  for (int i = 0; i < p.bounds_count(); ++i) along_.slack[i] = p.G.dot(i, along_.v.data());
  return true;
}

// Derivative of the augmented Lagrangian along the direction.
double AugmentedLagrangian::slope(double t) const {
  const ImpulseProgram& p = program_;
  double sum = along_.v.dot(at_.mv) + t * along_.v.dot(along_.mv) - p.f.dot(d_.m);
  if (p.e.size() > 0) sum += p.kappa * d_.nu;
  double q[3], z[3];
  for (std::size_t c = 0; c < p.cones.size(); ++c) {
    const ImpulseCone& cone = p.cones[c];
    const double sigma = sigma_[static_cast<int>(c)];
    for (int i = 0; i < cone.size; ++i) z[i] = z_[cone.first + i] - t * sigma * along_.s[cone.first + i];
    project_cone(cone, z, q);
    for (int i = 0; i < cone.size; ++i) sum -= q[i] * along_.s[cone.first + i];
  }
  for (int i = 0; i < p.bounds_count(); ++i) {
    const double lambda = x_.lambda[i] + t * d_.lambda[i];
    sum += d_.lambda[i] * (eps_[i] * (lambda - centre_.lambda[i]) - p.w[i] -
                           std::max(0.0, u_centre_[i] - tau_[i] * lambda));
  }
  return sum;
}

double AugmentedLagrangian::search() {
  const double at0 = slope(0.0), at1 = slope(1.0);
  if (!(at0 < 0)) return at1 <= 0 ? 1.0 : 0.0;
  if (at1 <= 0.5 * std::abs(at0)) return 1.0;
  double low = 0.0, high = 1.0, f_low = at0, f_high = at1, t = 1.0;
  for (int k = 0; k < 12; ++k) {
    t = k % 3 == 2 ? 0.5 * (low + high) : (low * f_high - high * f_low) / (f_high - f_low);
    const double f = slope(t);
    if (std::abs(f) <= 0.2 * std::abs(at0)) break;
    (f > 0 ? high : low) = t;
    (f > 0 ? f_high : f_low) = f;
  }
  return t;
}

void AugmentedLagrangian::set_penalty(double penalty) {
  sigma_ = penalty * cone_size_.cwiseInverse();
  tau_ = penalty * bound_size_;
  eps_ = bound_size_ / penalty;
}

double AugmentedLagrangian::measure(Result&) {
  const ImpulseProgram& p = program_;
  p_out_ = p_;
  if (p.e.size() > 0 && total_p_ > p.kappa) p_out_ *= p.kappa / total_p_;
  v_out_ = p.f;
  for (int i = 0; i < p.impulses(); ++i) p.J.add(i, p_out_[i], v_out_.data());
  p.solve_mass(v_out_);
  lambda_out_ = x_.lambda.cwiseMax(0.0);
  m_out_ = p.cost_v;
  for (int i = 0; i < p.bounds_count(); ++i) p.G.add(i, -lambda_out_[i], m_out_.data());
  p.solve_mass(m_out_);
  m_out_ += v_out_;
  for (int i = 0; i < p.impulses(); ++i)
    s_out_[i] = p.J.dot(i, m_out_.data()) + p.cost_p[i] + (p.e.size() > 0 ? x_.nu * p.e[i] : 0.0);
  p.write(v_out_, p_out_, m_out_, lambda_out_, x_.nu, s_out_, out_x_, out_dual_);
  return verify(ProblemData(copy_), Answer{out_x_, out_dual_}, common.tolerance).measure;
}

void AugmentedLagrangian::do_solve(const Vector* start, Observer*, Result& result) {
  const bool trace = getenv("TRACE");
  x_.m.setZero();
  x_.lambda.setZero();
  x_.nu = 0.0;
  p_centre_.setZero();
  u_centre_.setZero();
  if (start) program_.read_start(*start, p_centre_);
  if (start) {
    Vector lambda = Vector::Zero(program_.bounds_count());
    if (start_dual.size() == copy_.b.size()) program_.read_dual(start_dual, x_.lambda, x_.nu);
    x_.nu = std::max(0.0, x_.nu);
    x_.lambda = x_.lambda.cwiseMax(0.0);
    Vector v = program_.f;
    for (int i = 0; i < program_.impulses(); ++i) program_.J.add(i, p_centre_[i], v.data());
    program_.solve_mass(v);
    x_.m = program_.cost_v;
    for (int i = 0; i < program_.bounds_count(); ++i) program_.G.add(i, -x_.lambda[i], x_.m.data());
    program_.solve_mass(x_.m);
    x_.m += v;
    if (trace) { int bad[6] = {0}, all = 0; for (int i = 0; i < v.size(); ++i) if (std::abs(v[i]) > 1e-2) { ++bad[i % 6]; if (++all < 8) fprintf(stderr, "outer bad body %d comp %d %g\n", i / 6, i % 6, v[i]); } fprintf(stderr, "outer bad %d %d %d %d %d %d\n", bad[0], bad[1], bad[2], bad[3], bad[4], bad[5]); }
    if (trace) fprintf(stderr, "start |v| %.3e |m| %.3e |lambda| %.3e nu %.3e |p| %.3e outer\n", v.cwiseAbs().maxCoeff(), x_.m.cwiseAbs().maxCoeff(), x_.lambda.cwiseAbs().maxCoeff(), x_.nu, p_centre_.cwiseAbs().maxCoeff());
    for (int i = 0; i < program_.bounds_count(); ++i)
      u_centre_[i] = std::max(0.0, program_.G.dot(i, v.data()) - program_.w[i]);
  } else {
    x_.m = program_.f;
    program_.solve_mass(x_.m);
  }
  double penalty = settings.penalty;
  double best = INFINITY;
  const double began = cpu();
  const bool warm = start && start_dual.size() == copy_.b.size() && getenv("WARM");
  if (warm) penalty = atof(getenv("WARM"));
  if (getenv("PATH_FIRST") && !warm) {
    ImpulsePath path;
    path.prepare(program_);
    path.start();
    ImpulsePoint pt;
    for (int k = 0; k < 60; ++k) {
      if (!path.step(newton_)) break;
      ++result.iterations;
      path.point(pt);
      x_.m = pt.m; x_.lambda = pt.lambda; x_.nu = pt.nu; p_ = pt.p; total_p_ = program_.e.size() > 0 ? program_.e.dot(p_) : 0.0;
      const double m = measure(result);
      if (m < best) { best = m; best_x_ = out_x_; best_dual_ = out_dual_; }
      if (trace) fprintf(stderr, "  path %d mu %.3e residual %.3e step %.3f measure %.3e nu %.4g t=%.3f\n", k, path.mu(), path.residual(), path.last_step, m, pt.nu, cpu() - began);
      if (path.mu() < atof(getenv("PATH_FIRST")) || best < 0.5 * common.tolerance) break;
    }
    p_centre_ = pt.p;
    for (int i = 0; i < program_.bounds_count(); ++i)
      u_centre_[i] = std::max(0.0, program_.G.dot(i, pt.v.data()) - program_.w[i]);
  }
  centre_ = x_;
  result.status = Status::kIterationLimit;
  for (int outer = 0; outer < 60 && !(best <= 0.5 * common.tolerance); ++outer) {
    set_penalty(penalty);
    double change = 0.0, inner = 0.0;
    bool ended = false;
    for (int k = 0; k <= settings.inner_steps; ++k) {
      evaluate();
      inner = gradient();
      change = 0.0;
      for (std::size_t c = 0; c < program_.cones.size(); ++c) {
        const ImpulseCone& cone = program_.cones[c];
        for (int i = cone.first; i < cone.first + cone.size; ++i)
          change = std::max(change, std::abs(p_[i] - p_centre_[i]) / sigma_[static_cast<int>(c)]);
      }
      for (int i = 0; i < program_.bounds_count(); ++i)
        change = std::max({change, std::abs(u_[i] - u_centre_[i]) / tau_[i],
                           eps_[i] * std::abs(x_.lambda[i] - centre_.lambda[i])});
      const double m = measure(result);
      if (m < best) {
        best = m;
        best_x_ = out_x_;
        best_dual_ = out_dual_;
      }
      if (trace) {
        int on = 0, stick = 0, act = 0;
        for (std::size_t c = 0; c < program_.cones.size(); ++c) on += p_[program_.cones[c].first] > 0;
        for (int i = 0; i < program_.bounds_count(); ++i) act += !(u_[i] > 0);
        fprintf(stderr, "  outer %d pen %.0e k %d inner %.3e change %.3e measure %.3e nu %.4g total %.6g/%.6g on %d act %d t=%.3f\n", outer,
                penalty, k, inner, change, m, x_.nu, total_p_, program_.kappa, on, act, cpu() - began);
        (void)stick;
      }
      if (best <= 0.5 * common.tolerance) {
        ended = true;
        break;
      }
      if (inner <= std::max(settings.inner_accuracy * change, 1e-3 * common.tolerance)) break;
      if (k == settings.inner_steps) break;
      if (warm && result.iterations >= 15) { ended = true; break; }
      if (!newton_direction()) {
        result.status = Status::kNumericalError;
        ended = true;
        break;
      }
      ++result.iterations;
      const double t = search();
      if (trace) fprintf(stderr, "      step %.4f slopes %.3e %.3e g.d %.3e dnu %.3e\n", t, slope(0), slope(1), g_m_.dot(d_.m) + g_lambda_.dot(d_.lambda) + g_nu_ * d_.nu, d_.nu);
      if (t == 0.0) break;
      x_.m += t * d_.m;
      x_.lambda += t * d_.lambda;
      x_.nu = std::max(0.0, x_.nu + t * d_.nu);
    }
    if (best <= 0.5 * common.tolerance) {
      result.status = Status::kSolved;
      break;
    }
    if (ended) break;
    if (trace) fprintf(stderr, "outer %d\n", outer);
    p_centre_ = p_;
    u_centre_ = u_;
    centre_ = x_;
    penalty = std::min(penalty * settings.increase, settings.largest_penalty);
  }
  if (warm && getenv("LOGW")) fprintf(stderr, "warm newton steps %d best %.2e factorisations %d analyses %d t %.3f\n", result.iterations, best, newton_.factorisations, newton_.analyses, cpu() - began);
  if (best <= 0.5 * common.tolerance) result.status = Status::kSolved;
  result.z = best_x_;
  result.dual = best_dual_;
  result.statistics.emplace_back("factorisations", newton_.factorisations);
  result.statistics.emplace_back("analyses", newton_.analyses);
}

}  // namespace perp
