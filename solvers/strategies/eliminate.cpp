// eliminate: solves the rows of a nonlinear problem that are far from solved apart, and goes on
// with all rows from there.
#include <fmt/format.h>
#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <numeric>
#include <perp/problems/limits/deadline.hpp>
#include <perp/problems/standard/mcp_part.hpp>
#include <perp/problems/standard/random.hpp>
#include <perp/solvers/strategies/tries.hpp>

namespace perp {

namespace {

constexpr int kRounds = 100;
constexpr double kShare = 0.1;      // of the largest residual: rows above it are bad
constexpr int kMostRows = 40;       // bad rows of a part
constexpr int kMostUnknowns = 600;  // of a part, unless one row alone brings more
constexpr double kProgress = 0.99;  // a norm below this times the least one is progress
constexpr double kWorse = 3.0;      // a norm above this times the least one leads back
constexpr int kPatience = 3;        // every so many rounds without progress lead back, too
// After a round without progress:
constexpr double kAlone = 0.7;  // share of rounds whose part is around one row
constexpr int kMostLayers = 2;  // of neighbours around it
constexpr double kLeastRadius = -2.0, kMostRadius = 0.0;  // powers of ten, of random points

// |mid(z - l, z - u, F)| for each row; infinite if F is not defined.
void residuals_of(const Mcp& mcp, const Vector& z, Vector& residuals) {
  const Vector f = mcp.evaluate(z);
  residuals.resize(z.size());
  for (Eigen::Index i = 0; i < z.size(); ++i) {
    const double r = std::abs(z[i] - std::clamp(z[i] - f[i], mcp.lower[i], mcp.upper[i]));
    residuals[i] = std::isnan(r) ? std::numeric_limits<double>::infinity() : r;
  }
}

// Runs a part and remembers its last outcome.
class Remembering final : public Strategy {
 public:
  explicit Remembering(std::unique_ptr<Strategy> part) : part_(std::move(part)) {}
  Outcome& run(const Task& task) override { return *(last_ = &part_->run(task)); }
  const VerifiedResult& last() const { return last_->result; }

 private:
  std::unique_ptr<Strategy> part_;
  Outcome* last_ = nullptr;
};

// Nonlinear elimination [LanzkronRoseWilkes1996] [CaiLi2011]. Newton steps on the whole are as
// short as the worst rows demand. So if they stall, a few rows are far from solved, and the others
// nearly are. Unlike there, rows are eliminated only after a stall, they may have several solutions
// and none that is near, and what was eliminated is only a start: WHOLE has all unknowns.
class Eliminate final : public Strategy {
 public:
  Eliminate(const SolverExpression& e, const Workshop& workshop)
      : whole_(workshop.build(e.parts[0])),
        part_(workshop.build(e.parts[1])),
        rounds_(e, "rounds", OptionRange::kInteger),
        share_(e, "share", OptionRange::kUpToOne) {}

  Outcome& run(const Task& task) override {
    const auto* mcp = std::get_if<Mcp>(&task.problem.data);
    if (!mcp || !mcp->graph || mcp->size() == 0) return whole_.run(task);
    tries_.begin(task, false);
    best_norm_ = std::numeric_limits<double>::infinity();
    best_.resize(0);
    without_progress_ = 0;
    const bool best = task.best && has_answer(task.problem.data, mcp->size(), task.best->answer);
    if (best) {
      z_ = task.best->answer.z;
    } else if (run_whole(task, task.start)) {
      return tries_.end();
    }
    if (!prepare(task, *mcp)) return tries_.end();
    numbers_ = *task.numbers;
    const int rounds = rounds_.whole(*task.numbers, kRounds);
    bool tried = !best;
    for (round_ = 1; round_ <= rounds; ++round_) {
      look(*mcp);
      if (!improve_part(task, *mcp)) continue;
      tried = true;
      const Vector start = z_;
      residuals_of(*mcp, z_, residuals_);
      keep_if_best();
      if (run_whole(task, {&start})) break;
    }
    if (!tried) run_whole(task, {&task.best->answer.z});  // so that the outcome has an answer
    return tries_.end();
  }

