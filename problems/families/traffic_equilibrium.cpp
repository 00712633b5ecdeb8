// Traffic in Wardrop's equilibrium, by arcs and destinations [AashtianiMagnanti1981],
// [FerrisMeerausRutherford1999]. A network has N nodes, A arcs and D destinations. The unknowns
// are,
// in this order,
//   x (D A)        flow to destination d on arc a = (i, j)  >= 0  _|_  p_a + t_jd - t_id >= 0
//   t (D (N - 1))  least time from node i to d      >= 0  _|_  out_i x - in_i x - demand_id >= 0
//   f (A)          load of arc a                    free  _|_  c_a(f_a) - p_a = 0
//   p (A)          time that arc a takes            free  _|_  f_a - sum_d x_da = 0
// with t_dd = 0 and the times c_a(f) = t0_a (1 + 0.15 (f / k_a)^4) of the Bureau of Public Roads
// [BureauPublicRoads1964]. F' is skew except for c_a' on the diagonal, so F is monotone if no load
// is negative. At zero flow c_a' = 0.
#include <perp/problems/families/equilibrium.hpp>

#include <fmt/format.h>
#include <cmath>
#include <limits>
#include <perp/problems/expression/expr.hpp>
#include <perp/problems/matrix/infinity.hpp>
#include <perp/problems/standard/random.hpp>
#include <queue>
#include <utility>

namespace perp {

namespace {

constexpr double kDelay =
    0.15;  // relative delay if the load equals the capacity [BureauPublicRoads1964]

struct Arc {
  int tail, head;
  double free_time = 0.0, capacity = 1.0;
};

struct Traffic {
  int nodes, destinations;
  std::vector<Arc> arcs;
  DenseMatrix demand;  // nodes x destinations, zero from a destination to itself

