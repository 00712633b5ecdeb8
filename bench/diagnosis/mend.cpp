#include <perp/bench/diagnosis/mend.hpp>

#include <algorithm>
#include <cmath>
#include <perp/bench/analysis/contact_groups.hpp>
#include <perp/problems/matrix/infinity.hpp>
#include <perp/problems/standard/reductions.hpp>
#include <perp/solvers/pivoting/farkas.hpp>
#include <perp/solvers/router.hpp>

namespace perp {

namespace {

constexpr double kMendTolerance = 1e-10;  // tolerance of the linear program for q
constexpr double kNoChange = 1e-9;        // changes of q below this share of its size are rounding

std::optional<Mlcp> linear_form(const Problem& problem) {
  if (const auto* lcp = std::get_if<Lcp>(&problem.data)) return to_mlcp(*lcp);
  if (const auto* mlcp = std::get_if<Mlcp>(&problem.data)) return *mlcp;
  if (const auto* qp = std::get_if<BoxQp>(&problem.data)) return to_mlcp(*qp);
  return {};
}

VerifiedResult solve(ProblemData data, std::string solver, double tolerance, double time_limit) {
  Problem problem;
  problem.data = std::move(data);
  SolveRequest request;
  request.solver = std::move(solver);
  request.limits.tolerance = tolerance;
  request.limits.time_limit = time_limit;
  request.look_for_vacuous = false;
  return solve_verified(problem, request);
}

// Rows of a linear program over (z, p, m). The change of q is p - m, with p and m at least 0.
class Rows {
 public:
  explicit Rows(int unknowns) : unknowns_(unknowns) {}
  // Adds the row: sum of entries <= limit.
  void add(const std::vector<std::pair<int, double>>& entries, double limit) {
    for (const auto& [column, value] : entries) triplets_.emplace_back(count_, column, value);
    limits_.push_back(limit);
    ++count_;
  }
  ConicQp program(const Vector& cost) const {
    ConicQp qp;
    qp.P = Matrix(SparseMatrix(unknowns_, unknowns_));
    qp.c = cost;
    qp.A = Matrix::from_triplets(count_, unknowns_, triplets_);
    qp.b = Eigen::Map<const Vector>(limits_.data(), count_);
    qp.cones.push_back({ConeType::kNonnegative, count_});
    return qp;
  }

