#include <perp/bench/harness/dual_recovery.hpp>

#include <Eigen/QR>
#include <algorithm>
#include <cmath>
#include <perp/problems/standard/verifier.hpp>
#include <utility>
#include <vector>

namespace perp {

namespace {

constexpr int kMostColumns = 3000;    // of E: its least squares are dense
constexpr double kMostEntries = 1e7;  // of A as a dense matrix, 80 MB
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

Vector least_squares_on(const Face& face, const DenseMatrix& At, const Vector& g) {
  DenseMatrix G = DenseMatrix::Zero(At.rows(), static_cast<int>(face.columns.size()));
  std::vector<bool> free;
  for (int j = 0; j < G.cols(); ++j) {
    const FaceColumn& column = face.columns[static_cast<std::size_t>(j)];
    for (const auto& [row, value] : column.entries) G.col(j) += value * At.col(row);
    free.push_back(column.free);
  }
  return LeastSquares(G, g, free).solve();
}

// If the part of y at a tip is outside the cone, replaces its columns by the ray nearest to it.
bool bend_tips(Face& face, const Vector& alpha, double slack) {
  bool bent = false;
  std::vector<Tip> kept;
  for (const Tip& tip : face.tips) {
    const double t = alpha[tip.column], r = alpha.segment(tip.column + 1, tip.size - 1).norm();
    if (t >= r - slack) {
      kept.push_back(tip);
      continue;
    }
    bent = true;
    const int row = face.columns[static_cast<std::size_t>(tip.column)].entries.front().first;
    const bool polar = -t >= r;  // the nearest point of the cone is 0
    FaceColumn ray;
    ray.entries.emplace_back(row, polar ? 0.0 : 1.0);
    for (int i = 1; i < tip.size; ++i) {
      ray.entries.emplace_back(row + i, polar ? 0.0 : alpha[tip.column + i] / r);
      face.columns[static_cast<std::size_t>(tip.column + i)] = {};
    }
    face.columns[static_cast<std::size_t>(tip.column)] = std::move(ray);
  }
  face.tips = std::move(kept);
  return bent;
}

}  // namespace

std::optional<Vector> recover_dual(const ConicQp& problem, const Vector& x, double tolerance) {
  const Vector s = problem.b - problem.A.multiply(x);
  const Vector g = problem.P.multiply(x) + problem.c;
  Vector best = Vector::Zero(s.size());
  double best_measure = std::numeric_limits<double>::infinity();
  if (!s.allFinite() || !g.allFinite()) return best;
  if (static_cast<double>(problem.A.rows()) * problem.A.cols() > kMostEntries) return {};
  const DenseMatrix At = problem.A.to_dense().transpose();
  for (const double level : kLevels) {
    Face face = face_at(problem, s, std::max(level * tolerance, 1e-14));
    if (face.columns.size() > kMostColumns) return {};
    Vector alpha = least_squares_on(face, At, g);
    while (bend_tips(face, alpha, 0.1 * tolerance)) alpha = least_squares_on(face, At, g);
    const Vector y = dual_of(face, alpha, s.size());
    const Verdict verdict = verify(ProblemData(problem), {x, y}, tolerance);
    if (!(verdict.measure < best_measure)) continue;
    best = y;
    best_measure = verdict.measure;
    if (verdict.solved) break;
  }
  return best;
}

}  // namespace perp
