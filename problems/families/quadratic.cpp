#include <perp/problems/families/quadratic.hpp>

#include <perp/problems/standard/random.hpp>

#include <algorithm>
#include <cmath>
#include <perp/problems/matrix/infinity.hpp>

namespace perp {

namespace {

constexpr double kShareAtBound = 0.5, kDegenerateShare = 0.05;  // shares of the planted solution

// H = A D A'/n with a Gaussian A of `rank` columns and D = diag(+-1); symmetric to the last bit.
DenseMatrix random_hessian(Random& random, int n, int rank, int negative) {
  DenseMatrix a(n, rank);
  for (double& x : a.reshaped()) x = random.normal();
  DenseMatrix signed_a = a;
  signed_a.leftCols(negative) *= -1.0;
  const DenseMatrix h = a * signed_a.transpose() / n;
  return h.selfadjointView<Eigen::Lower>();
}

// x at its bounds or between them, and c such that it is stationary.
void plant(Random& random, BoxQp& p, Problem& facts) {
  const int n = p.size();
  const std::vector<int> order = random.permutation(n);
  Vector x(n), g = Vector::Zero(n);
  for (int k = 0; k < n; ++k) {
    const int i = order[k];
    const bool above = std::isfinite(p.upper[i]) && random.uniform() < 0.5;
    const double bound = above ? p.upper[i] : p.lower[i];
    const double width = std::isfinite(p.upper[i]) ? p.upper[i] - p.lower[i] : 1.0;
    if (k < kShareAtBound * n) {
      x[i] = bound;
      g[i] = (above ? -1.0 : 1.0) * random.uniform(0.1, 1.0);
    } else if (k < (kShareAtBound + kDegenerateShare) * n) {
      x[i] = bound;  // and g_i = 0
    } else {
      x[i] = p.lower[i] + width * random.uniform(0.1, 0.9);
    }
  }
  p.c = g - p.H.dense() * x;
  facts.solution = KnownSolution{x, {}};
}

}  // namespace

Family box_qp_family() {
  return {
      "box-qp",
      "random box QPs, H = A D A'/n of a chosen rank, definite or not",
      "MoreToraldo1991",
      "n",
      100,
      2,
      40000,
      KnownOutcome::kSolvable,
      true,
      {{"rank", 1.0, "rank of H over n", 0.0},
       {"boxed", 0.5, "share of the unknowns with an upper bound, too", 0.0},
       {"planted", 1.0, "1: a stationary point is planted, 5 % of its unknowns degenerate", 0.0},
       {"negative", 0.0, "share of the rank with negative curvature; then all are boxed", 0.0}},
      [](const FamilyRequest& r, Problem& facts) -> ProblemData {
        Random random(r.seed);
        const int n = r.size;
        const int rank = std::clamp(static_cast<int>(std::lround(r["rank"] * n)), 0, n);
        const int negative = static_cast<int>(std::min(r["negative"], 1.0) * rank);
        BoxQp p{random_hessian(random, n, rank, negative), Vector(n), Vector::Zero(n),
                Vector::Constant(n, kInfinity)};
        // Without bounds, a problem that is neither planted nor definite may be unbounded below.
        const bool planted = r["planted"] != 0.0;
        const bool all = negative > 0 || (!planted && rank < n);
        for (int i = 0; i < n; ++i) {
          const bool boxed = random.uniform() < r["boxed"];
          if (boxed || all) p.upper[i] = random.uniform(0.5, 1.5);
        }
        for (double& c : p.c) c = random.normal();
        if (planted) plant(random, p, facts);
        return p;
      }};
}

}  // namespace perp
