#include <perp/problems/families/linear.hpp>

#include <perp/problems/standard/random.hpp>

#include <algorithm>
#include <cmath>

namespace perp {

namespace {

DenseMatrix gaussian(Random& random, int rows, int cols) {
  DenseMatrix a(rows, cols);
  for (int j = 0; j < cols; ++j) {
    for (int i = 0; i < rows; ++i) a(i, j) = random.normal();
  }
  return a;
}

Vector gaussian(Random& random, int n) { return gaussian(random, n, 1); }

// Plants complementary z0, w0. The share `positive` of the pairs has z0 > 0; in the share
// `degenerate` both are zero. @return q = w0 - M z0
Vector plant(Random& random, const DenseMatrix& m, double positive, double degenerate,
             Problem& facts) {
  const int n = static_cast<int>(m.rows());
  const std::vector<int> order = random.permutation(n);
  const int k = static_cast<int>(positive * n), d = static_cast<int>(std::ceil(degenerate * n));
  Vector z = Vector::Zero(n), w = Vector::Zero(n);
  for (int i = 0; i < n; ++i) {
    if (i < k) {
      z[order[i]] = random.uniform(0.1, 1.0);
    } else if (i >= k + d) {
      w[order[i]] = random.uniform(0.1, 1.0);
    }
  }
  facts.solution = KnownSolution{z, {}};
  return w - m * z;
}

// M_ii = 1, M_ij = 2 for j < i: the orientation in which the lexicographic rule makes Lemke's
// method visit all bases; its reverse (j > i) is solved at once.
DenseMatrix murty_matrix(int n, bool exponential) {
  DenseMatrix m = DenseMatrix::Identity(n, n);
  for (int i = 0; i < n; ++i) {
    for (int j = 0; j < i; ++j) (exponential ? m(i, j) : m(j, i)) = 2.0;
  }
  return m;
}

void know_murty_solution(int n, bool exponential, Problem& facts) {
  Vector z = Vector::Zero(n);
  z[exponential ? 0 : n - 1] = 1.0;
  facts.solution = KnownSolution{z, {}};
}

const FamilyParameter kOrientation{
    "reversed", 0.0, "1: rows and columns in reverse order, which makes it easy", 0.0};

double obstacle_height(double x, double y) {
  const double r2 = (x - 0.5) * (x - 0.5) + (y - 0.5) * (y - 0.5);
  return r2 < 0.09 ? 0.5 - 2.0 * r2 : -0.2;
}

}  // namespace

Family psd_family() {
  return {"psd",
          "random positive definite M = A A'/n, condition of order n^2",
          "CottlePangStone2009",
          "n",
          100,
          1,
          40000,
          KnownOutcome::kSolvable,
          true,
          {},
          [](const FamilyRequest& r, Problem&) -> ProblemData {
            Random random(r.seed);
            const DenseMatrix a = gaussian(random, r.size, r.size);
            return Lcp{DenseMatrix(a * a.transpose() / r.size), gaussian(random, r.size)};
          }};
}

Family psd_deficient_family() {
  return {"psd-deficient",
          "random PSD M of rank n/2 with a planted degenerate solution",
          "CottlePangStone2009",
          "n",
          100,
          2,
          40000,
          KnownOutcome::kSolvable,
          true,
          {},
          [](const FamilyRequest& r, Problem& facts) -> ProblemData {
            Random random(r.seed);
            const DenseMatrix a = gaussian(random, r.size, r.size / 2);
            DenseMatrix m = a * a.transpose() / r.size;
            Vector q = plant(random, m, 0.45, 0.05, facts);
            return Lcp{std::move(m), std::move(q)};
          }};
}

Family p_matrix_family() {
  // Positive definite part plus any skew part: x'Mx > 0, so every principal minor is positive.
  return {"p-matrix",
          "random nonsymmetric P-matrices with planted degenerate solution",
          "CottlePangStone2009",
          "n",
          100,
          1,
          40000,
          KnownOutcome::kSolvable,
          true,
          {},
          [](const FamilyRequest& r, Problem& facts) -> ProblemData {
            Random random(r.seed);
            const int n = r.size;
            const DenseMatrix a = gaussian(random, n, n), b = gaussian(random, n, n);
            DenseMatrix m = a * a.transpose() / n + (b - b.transpose()) / std::sqrt(n);
            for (int i = 0; i < n; ++i) m(i, i) += random.uniform(0.0, 0.3);
            Vector q = plant(random, m, 0.5, 0.05, facts);
            return Lcp{std::move(m), std::move(q)};
          }};
}

Family nonmonotone_family() {
  return {"nonmonotone",
          "Gaussian M (indefinite) with a planted solution",
          "CottlePangStone2009",
          "n",
          20,
          1,
          40000,
          KnownOutcome::kSolvable,
          true,
          {},
          [](const FamilyRequest& r, Problem& facts) -> ProblemData {
            Random random(r.seed);
            DenseMatrix m = gaussian(random, r.size, r.size);
            Vector q = plant(random, m, 0.5, 0.0, facts);
            return Lcp{std::move(m), std::move(q)};
          }};
}

Family infeasible_family() {
  // For a random y >= 0, the columns of M are changed until y'M_j <= 0, and q until y'q = -1: then
  // y is a Farkas certificate.
  return {"infeasible",
          "Gaussian M changed so that a Farkas certificate exists",
          "CottlePangStone2009",
          "n",
          20,
          1,
          40000,
          KnownOutcome::kInfeasible,
          true,
          {},
          [](const FamilyRequest& r, Problem&) -> ProblemData {
            Random random(r.seed);
            const int n = r.size;
            DenseMatrix m = gaussian(random, n, n);
            Vector q = gaussian(random, n), y = Vector::Zero(n);
            for (int i = 0; i < n; ++i)
              y[i] = random.uniform() < 0.5 ? random.uniform(0.1, 1.0) : 0.0;
            y[random.index(n)] = 1.0;
            const double norm = y.squaredNorm();
            for (int j = 0; j < n; ++j) {
              const double excess = y.dot(m.col(j)) + random.uniform(0.0, 1.0);
              if (excess > 0) m.col(j) -= y * (excess / norm);
            }
            q -= y * ((y.dot(q) + 1.0) / norm);
            return Lcp{std::move(m), std::move(q)};
          }};
}

Family no_solution_family() {
  // w_0 = z_1 - 1 >= 0 needs z_1 > 0, and so w_1 = 0; but w_1 = z_0 + 1 > 0.
  return {"no-solution",
          "feasible LCPs without solution; rows and columns are scaled and permuted at random",
          "CottlePangStone2009",
          "n",
          20,
          2,
          40000,
          KnownOutcome::kNoSolution,
          true,
          {},
          [](const FamilyRequest& r, Problem&) -> ProblemData {
            Random random(r.seed);
            const int n = r.size;
            DenseMatrix m = DenseMatrix::Zero(n, n);
            Vector q(n);
            m(0, 1) = 1.0;
            m(1, 0) = 1.0;
            q[0] = -1.0;
            q[1] = 1.0;
            // The other pairs may depend on the first two, which do not depend on them.
            for (int i = 2; i < n; ++i) {
              for (int j = 0; j < n; ++j) m(i, j) = random.normal();
              m(i, 1) = std::abs(m(i, 1)) + n;  // z_1 can make every row feasible
              q[i] = random.normal();
            }
            const std::vector<int> order = random.permutation(n);
            Vector row(n), column(n);
            for (int i = 0; i < n; ++i) {
              row[i] = random.uniform(0.5, 2.0);
              column[i] = random.uniform(0.5, 2.0);
            }
            DenseMatrix hidden(n, n);
            Vector hidden_q(n);
            for (int i = 0; i < n; ++i) {
              hidden_q[order[i]] = row[i] * q[i];
              for (int j = 0; j < n; ++j) hidden(order[i], order[j]) = row[i] * m(i, j) * column[j];
            }
            return Lcp{std::move(hidden), std::move(hidden_q)};
          }};
}

Family murty_family() {
  return {"murty",
          "Murty's example: Lemke's method visits exponentially many bases",
          "Murty1978",
          "n",
          10,
          1,
          40000,
          KnownOutcome::kSolvable,
          false,
          {kOrientation},
          [](const FamilyRequest& r, Problem& facts) -> ProblemData {
            const bool exponential = r["reversed"] == 0.0;
            know_murty_solution(r.size, exponential, facts);
            return Lcp{murty_matrix(r.size, exponential), Vector::Constant(r.size, -1.0)};
          }};
}

Family fathi_family() {
  return {"fathi",
          "Fathi's example: as Murty's, with M = L L', symmetric positive definite",
          "Fathi1979",
          "n",
          10,
          1,
          40000,
          KnownOutcome::kSolvable,
          false,
          {kOrientation},
          [](const FamilyRequest& r, Problem& facts) -> ProblemData {
            const bool exponential = r["reversed"] == 0.0;
            const DenseMatrix l = murty_matrix(r.size, exponential);
            know_murty_solution(r.size, exponential, facts);
            return Lcp{DenseMatrix(l * l.transpose()), Vector::Constant(r.size, -1.0)};
          }};
}

Family obstacle_family() {
  // -Laplace u >= f, u >= psi on (0,1)^2, u = 0 on the boundary; z = u - psi, five-point stencil
  // times h^2.
  return {"obstacle",
          "2D obstacle problem on an N x N grid (size = N, n = N^2), sparse M-matrix",
          "RodriguesObstacle1987",
          "N, grid points a side",
          50,
          1,
          10000,
          KnownOutcome::kSolvable,
          false,
          {{"load", -20.0, "right-hand side f of -Laplace u = f"},
           {"per_area", 0.0, "1: rows divided by h^2, so that a residual is a load", 0.0}},
          [](const FamilyRequest& r, Problem&) -> ProblemData {
            const int grid = r.size, n = grid * grid;
            const double h = 1.0 / (grid + 1);
            std::vector<Triplet> entries;
            entries.reserve(5L * n);
            Vector psi(n);
            const auto index = [grid](int i, int j) { return i * grid + j; };
            for (int i = 0; i < grid; ++i) {
              for (int j = 0; j < grid; ++j) {
                const int k = index(i, j);
                psi[k] = obstacle_height((i + 1) * h, (j + 1) * h);
                entries.emplace_back(k, k, 4.0);
                if (i > 0) entries.emplace_back(k, index(i - 1, j), -1.0);
                if (i + 1 < grid) entries.emplace_back(k, index(i + 1, j), -1.0);
                if (j > 0) entries.emplace_back(k, index(i, j - 1), -1.0);
                if (j + 1 < grid) entries.emplace_back(k, index(i, j + 1), -1.0);
              }
            }
            Matrix m = Matrix::from_triplets(n, n, entries);
            Vector q = m.sparse() * psi - Vector::Constant(n, h * h * r["load"]);
            if (r["per_area"] == 0.0) return Lcp{std::move(m), std::move(q)};
            return Lcp{SparseMatrix(m.sparse() / (h * h)), Vector(q / (h * h))};
          }};
}

}  // namespace perp
