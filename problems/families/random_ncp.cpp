#include <perp/problems/families/random_ncp.hpp>

#include <cmath>
#include <limits>
#include <perp/problems/expression/expr.hpp>
#include <perp/problems/standard/random.hpp>

namespace perp {

namespace {

// Row i: sum_j m_ij z_j + d_i atan(z_i) + exp(c_i z_i) - 1.
struct RandomMap {
  DenseMatrix m;
  Vector d, c;

  Vector operator()(const Vector& z) const {
    return m * z + (d.array() * z.array().atan() + (c.array() * z.array()).exp() - 1).matrix();
  }
};

RandomMap draw_map(Random& random, int n, bool monotone) {
  RandomMap map{DenseMatrix(n, n), Vector(n), Vector(n)};
  for (double& entry : map.m.reshaped()) entry = random.normal() / std::sqrt(n);
  if (monotone) {  // the sum of a positive semidefinite matrix of deficient rank and a skew one
    const DenseMatrix a = map.m.leftCols((n + 1) / 2), skew = map.m - map.m.transpose();
    map.m = a * a.transpose() + skew;
  }
  for (int i = 0; i < n; ++i) {
    map.d[i] = random.uniform(monotone ? 0.0 : -1.0, 1.0);
    map.c[i] = random.uniform(0.0, 1.0);
  }
  return map;
}

ProblemData build_random_ncp(const FamilyRequest& r, Problem& facts) {
  const int n = r.size;
  Random random(r.seed);
  const RandomMap map = draw_map(random, n, r["monotone"] != 0.0);
  Vector z = Vector::Zero(n), w = Vector::Zero(n);
  for (int i = 0; i < n; ++i) {
    const double kind = random.uniform(), value = random.uniform(0.1, 2.0);
    if (kind < 0.45) z[i] = value;
    if (kind >= 0.5) w[i] = value;  // one in twenty is zero in both
  }
  const Vector q = w - map(z);
  Recorder recorder;
  const ExprVector x = recorder.variables(n);
  ExprVector f(n);
  for (int i = 0; i < n; ++i) {
    f[i] = q[i] + map.d[i] * atan(x[i]) + (exp(map.c[i] * x[i]) - 1);
    for (int j = 0; j < n; ++j) f[i] += map.m(i, j) * x[j];
  }
  Mcp mcp;
  mcp.graph = std::make_shared<const ExpressionGraph>(recorder.graph(f));
  mcp.lower = Vector::Zero(n);
  mcp.upper = Vector::Constant(n, std::numeric_limits<double>::infinity());
  facts.start = Vector::Zero(n);
  facts.solution = KnownSolution{z, {}};
  return mcp;
}

}  // namespace

Family random_ncp_family() {
  return {"random-ncp",
          "NCP with F(z) = Mz + d atan(z) + exp(cz) - 1 + q and a planted degenerate solution",
          "FacchineiPang2003",
          "n",
          20,
          1,
          10000,
          KnownOutcome::kSolvable,
          true,
          {{"monotone", 1.0, "1: M positive semidefinite plus skew, d >= 0; 0: Gaussian M, any d"}},
          build_random_ncp};
}

}  // namespace perp
