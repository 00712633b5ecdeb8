// What several tests share.
#pragma once

#include <gtest/gtest.h>
#include <cmath>
#include <limits>
#include <map>
#include <numbers>
#include <perp/problems/families/family.hpp>
#include <perp/problems/scenes/scene_json.hpp>
#include <perp/problems/standard/random.hpp>
#include <perp/problems/standard/reductions.hpp>
#include <perp/problems/standard/verifier.hpp>
#include <perp/solvers/pivoting/lemke.hpp>
#include <string>
#include <vector>

namespace perp::test {

inline constexpr double kInf = std::numeric_limits<double>::infinity();
inline constexpr double kPi = std::numbers::pi;

inline DenseMatrix matrix(int rows, int cols, std::initializer_list<double> row_major) {
  DenseMatrix m(rows, cols);
  auto it = row_major.begin();
  for (int i = 0; i < rows; ++i) {
    for (int j = 0; j < cols; ++j) m(i, j) = *it++;
  }
  return m;
}

inline Vector vector(std::initializer_list<double> values) {
  Vector v(static_cast<Eigen::Index>(values.size()));
  std::copy(values.begin(), values.end(), v.data());
  return v;
}

inline DenseMatrix gaussian(Random& random, int rows, int cols) {
  DenseMatrix m(rows, cols);
  for (double& x : m.reshaped()) x = random.normal();
  return m;
}

inline Problem problem_of(ProblemData data) {
  Problem p;
  p.data = std::move(data);
  return p;
}

inline Problem friction(const std::string& family, int size, std::uint64_t seed,
                        const std::map<std::string, double>& parameters = {}) {
  return generate(find_family(family), size, seed, parameters);
}

inline Scene scene_of(const std::string& rest) {
  return scene_from_text(R"({"format":"perp-scene","version":1,"name":"test",)" + rest + "}",
                         "test");
}

class IterationRecords : public Observer {
 public:
  std::vector<IterationRecord> records;
  int stop_after = -1;
  bool on_iteration(const IterationRecord& r) override {
    records.push_back(r);
    return stop_after < 0 || static_cast<int>(records.size()) < stop_after;
  }
};

inline double statistic(const Result& result, std::string_view name) {
  for (const auto& [key, value] : result.statistics) {
    if (key == name) return value;
  }
  return std::nan("");
}

/// Random, integer, singular and degenerate matrices; bounds of every sort.
inline Mlcp random_box_problem(Random& random, int largest = 8) {
  const int n = 1 + random.index(largest), type = random.index(6), rank = 1 + random.index(n);
  const bool integer = type % 2 == 1;
  const auto entry = [&] {
    return integer ? static_cast<double>(random.index(5) - 2) : random.normal();
  };
  const auto fill = [&](int rows, int cols) {
    DenseMatrix a(rows, cols);
    for (double& x : a.reshaped()) x = entry();
    return a;
  };
  Mlcp p;
  if (type < 2) {
    const DenseMatrix a = fill(n, rank);
    p.M = Matrix(DenseMatrix(a * a.transpose()));
  } else if (type < 4) {
    p.M = Matrix(DenseMatrix(fill(n, rank) * fill(rank, n)));
  } else {
    DenseMatrix m = fill(n, n);
    for (double& x : m.reshaped()) x = random.uniform() < 0.3 ? 0.0 : x;
    p.M = Matrix(m);
  }
  p.q = fill(n, 1);
  p.lower = Vector::Zero(n);
  p.upper = Vector::Constant(n, kInf);
  if (random.uniform() < 0.5) return p;  // a plain LCP
  for (int i = 0; i < n; ++i) {
    const double c = random.uniform();
    if (c < 0.2)
      p.lower[i] = -kInf;
    else if (c < 0.4)
      p.lower[i] = -random.index(2), p.upper[i] = 1 + random.index(2);
    else if (c < 0.5)
      p.lower[i] = -kInf, p.upper[i] = 1;
    else if (c < 0.55)
      p.lower[i] = p.upper[i] = 1;
  }
  return p;
}

/// Friction with matrices of every sort: positive definite, rank deficient, not symmetric,
/// indefinite; 2D and 3D; mu from 0 to 1e6.
inline FrictionContact random_friction_problem(Random& random, int most_contacts = 4) {
  const int nc = 1 + random.index(most_contacts), type = random.index(4);
  FrictionContact p;
  p.dimension = 2 + random.index(2);
  const int n = p.dimension * nc, rank = type == 0 ? n : 1 + random.index(n);
  const DenseMatrix a = gaussian(random, n, rank);
  DenseMatrix w = a * a.transpose();
  if (type >= 2) w += (type == 2 ? 1e-2 : 1.0) * gaussian(random, n, n);
  if (random.index(2) == 0) {
    p.W = Matrix(w);
  } else {
    p.W = Matrix(SparseMatrix(w.sparseView()));
  }
  // Half of them could be contacts: q in the range of W, so that a solution is likely.
  p.q = random.index(2) == 0 ? Vector(gaussian(random, n, 1)) : Vector(w * gaussian(random, n, 1));
  p.mu.resize(nc);
  for (double& mu : p.mu) {
    const int kind = random.index(6);
    mu = kind == 0 ? 0.0 : kind == 1 ? 1e6 : random.uniform(0.0, 1.5);
  }
  return p;
}

/// Solves with Lemke's method and asserts that status and verifier agree.
struct Solved {
  Status status;
  Vector z;
  Verdict verdict;
  int pivots;
  std::optional<Certificate> certificate;
  double factorisations;
};

inline Solved solve_by_lemke(const Problem& problem, double tolerance = 1e-10,
                             const LemkeSettings& settings = {}) {
  Lemke lemke;
  lemke.settings = settings;
  lemke.limits.tolerance = tolerance;
  lemke.prepare(problem);
  const Result& r = lemke.solve();
  Solved s{r.status,     r.z,           verify(problem, {r.z, {}}, tolerance),
           r.iterations, r.certificate, statistic(r, "factorisations")};
  EXPECT_EQ(s.status == Status::kSolved, s.verdict.solved)
      << problem.name << " " << to_string(s.status);
  return s;
}

}  // namespace perp::test
