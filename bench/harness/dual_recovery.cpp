#include <perp/bench/harness/dual_recovery.hpp>

#include <Eigen/QR>
#include <algorithm>
#include <cmath>
#include <perp/problems/matrix/infinity.hpp>
#include <perp/problems/standard/verifier.hpp>
#include <perp/solvers/interior_point/interior_point.hpp>
#include <utility>
#include <vector>

namespace perp {

namespace {

constexpr int kMostColumns = 3000;                     // of E: its least squares are dense
constexpr double kMostEntries = 1e7;                   // of A as a dense matrix, 80 MB
constexpr Eigen::Index kMostConicEntries = 1'000'000;  // of G: some seconds if it is dense
constexpr double kConeAccuracy = 1e-12;
constexpr double kWeight = 1e8;     // of squares: a gap of kConeAccuracy is a residual of 1e-10
constexpr double kOnBorder = 1e-6;  // of a part at a tip: relative distance from the border
constexpr double kLevels[] = {1.0, 1e2,
                              1e4};  // multiples of the tolerance that are tried as limit for zero

// A column of E in y = E alpha, which describes the face of K* that s allows.
struct FaceColumn {
  std::vector<std::pair<int, double>> entries;  // row of y and value
  bool free = false;                            // if not: alpha >= 0
};
struct Tip {
  int column, size;  // of its first column; its part of y must be in the cone
};
struct Face {
  std::vector<FaceColumn> columns;
  std::vector<Tip> tips;
};

// (||x||, -x) for s = (t, x): the ray of the dual cone that is possible if s is on the border.
FaceColumn ray_of(const Vector& s, int row, int size) {
  const Vector x = s.segment(row + 1, size - 1);
  FaceColumn ray;
  ray.entries.emplace_back(row, x.norm());
  for (int i = 1; i < size; ++i) ray.entries.emplace_back(row + i, -x[i - 1]);
  return ray;
}

Face face_at(const ConicQp& problem, const Vector& s, double zero) {
  Face face;
  int row = 0;
  for (const Cone& cone : problem.cones) {
    const bool second = cone.type == ConeType::kSecondOrder;
    const double size = second ? s.segment(row, cone.size).norm() : 0.0;
    const double depth = second ? s[row] - s.segment(row + 1, cone.size - 1).norm()
                                : 0.0;  // distance from the border of the cone
    if (second && size > zero) {
      if (depth <= zero) face.columns.push_back(ray_of(s, row, cone.size));
    } else {
      if (second) face.tips.push_back({static_cast<int>(face.columns.size()), cone.size});
      for (int i = row; i < row + cone.size; ++i) {
        if (cone.type == ConeType::kNonnegative && s[i] > zero) continue;
        face.columns.push_back({{{i, 1.0}}, cone.type != ConeType::kNonnegative});
      }
    }
    row += cone.size;
  }
  return face;
}

// Of A'y + g = G alpha + g, with y = E alpha.
DenseMatrix gradients_of(const Face& face, const DenseMatrix& At) {
  DenseMatrix G = DenseMatrix::Zero(At.rows(), static_cast<int>(face.columns.size()));
  for (int j = 0; j < G.cols(); ++j) {
    for (const auto& [row, value] : face.columns[static_cast<std::size_t>(j)].entries)
      G.col(j) += value * At.col(row);
  }
  return G;
}

// min ||G alpha + g||, with alpha >= 0 for the columns that are not free.
class LeastSquares {
 public:
  LeastSquares(const DenseMatrix& G, const Vector& g, const std::vector<bool>& free)
      : G_(G), g_(g), free_(free), alpha_(Vector::Zero(G.cols())), passive_(free_.size(), true) {}

  Vector solve() {
    const auto n = static_cast<int>(free_.size());
    if (n == 0) return alpha_;
    Vector best = solve_passive();  // without signs
    for (int j = 0; j < n; ++j) {
      passive_[j] = free_[j] || best[j] > 0;
      alpha_[j] = passive_[j] ? best[j] : 0.0;
    }
    const double small = 1e-13 * std::max(1.0, G_.cwiseAbs().maxCoeff()) * g_.norm();
    for (int round = 0; round < 3 * n + 10; ++round) {
      step_to_passive();
      const Vector gain = -(G_.transpose() * (G_ * alpha_ + g_));
      int next = -1;
      for (int j = 0; j < n; ++j) {
        if (!passive_[j] && gain[j] > small && (next < 0 || gain[j] > gain[next])) next = j;
      }
      if (next < 0) break;
      passive_[next] = true;
    }
    return alpha_;
  }

