// Random nonlinear functions for tests of expression graphs and of the formats that carry them.
#pragma once

#include "support.hpp"

#include <perp/problems/expression/expr.hpp>

namespace perp::test {

/// `count` random functions of z and p over safe domains, in which every operation may feed every
/// other. Smooth almost everywhere.
inline ExprVector random_functions(Random& random, const ExprVector& z, const ExprVector& p,
                                   int operations, int count) {
  std::vector<Expr> pool(z.begin(), z.end());
  pool.insert(pool.end(), p.begin(), p.end());
  pool.push_back(random.normal());
  const auto pick = [&] {
    return pool[static_cast<std::size_t>(random.index(static_cast<int>(pool.size())))];
  };
  for (int k = 0; k < operations; ++k) {
    const Expr a = tanh(pick()), b = tanh(pick()), c = pick();
    const Expr three[3] = {a, b, 0.5 + a * b};
    const Expr results[] = {a + b,       a - b,        a * b,        a / (2.0 + b),   sqrt(1.1 + a),
                            exp(a),      log(1.5 + b), sin(c),       cos(c),          tan(a),
                            atan(c),     -a,           abs(a + 0.2), min(a, b),       max(a, b),
                            norm(three), pow(a, 2.0),  pow(a, 3.0),  pow(1.5 + a, b), b};
    pool.push_back(results[random.index(20)]);
  }
  ExprVector outputs(count);
  for (int i = 0; i < count; ++i) {
    outputs[i] = pool[pool.size() - 1 - static_cast<std::size_t>(i) % pool.size()] + 0.1 * pick();
  }
  return outputs;
}

/// An mcp of n unknowns with bounds of every sort.
inline Mcp random_mcp(Random& random, int n, int operations) {
  Mcp problem;
  {
    Recorder recorder;
    const ExprVector f =
        random_functions(random, recorder.variables(n), recorder.parameters(2), operations, n);
    problem.graph = std::make_shared<const ExpressionGraph>(recorder.graph(f));
  }
  problem.parameters = gaussian(random, 2, 1);
  problem.lower = Vector::Constant(n, -kInf);
  problem.upper = Vector::Constant(n, kInf);
  for (int i = 0; i < n; ++i) {
    const int type = random.index(5);
    if (type == 1 || type == 3) problem.lower[i] = random.normal();
    if (type == 2) problem.upper[i] = random.normal();
    if (type == 3) problem.upper[i] = problem.lower[i] + random.uniform();
    if (type == 4) problem.lower[i] = problem.upper[i] = random.normal();
  }
  return problem;
}

}  // namespace perp::test
