#include <perp/solvers/pivoting/farkas.hpp>

#include <perp/solvers/active_set/newton_min.hpp>
#include <perp/solvers/friction/pyramid_problem.hpp>
#include <perp/solvers/pivoting/lemke_path.hpp>

#include <cmath>
#include <perp/problems/limits/current_deadline.hpp>
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
  const CurrentDeadline current(deadline);
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

constexpr double kFarEnough = 0.1;  // share of the aim: rounding is of no account there

// What push_apart looks for is M z + q = aim where z > 0.
double aim_of(const Mlcp& p) { return 2.0 * max_abs(p.q); }

bool is_far_apart(const Mlcp& p, const Vector& z) {
  const Vector w = p.M.multiply(z) + p.q;
  return z.allFinite() && (w.array() >= kFarEnough * aim_of(p)).all();  // no NaN is
}

// Some z >= 0 with M z + q >= 0, for a problem whose bounds are those of an LCP. Sweeps look for a
// z with M z > 0: of contacts, impulses that push all of them apart. That takes a small share of
// the time of a path, but there need be none.
std::optional<Vector> push_apart(const Mlcp& p) {
  constexpr int kSweeps = 200;
  const double aim = aim_of(p);
  Vector z = Vector::Zero(p.size()), w = p.q, diagonal(p.size());
  for (int i = 0; i < p.size(); ++i) diagonal[i] = p.M.coefficient(i, i);
  for (int sweep = 0; sweep < kSweeps; ++sweep) {
    for (int i = 0; i < p.size(); ++i) {
      if (!(diagonal[i] > 0)) continue;
      const double step = std::max(-z[i], (aim - w[i]) / diagonal[i]);
      z[i] += step;
      p.M.for_column(i, [&](int k, double value) { w[k] += value * step; });
    }
    if (!(w.array() >= kFarEnough * aim).all()) continue;
    if (is_far_apart(p, z)) return z;
    w = p.M.multiply(z) + p.q;  // without the roundings of all steps
  }
  return {};
}

Matrix plus_diagonal(const Matrix& m, double rho) {
  if (!m.is_sparse())
    return DenseMatrix(m.dense() + rho * DenseMatrix::Identity(m.rows(), m.cols()));
  SparseMatrix identity(m.rows(), m.cols());
  identity.setIdentity();
  return SparseMatrix(m.sparse() + rho * identity);
}

// The same by active sets: sweeps take long to push the far end of a long row. For a symmetric M
// that is positive semidefinite; with rho on the diagonal it is definite, and w >= aim - rho z.
std::optional<Vector> push_apart_by_newton(const Mlcp& p, double time_limit) {
  constexpr double kRegularisation = 1e-9;  // times the largest entry
  constexpr int kMostSteps = 60;
  if (!p.M.is_symmetric(1e-12)) return {};
  Problem pushed;
  pushed.data = Lcp{plus_diagonal(p.M, kRegularisation * p.M.max_abs()), p.q.array() - aim_of(p)};
  NewtonMin newton;
  newton.limits = {kFarEnough * aim_of(p), kMostSteps, time_limit};
  newton.prepare(pushed, true);
  const Vector z = newton.solve().z.cwiseMax(0.0);
  return is_far_apart(p, z) ? std::optional(z) : std::nullopt;
}

template <class P>
std::optional<FarkasCertificate> checked(const P& problem, Vector y) {
  const FarkasCheck check = check_farkas(problem, y);
  if (!check.holds && !check.excludes) return {};
  return FarkasCertificate{std::move(y), check};
}

// What is known of the normal impulses of contacts without friction: some that leave no overlap, or
// a ray along which nothing keeps the bodies apart.
struct Normals {
  std::optional<Vector> feasible, ray;
};

Normals search_normals(const Mlcp& normals, double time_limit) {
  const Deadline deadline(time_limit);
  if (std::optional<Vector> apart = push_apart(normals)) return {std::move(apart), {}};
  if (std::optional<Vector> apart = push_apart_by_newton(normals, deadline.left()))
    return {std::move(apart), {}};
  time_limit = deadline.left();
  Ending ending = follow_path(normals, 50L * (normals.size() + 20), time_limit);
  if (ending.end == PathEnd::kSolution) return {std::move(ending.point), {}};
  if (ending.end != PathEnd::kRay) return {};
  clean(normals, ending.point);
  return {{}, std::move(ending.point)};
}

// The rows and columns of the normals.
Mlcp normals_of(const Lcp& p, const std::vector<PyramidContact>& contacts) {
  std::vector<int> place(static_cast<std::size_t>(p.size()), -1);
  const int nc = static_cast<int>(contacts.size());
  for (int c = 0; c < nc; ++c) place[contacts[c].normal] = c;
  std::vector<Triplet> entries;
  Lcp normals{Matrix(), Vector(nc)};
  for (int c = 0; c < nc; ++c) {
    normals.q[c] = p.q[contacts[c].normal];
    p.M.for_column(contacts[c].normal, [&](int i, double value) {
      if (place[i] >= 0) entries.emplace_back(place[i], c, value);
    });
  }
  normals.M = Matrix::from_triplets(nc, nc, entries);
  return to_mlcp(normals);
}

// The normal impulses among the unknowns of the LCP. `slips`: with slips that satisfy the rows of
// the edges.
Vector with_pyramids(const Lcp& p, const std::vector<PyramidContact>& contacts,
                     const Vector& of_normals, bool slips) {
  Vector z = Vector::Zero(p.size());
  for (std::size_t c = 0; c < contacts.size(); ++c)
    z[contacts[c].normal] = of_normals[static_cast<Eigen::Index>(c)];
  if (!slips) return z;
  const Vector w = p.M.multiply(z) + p.q;
  for (const PyramidContact& contact : contacts) {
    for (const auto& edges : contact.edges) {
      for (const int edge : edges) {
        if (edge >= 0) z[contact.slip] = std::max(z[contact.slip], -w[edge]);
      }
    }
  }
  return z;
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

std::optional<FarkasCertificate> find_farkas(const Lcp& problem, double time_limit,
                                             std::optional<Vector>* feasible) {
  if (const std::vector<PyramidContact>* found = find_pyramid_contacts(problem)) {
    const std::vector<PyramidContact> contacts = *found;
    const Deadline deadline(time_limit);
    const Normals normals = search_normals(normals_of(problem, contacts), time_limit);
    if (normals.feasible) {
      if (feasible) *feasible = with_pyramids(problem, contacts, *normals.feasible, true);
      return {};
    }
    if (normals.ray) {
      if (auto proof = checked(problem, with_pyramids(problem, contacts, *normals.ray, false)))
        return proof;
    }
    time_limit = deadline.left();
  }
  return find_farkas(to_mlcp(problem), time_limit, feasible);
}

std::optional<FarkasCertificate> find_farkas(const FrictionContact& problem, double time_limit,
                                             std::optional<Vector>* feasible) {
  FrictionContact smooth = problem;
  smooth.mu.setZero();
  const Normals normals =
      search_normals(to_mlcp(std::get<Lcp>(reduce_to_pyramid_lcp(smooth).problem)), time_limit);
  const auto with_tangents = [&](const Vector& of_normals) {
    Vector r = Vector::Zero(problem.size());
    for (int c = 0; c < problem.contacts(); ++c) r[problem.dimension * c] = of_normals[c];
    return r;
  };
  if (normals.feasible && feasible) *feasible = with_tangents(*normals.feasible);
  return normals.ray ? checked(problem, with_tangents(*normals.ray)) : std::nullopt;
}

}  // namespace perp
