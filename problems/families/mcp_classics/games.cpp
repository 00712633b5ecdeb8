// Equilibria of games: oligopolies and a game with mixed strategies.
#include <cmath>
#include <perp/problems/families/mcp_classics/classic.hpp>

namespace perp::classics {

namespace {

// Cournot-Nash equilibrium of firms with marginal costs c_i + (s q_i)^(1/beta_i) and the inverse
// demand p(Q) = (5000 / Q)^(1/gamma): F_i = marginal cost - p - q_i p'(Q).
Mcp oligopoly(const Vector& cost, const Vector& beta, double s, double gamma) {
  return ncp(static_cast<int>(cost.size()), [&](const ExprVector& q) {
    const Expr total = q.sum(), price = pow(5000 / total, 1 / gamma);
    ExprVector f(q.size());
    for (Eigen::Index i = 0; i < q.size(); ++i) {
      f[i] = cost[i] + pow(s * q[i], 1 / beta[i]) - price + q[i] * price / (gamma * total);
    }
    return f;
  });
}

Classic nash_5() {
  return {"nash-5",
          "five firms [MurphySheraliSoyster1982]; F is not defined if nothing is produced",
          "MurphySheraliSoyster1982",
          {uniform("ones", 1.0), uniform("tens", 10.0)},
          5,
          [](int) -> Instance {
            return {oligopoly(vector_of({10, 8, 6, 4, 2}), vector_of({1.2, 1.1, 1.0, 0.9, 0.8}),
                              0.2, 1.1),
                    vector_of({36.932510815735768, 41.818141660437625, 43.706578522274214,
                               42.659239743305115, 39.178952516625024}),
                    {}};
          }};
}

// Data: MCPLIB [DirkseFerris1995Mcplib], after [Harker1988].
Classic nash_10() {
  return {"nash-10",
          "ten firms; F is not defined if nothing is produced, its Jacobian not at q_i = 0",
          "Harker1988",
          {uniform("1", 1.0), uniform("2", 10.0),
           listed("3", {1.0, 1.2, 1.4, 1.6, 1.8, 2.1, 2.3, 2.5, 2.7, 2.9}),
           listed("4", {7, 4, 3, 1, 18, 4, 1, 6, 3, 2})},
          10,
          [](int) -> Instance {
            return {oligopoly(vector_of({5, 3, 8, 5, 1, 3, 7, 4, 6, 3}),
                              vector_of({1.2, 1, 0.9, 0.6, 1.5, 1, 0.7, 1.1, 0.95, 0.75}), 10, 1.2),
                    vector_of({7.4415466970587349, 4.0978104473473209, 2.590643747438953,
                               0.9353857680722274, 17.948952342006613, 4.0978104473473209,
                               1.3047257576800071, 5.5900825435576298, 3.2221794538246153,
                               1.6770943168393269}),
                    {}};
          }};
}

// One volunteer is enough: he bears the cost k, and all players gain 1. Player i volunteers with
// probability z_i; F_i = k - P(no one else does). The symmetric equilibrium has
// z_i = 1 - k^(1/(n-1)); n asymmetric ones have one volunteer.
Classic volunteers() {
  constexpr double kCost = 0.25;
  return {"volunteers-dilemma",
          "mixed strategies; two-sided bounds, zero diagonal of F', many solutions",
          "Diekmann1985",
          {uniform("zeros", 0.0), uniform("middle", 0.5), uniform("ones", 1.0)},
          6,
          [](int n) -> Instance {
            Mcp mcp = box_problem(Vector::Zero(n), Vector::Ones(n), [n](const ExprVector& z) {
              ExprVector f(n);
              for (int i = 0; i < n; ++i) {
                Expr nobody = 1.0;
                for (int j = 0; j < n; ++j) {
                  if (j != i) nobody *= 1 - z[j];
                }
                f[i] = kCost - nobody;
              }
              return f;
            });
            return {std::move(mcp),
                    Vector(Vector::Constant(n, 1 - std::pow(kCost, 1.0 / (n - 1)))),
                    {}};
          },
          2,
          "n, players"};
}

}  // namespace

std::vector<Classic> game_classics() { return {nash_5(), nash_10(), volunteers()}; }

}  // namespace perp::classics
