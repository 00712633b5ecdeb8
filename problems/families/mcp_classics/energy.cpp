// An energy model with demand that reacts to prices.
#include <cmath>
#include <perp/problems/families/mcp_classics/classic.hpp>
#include <perp/problems/matrix/infinity.hpp>

namespace perp::classics {

namespace {

// The unknowns of the PIES model in their order.
enum Block { kCoal, kOil, kCoalTo, kOilTo, kLightTo, kHeavyTo, kPrice, kScarce, kValue, kBlocks };
// Production by two regions: three grades of coal, two of oil; shipments 2 x 2 each; prices of
// coal, light and heavy oil for two users; two resources; values of coal, oil (by region), light
// and heavy oil (by refinery).
constexpr int kSizes[kBlocks] = {6, 4, 4, 4, 4, 4, 6, 2, 8};
enum Good { kCoalGood, kLightGood, kHeavyGood };

constexpr double kResource[2] = {35000, 12000};  // capital, steel
constexpr double kCoalLimit[2][3] = {{300, 300, 400}, {200, 300, 600}};
constexpr double kOilLimit[2][2] = {{1100, 1200}, {1300, 1100}};
constexpr double kRefining[2] = {6.5, 5};
constexpr double kBaseDemand[3] = {1000, 1200, 1000}, kBasePrice[3] = {12, 16, 12};
constexpr double kYieldLight[2] = {0.6, 0.5}, kYieldHeavy[2] = {0.4, 0.5};
constexpr double kElasticity[3][3] = {{-.75, .1, .2}, {.1, -.5, .2}, {.2, .1, -.5}};
constexpr double kCoalUse[2][2][3] = {{{1, 5, 10}, {1, 5, 6}}, {{1, 2, 3}, {1, 4, 5}}};
constexpr double kOilUse[2][2][2] = {{{0, 10}, {0, 15}}, {{0, 4}, {0, 2}}};
constexpr double kCoalCost[2][3] = {{5, 6, 8}, {4, 5, 7}};
constexpr double kOilCost[2][2] = {{1, 1.5}, {1.25, 1.5}};
constexpr double kCoalFreight[2][2] = {{1, 2.5}, {.75, 2.75}};
constexpr double kOilFreight[2][2] = {{2, 3}, {4, 2}};
constexpr double kProductFreight[2][2] = {{1, 1.2}, {1, 1.5}};  // the same for light and heavy oil

int position(Block block, int k = 0) {
  int first = 0;
  for (int b = 0; b < block; ++b) first += kSizes[b];
  return first + k;
}
int coal_value(int region) { return position(kValue, region); }
int oil_value(int region) { return position(kValue, 2 + region); }
int light_value(int refinery) { return position(kValue, 4 + refinery); }
int heavy_value(int refinery) { return position(kValue, 6 + refinery); }
int price(int good, int user) { return position(kPrice, 2 * good + user); }

// Extraction: cost and scarce resources against the value in the region.
void add_production(const ExprVector& z, ExprVector& f) {
  for (int r = 0; r < 2; ++r) {
    for (int t = 0; t < 3; ++t) {
      const int i = position(kCoal, 3 * r + t);
      f[i] += kCoalCost[r][t] - z[coal_value(r)];
      for (int s = 0; s < 2; ++s) {
        f[i] += kCoalUse[s][r][t] * z[position(kScarce, s)];
        f[position(kScarce, s)] -= kCoalUse[s][r][t] * z[i];
      }
      f[coal_value(r)] += z[i];
    }
    for (int t = 0; t < 2; ++t) {
      const int i = position(kOil, 2 * r + t);
      f[i] += kOilCost[r][t] - z[oil_value(r)];
      for (int s = 0; s < 2; ++s) {
        f[i] += kOilUse[s][r][t] * z[position(kScarce, s)];
        f[position(kScarce, s)] -= kOilUse[s][r][t] * z[i];
      }
      f[oil_value(r)] += z[i];
    }
  }
}

// Shipments: freight against the difference of values; a is the place they come from, b the place
// they go to.
void add_shipments(const ExprVector& z, ExprVector& f) {
  for (int a = 0; a < 2; ++a) {
    for (int b = 0; b < 2; ++b) {
      const int coal = position(kCoalTo, 2 * a + b), oil = position(kOilTo, 2 * a + b);
      const int light = position(kLightTo, 2 * a + b), heavy = position(kHeavyTo, 2 * a + b);
      f[coal] += kCoalFreight[a][b] + z[coal_value(a)] - z[price(kCoalGood, b)];
      f[oil] += kOilFreight[a][b] + kRefining[b] + z[oil_value(a)] -
                kYieldLight[b] * z[light_value(b)] - kYieldHeavy[b] * z[heavy_value(b)];
      f[light] += kProductFreight[a][b] + z[light_value(a)] - z[price(kLightGood, b)];
      f[heavy] += kProductFreight[a][b] + z[heavy_value(a)] - z[price(kHeavyGood, b)];
      f[coal_value(a)] -= z[coal];
      f[price(kCoalGood, b)] += z[coal];
      f[oil_value(a)] -= z[oil];
      f[light_value(b)] += kYieldLight[b] * z[oil];
      f[heavy_value(b)] += kYieldHeavy[b] * z[oil];
      f[light_value(a)] -= z[light];
      f[price(kLightGood, b)] += z[light];
      f[heavy_value(a)] -= z[heavy];
      f[price(kHeavyGood, b)] += z[heavy];
    }
  }
}

// Demand of good g: base times the product of (p_c / base price of c)^(elasticity of g by c).
void add_demand(const ExprVector& z, ExprVector& f) {
  for (int g = 0; g < 3; ++g) {
    for (int u = 0; u < 2; ++u) {
      Expr demand = kBaseDemand[g];
      for (int c = 0; c < 3; ++c) {
        demand *= pow(z[price(c, u)] / kBasePrice[c], kElasticity[g][c]);
      }
      f[price(g, u)] -= demand;
    }
  }
}

Vector pies_solution() {
  return vector_of({300,
                    300,
                    227.88924500715913,
                    200,
                    300,
                    600,
                    1100,
                    975.06922187052555,
                    1300,
                    1058.0276887482103,
                    0,
                    827.88924500715916,
                    1016.3731984050936,
                    83.626801594906397,
                    2075.0692218705253,
                    0,
                    0,
                    2358.02768874821,
                    22.26154982590819,
                    1222.7799832964072,
                    1179.013844374105,
                    0,
                    0,
                    830.02768874821027,
                    998.37868937992482,
                    180.63515499418031,
                    11.697312022772673,
                    13.697312022772673,
                    15.826623511584449,
                    16.02662351158445,
                    11.890667378614525,
                    12.390667378614525,
                    0.26725249159012476,
                    0.17492903562380818,
                    11.197312022772673,
                    10.947312022772673,
                    4.8722410583964804,
                    5.8586454450994871,
                    14.826623511584449,
                    14.826623511584449,
                    11.190667378614526,
                    10.890667378614525});
}

Instance pies_instance() {
  const int n = position(kBlocks);
  Vector lower = Vector::Zero(n), upper = Vector::Constant(n, kInfinity);
  for (int k = 0; k < 6; ++k) upper[position(kCoal, k)] = kCoalLimit[k / 3][k % 3];
  for (int k = 0; k < 4; ++k) upper[position(kOil, k)] = kOilLimit[k / 2][k % 2];
  lower.segment(position(kPrice), kSizes[kPrice]).setConstant(0.1);
  lower.segment(position(kValue), kSizes[kValue]).setConstant(-kInfinity);
  Instance made;
  made.mcp = box_problem(lower, upper, [n](const ExprVector& z) {
    ExprVector f = ExprVector::Constant(n, Expr(0.0));
    for (int s = 0; s < 2; ++s) f[position(kScarce, s)] = kResource[s];
    add_production(z, f);
    add_shipments(z, f);
    add_demand(z, f);
    return f;
  });
  const char* const names[kBlocks] = {"coal",     "oil",   "coal_to",  "oil_to", "light_to",
                                      "heavy_to", "price", "scarcity", "value"};
  for (int b = 0; b < kBlocks; ++b) name_variables(made.variables, names[b], kSizes[b]);
  made.solution = pies_solution();
  return made;
}

// Plausible amounts and prices, the same for all goods of one kind.
Vector rough_guess(const Mcp& mcp) {
  Vector z = Vector::Constant(mcp.size(), 10.0);
  z.head(position(kPrice)).setConstant(500.0);
  z.segment(position(kScarce), kSizes[kScarce]).setZero();
  return z;
}

}  // namespace

// The PIES model of [Hogan1975; Josephy1979Pies], data as in MCPLIB [DirkseFerris1995Mcplib]. A
// linear program whose right-hand side, the demand, depends on its dual, the prices.
std::vector<Classic> energy_classics() {
  return {{"pies",
           "mixed: two-sided, one-sided and free; linear except for the demand, not integrable",
           "Josephy1979Pies",
           {listed("published",
                   {300,  300, 400,  200,  300, 600,  1100, 1000, 1300, 1000, 0,   828, 1016, 84,
                    2075, 0,   0,    2358, 22,  1223, 1179, 0,    0,    830,  998, 180, 11.7, 13.7,
                    15.8, 16,  11.9, 12.4, 1,   1,    1,    1,    1,    1,    1,   1,   1,    1}),
            {"rough", rough_guess},
            uniform("ones", 1.0)},
           position(kBlocks),
           [](int) { return pies_instance(); }}};
}

}  // namespace perp::classics
