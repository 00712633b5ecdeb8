// Optimal control in discrete time.
#include <perp/problems/families/mcp_classics/classic.hpp>
#include <perp/problems/matrix/infinity.hpp>

namespace perp::classics {

namespace {

constexpr double kHorizon = 5.0;

// A step of Van der Pol's oscillator, x1' = (1 - x2^2) x1 - x2 + u, x2' = x1, or of its
// linearisation at 0, explicit Euler.
std::vector<Expr> defects(const ExprVector& x, int steps, bool linear) {
  const double h = kHorizon / steps;
  std::vector<Expr> rows;
  Expr first = 0.0, second = 1.0;  // the state at time 0
  for (int t = 0; t < steps; ++t) {
    const Expr damping = linear ? Expr(1.0) : 1 - second * second;
    const Expr next = x[3 * t], next_second = x[3 * t + 1], control = x[3 * t + 2];
    rows.push_back(next - first - h * (damping * first - second + control));
    rows.push_back(next_second - second - h * first);
    first = next;
    second = next_second;
  }
  return rows;
}

// min h/2 sum (|x|^2 + u^2) with |u| <= bound. Unknowns of a step: both states after it and its
// control; then the multipliers of the dynamics, two a step.
Instance oscillator(int steps, bool linear, double bound) {
  const int n = 3 * steps;
  Program program;
  program.lower = Vector::Constant(n, -kInfinity);
  program.upper = Vector::Constant(n, kInfinity);
  for (int t = 0; t < steps; ++t) {
    program.lower[3 * t + 2] = -bound;
    program.upper[3 * t + 2] = bound;
  }
  program.objective = [=](const ExprVector& x) {
    Expr sum = 0.0;
    for (int i = 0; i < n; ++i) sum += x[i] * x[i];
    return sum * (0.5 * kHorizon / steps);
  };
  program.equations = [=](const ExprVector& x) { return defects(x, steps, linear); };
  Instance made;
  made.mcp = optimality_conditions(program);
  made.solution = reference_solution(made.mcp, Vector::Zero(made.mcp.size()));
  for (int t = 1; t <= steps; ++t) {
    for (const char* name : {"x1", "x2", "u"}) {
      made.variables.push_back(std::string(name) + "[" + std::to_string(t) + "]");
    }
  }
  name_variables(made.variables, "multiplier", 2 * steps);
  return made;
}

}  // namespace

std::vector<Classic> control_classics() {
  return {{"linear-control",
           "linear-quadratic, bounded control: a sparse linear MCP with free unknowns",
           "Rockafellar1987",
           {uniform("zeros", 0.0)},
           40,
           [](int steps) { return oscillator(steps, true, 1.0); },
           1,
           "steps of time; n is five times as many"},
          {"van-der-pol",
           "bounded control of an oscillator: sparse, free unknowns, not convex",
           "Rockafellar1987",
           {uniform("zeros", 0.0), uniform("ones", 1.0), uniform("threes", 3.0)},
           40,
           [](int steps) { return oscillator(steps, false, 0.75); },
           1,
           "steps of time; n is five times as many"}};
}

}  // namespace perp::classics
