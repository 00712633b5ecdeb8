// Times of expression graphs: each operation, and one contact step with its Jacobian. Values are
// checked before the timing.
#include <benchmark/benchmark.h>

#include <perp/problems/expression/expr.hpp>
#include <perp/problems/standard/mcp_function.hpp>
#include <perp/problems/standard/random.hpp>

#include <cmath>

namespace {

using perp::Expr;
using perp::ExprQuaternion;
using perp::ExprVector;
using perp::ExprVector3;
using perp::Operation;
using perp::Vector;

constexpr int kNodes = 1000;

// kNodes applications of one operation to different operands. Divide the time by kNodes.
void operation(benchmark::State& state, Operation op) {
  perp::ExpressionGraph graph;
  std::vector<int> z(kNodes);
  for (int i = 0; i < kNodes; ++i) z[i] = graph.add_leaf(Operation::kVariable, i);
  for (int i = 0; i < kNodes; ++i) {
    const int other = z[(7 * i + 3) % kNodes];
    graph.outputs.push_back(perp::arity(op) == 1 ? graph.add(op, {z[i]})
                                                 : graph.add(op, {z[i], other}));
  }
  perp::Random random(1);
  Vector at(kNodes), f(kNodes), g(kNodes);
  for (double& x : at) x = 0.5 + random.uniform();
  const perp::CompiledFunction compiled(graph, kNodes, 0);
  perp::CompiledFunction::Workspace workspace = compiled.workspace();
  compiled.evaluate(at, f.data(), workspace);
  if ((f - graph.evaluate(at, Vector())).cwiseAbs().maxCoeff() > 1e-14) {
    state.SkipWithError("wrong");
    return;
  }
  Vector other = at.reverse();
  for (auto _ : state) {  // a new point each time, because equal points are not evaluated again
    compiled.evaluate(other, g.data(), workspace);
    benchmark::DoNotOptimize(g.data());
    at.swap(other);
  }
  state.SetItemsProcessed(state.iterations() * kNodes);
}

const bool registered = [] {
  for (const Operation op :
       {Operation::kNegate, Operation::kSqrt, Operation::kExp, Operation::kLog, Operation::kSin,
        Operation::kCos, Operation::kTan, Operation::kAtan, Operation::kTanh, Operation::kAbs,
        Operation::kAdd, Operation::kSubtract, Operation::kMultiply, Operation::kDivide,
        Operation::kPow, Operation::kMin, Operation::kMax, Operation::kNorm}) {
    const std::string name = "operation/" + std::string(perp::to_string(op));
    benchmark::RegisterBenchmark(name.c_str(), operation, op);
  }
  return true;
}();

// An ellipsoid on a plane with an implicit contact point, 28 unknowns and 40 parameters: Newton and
// Euler with the new orientation, quaternion kinematics, closest points by multipliers, friction by
// Fritz-John conditions. It costs as much as a step of a model, but it is not a real model.
ExprVector contact_step(const ExprVector& z, const ExprVector& p) {
  const ExprVector3 nu = z.head(3), omega = z.segment(3, 3), x = z.segment(6, 3);
  const ExprQuaternion q = z.segment(9, 4);
  const ExprVector3 a1 = z.segment(13, 3), a2 = z.segment(16, 3);
  const Expr pt = z[19], po = z[20], pr = z[21], l1 = z[22], l2 = z[23], sigma = z[24], pn = z[25];
  const Expr h = p[0], mass = p[1], mu = p[2], et = p[3], eo = p[4], er = p[5], g = p[6];
  const ExprVector3 nu0 = p.segment(7, 3), omega0 = p.segment(10, 3), x0 = p.segment(13, 3);
  const ExprQuaternion q0 = p.segment(16, 4);
  const ExprVector3 axes = p.segment(20, 3), inertia = p.segment(23, 3), tau = p.segment(26, 3);

  const ExprVector3 local = rotate(conjugate(q), ExprVector3(a1 - x));
  ExprVector3 scaled;
  for (int i = 0; i < 3; ++i) scaled[i] = local[i] / (axes[i] * axes[i]);
  const ExprVector3 gradient = rotate(q, scaled);
  const ExprVector3 n = unit(gradient), up(0.0, 0.0, 1.0);
  const ExprVector3 t = unit(cross(n, ExprVector3(p.segment(29, 3)))), o = cross(n, t);
  const ExprVector3 arm = a1 - x;
  const ExprVector3 force = -pn * n + pt * t + po * o;
  const ExprVector3 torque = cross(arm, force) + pr * n;
  const ExprVector3 spin = rotate(conjugate(q), omega);
  ExprVector3 momentum;
  for (int i = 0; i < 3; ++i) momentum[i] = inertia[i] * spin[i];
  const ExprVector3 gyro = cross(omega, rotate(q, momentum));
  const ExprVector3 slip = nu + cross(omega, arm);

  ExprVector f(28);
  for (int i = 0; i < 3; ++i) {
    f[i] = mass * (nu[i] - nu0[i]) - force[i] + (i == 2 ? h * mass * g : Expr(0.0));
    f[3 + i] = inertia[i] * (omega[i] - omega0[i]) + h * gyro[i] - torque[i] - h * tau[i];
    f[6 + i] = x[i] - x0[i] - h * nu[i];
    f[13 + i] = a1[i] - a2[i] + l1 * gradient[i];
    f[16 + i] = gradient[i] + l2 * up[i];
  }
  const Expr w = 0.5 * h;
  f[9] = q[0] - q0[0] + w * (omega[0] * q[1] + omega[1] * q[2] + omega[2] * q[3]);
  f[10] = q[1] - q0[1] - w * (omega[0] * q[0] + omega[1] * q[3] - omega[2] * q[2]);
  f[11] = q[2] - q0[2] - w * (-omega[0] * q[3] + omega[1] * q[0] + omega[2] * q[1]);
  f[12] = q[3] - q0[3] - w * (omega[0] * q[2] - omega[1] * q[1] + omega[2] * q[0]);
  f[19] = et * et * mu * pn * dot(t, slip) + pt * sigma;
  f[20] = eo * eo * mu * pn * dot(o, slip) + po * sigma;
  f[21] = er * er * mu * pn * dot(n, omega) + pr * sigma;
  f[22] = dot(local, scaled) - 1.0;
  f[23] = a2[2] - z[26] + z[27];
  f[24] = mu * mu * pn * pn - pow(pt / et, 2.0) - pow(po / eo, 2.0) - pow(pr / er, 2.0);
  f[25] = a2[2];
  f[26] = max(a1[2], l2) - z[26];
  f[27] = z[27] * z[26] + sqrt(1.0 + l1 * l1);
  return f;
}

struct Step {
  perp::Mcp problem;
  Vector z, other;
};

Step make_step() {
  Step s;
  {
    perp::Recorder recorder;
    s.problem.graph = std::make_shared<const perp::ExpressionGraph>(
        recorder.graph(contact_step(recorder.variables(28), recorder.parameters(40))));
  }
  perp::Random random(3);
  s.problem.parameters.resize(40);
  for (double& x : s.problem.parameters) x = 0.5 + random.uniform();
  s.z.resize(28);
  for (double& x : s.z) x = random.normal();
  s.other = 1.01 * s.z;
  s.problem.lower = Vector::Constant(28, -HUGE_VAL);
  s.problem.upper = Vector::Constant(28, HUGE_VAL);
  return s;
}

// Whether the compiled function agrees with the expressions, and its Jacobian with central
// differences.
bool is_right(const Step& s) {
  perp::McpFunction function(s.problem);
  Vector f;
  perp::SparseMatrix jacobian = function.pattern();
  function.evaluate(s.z, f, jacobian.valuePtr());
  if ((f - s.problem.evaluate(s.z)).cwiseAbs().maxCoeff() > 1e-10) return false;
  for (int j = 0; j < 28; ++j) {
    Vector above = s.z, below = s.z;
    above[j] += 1e-6;
    below[j] -= 1e-6;
    const Vector d = (s.problem.evaluate(above) - s.problem.evaluate(below)) / 2e-6;
    if ((d - perp::DenseMatrix(jacobian).col(j)).cwiseAbs().maxCoeff() > 1e-4) return false;
  }
  return true;
}

void contact_step_function(benchmark::State& state) {
  Step s = make_step();
  if (!is_right(s)) state.SkipWithError("wrong");
  perp::McpFunction function(s.problem);
  Vector f;
  for (auto _ : state) {
    function.evaluate(s.z, f);
    benchmark::DoNotOptimize(f.data());
    s.z.swap(s.other);
  }
}
BENCHMARK(contact_step_function);

void contact_step_function_and_jacobian(benchmark::State& state) {
  Step s = make_step();
  if (!is_right(s)) state.SkipWithError("wrong");
  perp::compile(s.problem);
  const auto counts = s.problem.compiled->counts();
  state.counters["function"] = counts.function;
  state.counters["jacobian"] = counts.jacobian;
  perp::McpFunction function(s.problem);
  Vector f;
  perp::SparseMatrix jacobian = function.pattern();
  state.counters["nonzeros"] = static_cast<double>(jacobian.nonZeros());
  for (auto _ : state) {
    function.evaluate(s.z, f, jacobian.valuePtr());
    benchmark::DoNotOptimize(jacobian.valuePtr());
    s.z.swap(s.other);
  }
}
BENCHMARK(contact_step_function_and_jacobian);

void contact_step_compile(benchmark::State& state) {
  Step s = make_step();
  if (!is_right(s)) state.SkipWithError("wrong");
  for (auto _ : state) perp::compile(s.problem);
}
BENCHMARK(contact_step_compile)->Unit(benchmark::kMicrosecond);

}  // namespace
