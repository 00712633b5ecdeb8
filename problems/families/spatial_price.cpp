// Spatial price equilibrium [Samuelson1952], [FrieszTobinSmithHarker1983]: n markets; each makes
// and uses a good and ships it to all markets. The unknowns are, in this order,
//   x (n n)  shipment from market i to j  >= 0  _|_  C_ij(x) + u_i - v_j >= 0
//   s (n)    supply                       >= 0  _|_  P_i(s) - u_i >= 0
//   d (n)    demand                       >= 0  _|_  v_j - R_j(d) >= 0
//   u (n)    price where it is made       free  _|_  s_i - sum_j x_ij = 0
//   v (n)    price where it is used       free  _|_  sum_i x_ij - d_j = 0
//   C_ij(x) = g_ij + h_ij x_ij + 0.3 h_ij x_ji + k_ij x_ij^3      what shipping costs
//   P_i(s)  = a_i + m_i s_i + 0.4 m_i s_(i+1) + 0.02 s_i^3        at which i supplies s_i
//   R_j(d)  = r_j exp(-d_j / e_j) - d_j - 0.4 d_(j+1)             at which j uses d_j
// F' is the sum of a skew matrix and the derivatives of C, P and -R. These are positive definite,
// but not symmetric, because P and R depend on the next market too. So F is monotone, but it is no
// gradient.
#include <perp/problems/families/equilibrium.hpp>

#include <fmt/format.h>
#include <cmath>
#include <perp/problems/expression/expr.hpp>
#include <perp/problems/matrix/infinity.hpp>
#include <perp/problems/standard/random.hpp>

namespace perp {

namespace {

constexpr double kBothWays = 0.3, kNeighbour = 0.4, kSteep = 0.02;

struct Markets {
  int n;
  DenseMatrix base, slope, cubic;  // of shipping: g, h, k
  Vector supply, supply_slope;     // a, m
  Vector worth, elasticity;        // r, e

  int size() const { return n * n + 4 * n; }
  int shipment(int i, int j) const { return i * n + j; }
  int part(int which, int i) const { return n * n + which * n + i; }  // s, d, u, v
  int next(int i) const { return (i + 1) % n; }

