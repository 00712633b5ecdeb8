#include <perp/bench/analysis/analysis.hpp>

#include <fmt/format.h>
#include <Eigen/SVD>
#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <perp/bench/analysis/contact_groups.hpp>
#include <perp/problems/expression/graph.hpp>
#include <perp/problems/matrix/infinity.hpp>
#include <perp/problems/standard/mcp_function.hpp>
#include <perp/problems/standard/reductions.hpp>
#include <perp/problems/standard/verifier.hpp>
#include <perp/solvers/core/structure.hpp>
#include <perp/solvers/enumeration/enumerate.hpp>
#include <span>

namespace perp {

namespace {

constexpr double kNoCondition = std::numeric_limits<double>::quiet_NaN();
constexpr double kLeastTolerance = 1e-9;  // values closer than this count as equal
constexpr double kResiduals = 100.0;      // a row counts as 0 up to so many times the residual
// Relative widths of a range: a larger one is surely no point, and a smaller one surely is. Where
// solutions are redundant, the ends of a range are exact to no more than the first.
constexpr double kNoPoint = 1e-6, kPoint = 1e-8;
constexpr double kEndResidual = 1e-6;         // of an end of a range, over 1 and its entries
constexpr double kNoSlope = 1e-9;             // of a functional of norm 1 along a ray
constexpr double kEnumerationSeconds = 20.0;  // time limit of an enumeration

// Bounds and F of a problem, for the kinds that have them.
struct BoxView {
  Vector lower, upper, map;
  std::optional<Mlcp> linear;  // set for all kinds but mcp
};

std::optional<BoxView> box_view(const Problem& problem, const Vector& z) {
  if (const auto* mcp = std::get_if<Mcp>(&problem.data))
    return BoxView{mcp->lower, mcp->upper, evaluate_map(*mcp, z), {}};
  std::optional<Mlcp> linear;
  if (const auto* lcp = std::get_if<Lcp>(&problem.data)) linear = to_mlcp(*lcp);
  if (const auto* mlcp = std::get_if<Mlcp>(&problem.data)) linear = *mlcp;
  if (const auto* qp = std::get_if<BoxQp>(&problem.data)) linear = to_mlcp(*qp);
  if (!linear) return {};
  return BoxView{linear->lower, linear->upper, evaluate_map(*linear, z), linear};
}

std::vector<RowState> row_states(const Problem& problem, const BoxView& box, const Vector& z,
                                 double tolerance) {
  std::vector<RowState> rows;
  for (int i = 0; i < z.size(); ++i) {
    RowState row{problem.variable_name(i), z[i], box.map[i], "biactive"};
    const double below = z[i] - box.lower[i], above = box.upper[i] - z[i];
    if (box.lower[i] == box.upper[i]) {
      row.state = "fixed";
    } else if (std::min(below, above) > tolerance) {
      row.state = "between";
      row.margin = std::min(below, above);
    } else if (std::abs(row.map) > tolerance) {
      row.state = below <= above ? "at lower" : "at upper";
      row.margin = std::abs(row.map);
    }
    rows.push_back(std::move(row));
  }
  return rows;
}

// Largest singular value over the least one; infinite if the least one is 0.
double condition_of(const DenseMatrix& m) {
  if (m.rows() == 0) return 1.0;
  const Vector values = Eigen::BDCSVD<DenseMatrix>(m).singularValues();
  const double least = values[values.size() - 1];
  return least > 0 ? values[0] / least : std::numeric_limits<double>::infinity();
}

// Conditions of M (or of the Jacobian at z) and of its rows and columns whose unknowns are between
// their bounds or biactive.
void add_conditions(const Problem& problem, const BoxView& box, Analysis& a) {
  DenseMatrix m;
  if (box.linear) {
    m = box.linear->M.to_dense();
  } else {
    McpFunction function(std::get<Mcp>(problem.data));
    SparseMatrix jacobian = function.pattern();
    function.evaluate_jacobian(a.answer.z, jacobian.valuePtr());
    m = jacobian;
  }
  std::vector<int> between;
  for (std::size_t i = 0; i < a.rows.size(); ++i) {
    if (a.rows[i].state == "between" || a.rows[i].state == "biactive")
      between.push_back(static_cast<int>(i));
  }
  a.condition = condition_of(m);
  a.active_condition = condition_of(m(between, between));
}

struct ContactValues {
  double normal = 0.0, slip = 0.0, gap_velocity = 0.0, cone = 0.0;
  bool slip_known = false, cone_known = false;
};

void set_state(const ContactValues& v, bool frictionless, double tolerance, ContactState& state) {
  const bool pushes = v.normal > tolerance;
  if (!pushes) {
    state.state = v.gap_velocity > tolerance ? "open" : "undecidable";
    state.margin = state.state == "open" ? v.gap_velocity : 0.0;
  } else if (frictionless) {
    state.state = "closed";
    state.margin = v.normal;
  } else if (v.slip_known && v.slip > tolerance) {
    state.state = "slide";
    state.margin = v.slip;
  } else if (v.cone_known && v.cone > tolerance) {
    state.state = "stick";
    state.margin = v.cone;
  } else {
    state.state = "undecidable";
  }
}

// Reads the values from the rows of the normal impulse, slip and friction.
ContactValues values_of(const ContactGroup& g, const BoxView& box, const Vector& z,
                        double tolerance) {
  ContactValues v{z[g.normal], 0.0, box.map[g.normal]};
  if (g.slip >= 0) {
    v.slip = z[g.slip];
    v.cone = box.map[g.slip];
    v.slip_known = v.cone_known = true;
    return v;
  }
  // Friction with bounds: the contact slides if an unknown is at a bound and its row pushes; it
  // sticks if all are between their bounds.
  v.slip_known = v.cone_known = true;
  v.cone = std::numeric_limits<double>::infinity();
  for (const int i : g.friction) {
    const double room = std::min(z[i] - box.lower[i], box.upper[i] - z[i]);
    v.cone = std::min(v.cone, room);
    if (room <= tolerance) v.slip = std::max(v.slip, std::abs(box.map[i]));
  }
  return v;
}

ContactValues values_of(const ContactGroup& g, const FrictionContact& p, const Vector& r,
                        const Vector& u) {
  ContactValues v{r[g.normal], 0.0, u[g.normal]};
  double slip = 0.0, push = 0.0;
  for (const int i : g.friction) {
    slip = std::hypot(slip, u[i]);
    push = std::hypot(push, r[i]);
  }
  v.slip = slip;
  v.cone = p.mu[g.normal / p.dimension] * r[g.normal] - push;
  v.slip_known = v.cone_known = true;
  return v;
}

// The components of a contact's impulse, as linear functions of the unknowns.
std::vector<std::pair<std::string, Vector>> functionals_of(const ContactGroup& g, int n) {
  std::vector<std::pair<std::string, Vector>> parts;
  Vector normal = Vector::Zero(n);
  normal[g.normal] = 1.0;
  parts.emplace_back("normal", std::move(normal));
  for (int axis = 0; axis < 2 && !g.friction.empty(); ++axis) {
    Vector f = Vector::Zero(n);
    for (std::size_t e = 0; e < g.friction.size(); ++e)
      f[g.friction[e]] = std::abs(g.directions[e][axis]) > 1e-15 ? g.directions[e][axis] : 0.0;
    if (f.isZero()) continue;
    parts.emplace_back(axis == 0 ? "friction 1" : "friction 2", std::move(f));
  }
  if (g.torsion.empty()) return parts;
  Vector torsion = Vector::Zero(n);
  for (std::size_t e = 0; e < g.torsion.size(); ++e)
    torsion[g.torsion[e]] = e % 2 == 0 ? 1.0 : -1.0;
  parts.emplace_back("torsion", std::move(torsion));
  return parts;
}

void add_contacts(const Problem& problem, const std::optional<BoxView>& box, Analysis& a) {
  const Vector& z = a.answer.z;
  const auto* friction = std::get_if<FrictionContact>(&problem.data);
  const Vector u = friction ? friction->relative_velocity(z) : Vector();
  for (const ContactGroup& g : contact_groups(problem)) {
    ContactState state;
    state.name = g.name;
    const ContactValues v =
        friction ? values_of(g, *friction, z, u) : values_of(g, *box, z, a.tolerance);
    const bool frictionless = (g.friction.empty() && g.torsion.empty()) || g.mu == 0.0;
    set_state(v, frictionless, a.tolerance, state);
    for (const auto& [name, f] : functionals_of(g, static_cast<int>(z.size())))
      state.impulse.push_back({name, f.dot(z), {f.dot(z), f.dot(z)}});
    a.contacts.push_back(std::move(state));
  }
}

// Calls extent(f) for every unknown and every number of a contact.
template <class Extent>
void add_ranges(const Problem& problem, const Extent& extent, Analysis& a) {
  const int n = static_cast<int>(a.answer.z.size());
  const std::optional<BoxView> box = box_view(problem, a.answer.z);
  for (int i = 0; i < n; ++i) {
    Vector f = Vector::Zero(n);
    f[i] = 1.0;
    Interval range = extent(f);
    // The programs that find the ends meet bounds up to their tolerance only; NaN stays.
    if (box && range.low < box->lower[i]) range.low = std::min(box->lower[i], a.answer.z[i]);
    if (box && range.high > box->upper[i]) range.high = std::max(box->upper[i], a.answer.z[i]);
    a.ranges.push_back(range);
  }
  const std::vector<ContactGroup> groups = contact_groups(problem);
  for (std::size_t c = 0; c < groups.size(); ++c) {
    std::size_t k = 0;
    for (const auto& [name, f] : functionals_of(groups[c], n))
      a.contacts[c].impulse[k++].range = extent(f);
  }
}

// By how much the programs that find the ends of an unknown's range may miss them, over what they
// miss of others: friction may be mu times a normal impulse that is 0 but for their tolerance.
double slack_of(const Problem& problem, std::size_t unknown) {
  const auto* friction = std::get_if<FrictionContact>(&problem.data);
  return friction
             ? std::max(1.0, friction->mu[static_cast<Eigen::Index>(unknown) / friction->dimension])
             : 1.0;
}

// Whether a set with these ranges is a single point, if that is known.
std::optional<bool> is_point(const Problem& problem, const SolutionSet& set,
                             const std::vector<Interval>& ranges) {
  bool sure = true;
  for (std::size_t i = 0; i < ranges.size(); ++i) {
    const Interval& r = ranges[i];
    if (std::isinf(r.low) || std::isinf(r.high)) return false;
    const double size = std::max({slack_of(problem, i), std::abs(r.low), std::abs(r.high)});
    if (r.high - r.low > kNoPoint * size) return false;
    sure = sure && r.high - r.low <= kPoint * size;  // not if an end was not found
  }
  return sure ? std::optional(true) : set.is_point();
}

// Whether the ends of ranges are solutions. A set that rests on a matrix which is singular only up
// to rounding may be one of near solutions.
bool are_solutions(const Problem& problem, const std::vector<Vector>& ends, double tolerance) {
  return std::all_of(ends.begin(), ends.end(), [&](const Vector& z) {
    const double size = z.size() > 0 ? z.cwiseAbs().maxCoeff() : 0.0;
    return verify(problem, {z, {}}, std::max(tolerance, kEndResidual * (1.0 + size))).solved;
  });
}

// @param if_point what is known if the set is a single point
void add_set(const Problem& problem, const SolutionSet& set, Determinacy if_point, Analysis& a) {
  a.dimension = set.dimension();
  std::vector<Vector> ends;
  add_ranges(
      problem, [&](const Vector& f) { return set.extent(f, a.programs, ends); }, a);
  if (!are_solutions(problem, ends, a.tolerance)) return;
  const std::optional<bool> point = is_point(problem, set, a.ranges);
  if (!point) return;
  if (*point) a.dimension = 0;
  const bool all = set.part() == SolutionSet::Part::kAll;
  a.determinacy = *point ? if_point : all ? Determinacy::kSet : Determinacy::kSubset;
}

// Number of solutions that differ in the impulses of contacts.
int distinct_impulses(const Problem& problem, const std::vector<Vector>& solutions) {
  std::vector<Vector> seen;
  for (const Vector& z : solutions) {
    std::vector<double> values;
    for (const ContactGroup& g : contact_groups(problem)) {
      for (const auto& [name, f] : functionals_of(g, static_cast<int>(z.size())))
        values.push_back(f.dot(z));
    }
    const Vector impulses =
        Eigen::Map<const Vector>(values.data(), static_cast<Eigen::Index>(values.size()));
    const auto same = [&](const Vector& other) {
      return impulses.size() == 0 ||
             (impulses - other).lpNorm<Eigen::Infinity>() <=
                 kNoPoint * std::max(1.0, impulses.lpNorm<Eigen::Infinity>());
    };
    if (std::none_of(seen.begin(), seen.end(), same)) seen.push_back(impulses);
  }
  return static_cast<int>(seen.size());
}

// Whether an enumeration has found the answer in hand, or a piece that may hold it. If it has not,
// rounding hides solutions from it, and it tells nothing of their number.
bool holds(const Enumeration& found, const Vector& answer) {
  if (found.doubtful) return false;
  if (found.continuum && !found.solutions.empty()) return true;
  const double size = answer.size() > 0 ? answer.cwiseAbs().maxCoeff() : 0.0;
  return std::any_of(found.solutions.begin(), found.solutions.end(), [&](const Vector& z) {
    return z.size() == 0 || (z - answer).cwiseAbs().maxCoeff() <= kNoPoint * std::max(1.0, size);
  });
}

// All solutions of a small problem: extreme points of the pieces of the set, and its rays.
bool add_enumeration(const Problem& problem, const Mlcp& linear, Analysis& a) {
  if (linear.size() > kMaxEnumerationSize) return false;
  const Enumeration found =
      enumerate_solutions(linear, std::max(a.verdict.tolerance, 1e-12), kEnumerationSeconds);
  if (!found.complete || !holds(found, a.answer.z)) return false;
  a.how = "enumeration";
  a.solutions = found.solutions;
  a.solutions.push_back(a.answer.z);
  add_ranges(
      problem,
      [&](const Vector& f) {
        Interval range{f.dot(a.answer.z), f.dot(a.answer.z)};
        for (const Vector& z : a.solutions) {
          range.low = std::min(range.low, f.dot(z));
          range.high = std::max(range.high, f.dot(z));
        }
        for (const Vector& d : found.rays) {
          const double slope = f.dot(d);
          if (slope < -kNoSlope * f.norm()) range.low = -kInfinity;
          if (slope > kNoSlope * f.norm()) range.high = kInfinity;
        }
        return range;
      },
      a);
  a.solutions.pop_back();
  a.impulses = distinct_impulses(problem, a.solutions);
  a.determinacy = a.solutions.size() <= 1 && !found.continuum ? Determinacy::kUnique
                  : found.continuum                           ? Determinacy::kSubset
                                                              : Determinacy::kSet;
  return true;
}

bool is_monotone(const Matrix& m) {
  const std::string definiteness = analyse("M", m).definiteness;
  return definiteness == "positive definite" || definiteness == "positive semidefinite";
}

// Whether F has a kink at z (abs, min, max or norm): then its Jacobian is that of one side only.
bool has_kink(const Problem& problem, const Vector& z, double tolerance) {
  const auto* mcp = std::get_if<Mcp>(&problem.data);
  if (!mcp || !mcp->graph) return false;
  ExpressionGraph::ExtendedWorkspace work;
  ExtendedVector f;
  mcp->graph->evaluate_extended(z, mcp->parameters, work, f);
  const auto value = [&](int node) { return work.values[static_cast<std::size_t>(node)]; };
  const auto near = [&](long double x, long double y) {
    return std::abs(x - y) <= tolerance * std::max({1.0L, std::abs(x), std::abs(y)});
  };
  for (std::size_t k = 0; k < mcp->graph->nodes.size(); ++k) {
    const ExpressionGraph::Node& node = mcp->graph->nodes[k];
    const std::span<const int> x = mcp->graph->operands_of(node);
    const bool two = node.operation == Operation::kMin || node.operation == Operation::kMax;
    const bool one = node.operation == Operation::kAbs || node.operation == Operation::kNorm;
    if ((two && near(value(x[0]), value(x[1]))) || (one && near(value(static_cast<int>(k)), 0)))
      return true;
  }
  return false;
}

void determine(const Problem& problem, const BoxView& box, Analysis& a) {
  if (box.linear && is_monotone(box.linear->M)) {
    a.how = "monotone";
    add_set(problem, solutions_beside(*box.linear, a.answer.z, true, a.tolerance),
            Determinacy::kUnique, a);
    return;
  }
  if (box.linear && add_enumeration(problem, *box.linear, a)) return;
  if (box.linear) {
    a.how = "the same F";
    add_set(problem, solutions_beside(*box.linear, a.answer.z, false, a.tolerance),
            Determinacy::kUndecided, a);
  }
  // If no row is biactive and the matrix of the rows that may move is regular, no other solution is
  // near.
  const bool sure = std::none_of(a.rows.begin(), a.rows.end(),
                                 [](const RowState& r) { return r.state == "biactive"; });
  if (a.determinacy != Determinacy::kSubset && sure && a.active_condition < 1e12 &&
      !has_kink(problem, a.answer.z, a.tolerance)) {
    a.determinacy = Determinacy::kLocal;
    a.how = "the rows between their bounds";
  }
}

}  // namespace

std::string_view to_string(Determinacy determinacy) {
  switch (determinacy) {
    case Determinacy::kNone:
      return "none";
    case Determinacy::kUnique:
      return "unique";
    case Determinacy::kSet:
      return "set";
    case Determinacy::kSubset:
      return "part";
    case Determinacy::kLocal:
      return "local";
    case Determinacy::kUndecided:
      break;
  }
  return "undecided";
}

Analysis analyse_answer(const Problem& problem, const Answer& answer, double tolerance) {
  Analysis a;
  a.answer = answer;
  a.verdict = verify(problem, answer, tolerance);
  a.tolerance = std::max(kLeastTolerance, kResiduals * a.verdict.measure);
  // The measure of friction is relative to the velocities without impulses.
  if (const auto* friction = std::get_if<FrictionContact>(&problem.data);
      friction && friction->q.norm() > 0)
    a.tolerance *= friction->q.norm();
  a.condition = a.active_condition = kNoCondition;
  const std::optional<BoxView> box = box_view(problem, answer.z);
  if (box) a.rows = row_states(problem, *box, answer.z, a.tolerance);
  if (box || std::holds_alternative<FrictionContact>(problem.data)) add_contacts(problem, box, a);
  if (!a.verdict.solved) return a;
  if (std::holds_alternative<ConvexContact>(problem.data)) {  // A is positive definite
    a.determinacy = Determinacy::kUnique;
    a.how = "strictly convex";
  }
  if (problem.size() > kLargestAnalysed) return a;
  if (box) {
    add_conditions(problem, *box, a);
    determine(problem, *box, a);
  } else if (const auto* friction = std::get_if<FrictionContact>(&problem.data)) {
    a.how = "the same velocities";
    add_set(problem, solutions_beside(*friction, answer.z, a.tolerance), Determinacy::kLocal, a);
  }
  return a;
}

Analysis analysis_of_none(const Problem& problem, const Answer& nearest, double tolerance) {
  Analysis a;
  a.answer = nearest;
  if (nearest.z.size() == problem.size()) a = analyse_answer(problem, nearest, tolerance);
  a.verdict.tolerance = tolerance;
  a.determinacy = Determinacy::kNone;
  a.how = "a checked certificate";
  a.rows.clear();
  a.contacts.clear();
  return a;
}

}  // namespace perp