 private:
  Vector solve_passive() const {
    std::vector<int> chosen;
    for (int j = 0; j < static_cast<int>(passive_.size()); ++j) {
      if (passive_[j]) chosen.push_back(j);
    }
    Vector full = Vector::Zero(alpha_.size());
    if (chosen.empty()) return full;
    const DenseMatrix part = G_(Eigen::all, chosen);
    const Vector found = Eigen::CompleteOrthogonalDecomposition<DenseMatrix>(part).solve(-g_);
    for (std::size_t k = 0; k < chosen.size(); ++k) full[chosen[k]] = found[static_cast<int>(k)];
    return full;
  }

  // Steps towards the minimum over the passive columns as far as the signs allow. A column that
  // reaches zero leaves the passive set.
  void step_to_passive() {
    while (true) {
      const Vector target = solve_passive();
      double length = 1.0;
      int blocking = -1;
      for (int j = 0; j < target.size(); ++j) {
        if (!passive_[j] || free_[j] || target[j] > 0) continue;
        const double way = alpha_[j] - target[j];
        const double part = way > 0 ? alpha_[j] / way : 0.0;
        if (blocking < 0 || part < length) {
          length = part;
          blocking = j;
        }
      }
      alpha_ += std::min(1.0, length) * (target - alpha_);
      if (blocking < 0) return;
      passive_[blocking] = false;
      alpha_[blocking] = 0.0;
    }
  }

  const DenseMatrix& G_;
  const Vector& g_;
  const std::vector<bool> free_;
  Vector alpha_;
  std::vector<bool> passive_;
};

Vector dual_of(const Face& face, const Vector& alpha, Eigen::Index rows) {
  Vector y = Vector::Zero(rows);
  for (std::size_t j = 0; j < face.columns.size(); ++j) {
    for (const auto& [row, value] : face.columns[j].entries)
      y[row] += value * alpha[static_cast<int>(j)];
  }
  return y;
}

// Tips are not looked at: their parts of y may be outside the cone.
Vector least_squares_on(const Face& face, const DenseMatrix& At, const Vector& g) {
  std::vector<bool> free;
  for (const FaceColumn& column : face.columns) free.push_back(column.free);
  return LeastSquares(gradients_of(face, At), g, free).solve();
}

// The same with the parts at tips in their cones:
//   min kWeight/2 ||w||^2, G alpha - w = -g, alpha >= 0 of columns that are not free, tips in the
//   cone.
// @return nothing if interior points find no answer, or would take too long
std::optional<Vector> least_squares_in_cones(const Face& face, const DenseMatrix& At,
                                             const Vector& g) {
  const auto n = static_cast<int>(g.size()), k = static_cast<int>(face.columns.size());
  ConicQp program;
  std::vector<Triplet> rows;
  const auto in_cone = [&](ConeType type, int first, int size) {
    int row = n;
    for (const Cone& cone : program.cones) row += cone.type == ConeType::kZero ? 0 : cone.size;
    for (int i = 0; i < size; ++i) rows.emplace_back(row + i, first + i, -1.0);
    program.cones.push_back({type, size});
  };
  if (n > 0) program.cones.push_back({ConeType::kZero, n});
  for (int j = 0; j < k; ++j)
    if (!face.columns[static_cast<std::size_t>(j)].free) in_cone(ConeType::kNonnegative, j, 1);
  for (const Tip& tip : face.tips) in_cone(ConeType::kSecondOrder, tip.column, tip.size);
  const DenseMatrix G = gradients_of(face, At);
  if ((G.array() != 0.0).count() > kMostConicEntries) return {};
  for (int j = 0; j < k; ++j) {
    for (int i = 0; i < n; ++i)
      if (G(i, j) != 0.0) rows.emplace_back(i, j, G(i, j));
  }
  for (int i = 0; i < n; ++i) rows.emplace_back(i, k + i, -1.0);
  int count = 0;
  for (const Cone& cone : program.cones) count += cone.size;
  SparseMatrix a(count, k + n), p(k + n, k + n);
  a.setFromTriplets(rows.begin(), rows.end());
  for (int i = 0; i < n; ++i) p.insert(k + i, k + i) = kWeight;
  p.makeCompressed();
  program.P = Matrix(std::move(p));
  program.A = Matrix(std::move(a));
  program.c = Vector::Zero(k + n);
  program.b = Vector::Zero(count);
  program.b.head(n) = -g;
  Problem problem;
  problem.data = std::move(program);
  InteriorPoint solver;
  solver.limits.tolerance = kConeAccuracy;
  solver.prepare(problem);
  const Result& r = solver.solve();
  if (r.z.size() != k + n || !r.z.allFinite()) return {};
  return r.z.head(k);
}

// The ray nearest to the part of y at a tip in place of its columns, if that part is on the border
// of its cone, or outside. Of a part near 0 nothing is left.
void bend_tips(Face& face, const Vector& alpha) {
  std::vector<Tip> kept;
  const double none = kOnBorder * alpha.lpNorm<Eigen::Infinity>();
  for (const Tip& tip : face.tips) {
    const double t = alpha[tip.column], r = alpha.segment(tip.column + 1, tip.size - 1).norm();
    if (t - r > kOnBorder * t && t > none) {
      kept.push_back(tip);
      continue;
    }
    const int row = face.columns[static_cast<std::size_t>(tip.column)].entries.front().first;
    const bool nothing = t <= none || r == 0.0;
    for (int i = 0; i < tip.size; ++i) face.columns[static_cast<std::size_t>(tip.column + i)] = {};
    if (nothing) continue;
    FaceColumn& ray = face.columns[static_cast<std::size_t>(tip.column)];
    ray.entries.emplace_back(row, 1.0);
    for (int i = 1; i < tip.size; ++i) ray.entries.emplace_back(row + i, alpha[tip.column + i] / r);
  }
  face.tips = std::move(kept);
}

bool tips_in_cones(const Face& face, const Vector& alpha) {
  return std::ranges::all_of(face.tips, [&](const Tip& tip) {
    return alpha[tip.column] >= alpha.segment(tip.column + 1, tip.size - 1).norm();
  });
}

// alpha at tips, and 0 in other columns.
Vector of_tips(const Face& face, const Vector& alpha) {
  Vector part = Vector::Zero(alpha.size());
  for (const Tip& tip : face.tips)
    part.segment(tip.column, tip.size) = alpha.segment(tip.column, tip.size);
  return part;
}

// The y with the smallest measure so far.
class Best {
 public:
  Best(const ConicQp& problem, const Vector& x, double tolerance)
      : problem_(problem), answer_{x, Vector::Zero(problem.b.size())}, tolerance_(tolerance) {}

