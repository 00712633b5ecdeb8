// Factorisations on several threads have the bits of one.
#include <gtest/gtest.h>

#include <perp/problems/limits/call_context.hpp>
#include <perp/problems/matrix/matrix.hpp>
#include <perp/problems/standard/random.hpp>
#include <perp/problems/standard/verifier.hpp>
#include <perp/solvers/linear_algebra/supernodal_ldl.hpp>
#include <perp/solvers/linear_algebra/thread_team.hpp>
#include <perp/solvers/registry.hpp>

#include <algorithm>
#include <cstdlib>
#include <limits>
#include <numeric>
#include <optional>
#include <stdexcept>
#include <thread>
#include <vector>

using namespace perp;

namespace {

// Piles of bodies on cubic grids that do not touch each other. Each body has six unknowns and is
// coupled with its up to 26 neighbours. Diagonally dominant; pivots of odd bodies are negative.
struct Piles {
  explicit Piles(const std::vector<int>& sides) {
    Random random(1);
    int before = 0;
    for (const int side : sides) {
      for (int b = 0; b < side * side * side; ++b) add_body(before, b, side, random);
      before += side * side * side;
    }
  }
  void add_body(int before, int b, int side, Random& random) {
    const auto touches = [&](int other) {
      return std::abs(other % side - b % side) <= 1 &&
             std::abs(other / side % side - b / side % side) <= 1 &&
             std::abs(other / (side * side) - b / (side * side)) <= 1;
    };
    for (int j = 0; j < kUnknowns; ++j) {
      for (int other = 0; other <= b; ++other) {
        if (!touches(other)) continue;
        for (int i = 0; i < (other == b ? j + 1 : kUnknowns); ++i) {
          const int row = kUnknowns * (before + other) + i;
          const bool diagonal = other == b && i == j;
          rows.push_back(row);
          values.push_back(diagonal ? (b % 2 == 0 ? kDiagonal : -kDiagonal)
                                    : random.uniform(-1, 1));
        }
      }
      starts.push_back(static_cast<int>(rows.size()));
      groups.push_back(before + b);
      signs.push_back(b % 2 == 0 ? 1 : -1);
    }
  }
  int size() const { return static_cast<int>(groups.size()); }
  Vector multiply(const Vector& x) const {
    Vector y = Vector::Zero(size());
    for (int j = 0; j < size(); ++j) {
      for (int k = starts[j]; k < starts[j + 1]; ++k) {
        y[rows[k]] += values[k] * x[j];
        if (rows[k] != j) y[j] += values[k] * x[rows[k]];
      }
    }
    return y;
  }
  // The place of a diagonal entry in the pattern.
  int diagonal(int j) const { return starts[j + 1] - 1; }