  // Numbers or expressions.
  template <class Values>
  auto shipping_cost(const Values& z, int i, int j) const {
    const auto x = z[shipment(i, j)];
    return base(i, j) + slope(i, j) * x + kBothWays * slope(i, j) * z[shipment(j, i)] +
           cubic(i, j) * (x * x * x);
  }
  template <class Values>
  auto supply_price(const Values& z, int i) const {
    const auto s = z[part(0, i)];
    return supply[i] + supply_slope[i] * s + kNeighbour * supply_slope[i] * z[part(0, next(i))] +
           kSteep * (s * s * s);
  }
  template <class Values>
  auto demand_price(const Values& z, int j) const {
    using std::exp;
    const auto d = z[part(1, j)];
    return worth[j] * exp(d * (-1.0 / elasticity[j])) - d - kNeighbour * z[part(1, next(j))];
  }
};

void draw_numbers(Random& random, double low, double high, Eigen::Ref<DenseMatrix> numbers) {
  for (int j = 0; j < numbers.cols(); ++j)
    for (int i = 0; i < numbers.rows(); ++i) numbers(i, j) = random.uniform(low, high);
}

Markets draw_markets(Random& random, int n) {
  Markets markets{n,         DenseMatrix(n, n), DenseMatrix(n, n), DenseMatrix(n, n),
                  Vector(n), Vector(n),         Vector(n),         Vector(n)};
  DenseMatrix place(n, 2);
  draw_numbers(random, 0.0, 10.0, place);
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j) markets.base(i, j) = 0.5 + (place.row(i) - place.row(j)).norm();
  draw_numbers(random, 0.5, 1.5, markets.slope);
  draw_numbers(random, 0.0, 0.1, markets.cubic);
  draw_numbers(random, 2.0, 10.0, markets.supply);
  draw_numbers(random, 0.5, 2.0, markets.supply_slope);
  draw_numbers(random, 15.0, 40.0, markets.worth);
  draw_numbers(random, 2.0, 8.0, markets.elasticity);
  return markets;
}

// A number that complements `value`: if `value` is zero it is positive, except for one in ten.
double slack_of(Random& random, double value) {
  const double kind = random.uniform(), slack = random.uniform(0.1, 5.0);
  return value == 0.0 && kind >= 0.1 ? slack : 0.0;
}

// Draws quantities and prices, then moves the constants of costs and prices so that they fit.
Vector plant_prices(Random& random, Markets& markets) {
  const int n = markets.n;
  Vector z = Vector::Zero(markets.size());
  for (int i = 0; i < n; ++i) {
    for (int j = 0; j < n; ++j) {
      const double kind = random.uniform(), value = random.uniform(0.1, 2.0);
      if (kind >= std::min(2.0 / n, 0.6)) continue;
      z[markets.shipment(i, j)] = value;
      z[markets.part(0, i)] += value;
      z[markets.part(1, j)] += value;
    }
    z[markets.part(2, i)] = random.uniform(5.0, 10.0);
    z[markets.part(3, i)] = random.uniform(20.0, 30.0);
  }
  for (int i = 0; i < n; ++i) {
    for (int j = 0; j < n; ++j) {
      const double profit = z[markets.part(3, j)] - z[markets.part(2, i)];
      const double slack = slack_of(random, z[markets.shipment(i, j)]);
      markets.base(i, j) += profit + slack - markets.shipping_cost(z, i, j);
    }
    const double idle = slack_of(random, z[markets.part(0, i)]),
                 unused = slack_of(random, z[markets.part(1, i)]);
    markets.supply[i] += z[markets.part(2, i)] + idle - markets.supply_price(z, i);
    const double missing = z[markets.part(3, i)] - unused - markets.demand_price(z, i);
    markets.worth[i] += missing * std::exp(z[markets.part(1, i)] / markets.elasticity[i]);
  }
  return z;
}

ExprVector equilibrium_of(const Markets& markets, const ExprVector& z) {
  ExprVector f(markets.size());
  for (int i = 0; i < markets.n; ++i) {
    const Expr made_at = z[markets.part(2, i)], used_at = z[markets.part(3, i)];
    Expr sent = z[markets.part(0, i)], received = -z[markets.part(1, i)];
    for (int j = 0; j < markets.n; ++j) {
      f[markets.shipment(i, j)] = markets.shipping_cost(z, i, j) + made_at - z[markets.part(3, j)];
      sent -= z[markets.shipment(i, j)];
      received += z[markets.shipment(j, i)];
    }
    f[markets.part(0, i)] = markets.supply_price(z, i) - made_at;
    f[markets.part(1, i)] = used_at - markets.demand_price(z, i);
    f[markets.part(2, i)] = sent;
    f[markets.part(3, i)] = received;
  }
  return f;
}

std::vector<std::string> names_of(const Markets& markets) {
  std::vector<std::string> names(markets.size());
  for (int i = 0; i < markets.n; ++i) {
    for (int j = 0; j < markets.n; ++j)
      names[markets.shipment(i, j)] = fmt::format("shipment[{}-{}]", i + 1, j + 1);
    const char* const parts[] = {"supply", "demand", "price_made", "price_used"};
    for (int k = 0; k < 4; ++k) names[markets.part(k, i)] = fmt::format("{}[{}]", parts[k], i + 1);
  }
  return names;
}

ProblemData build_spatial_price(const FamilyRequest& r, Problem& facts) {
  Random random(r.seed);
  Markets markets = draw_markets(random, r.size);
  if (r["planted"] != 0.0) facts.solution = KnownSolution{plant_prices(random, markets), {}};
  Recorder recorder;
  const ExprVector z = recorder.variables(markets.size());
  Mcp mcp;
  mcp.graph = std::make_shared<const ExpressionGraph>(recorder.graph(equilibrium_of(markets, z)));
  mcp.lower = Vector::Zero(markets.size());
  mcp.lower.tail(2 * markets.n).setConstant(-kInfinity);
  mcp.upper = Vector::Constant(markets.size(), kInfinity);
  facts.start = Vector::Zero(markets.size());
  facts.variables = names_of(markets);
  return mcp;
}

}  // namespace

Family spatial_price_family() {
  return {"spatial-price",
          "spatial price equilibrium of n markets: monotone, Jacobian not symmetric",
          "FrieszTobinSmithHarker1983",
          "markets n; n^2 + 4 n unknowns",
          5,
          2,
          3000,
          KnownOutcome::kSolvable,
          true,
          {{"planted", 1.0, "1: a degenerate solution is planted; 0: costs and prices are drawn"}},
          build_spatial_price};
}

}  // namespace perp
