// Equilibria on networks: what the equations say, against the definition of the equilibrium.
#include "support.hpp"

#include <perp/problems/standard/mcp_function.hpp>
#include <perp/solvers/verified_solve.hpp>

#include <Eigen/Eigenvalues>

#include <cstdio>
#include <set>

namespace perp::test {
namespace {

// One road of a solved traffic problem, as the names of its unknowns tell.
struct Road {
  int tail = 0, head = 0;
  double load = 0.0, time = 0.0;
  std::map<int, double> flow;  // by destination
};

std::vector<Road> roads_of(const Problem& problem, const Vector& z) {
  std::map<std::pair<int, int>, Road> roads;
  for (std::size_t i = 0; i < problem.variables.size(); ++i) {
    const char* name = problem.variables[i].c_str();
    const double value = z[static_cast<int>(i)];
    int a = 0, b = 0, to = 0;
    if (std::sscanf(name, "flow[%d-%d,to%d]", &a, &b, &to) == 3) {
      roads[{a, b}].flow[to] = value;
    } else if (std::sscanf(name, "load[%d-%d]", &a, &b) == 2) {
      roads[{a, b}].load = value;
    } else if (std::sscanf(name, "delay[%d-%d]", &a, &b) == 2) {
      roads[{a, b}].time = value;
    }
  }
  std::vector<Road> list;
  for (auto& [ends, road] : roads) {
    std::tie(road.tail, road.head) = ends;
    list.push_back(road);
  }
  return list;
}

// Least times to a node by Bellman and Ford, which the family does not use.
std::map<int, double> least_times(const std::vector<Road>& roads, int to) {
  std::map<int, double> least;
  for (const Road& road : roads) least[road.tail] = kInf;
  least[to] = 0.0;
  for (std::size_t round = 0; round < least.size(); ++round) {
    for (const Road& road : roads)
      least[road.tail] = std::min(least[road.tail], road.time + least[road.head]);
  }
  return least;
}

Vector solution_of(const Problem& problem, const std::string& solver) {
  SolveRequest request;
  request.solver = solver;
  request.limits.tolerance = 1e-10;
  const VerifiedResult result = solve_verified(problem, request);
  EXPECT_EQ(result.status, Status::kSolved) << problem.name << " by " << solver;
  return result.answer.z;
}

// Wardrop's first principle, from the loads alone: who drives is on a shortest way, all arrive.
TEST(TrafficEquilibrium, WhoDrivesIsOnAShortestWay) {
  for (const double planted : {0.0, 1.0}) {
    const Problem problem = generate(find_family("traffic-equilibrium"), 9, 3,
                                     {{"planted", planted}, {"congestion", 2.0}});
    const std::vector<Road> roads = roads_of(problem, solution_of(problem, "auto"));
    ASSERT_EQ(roads.size(), 24u);
    int used = 0;
    for (int to = 1; to <= 9; ++to) {
      const auto least = least_times(roads, to);
      double leaves = 0.0, arrives = 0.0;
      for (const Road& road : roads) {
        const double flow = road.flow.at(to);
        EXPECT_GE(flow, -1e-9);
        if (road.tail == to) leaves += flow;
        if (road.head == to) arrives += flow;
        if (flow < 1e-7) continue;
        ++used;
        EXPECT_NEAR(road.time + least.at(road.head), least.at(road.tail), 1e-6);
      }
      EXPECT_NEAR(leaves, 0.0, 1e-7);
      EXPECT_GT(arrives, 0.0);
    }
    EXPECT_GT(used, 50);
    for (const Road& road : roads) {
      double sum = 0.0;
      for (const auto& [to, flow] : road.flow) sum += flow;
      EXPECT_NEAR(sum, road.load, 1e-8);
    }
  }
}

// Flows by destination need not be the only ones, loads and times are: two methods agree on them.
TEST(TrafficEquilibrium, TwoMethodsFindTheSameLoads) {
  const Problem problem = generate(find_family("traffic-equilibrium"), 12, 1, {{"planted", 0.0}});
  const auto first = roads_of(problem, solution_of(problem, "box-interior-point"));
  const auto second = roads_of(problem, solution_of(problem, "josephy-newton"));
  for (std::size_t k = 0; k < first.size(); ++k) {
    EXPECT_NEAR(first[k].load, second[k].load, 1e-6);
    EXPECT_NEAR(first[k].time, second[k].time, 1e-6);
  }
}

TEST(TrafficEquilibrium, DestinationsAndSizesAreThoseAskedFor) {
  const Problem few = generate(find_family("traffic-equilibrium"), 30, 1, {{"destinations", 2.0}});
  // 30 nodes in rows of six: 25 roads along them and 24 across, both ways.
  EXPECT_EQ(few.size(), 2 * (98 + 29) + 2 * 98);
  EXPECT_EQ(generate(find_family("traffic-equilibrium"), 24, 1).size(), 2528);
  EXPECT_EQ(generate(find_family("spatial-price"), 30, 1).size(), 1020);
  EXPECT_THROW(generate(find_family("traffic-equilibrium"), 1, 1), std::invalid_argument);
}

// (F' + F'^T) / 2 has no negative eigenvalue, and F' is not symmetric.
TEST(Equilibria, AreMonotoneAndTheGradientOfNothing) {
  Random random(5);
  for (const char* name : {"traffic-equilibrium", "spatial-price"}) {
    for (const double planted : {0.0, 1.0}) {
      const Problem problem = generate(find_family(name), 4, 2, {{"planted", planted}});
      McpFunction function(std::get<Mcp>(problem.data));
      SparseMatrix jacobian = function.pattern();
      for (int trial = 0; trial < 5; ++trial) {
        Vector z(problem.size());
        for (double& value : z) value = random.uniform(0.0, 3.0);
        function.evaluate_jacobian(z, jacobian.valuePtr());
        const DenseMatrix j(jacobian), symmetric = 0.5 * (j + j.transpose());
        EXPECT_GE(Eigen::SelfAdjointEigenSolver<DenseMatrix>(symmetric).eigenvalues().minCoeff(),
                  -1e-12 * j.norm())
            << name;
        EXPECT_GT((j - j.transpose()).norm(), 0.5) << name;
      }
    }
  }
}

// Trade pays for itself, and no one could gain by shipping more.
TEST(SpatialPrice, TradePaysForItself) {
  const Problem problem = generate(find_family("spatial-price"), 6, 4, {{"planted", 0.0}});
  const Vector z = solution_of(problem, "auto"), f = std::get<Mcp>(problem.data).evaluate(z);
  EXPECT_LT((z - solution_of(problem, "josephy-newton")).lpNorm<Eigen::Infinity>(), 1e-6);
  const int n = 6;
  int shipped = 0;
  for (int i = 0; i < n; ++i) {
    EXPECT_NEAR(z.segment(i * n, n).sum(), z[n * n + i], 1e-8);  // supply
    double received = 0.0;
    for (int j = 0; j < n; ++j) {
      received += z[j * n + i];
      if (z[i * n + j] > 1e-6) {
        ++shipped;
        EXPECT_NEAR(f[i * n + j], 0.0, 1e-8);
      } else {
        EXPECT_GE(f[i * n + j], -1e-8);
      }
    }
    EXPECT_NEAR(received, z[n * n + n + i], 1e-8);  // demand
  }
  EXPECT_GT(shipped, n / 2);
  EXPECT_EQ(std::set<std::string>(problem.variables.begin(), problem.variables.end()).size(),
            static_cast<std::size_t>(problem.size()));
}

}  // namespace
}  // namespace perp::test