 private:
  // @return whether this is the end
  bool run_whole(const Task& task, const Start& start) {
    Task one = task;
    one.start = start;
    if (tries_.run(whole_, one)) return true;
    if (!has_answer(task.problem.data, task.problem.size(), whole_.last().answer)) return true;
    z_ = whole_.last().answer.z;
    return false;
  }

  // Finds which unknowns are next to each other: a row of one has the other.
  // @return whether there was time for it
  bool prepare(const Task& task, const Mcp& mcp) {
    if (parts_ && task.version.structure == structure_) return true;
    parts_.reset();
    Mcp posed = mcp;
    try {
      if (!posed.compiled) compile(posed, Deadline(tries_.time_left()));
    } catch (const DeadlinePassed&) {
      return false;
    }
    graph_ = mcp.graph;
    parts_.emplace(mcp);
    structure_ = task.version.structure;
    const SparseMatrix& pattern = posed.compiled->pattern();
    neighbours_.assign(static_cast<std::size_t>(mcp.size()), {});
    for (int column = 0; column < pattern.outerSize(); ++column) {
      for (SparseMatrix::InnerIterator it(pattern, column); it; ++it) {
        const int row = static_cast<int>(it.row());
        neighbours_[static_cast<std::size_t>(row)].push_back(column);
        neighbours_[static_cast<std::size_t>(column)].push_back(row);
      }
    }
    return true;
  }

  // Measures the present point, and goes back to the best one if this one leads away, or after
  // some rounds without progress.
  void look(const Mcp& mcp) {
    residuals_of(mcp, z_, residuals_);
    if (keep_if_best()) return;
    const double norm = residuals_.norm();
    ++without_progress_;
    if (norm <= kWorse * best_norm_ && without_progress_ % kPatience != 0) return;
    if (best_.size() == 0) return;  // F is not defined at any point so far
    z_ = best_;
    residuals_of(mcp, z_, residuals_);
  }

  // @return whether the present point is progress
  bool keep_if_best() {
    const double norm = residuals_.norm();
    if (!(norm < kProgress * best_norm_)) return false;
    best_norm_ = norm;
    best_ = z_;
    without_progress_ = 0;
    return true;
  }

  // The unknowns of bad rows and their neighbours. After a round without progress, those of one
  // bad row drawn at random, with one to kMostLayers layers of neighbours.
  std::vector<int> unknowns_of_part(double share, Random& random) {
    std::vector<int> rows(static_cast<std::size_t>(residuals_.size()));
    std::iota(rows.begin(), rows.end(), 0);
    const int most = std::min(kMostRows, static_cast<int>(rows.size()));
    std::partial_sort(rows.begin(), rows.begin() + most, rows.end(), [this](int a, int b) {
      return residuals_[a] != residuals_[b] ? residuals_[a] > residuals_[b] : a < b;
    });
    const double bad = share * residuals_[rows.front()];
    const auto end = std::find_if(rows.begin(), rows.begin() + most,
                                  [&](int row) { return residuals_[row] < bad; });
    rows.erase(end, rows.end());
    if (without_progress_ > 0 && random.uniform() < kAlone) {
      const int row = rows[static_cast<std::size_t>(random.index(static_cast<int>(rows.size())))];
      return around(row, 1 + random.index(kMostLayers));
    }
    std::vector<int> unknowns;
    for (const int row : rows) {
      std::vector<int> more = around(row, 1), all;
      std::set_union(unknowns.begin(), unknowns.end(), more.begin(), more.end(),
                     std::back_inserter(all));
      if (!unknowns.empty() && std::ssize(all) > kMostUnknowns) break;
      unknowns = std::move(all);
    }
    return unknowns;
  }

