// Economic equilibria: prices of markets that clear, activities that make no profit.
#include <array>
#include <cmath>
#include <perp/problems/families/mcp_classics/classic.hpp>
#include <perp/problems/families/mcp_classics/market_data.hpp>
#include <perp/problems/matrix/infinity.hpp>

namespace perp::classics {

namespace {

// One firm makes good 1 from goods 2 and 3, one unit of each; the consumer owns b = (0, 5, 3) and
// spends the shares (0.9, 0.1, 0). Excess supply of good i: b_i + a_i y - s_i (b'p) / p_i.
ExprVector mathiesen_rows(const Expr& y, const ExprVector3& p) {
  const Expr income = 5 * p[1] + 3 * p[2];
  ExprVector f(4);
  f << p[1] + p[2] - p[0], y - 0.9 * income / p[0], 5 - y - 0.1 * income / p[1], 3 - y;
  return f;
}

Classic mathiesen_numeraire() {
  return {"mathiesen-numeraire",
          "price of good 2 is 1; one market is left out; F is not defined at p_1 = 0",
          "Mathiesen1987",
          {uniform("ones", 1.0), listed("uneven", {0.1, 10, 0.1}), uniform("hundreds", 100.0)},
          3,
          [](int) -> Instance {
            return {ncp(3,
                        [](const ExprVector& z) {
                          const ExprVector f = mathiesen_rows(z[0], {z[1], Expr(1.0), z[2]});
                          return ExprVector(f(std::array{0, 1, 3}));
                        }),
                    vector_of({3, 6, 5}),
                    {"y", "p[1]", "p[3]"}};
          }};
}

Classic mathiesen_simplex() {
  return {
      "mathiesen-simplex",
      "prices of sum 1 and a free slack; Walras's law makes the markets dependent",
      "Mathiesen1987",
      {listed("even", {1, 1. / 3, 1. / 3, 1. / 3, 0}), listed("uneven", {0, 0.05, 0.9, 0.05, 0})},
      5,
      [](int) -> Instance {
        Vector lower = Vector::Zero(5);
        lower[4] = -kInfinity;
        return {box_problem(lower, Vector::Constant(5, kInfinity),
                            [](const ExprVector& z) {
                              const ExprVector3 p = z.segment<3>(1);
                              ExprVector f(5);
                              f << mathiesen_rows(z[0], p), p.sum() - 1;
                              for (int i = 1; i < 4; ++i) f[i] += z[4];  // 0 by Walras's law
                              return f;
                            }),
                vector_of({3, 0.5, 1. / 12, 5. / 12, 0}),
                {"y", "p[1]", "p[2]", "p[3]", "slack"}};
      }};
}

// Scarf's economy: eight activities, six goods, five consumers with CES demand. z = (prices,
// activities, incomes); excess supply of goods, loss of activities, income less what it comes to.
// Incomes are variables; that of consumer 1 is fixed, which is the numeraire.
ExprVector scarf_rows(const ExprVector& p, const ExprVector& y, const ExprVector& income) {
  const ScarfData& data = scarf_data();
  ExprVector supply(kScarfGoods), loss(kScarfActivities), excess(kScarfConsumers);
  for (int c = 0; c < kScarfGoods; ++c) {
    supply[c] = 0.0;
    for (int s = 0; s < kScarfActivities; ++s) supply[c] += data.net_output[c][s] * y[s];
    for (int h = 0; h < kScarfConsumers; ++h) supply[c] += data.endowment[c][h];
  }
  for (int h = 0; h < kScarfConsumers; ++h) {
    double reference = 0.0;
    for (int c = 0; c < kScarfGoods; ++c) reference += data.demand[c][h];
    const double sigma = data.elasticity[h];
    Expr index = 0.0, wealth = 0.0;
    for (int c = 0; c < kScarfGoods; ++c) {
      wealth += data.endowment[c][h] * p[c];
      if (data.demand[c][h] > 0) index += data.demand[c][h] / reference * pow(p[c], 1 - sigma);
    }
    excess[h] = income[h] - wealth;
    for (int c = 0; c < kScarfGoods; ++c) {
      if (data.demand[c][h] > 0) {
        supply[c] -= income[h] * (data.demand[c][h] / reference) / (index * pow(p[c], sigma));
      }
    }
  }
  for (int s = 0; s < kScarfActivities; ++s) {
    loss[s] = 0.0;
    for (int c = 0; c < kScarfGoods; ++c) loss[s] -= data.net_output[c][s] * p[c];
  }
  ExprVector f(kScarfGoods + kScarfActivities + kScarfConsumers);
  f << supply, loss, excess;
  return f;
}

Instance scarf_instance() {
  const int n = kScarfGoods + kScarfActivities + kScarfConsumers;
  Vector lower = Vector::Zero(n), upper = Vector::Constant(n, kInfinity);
  lower.head(kScarfGoods).setConstant(1e-5);
  const int first_income = kScarfGoods + kScarfActivities;
  lower[first_income] = upper[first_income] = scarf_data().wealth_at_ones(0);
  Instance made{box_problem(lower, upper,
                            [](const ExprVector& z) {
                              return scarf_rows(z.head(kScarfGoods),
                                                z.segment(kScarfGoods, kScarfActivities),
                                                z.tail(kScarfConsumers));
                            }),
                scarf_solution(),
                {}};
  name_variables(made.variables, "price", kScarfGoods);
  name_variables(made.variables, "activity", kScarfActivities);
  name_variables(made.variables, "income", kScarfConsumers);
  return made;
}

// The incomes eliminated, the first price fixed at 1.
Instance scarf_numeraire_instance() {
  const int n = kScarfGoods - 1 + kScarfActivities;
  const auto rows = [](const ExprVector& z) {
    ExprVector p(kScarfGoods), income(kScarfConsumers);
    p << Expr(1.0), z.head(kScarfGoods - 1);
    for (int h = 0; h < kScarfConsumers; ++h) {
      income[h] = 0.0;
      for (int c = 0; c < kScarfGoods; ++c) income[h] += scarf_data().endowment[c][h] * p[c];
    }
    const ExprVector f = scarf_rows(p, z.tail(kScarfActivities), income);
    return ExprVector(f.segment(1, kScarfGoods - 1 + kScarfActivities));
  };
  Vector lower = Vector::Zero(n);
  lower.head(kScarfGoods - 1).setConstant(1e-5);
  const Vector all = scarf_solution();
  Vector solution = all.segment(1, n);
  solution.head(kScarfGoods - 1) /= all[0];  // demand has degree 0 in the prices
  Instance made{box_problem(lower, Vector::Constant(n, kInfinity), rows), solution, {}};
  for (int c = 2; c <= kScarfGoods; ++c) {
    made.variables.push_back("price[" + std::to_string(c) + "]");
  }
  name_variables(made.variables, "activity", kScarfActivities);
  return made;
}

Start scarf_start(std::string name, double price, double activity) {
  return {std::move(name), [price, activity](const Mcp& mcp) {
            const bool incomes = mcp.size() > kScarfGoods + kScarfActivities;
            Vector z = Vector::Constant(mcp.size(), activity);
            z.head(kScarfGoods - !incomes).setConstant(price);
            for (int h = 0; incomes && h < kScarfConsumers; ++h) {
              const int i = kScarfGoods + kScarfActivities + h;
              z[i] = h == 0 ? mcp.lower[i] : price * scarf_data().wealth_at_ones(h);
            }
            return z;
          }};
}

std::vector<Classic> scarf() {
  const std::vector<Start> starts = {scarf_start("ones", 1, 1), scarf_start("idle", 1, 0),
                                     scarf_start("cheap", 0.05, 1)};
  return {{"scarf-incomes", "activity analysis with CES demand; incomes as variables, one fixed",
           "Scarf1973", starts, kScarfGoods + kScarfActivities + kScarfConsumers,
           [](int) { return scarf_instance(); }},
          {"scarf-numeraire",
           "the same with the incomes eliminated and a price fixed: less sparse, more nonlinear",
           "Scarf1973", starts, kScarfGoods - 1 + kScarfActivities,
           [](int) { return scarf_numeraire_instance(); }}};
}

// Optimal prices of fourteen analgesics under the logit choice of thirty subjects: the share of
// brand j with subject i is s_ij = e_ij / (1 + sum_k e_ik), e_ij = exp(-3 (w_i p_j + d_ij)); F is
// minus the marginal profit. The price of brand 8 is fixed. Data: MCPLIB [DirkseFerris1995Mcplib].
ExprVector choi_rows(const ExprVector& price) {
  const ChoiData& data = choi_data();
  ExprVector f = ExprVector::Constant(kChoiBrands, Expr(0.0));
  for (int i = 0; i < kChoiSubjects; ++i) {
    std::array<Expr, kChoiBrands> e;
    Expr total = 1.0;
    for (int j = 0; j < kChoiBrands; ++j) {
      double distance = 0.0;
      for (int k = 0; k < kChoiIngredients; ++k) {
        distance += std::pow(data.brand[j][k] - data.ideal[i][k], 2);
      }
      const double taste = data.weight[i] * distance + data.constant[i];
      e[j] = exp(-3 * (data.price_weight[i] * price[j] + taste));
      total += e[j];
    }
    for (int j = 0; j < kChoiBrands; ++j) {
      const Expr share = e[j] / total;
      f[j] -= share / kChoiSubjects *
              (1 - 3 * data.price_weight[i] * (price[j] - data.cost[j]) * (1 - share));
    }
  }
  return f;
}

Classic choi() {
  constexpr double kFixedPrice = 0.199;
  return {"choi",
          "logit demand: F vanishes as prices grow, so a far point passes for a solution",
          "ChoiDeSarboHarker1990",
          {{"cost", [](const Mcp& mcp) { return Vector(mcp.lower.array() + 0.01); }},
           uniform("ones", 1.0)},
          kChoiBrands,
          [](int) -> Instance {
            Vector lower = Eigen::Map<const Vector>(choi_data().cost.data(), kChoiBrands);
            Vector upper = Vector::Constant(kChoiBrands, kInfinity);
            lower[7] = upper[7] = kFixedPrice;
            return {box_problem(lower, upper, choi_rows), choi_solution(), {}};
          }};
}

// Invariant capital stock with one-period utility v, capital inputs A, outputs B, resources C and
// discount factor alpha [HansenKoopmans1972]: activities x, prices q of capital and r of resources,
//   x >= 0: (A - alpha B)'q + C'r - grad v(x),   q >= 0: (B - A) x,   r >= 0: w - C x.
// The model is theirs, the numbers are ours: activities 1 to 6 make three consumption goods by two
// techniques each, 7 to 10 make two capital goods.
Classic hansen_koopmans() {
  return {
      "hansen-koopmans",
      "stationary growth; the discount makes F not monotone",
      "HansenKoopmans1972",
      {uniform("zeros", 0.0), uniform("tenths", 0.1), uniform("ones", 1.0), uniform("tens", 10.0)},
      14,
      [](int) -> Instance {
        constexpr int kActivities = 10, kCapital = 2, kResources = 2;
        constexpr double kDiscount = 0.7, kKept = 0.8;
        const double input[kCapital][kActivities] = {{1, .4, 2, .6, .5, .3, .8, .3, .6, .2},
                                                     {.5, .2, .3, .8, 1.5, .4, .4, .2, .7, .4}};
        const double made[kCapital][kActivities] = {{0, 0, 0, 0, 0, 0, 1.2, 1, 0, 0},
                                                    {0, 0, 0, 0, 0, 0, 0, 0, 1.1, .9}};
        const double used[kResources][kActivities] = {{.5, 1.2, .4, 1.1, .3, 1, .3, .7, .4, .8},
                                                      {.2, .3, .6, .3, .2, .5, .2, .1, .1, .3}};
        const double utility[3] = {1, 0.8, 0.6};
        return {ncp(14,
                    [&](const ExprVector& z) {
                      ExprVector f(14);
                      for (int k = 0; k < kCapital; ++k) f[10 + k] = 0.0;
                      for (int r = 0; r < kResources; ++r) f[12 + r] = r == 0 ? 0.8 : 1.2;
                      for (int j = 0; j < kActivities; ++j) {
                        f[j] = 0.0;
                        if (j < 6) {
                          const Expr good = z[j / 2 * 2] + z[j / 2 * 2 + 1];
                          f[j] = -utility[j / 2] / (good + 0.1);
                        }
                        for (int k = 0; k < kCapital; ++k) {
                          const double output = made[k][j] + kKept * input[k][j];
                          f[j] += (input[k][j] - kDiscount * output) * z[10 + k];
                          f[10 + k] += (output - input[k][j]) * z[j];
                        }
                        for (int r = 0; r < kResources; ++r) {
                          f[j] += used[r][j] * z[12 + r];
                          f[12 + r] -= used[r][j] * z[j];
                        }
                      }
                      return f;
                    }),
                hansen_koopmans_solution(),
                {}};
      }};
}

// Two plants, three markets [Dantzig1963], demand b_j (p_j / p0_j)^(-3/2). z = (shipments, prices
// at plants, prices at markets): F = (w_i + c_ij - p_j, a_i - sum_j x_ij, sum_i x_ij - demand_j).
Classic transport() {
  return {
      "transport",
      "shipping from full plants, demand that reacts to the price; prices near 0.2, flows near 200",
      "Dantzig1963",
      {listed("cheap", {0, 0, 0, 0, 0, 0, 0, 0, .05, .05, .05}), uniform("ones", 1.0),
       uniform("hundreds", 100.0)},
      11,
      [](int) -> Instance {
        const double capacity[2] = {350, 500}, demand[3] = {325, 300, 275};
        const double distance[2][3] = {{2.5, 1.7, 1.8}, {2.5, 1.8, 1.4}};
        const double reference[3] = {0.225, 0.153, 0.126};
        Vector lower = Vector::Zero(11);
        lower.tail<3>().setConstant(0.01);
        Mcp mcp = box_problem(lower, Vector::Constant(11, kInfinity), [&](const ExprVector& z) {
          ExprVector f(11);
          for (int i = 0; i < 2; ++i) f[6 + i] = capacity[i];
          for (int j = 0; j < 3; ++j) f[8 + j] = -demand[j] * pow(z[8 + j] / reference[j], -1.5);
          for (int i = 0; i < 2; ++i) {
            for (int j = 0; j < 3; ++j) {
              f[3 * i + j] = z[6 + i] + 0.09 * distance[i][j] - z[8 + j];
              f[6 + i] -= z[3 * i + j];
              f[8 + j] += z[3 * i + j];
            }
          }
          return f;
        });
        return {std::move(mcp), transport_solution(), {}};
      }};
}

}  // namespace

std::vector<Classic> market_classics() {
  std::vector<Classic> list = scarf();
  for (Classic c :
       {mathiesen_numeraire(), mathiesen_simplex(), choi(), hansen_koopmans(), transport()}) {
    list.push_back(std::move(c));
  }
  return list;
}

}  // namespace perp::classics
