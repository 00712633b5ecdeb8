#include <perp/solvers/pivoting/farkas.hpp>

#include <perp/solvers/pivoting/lemke_path.hpp>

#include <cmath>
#include <perp/problems/matrix/infinity.hpp>

namespace perp {

namespace {

// Positive costs without ties: fractional parts of multiples of the golden ratio, spread over (1,
// 2).
double cost(int i) {
  const double x = 0.6180339887498949 * (i + 1);
  return 1.0 + (x - std::floor(x));
}

enum class RowSign { kNonnegative, kNonpositive, kZero, kAny };

RowSign row_sign(const Mlcp& p, int i) {
  const bool has_lower = p.lower[i] > -kInfinity, has_upper = p.upper[i] < kInfinity;
  if (has_lower && has_upper) return RowSign::kAny;
  return has_lower ? RowSign::kNonnegative : has_upper ? RowSign::kNonpositive : RowSign::kZero;
}

// KKT conditions of min c'z over l <= z <= u with the row signs of M z + q: unknowns (z, y),
// z between its bounds complementary to c - M'y, y of the row's sign complementary to M z + q.
// c points away from the finite bound and is zero for free variables, so the program is never
// unbounded.
Mlcp feasibility_problem(const Mlcp& p) {
  const int n = p.size();
  std::vector<Triplet> entries;
  entries.reserve(2 * p.M.stored());
  for (int j = 0; j < n; ++j) {
    p.M.for_column(j, [&](int i, double value) {
      if (row_sign(p, i) == RowSign::kAny) return;
      entries.emplace_back(n + i, j, value);
      entries.emplace_back(j, n + i, -value);
    });
  }
  Mlcp lp{Matrix::from_triplets(2 * n, 2 * n, entries), Vector::Zero(2 * n), Vector(2 * n),
          Vector(2 * n)};
  for (int i = 0; i < n; ++i) {
    const RowSign sign = row_sign(p, i);
    const bool below = p.lower[i] > -kInfinity, above = p.upper[i] < kInfinity;
    lp.q[i] = below ? cost(i) : above ? -cost(i) : 0.0;
    lp.lower[i] = p.lower[i];
    lp.upper[i] = p.upper[i];
    const bool unrestricted = sign == RowSign::kAny;
    lp.q[n + i] = unrestricted ? 0.0 : p.q[i];
    lp.lower[n + i] = sign == RowSign::kZero || sign == RowSign::kNonpositive ? -kInfinity : 0.0;
    lp.upper[n + i] = sign == RowSign::kZero || sign == RowSign::kNonnegative ? kInfinity : 0.0;
  }
  return lp;
}

void clean(const Mlcp& p, Vector& y) {
  const double largest = y.cwiseAbs().maxCoeff();
  if (largest > 0) y /= largest;
  for (int i = 0; i < y.size(); ++i) {
    const RowSign sign = row_sign(p, i);
    if (std::abs(y[i]) < 1e-13) y[i] = 0.0;
    if (sign == RowSign::kNonnegative) y[i] = std::max(0.0, y[i]);
    if (sign == RowSign::kNonpositive) y[i] = std::min(0.0, y[i]);
    if (sign == RowSign::kAny) y[i] = 0.0;
  }
}

}  // namespace

std::optional<FarkasCertificate> find_farkas(const Mlcp& problem, double time_limit,
                                             std::optional<Vector>* feasible) {
  const int n = problem.size();
  const Mlcp lp = feasibility_problem(problem);
  const Deadline deadline(time_limit);
  CanonicalProblem canonical;
  try {
    canonical.build(lp, true, deadline);
  } catch (const DeadlinePassed&) {
    return {};
  }
  LemkePath path;
  path.attach(canonical);
  const PathEnd end = path.follow(canonical.default_start, nullptr, PathSettings{}, 50L * (n + 20),
                                  deadline, nullptr);
  Vector point;
  if (end == PathEnd::kSolution) {
    canonical.to_original(path.end().x, point);
    if (feasible) *feasible = point.head(n);
    return {};
  }
  if (end != PathEnd::kRay) return {};
  canonical.direction_to_original(path.end().ray_x, point);
  Vector y = point.tail(n);
  clean(problem, y);
  const FarkasCheck check = check_farkas(problem, y);
  if (!check.holds && !check.excludes) return {};
  return FarkasCertificate{std::move(y), check};
}

}  // namespace perp
