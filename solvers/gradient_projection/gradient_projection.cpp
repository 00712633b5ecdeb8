#include <perp/solvers/gradient_projection/gradient_projection.hpp>

#include <fmt/format.h>
#include <stdexcept>

namespace perp {

namespace {

constexpr double kSymmetric = 1e-12;  // over the largest entry: less asymmetry does not count

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
  minimiser_.problem.load(problem);
  minimiser_.attach();
}

void GradientProjection::do_solve(const Start& start, Observer* observer, Result& result) {
  minimiser_.run({settings, limits, deadline()}, start.z, observer, result);
}

Result minimise(const OperatorProblem& problem, const GradientProjectionSettings& settings,
                const Limits& limits, const Vector* start, Observer* observer) {
  SettingCheck check_settings;
  SettingVisitor& visitor = check_settings;
  GradientProjectionSettings(settings).visit(visitor);
  const auto n = static_cast<Eigen::Index>(problem.h.size());
  const auto check = [n](const char* name, const Vector& v) {
    if (v.size() != n)
      throw std::invalid_argument(fmt::format("{}: length is {}, expected {}", name, v.size(), n));
  };
  check("c", problem.c);
  check("lower", problem.lower);
  check("upper", problem.upper);
  if (problem.diagonal.size() > 0) check("diagonal", problem.diagonal);
  if (start) check("start", *start);
  if (!(problem.lower.array() <= problem.upper.array()).all())
    throw std::invalid_argument("lower: above upper");
  BoxMinimiser minimiser;
  minimiser.problem.attach(problem.h, problem.c, problem.lower, problem.upper, problem.diagonal);
  minimiser.attach();
  const Deadline deadline(limits.time_limit);
  Result result;
  minimiser.run({settings, limits, deadline}, start, observer, result);
  return result;
}

}  // namespace perp