  void offer(const Face& face, const Vector& alpha) {
    Answer answer{answer_.z, dual_of(face, alpha, answer_.dual.size())};
    const Verdict verdict = verify(problem_, answer, tolerance_);
    solved = solved || verdict.solved;
    if (!(verdict.measure < measure_)) return;
    measure_ = verdict.measure;
    answer_ = std::move(answer);
  }
  const Vector& y() const { return answer_.dual; }

  bool solved = false;

 private:
  ProblemData problem_;
  Answer answer_;
  double tolerance_, measure_ = kInfinity;
};

}  // namespace

std::optional<Vector> recover_dual(const ConicQp& problem, const Vector& x, double tolerance) {
  const Vector s = problem.b - problem.A.multiply(x);
  const Vector g = problem.P.multiply(x) + problem.c;
  Best best(problem, x, tolerance);
  if (!s.allFinite() || !g.allFinite()) return best.y();
  if (static_cast<double>(problem.A.rows()) * problem.A.cols() > kMostEntries) return {};
  const DenseMatrix At = problem.A.to_dense().transpose();
  for (const double level : kLevels) {
    Face face = face_at(problem, s, std::max(level * tolerance, 1e-14));
    if (face.columns.size() > kMostColumns) return {};
    Vector alpha = least_squares_on(face, At, g);
    best.offer(face, alpha);
    if (best.solved) break;
    if (tips_in_cones(face, alpha)) continue;
    const auto inside = least_squares_in_cones(face, At, g);
    if (inside) {
      best.offer(face, *inside);
      alpha = *inside;
    }
    // Interior points end near the border: what is on it is found once more, to the last digits.
    // Of many answers the one beside theirs is taken, as others may be outside the cones of tips.
    bend_tips(face, alpha);
    const Vector beside = of_tips(face, alpha);
    best.offer(face, beside + least_squares_on(face, At, g + gradients_of(face, At) * beside));
    if (best.solved) break;
  }
  return best.y();
}

}  // namespace perp