  int arc_count() const { return static_cast<int>(arcs.size()); }
  int size() const { return destinations * (arc_count() + nodes - 1) + 2 * arc_count(); }
  int flow(int destination, int arc) const { return destination * arc_count() + arc; }
  // -1 for the destination itself: its time is 0 and no unknown.
  int time(int destination, int node) const {
    if (node == destination) return -1;
    const int first = destinations * arc_count() + destination * (nodes - 1);
    return first + (node < destination ? node : node - 1);
  }
  int load(int arc) const { return destinations * (arc_count() + nodes - 1) + arc; }
  int delay(int arc) const { return load(arc) + arc_count(); }
};

// Nodes row by row on a grid about as high as wide, a road both ways between neighbours.
std::vector<Arc> grid_of_roads(int nodes) {
  const int width = static_cast<int>(std::ceil(std::sqrt(nodes)));
  std::vector<Arc> arcs;
  const auto add_road = [&](int a, int b) {
    arcs.push_back({a, b});
    arcs.push_back({b, a});
  };
  for (int i = 0; i < nodes; ++i) {
    if (i % width + 1 < width && i + 1 < nodes) add_road(i, i + 1);
    if (i + width < nodes) add_road(i, i + width);
  }
  return arcs;
}

// From every node there is traffic to all destinations; it is proportional to the masses of both.
DenseMatrix draw_demand(Random& random, int nodes, int destinations) {
  Vector mass(nodes);
  for (double& value : mass) value = random.uniform(0.2, 1.0);
  DenseMatrix demand = mass * mass.head(destinations).transpose();
  for (int d = 0; d < destinations; ++d) demand(d, d) = 0.0;
  return demand;
}

// Dijkstra's method from every node to one.
Vector least_times(const Traffic& traffic, const Vector& times, int destination) {
  std::vector<std::vector<int>> into(traffic.nodes);
  for (int a = 0; a < traffic.arc_count(); ++a) into[traffic.arcs[a].head].push_back(a);
  Vector least = Vector::Constant(traffic.nodes, kInfinity);
  least[destination] = 0.0;
  using Entry = std::pair<double, int>;
  std::priority_queue<Entry, std::vector<Entry>, std::greater<>> open;
  open.push({0.0, destination});
  while (!open.empty()) {
    const auto [time, node] = open.top();
    open.pop();
    if (time > least[node]) continue;
    for (const int a : into[node]) {
      const int tail = traffic.arcs[a].tail;
      if (time + times[a] >= least[tail]) continue;
      least[tail] = time + times[a];
      open.push({least[tail], tail});
    }
  }
  return least;
}

// The nodes from the farthest to the destination.
std::vector<int> by_distance(const Vector& least) {
  std::vector<int> order(least.size());
  for (int i = 0; i < static_cast<int>(order.size()); ++i) order[i] = i;
  std::ranges::sort(
      order, [&](int a, int b) { return least[a] != least[b] ? least[a] > least[b] : a < b; });
  return order;
}

// Sends the demand along arcs that lie on shortest ways. If there are several, `shares` (if given)
// divides the demand at random, some shares being zero; else all of it takes the first.
Vector flows_on_shortest(const Traffic& traffic, const Vector& times, const Vector& least,
                         int destination, Random* shares) {
  Vector flow = Vector::Zero(traffic.arc_count()), through = traffic.demand.col(destination);
  for (const int node : by_distance(least)) {
    if (node == destination) continue;
    std::vector<int> ways;
    for (int a = 0; a < traffic.arc_count(); ++a) {
      const Arc& arc = traffic.arcs[a];
      if (arc.tail == node && times[a] + least[arc.head] == least[node]) ways.push_back(a);
    }
    Vector part = Vector::Zero(ways.size());
    part[0] = 1.0;
    if (shares) {
      for (double& value : part) {
        const double kind = shares->uniform(), share = shares->uniform(0.1, 1.0);
        value = kind < 0.3 ? 0.0 : share;
      }
      if (part.sum() == 0.0) part[0] = 1.0;
    }
    part /= part.sum();
    for (std::size_t k = 0; k < ways.size(); ++k) {
      flow[ways[k]] = part[static_cast<int>(k)] * through[node];
      through[traffic.arcs[ways[k]].head] += flow[ways[k]];
    }
  }
  return flow;
}

// Arcs of random length; capacities about the mean load of the shortest ways, over `congestion`.
void draw_roads(Random& random, double congestion, Traffic& traffic) {
  Vector times(traffic.arc_count()), loads = Vector::Zero(traffic.arc_count());
  for (double& time : times) time = random.uniform(2.0, 6.0);
  for (int d = 0; d < traffic.destinations; ++d)
    loads += flows_on_shortest(traffic, times, least_times(traffic, times, d), d, nullptr);
  for (int a = 0; a < traffic.arc_count(); ++a) {
    traffic.arcs[a].free_time = times[a];
    traffic.arcs[a].capacity = random.uniform(0.5, 1.5) * loads.mean() / congestion;
  }
}

// Chooses first the times of the arcs in equilibrium, whole numbers so that several ways take
// equally long; then flows on these ways; then roads that take these times under these loads.
Vector plant_equilibrium(Random& random, double congestion, Traffic& traffic) {
  const int arcs = traffic.arc_count();
  Vector times(arcs), loads = Vector::Zero(arcs), z = Vector::Zero(traffic.size());
  for (double& time : times) time = 2.0 + random.index(4);
  for (int d = 0; d < traffic.destinations; ++d) {
    const Vector least = least_times(traffic, times, d);
    const Vector flow = flows_on_shortest(traffic, times, least, d, &random);
    loads += flow;
    z.segment(traffic.flow(d, 0), arcs) = flow;
    for (int i = 0; i < traffic.nodes; ++i)
      if (i != d) z[traffic.time(d, i)] = least[i];
  }
  for (int a = 0; a < arcs; ++a) {
    const double ratio = congestion * random.uniform(0.3, 1.5);
    traffic.arcs[a].capacity = loads[a] > 0 ? loads[a] / ratio : loads.mean();
    const double used = loads[a] / traffic.arcs[a].capacity;
    traffic.arcs[a].free_time = times[a] / (1.0 + kDelay * std::pow(used, 4));
    z[traffic.load(a)] = loads[a];
    z[traffic.delay(a)] = times[a];
  }
  return z;
}

ExprVector equilibrium_rows(const Traffic& traffic, const ExprVector& z) {
  const auto time = [&](int d, int node) {
    const int at = traffic.time(d, node);
    return at < 0 ? Expr(0.0) : z[at];
  };
  ExprVector f(traffic.size());
  for (int d = 0; d < traffic.destinations; ++d) {
    for (int i = 0; i < traffic.nodes; ++i)
      if (i != d) f[traffic.time(d, i)] = -traffic.demand(i, d);
    for (int a = 0; a < traffic.arc_count(); ++a) {
      const Arc& arc = traffic.arcs[a];
      f[traffic.flow(d, a)] = z[traffic.delay(a)] + time(d, arc.head) - time(d, arc.tail);
      if (arc.tail != d) f[traffic.time(d, arc.tail)] += z[traffic.flow(d, a)];
      if (arc.head != d) f[traffic.time(d, arc.head)] -= z[traffic.flow(d, a)];
    }
  }
  for (int a = 0; a < traffic.arc_count(); ++a) {
    const Arc& arc = traffic.arcs[a];
    const Expr used = z[traffic.load(a)] / arc.capacity, square = used * used;
    f[traffic.load(a)] = arc.free_time * (1.0 + kDelay * square * square) - z[traffic.delay(a)];
    Expr balance = z[traffic.load(a)];
    for (int d = 0; d < traffic.destinations; ++d) balance -= z[traffic.flow(d, a)];
    f[traffic.delay(a)] = balance;
  }
  return f;
}

std::vector<std::string> names_of(const Traffic& traffic) {
  std::vector<std::string> names(traffic.size());
  for (int a = 0; a < traffic.arc_count(); ++a) {
    const std::string road =
        fmt::format("{}-{}", traffic.arcs[a].tail + 1, traffic.arcs[a].head + 1);
    for (int d = 0; d < traffic.destinations; ++d)
      names[traffic.flow(d, a)] = fmt::format("flow[{},to{}]", road, d + 1);
    names[traffic.load(a)] = fmt::format("load[{}]", road);
    names[traffic.delay(a)] = fmt::format("delay[{}]", road);
  }
  for (int d = 0; d < traffic.destinations; ++d) {
    for (int i = 0; i < traffic.nodes; ++i)
      if (i != d) names[traffic.time(d, i)] = fmt::format("time[{},to{}]", i + 1, d + 1);
  }
  return names;
}

ProblemData build_traffic(const FamilyRequest& r, Problem& facts) {
  Random random(r.seed);
  const double asked = r["destinations"];
  Traffic traffic{r.size, r.size, grid_of_roads(r.size), {}};
  if (asked >= 1.0 && asked < r.size) traffic.destinations = static_cast<int>(asked);
  traffic.demand = draw_demand(random, traffic.nodes, traffic.destinations);
  if (r["planted"] != 0.0) {
    facts.solution = KnownSolution{plant_equilibrium(random, r["congestion"], traffic), {}};
  } else {
    draw_roads(random, r["congestion"], traffic);
  }
  Recorder recorder;
  const ExprVector z = recorder.variables(traffic.size());
  Mcp mcp;
  mcp.graph = std::make_shared<const ExpressionGraph>(recorder.graph(equilibrium_rows(traffic, z)));
  mcp.lower = Vector::Zero(traffic.size());
  mcp.lower.tail(2 * traffic.arc_count()).setConstant(-kInfinity);
  mcp.upper = Vector::Constant(traffic.size(), kInfinity);
  facts.start = Vector::Zero(traffic.size());
  facts.variables = names_of(traffic);
  return mcp;
}

}  // namespace

Family traffic_equilibrium_family() {
  return {"traffic-equilibrium",
          "traffic in Wardrop's equilibrium on a grid of roads, from zero flow",
          "AashtianiMagnanti1981",
          "nodes N; n = D (A + N - 1) + 2 A with about 4 N arcs A",
          9,
          2,
          10000,
          KnownOutcome::kSolvable,
          true,
          {{"destinations", 0.0, "D, the first nodes; 0: all", 0.0},
           {"congestion", 1.0, "mean load over capacity, about", 0.0},
           {"planted", 1.0, "1: a degenerate solution is planted; 0: demand and roads are drawn"}},
          build_traffic};
}

}  // namespace perp
