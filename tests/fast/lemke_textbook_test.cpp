// The settings of lemke that make it a textbook code, against such a code.
#include "support.hpp"

#include <Eigen/LU>
#include <algorithm>
#include <vector>

namespace perp::test {
namespace {

struct Tableau {
  std::vector<int> head;  // variables: z_i is i, w_i is n + i, the artificial one 2n
  Vector value;
  DenseMatrix basis;
};

// Which variable leaves: Harris' ratio test, the artificial one first, else the largest pivot.
int leaving_of(const Tableau& t, const Vector& direction, double tie, double pivot) {
  double relaxed = kInf;
  for (int i = 0; i < direction.size(); ++i) {
    if (direction[i] > pivot) relaxed = std::min(relaxed, (t.value[i] + tie) / direction[i]);
  }
  int leaving = -1;
  for (int i = 0; i < direction.size(); ++i) {
    if (!(direction[i] > pivot) || t.value[i] / direction[i] > relaxed) continue;
    if (t.head[static_cast<std::size_t>(i)] == 2 * direction.size()) return i;
    if (leaving < 0 || direction[i] > direction[leaving]) leaving = i;
  }
  return leaving;
}

// Lemke's method with a dense basis that is solved anew at every pivot: -w + M z + 1 t = -q.
// @return z, or nothing after a ray or too many pivots
std::optional<Vector> textbook(const DenseMatrix& M, const Vector& q, double tie, double pivot) {
  const int n = static_cast<int>(q.size());
  Tableau t{{}, q, -DenseMatrix::Identity(n, n)};
  for (int i = 0; i < n; ++i) t.head.push_back(n + i);
  if (q.minCoeff() >= 0) return Vector::Zero(n);
  int position = 0;
  const double first = -q.minCoeff(&position);
  int left = std::exchange(t.head[static_cast<std::size_t>(position)], 2 * n);
  t.value.array() += first;
  t.value[position] = first;
  t.basis.col(position).setOnes();
  for (int k = 0; k < std::min(1000, 25 * n); ++k) {
    if (left == 2 * n) {
      Vector z = Vector::Zero(n);
      for (int i = 0; i < n; ++i) {
        if (t.head[static_cast<std::size_t>(i)] < n)
          z[t.head[static_cast<std::size_t>(i)]] = t.value[i];
      }
      return z;
    }
    const int entering = left < n ? n + left : left - n;
    const Vector column = entering < n ? Vector(M.col(entering))
                                       : Vector(-DenseMatrix::Identity(n, n).col(entering - n));
    const Vector direction = t.basis.partialPivLu().solve(column);
    position = leaving_of(t, direction, tie, pivot);
    if (position < 0) return {};
    const double length = t.value[position] / direction[position];
    t.value -= length * direction;
    t.value[position] = length;
    t.basis.col(position) = column;
    left = std::exchange(t.head[static_cast<std::size_t>(position)], entering);
  }
  return {};
}

// M of small integers has many ties; with the tie 0.3 rows tie that are far apart, too.
TEST(TextbookLemke, EndsWhereATextbookCodeEnds) {
  Random random(17);
  int same = 0, ends = 0;
  for (int trial = 0; trial < 300; ++trial) {
    const int n = 3 + random.index(6);
    const DenseMatrix g = gaussian(random, n, n);
    DenseMatrix M = g * g.transpose() / n;
    for (int i = 0; i < n; ++i) {
      for (int j = 0; j < i; ++j) {
        const double skew = std::round(random.uniform(-2, 2));
        M(i, j) += skew;
        M(j, i) -= skew;
      }
    }
    Vector q(n);
    for (int i = 0; i < n; ++i) q[i] = std::round(random.uniform(-2, 1));
    q *= std::exp2(random.index(8));  // the tolerances are those of the problem as posed
    const std::optional<Vector> z = textbook(M, q, 1e-5, 1e-8);
    Lemke lemke;
    lemke.settings.ties = "largest-pivot";
    lemke.settings.tie_tolerance = 1e-5;
    lemke.settings.pivot_tolerance = 1e-8;
    lemke.settings.equilibrate = false;
    lemke.limits.max_iterations = std::min(1000, 25 * n);
    const Problem problem = problem_of(Lcp{Matrix(M), q});
    lemke.prepare(problem);
    const Result& r = lemke.solve();
    ++ends;
    same += z ? (r.z - *z).cwiseAbs().maxCoeff() < 1e-4 : r.status != Status::kSolved;
  }
  EXPECT_GT(ends, 50);
  EXPECT_EQ(same, ends);
}

// Both rows tie: the one with the larger pivot leaves, though its bound is 2e-6 further away. The
// value of the other falls to -2e-6 of it, and moves back when it leaves.
TEST(TextbookLemke, AbsoluteTiesLetValuesPassTheirBounds) {
  const DenseMatrix M = matrix(2, 2, {1, 0, 0, 3});
  const Vector q = vector({-1, -3.000006});
  Lemke lemke;
  lemke.settings.ties = "largest-pivot";
  lemke.settings.tie_tolerance = 1e-5;
  lemke.settings.equilibrate = false;
  const Problem problem = problem_of(Lcp{Matrix(M), q});
  lemke.prepare(problem);
  const Result& r = lemke.solve();
  EXPECT_EQ(r.status, Status::kSolved);
  EXPECT_LT((r.z - vector({1, 1.000002})).cwiseAbs().maxCoeff(), 1e-12);
}

}  // namespace
}  // namespace perp::test