  static constexpr int kUnknowns = 6;
  static constexpr double kDiagonal = 27.0 * kUnknowns;
  std::vector<int> starts{0}, rows, groups;
  std::vector<double> values;
  std::vector<signed char> signs;
};

// Also with a team that is kept for another call.
TEST(ThreadTeam, WorksInTheContextOfItsCaller) {
  ThreadTeam team(3);
  std::vector<void*> seen(static_cast<std::size_t>(team.size()));
  const auto look = [&](int k) { seen[static_cast<std::size_t>(k)] = call_context(); };
  int calls[2] = {};
  for (int& call : calls) {
    const CallContext of_this_call(&call);
    team.run(look);
    EXPECT_EQ(seen, std::vector<void*>(seen.size(), &call));
  }
  EXPECT_EQ(call_context(), nullptr);
  team.run(look);
  EXPECT_EQ(seen, std::vector<void*>(seen.size(), nullptr));
}

TEST(ThreadTeam, EachThreadHasOneShareOfEachPieceOfWork) {
  for (const int threads : {1, 2, 5}) {
    ThreadTeam team(threads);
    ASSERT_EQ(team.size(), threads);
    std::vector<int> calls(threads, 0);
    std::vector<std::thread::id> ids(threads);
    for (int round = 0; round < 1000; ++round) {
      team.run([&](int k) {
        ++calls[k];
        ids[k] = std::this_thread::get_id();
      });
      // run() has ended, so nobody writes now.
      ASSERT_EQ(std::accumulate(calls.begin(), calls.end(), 0), (round + 1) * threads);
    }
    EXPECT_EQ(calls, std::vector<int>(threads, 1000));
    EXPECT_EQ(ids[0], std::this_thread::get_id());
    std::sort(ids.begin(), ids.end());
    EXPECT_EQ(std::unique(ids.begin(), ids.end()), ids.end());
  }
}

TEST(SupernodalLdl, ThreadsGiveTheBitsOfOne) {
  for (const Piles& piles : {Piles({6}), Piles({5, 3, 5}), Piles({1, 6})}) {
    SupernodalLdl alone;
    alone.analyse(piles.size(), piles.starts, piles.rows, piles.signs, piles.groups);
    ASSERT_TRUE(alone.factor(piles.values, 1e-25, 1e-12));
    const Vector x = Vector::LinSpaced(piles.size(), -1, 1), b = piles.multiply(x);
    Vector expected = b;
    alone.solve(expected.data());
    EXPECT_LE((expected - x).cwiseAbs().maxCoeff(), 1e-12);
    for (const int threads : {2, 3, 8}) {
      ASSERT_GT(assembly_tree(piles.starts, piles.rows, piles.groups, {}, threads).subtrees.size(),
                1u);
      SupernodalLdl ldl;
      ldl.analyse(piles.size(), piles.starts, piles.rows, piles.signs, piles.groups, {}, threads);
      for (int k = 0; k < 5; ++k) {
        ASSERT_TRUE(ldl.factor(piles.values, 1e-25, 1e-12));
        Vector y = b;
        ldl.solve(y.data());
        EXPECT_EQ(y, expected);  // bit for bit
        Vector two(2 * piles.size());
        two << b, b;
        ldl.solve(two.data(), 2);
        EXPECT_EQ(two.head(piles.size()), expected);
        EXPECT_EQ(two.tail(piles.size()), expected);
      }
    }
  }
}

// Which pivots are replaced, and which of them is the first, does not depend on who comes first.
TEST(SupernodalLdl, ThreadsReplaceTheSamePivots) {
  Piles piles({6});
  for (const int j : {100, 700, 701, 1290})
    piles.values[piles.diagonal(j)] = -piles.values[piles.diagonal(j)];
  SupernodalLdl alone;
  alone.analyse(piles.size(), piles.starts, piles.rows, piles.signs, piles.groups);
  ASSERT_TRUE(alone.factor(piles.values, 1e-25, Piles::kDiagonal));
  ASSERT_GE(alone.substituted(), 4);
  for (const int threads : {2, 3}) {
    SupernodalLdl ldl;
    ldl.analyse(piles.size(), piles.starts, piles.rows, piles.signs, piles.groups, {}, threads);
    for (int k = 0; k < 5; ++k) {
      ASSERT_TRUE(ldl.factor(piles.values, 1e-25, Piles::kDiagonal));
      EXPECT_EQ(ldl.substituted(), alone.substituted());
      EXPECT_EQ(ldl.first_substituted(), alone.first_substituted());
      EXPECT_EQ(ldl.first_substituted_row(), alone.first_substituted_row());
    }
  }
}

TEST(SupernodalLdl, ThreadsTellEntriesThatAreNotFinite) {
  const Piles piles({6});
  SupernodalLdl ldl;
  ldl.analyse(piles.size(), piles.starts, piles.rows, piles.signs, piles.groups, {}, 3);
  for (int j = 0; j < piles.size(); j += 97) {
    std::vector<double> values = piles.values;
    values[piles.diagonal(j)] = std::numeric_limits<double>::quiet_NaN();
    EXPECT_FALSE(ldl.factor(values, 1e-25, 1e-12));
  }
  EXPECT_TRUE(ldl.factor(piles.values, 1e-25, 1e-12));
}

// Every front is in one subtree or above them all, the subtrees need nothing of one another, and
// their updates share no memory.
TEST(AssemblyTree, SubtreesShareNothing) {
  const Piles piles({5, 3, 5});
  const AssemblyTree tree = assembly_tree(piles.starts, piles.rows, piles.groups, {}, 3);
  const int fronts = static_cast<int>(tree.fronts.size());
  std::vector<int> owner(fronts, -1);
  for (int s = 0; s < static_cast<int>(tree.subtrees.size()); ++s) {
    for (int f = tree.subtrees[s].begin; f < tree.subtrees[s].end; ++f) {
      ASSERT_EQ(owner[f], -1);
      owner[f] = s;
    }
  }
  for (const int f : tree.above) {
    ASSERT_EQ(owner[f], -1);
    owner[f] = fronts;
  }
  std::vector<int> writer(tree.updates_size, -1);
  for (int f = 0; f < fronts; ++f) {
    ASSERT_GE(owner[f], 0);
    const Front& front = tree.fronts[f];
    if (front.parent >= 0) {
      EXPECT_TRUE(owner[front.parent] == owner[f] || owner[front.parent] == fronts);
    }
    for (long k = front.update; k < front.update + front.update_size(); ++k) {
      EXPECT_TRUE(writer[k] == -1 || writer[k] == owner[f]);
      writer[k] = owner[f];
    }
  }
}

// A box QP whose Hessian is that of a pile.
Problem pile_qp() {
  const Piles piles({6});
  std::vector<Eigen::Triplet<double>> entries;
  for (int j = 0; j < piles.size(); ++j) {
    for (int k = piles.starts[j]; k < piles.starts[j + 1]; ++k) {
      const double value = piles.rows[k] == j ? Piles::kDiagonal : piles.values[k];
      entries.emplace_back(piles.rows[k], j, value);
      if (piles.rows[k] != j) entries.emplace_back(j, piles.rows[k], value);
    }
  }
  SparseMatrix hessian(piles.size(), piles.size());
  hessian.setFromTriplets(entries.begin(), entries.end());
  BoxQp qp;
  qp.H = Matrix(hessian);
  qp.c = Vector::LinSpaced(piles.size(), -100, 100);
  qp.lower = Vector::Constant(piles.size(), -0.3);
  qp.upper = Vector::Constant(piles.size(), 0.3);
  Problem problem;
  problem.data = qp;
  return problem;
}

TEST(Solver, ThreadsGiveTheBitsOfOne) {
  const Problem problem = pile_qp();
  std::optional<Vector> expected;
  for (const int threads : {1, 3}) {
    const auto solver = make_solver("interior-point");
    solver->limits.threads = threads;
    solver->prepare(problem);
    const Result& result = solver->solve();
    ASSERT_EQ(result.status, Status::kSolved);
    EXPECT_TRUE(verify(problem, {result.z, {}}, 1e-8).solved);
    if (!expected) expected = result.z;
    EXPECT_EQ(result.z, *expected);  // bit for bit
  }
}

TEST(Solver, NeedsAThread) {
  const auto solver = make_solver("interior-point");
  solver->limits.threads = 0;
  EXPECT_THROW(solver->prepare(pile_qp()), std::invalid_argument);
}

}  // namespace