  // An unknown and some layers of neighbours, in ascending order.
  std::vector<int> around(int unknown, int layers) const {
    std::vector<int> found = {unknown};
    for (int layer = 0; layer < layers; ++layer) {
      for (std::size_t k = 0, end = found.size(); k < end; ++k) {
        const std::vector<int>& next = neighbours_[static_cast<std::size_t>(found[k])];
        found.insert(found.end(), next.begin(), next.end());
      }
      std::sort(found.begin(), found.end());
      found.erase(std::unique(found.begin(), found.end()), found.end());
    }
    return found;
  }

  // Solves a part from the present point, or from a random point near it after a round without
  // progress. Moves there if the residuals of the part fall.
  // @return whether WHOLE should run from the present point
  bool improve_part(const Task& task, const Mcp& mcp) {
    const auto started = VerifiedClock::now();
    Random random(static_cast<std::uint64_t>(round_));
    const McpPart part = parts_->part(unknowns_of_part(share_.at(*task.numbers, kShare), random));
    Mcp posed = problem_of(part, mcp, z_);
    try {
      compile(posed, Deadline(tries_.time_left()));
    } catch (const DeadlinePassed&) {
      return true;  // whose next try ends by the time limit
    }
    Vector start = entries_of(part, z_);
    if (without_progress_ > 0) perturb(posed, random, start);
    posed_.data = std::move(posed);
    posed_.name = fmt::format("part of {}", task.problem.name);
    numbers_["n"] = static_cast<double>(part.unknowns.size());
    numbers_["contacts"] = 0.0;
    numbers_["round"] = static_cast<double>(round_);
    inner_ = {inner_.structure + 1, inner_.values + 1};
    Task inner = task.with(posed_, inner_);
    inner.start = {&start};
    inner.numbers = &numbers_;
    const double setup = seconds_since(started);
    inner.limits.time_limit = tries_.time_left();
    Outcome& outcome = part_->run(inner);
    judge_start(inner, outcome);
    VerifiedResult& r = outcome.result;
    charge_setup(r, setup);
    for (RouteStep& step : r.route)
      step.solver = fmt::format("{} on {} unknowns", step.solver.str(), part.unknowns.size());
    tries_.charge(r);
    if (r.status == Status::kInterrupted) return true;  // which ends the next try, too
    if (outcome.skipped || !has_answer(posed_.data, posed_.size(), r.answer)) return false;
    Vector after;
    residuals_of(std::get<Mcp>(posed_.data), r.answer.z, after);
    if (!(after.norm() < entries_of(part, residuals_).norm())) return false;
    write_entries(part, r.answer.z, z_);
    return true;
  }

  // Moves to a random point in a box, whose width is random, too.
  static void perturb(const Mcp& mcp, Random& random, Vector& z) {
    const double radius = std::pow(10.0, random.uniform(kLeastRadius, kMostRadius));
    for (Eigen::Index i = 0; i < z.size(); ++i) {
      const double width = radius * std::max(1.0, std::abs(z[i]));
      z[i] = std::clamp(z[i] + random.uniform(-width, width), mcp.lower[i], mcp.upper[i]);
    }
  }

  Remembering whole_;
  std::unique_ptr<Strategy> part_;
  OptionNumber rounds_, share_;
  std::shared_ptr<const ExpressionGraph> graph_;  // that of parts_
  std::optional<McpParts> parts_;
  std::vector<std::vector<int>> neighbours_;  // of each unknown; some of them twice
  long structure_ = 0;                        // of the problem whose parts these are
  Version inner_{1, 1};
  Problem posed_;  // the part that is being solved
  Numbers numbers_;
  Vector z_, residuals_, best_;
  double best_norm_ = 0.0;
  int round_ = 0, without_progress_ = 0;  // rounds
  Tries tries_;
};

}  // namespace

std::unique_ptr<Strategy> make_eliminate(const SolverExpression& e, const Workshop& workshop) {
  return std::make_unique<Eliminate>(e, workshop);
}

}  // namespace perp