 private:
  int unknowns_, count_ = 0;
  std::vector<Triplet> triplets_;
  std::vector<double> limits_;
};

ConicQp least_change(const Mlcp& p) {
  const int n = p.size();
  Rows rows(3 * n);
  const DenseMatrix m = p.M.to_dense();
  for (int i = 0; i < n; ++i) {
    const bool below = p.lower[i] > -kInfinity, above = p.upper[i] < kInfinity;
    if (below) rows.add({{i, -1.0}}, -p.lower[i]);
    if (above) rows.add({{i, 1.0}}, p.upper[i]);
    rows.add({{n + i, -1.0}}, 0.0);
    rows.add({{2 * n + i, -1.0}}, 0.0);
    for (const double sign : {-1.0, 1.0}) {  // F_i + d_i >= 0, or <= 0
      if ((sign < 0 && above) || (sign > 0 && below)) continue;
      std::vector<std::pair<int, double>> entries = {{n + i, sign}, {2 * n + i, -sign}};
      for (int j = 0; j < n; ++j) {
        if (m(i, j) != 0.0) entries.emplace_back(j, sign * m(i, j));
      }
      rows.add(entries, -sign * p.q[i]);
    }
  }
  Vector cost = Vector::Ones(3 * n);
  cost.head(n).setZero();
  return rows.program(cost);
}

std::optional<Mend> mend_q(const Mlcp& p, double tolerance, double time_limit) {
  const int n = p.size();
  const VerifiedResult found = solve(least_change(p), "interior-point", kMendTolerance, time_limit);
  if (found.status != Status::kSolved) return {};
  const Vector& x = found.answer.z;
  const Vector change = x.segment(n, n) - x.tail(n);
  const double size = std::max(1.0, p.q.size() > 0 ? p.q.cwiseAbs().maxCoeff() : 0.0);
  Mend mend{"q", change.cwiseAbs().sum(), {}};
  if (mend.amount <= kNoChange * size) return {};
  for (int i = 0; i < n; ++i) {
    if (std::abs(change[i]) > kNoChange * size) mend.rows.emplace_back(i, change[i]);
  }
  Mlcp changed = p;
  // Changes q by a little more, so that rounding does not decide; but not that of equations, which
  // may contradict each other then.
  for (int i = 0; i < n; ++i) {
    const bool free = std::isinf(p.lower[i]) && std::isinf(p.upper[i]);
    changed.q[i] += change[i] * (free ? 1.0 : 1.0 + 1e-6);
  }
  mend.solved = solve(std::move(changed), "auto", tolerance, time_limit).status == Status::kSolved;
  return mend;
}

std::optional<Mend> mend_compliance(const Mlcp& p, double tolerance, double time_limit) {
  const double largest = p.M.max_abs(), size = largest > 0 ? largest : 1.0;
  for (int power = -10; power <= 0; ++power) {
    Mend mend{"compliance", size * std::pow(10.0, power), {}};
    if (!std::isfinite(largest + mend.amount)) break;
    Mlcp changed = p;
    DenseMatrix m = p.M.to_dense();
    m.diagonal().array() += mend.amount;
    changed.M = std::move(m);
    mend.solved =
        solve(std::move(changed), "auto", tolerance, time_limit).status == Status::kSolved;
    if (mend.solved) return mend;
  }
  return {};
}

// The problem with every mu times a factor; nothing if it has no mu.
std::optional<ProblemData> with_friction(const Problem& problem, double factor) {
  if (const auto* contact = std::get_if<FrictionContact>(&problem.data)) {
    FrictionContact changed = *contact;
    changed.mu *= factor;
    return changed;
  }
  const auto* lcp = std::get_if<Lcp>(&problem.data);
  if (!lcp) return {};
  Lcp changed = *lcp;
  DenseMatrix m = lcp->M.to_dense();
  bool any = false;
  for (const ContactGroup& g : contact_groups(problem)) {
    if (g.slip < 0) continue;
    m(g.slip, g.normal) *= factor;
    any = true;
  }
  if (!any) return {};
  changed.M = std::move(m);
  return changed;
}

std::optional<Mend> mend_friction(const Problem& problem, double tolerance, double time_limit) {
  const auto solved = [&](double factor) {
    std::optional<ProblemData> changed = with_friction(problem, factor);
    return changed &&
           solve(std::move(*changed), "auto", tolerance, time_limit).status == Status::kSolved;
  };
  if (!solved(0.0)) return {};
  double works = 0.0, fails = 1.0;
  while (fails - works > 0.01) {
    const double middle = 0.5 * (works + fails);
    (solved(middle) ? works : fails) = middle;
  }
  return Mend{"mu", works, {}, true};
}

}  // namespace

std::optional<Vector> infeasibility(const Problem& problem, double time_limit) {
  std::optional<FarkasCertificate> proof;
  if (const auto* friction = std::get_if<FrictionContact>(&problem.data)) {
    proof = find_farkas(*friction, time_limit);
  } else if (const std::optional<Mlcp> p = linear_form(problem)) {
    proof = find_farkas(*p, time_limit);
  }
  return proof && proof->check.holds ? std::optional<Vector>(proof->y) : std::nullopt;
}

std::vector<Mend> mends_of(const Problem& problem, double tolerance, double time_limit) {
  std::vector<Mend> mends;
  const auto keep = [&](std::optional<Mend> mend) {
    if (mend) mends.push_back(std::move(*mend));
  };
  if (const std::optional<Mlcp> linear = linear_form(problem)) {
    keep(mend_q(*linear, tolerance, time_limit));
    keep(mend_compliance(*linear, tolerance, time_limit));
  }
  keep(mend_friction(problem, tolerance, time_limit));
  return mends;
}

}  // namespace perp
