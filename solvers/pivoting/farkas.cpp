#include <perp/solvers/pivoting/farkas.hpp>

#include <perp/solvers/pivoting/lemke_path.hpp>

#include <cmath>
#include <perp/problems/matrix/infinity.hpp>
#include <perp/problems/standard/reductions.hpp>

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

// The end of the path of a problem from far away: a solution or the direction of a ray.
struct Ending {
  PathEnd end = PathEnd::kNumerical;
  Vector point;
};

Ending follow_path(const Mlcp& problem, long most_pivots, double time_limit) {
  const Deadline deadline(time_limit);
  Ending ending;
  CanonicalProblem canonical;
  try {
    canonical.build(problem, true, deadline);
  } catch (const DeadlinePassed&) {
    ending.end = PathEnd::kTimeLimit;
    return ending;
  }
  LemkePath path;
  path.attach(canonical);
  ending.end =
      path.follow(canonical.default_start, nullptr, PathSettings{}, most_pivots, deadline, nullptr);
  if (ending.end == PathEnd::kSolution) canonical.to_original(path.end().x, ending.point);
  if (ending.end == PathEnd::kRay) canonical.direction_to_original(path.end().ray_x, ending.point);
  return ending;
}

template <class P>
std::optional<FarkasCertificate> checked(const P& problem, Vector y) {
  const FarkasCheck check = check_farkas(problem, y);
  if (!check.holds && !check.excludes) return {};
  return FarkasCertificate{std::move(y), check};
}

}  // namespace

std::optional<FarkasCertificate> find_farkas(const Mlcp& problem, double time_limit,
                                             std::optional<Vector>* feasible) {
  const int n = problem.size();
  const Ending ending = follow_path(feasibility_problem(problem), 50L * (n + 20), time_limit);
  if (ending.end == PathEnd::kSolution && feasible) *feasible = ending.point.head(n);
  if (ending.end != PathEnd::kRay) return {};
  Vector y = ending.point.tail(n);
  clean(problem, y);
  return checked(problem, std::move(y));
}

std::optional<FarkasCertificate> find_farkas(const FrictionContact& problem, double time_limit,
                                             std::optional<Vector>* feasible) {
  FrictionContact smooth = problem;
  smooth.mu.setZero();
  const Mlcp normals = to_mlcp(std::get<Lcp>(reduce_to_pyramid_lcp(smooth).problem));
  const Ending ending = follow_path(normals, 50L * (normals.size() + 20), time_limit);
  if (ending.end != PathEnd::kSolution && ending.end != PathEnd::kRay) return {};
  Vector of_normals = ending.point;
  if (ending.end == PathEnd::kRay) clean(normals, of_normals);
  Vector y = Vector::Zero(problem.size());
  for (int c = 0; c < problem.contacts(); ++c) y[problem.dimension * c] = of_normals[c];
  if (ending.end == PathEnd::kRay) return checked(problem, std::move(y));
  if (feasible) *feasible = std::move(y);
  return {};
}

}  // namespace perp
