// Traffic in Wardrop's equilibrium: between two places all used routes take equally long, and no
// other route takes less time.
#include <array>
#include <perp/problems/families/mcp_classics/classic.hpp>
#include <perp/problems/matrix/infinity.hpp>

namespace perp::classics {

namespace {

// Two parallel edges joined by a bridge, 6 cars; edges take 10 f, 50 + f, 50 + f, 10 f, 10 + f.
// Unknowns: flows on the routes over, under and over the bridge, and the travel time.
Classic braess() {
  return {"braess",
          "affine and monotone; a free unknown with a zero on the diagonal",
          "Braess1968",
          {uniform("zeros", 0.0), listed("over", {6, 0, 0, 100})},
          4,
          [](int) -> Instance {
            Vector lower = Vector::Zero(4);
            lower[3] = -kInfinity;
            return {box_problem(lower, Vector::Constant(4, kInfinity),
                                [](const ExprVector& z) {
                                  const Expr first = 10 * (z[0] + z[2]), last = 10 * (z[1] + z[2]);
                                  ExprVector f(4);
                                  f << first + 50 + z[0] - z[3], last + 50 + z[1] - z[3],
                                      first + last + 10 + z[2] - z[3], z[0] + z[1] + z[2] - 6;
                                  return f;
                                }),
                    vector_of({2, 2, 2, 92}),
                    {"over", "under", "bridge", "time"}};
          }};
}

constexpr int kCities = 5;
constexpr std::array<double, kCities> kDemand = {2, 1.5, 3, 0.4, 2.5};
constexpr double kMerging = 0.5;  // delay where a ramp meets the flow on the ring

Expr delay(const Expr& flow) { return 1 + flow + flow * flow; }
int around(int city) { return ((city % kCities) + kCities) % kCities; }

// Five cities on two one-way rings, each sends to the third city on: three segments outside, or two
// segments back inside. A segment takes 10 c_s d(load), a ramp d(flow) plus the delay of the flow
// it merges with, which makes the Jacobian unsymmetric. Rows: times outside, then inside.
std::array<Expr, 2 * kCities> ring_times(const ExprVector& outer, const ExprVector& inner) {
  constexpr std::array<double, kCities> kOuter = {1, 1.5, 0.8, 1.2, 1},
                                        kInner = {2, 1, 1.6, 1.4, 3};
  std::array<Expr, 2 * kCities> times;
  for (int i = 0; i < kCities; ++i) {
    Expr& out = times[i];
    Expr& in = times[kCities + i];
    out = delay(outer[i]) + kMerging * delay(outer[around(i - 1)] + outer[around(i - 2)]);
    in = delay(inner[i]) + kMerging * delay(inner[around(i + 1)]);
    for (int k = 0; k < 3; ++k) {
      const int s = around(i + k);
      out += 10 * kOuter[s] * delay(outer[s] + outer[around(s - 1)] + outer[around(s - 2)]);
    }
    for (int k = 1; k < 3; ++k) {
      const int s = around(i - k);  // from city s + 1 to city s
      in += 10 * kInner[s] * delay(inner[around(s + 1)] + inner[around(s + 2)]);
    }
  }
  return times;
}

// The outer flows of the solution; inner flows and times follow from them.
const std::array<double, kCities> kOuterFlow = {0.99610935932561762, 0.83342228332095625,
                                                1.233276699055128, 0, 0.76513291862663435};

Instance ring_instance() {
  const auto rows = [](const ExprVector& z) {
    const auto times = ring_times(z.head(kCities), z.segment(kCities, kCities));
    ExprVector f(3 * kCities);
    for (int i = 0; i < kCities; ++i) {
      f[i] = times[i] - z[2 * kCities + i];
      f[kCities + i] = times[kCities + i] - z[2 * kCities + i];
      f[2 * kCities + i] = z[i] + z[kCities + i] - kDemand[i];
    }
    return f;
  };
  Instance made;
  Vector lower = Vector::Zero(3 * kCities);
  lower.tail(kCities).setConstant(-kInfinity);
  made.mcp = box_problem(lower, Vector::Constant(3 * kCities, kInfinity), rows);
  name_variables(made.variables, "outer", kCities);
  name_variables(made.variables, "inner", kCities);
  name_variables(made.variables, "time", kCities);
  Vector z = Vector::Zero(3 * kCities);
  for (int i = 0; i < kCities; ++i) {
    z[i] = kOuterFlow[i];
    z[kCities + i] = kDemand[i] - kOuterFlow[i];
  }
  const Vector f = made.mcp.evaluate(z);  // rows of time 0
  for (int i = 0; i < kCities; ++i) z[2 * kCities + i] = f[z[i] > 0 ? i : kCities + i];
  made.solution = z;
  return made;
}

Instance ring_difference_instance() {
  const auto rows = [](const ExprVector& outer) {
    ExprVector inner(kCities), f(kCities);
    for (int i = 0; i < kCities; ++i) inner[i] = kDemand[i] - outer[i];
    const auto times = ring_times(outer, inner);
    for (int i = 0; i < kCities; ++i) f[i] = times[i] - times[kCities + i];
    return f;
  };
  const Vector demand = Eigen::Map<const Vector>(kDemand.data(), kCities);
  return {box_problem(Vector::Zero(kCities), demand, rows),
          Vector(Eigen::Map<const Vector>(kOuterFlow.data(), kCities)),
          {}};
}

}  // namespace

// The rings follow the example of [BertsekasGafni1982]; the numbers are ours.
std::vector<Classic> traffic_classics() {
  return {braess(),
          {"bertsekas",
           "flows on two rings and free travel times; F' is not symmetric",
           "BertsekasGafni1982",
           {uniform("zeros", 0.0), uniform("ones", 1.0), uniform("hundreds", 100.0)},
           3 * kCities,
           [](int) { return ring_instance(); }},
          {"gafni",
           "the same as a variational inequality over a box: outer flows, difference of the times",
           "BertsekasGafni1982",
           {uniform("zeros", 0.0),
            uniform("ones", 1.0),
            {"demand", [](const Mcp& mcp) { return mcp.upper; }}},
           kCities,
           [](int) { return ring_difference_instance(); }}};
}

}  // namespace perp::classics
