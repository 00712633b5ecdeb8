// proximal for nonlinear problems: rho changes from step to step.
#include <algorithm>
#include <cmath>
#include <limits>
#include <perp/problems/limits/deadline.hpp>
#include <perp/problems/standard/mcp_function.hpp>
#include <perp/solvers/strategies/proximal_steps.hpp>

namespace perp {

namespace {

constexpr double kFirstRho = 0.01;  // over the largest entry of the Jacobian at the start
constexpr double kMostRho = 1e4;    // over the first rho; with a larger one nothing moves
constexpr int kMostSteps = 200;
constexpr double kAccuracy = 0.02;  // of an inner problem, over the best measure so far
constexpr double kTighter = 0.1;    // least accuracy, over the tolerance of the problem as posed
constexpr int kEasy = 10;  // iterations; after an inner problem that takes more rho does not fall
constexpr double kFall = 0.3;       // factor of rho after an easy inner problem
constexpr double kLeastRho = 1e-8;  // over the first rho
constexpr double kRise = 4.0;       // factor of rho after an inner problem that was not solved
constexpr int kMostWait = 4;        // easy inner problems before rho falls again
constexpr double kAlong = 0.9;      // least cosine of moves of the same direction
constexpr double kMostReach = 64.0;
constexpr int kStepsToHalve = 40;  // the best measure must halve in so many steps

// F(z) + rho (z - c) of a problem, as a callback.
class ShiftedMcp {
 public:
  // @throws DeadlinePassed
  void prepare(const Mcp& mcp, const Deadline& deadline) {
    function_.prepare(mcp, deadline);
    const SparseMatrix& own = function_.pattern();
    values_.resize(own.nonZeros());
    SparseMatrix all(own.rows(), own.cols());
    all.setIdentity();
    all += own;  // the places of own are kept although its values are 0
    all.makeCompressed();
    find_places(own, all);
    near_.lower = mcp.lower;
    near_.upper = mcp.upper;
    near_.pattern = std::move(all);
    near_.callback = [this](const Vector& z, Vector& f) {
      function_.evaluate(z, f);
      f += rho * (z - centre);
    };
    near_.jacobian = [this](const Vector& z, double* values) { evaluate_jacobian(z, values); };
  }

  // It refers to this object.
  const Mcp& problem() const { return near_; }

  // The largest finite entry of dF/dz; 1 if there is none above 0.
  double largest_entry(const Vector& z) {
    function_.evaluate_jacobian(z, values_.data());
    double most = 0.0;
    for (const double v : values_) {
      if (std::isfinite(v)) most = std::max(most, std::abs(v));
    }
    return most > 0 ? most : 1.0;
  }

  double rho = 0.0;
  Vector centre;

 private:
  void find_places(const SparseMatrix& own, const SparseMatrix& all) {
    places_.clear();
    diagonal_.clear();
    const auto* rows = all.innerIndexPtr();
    for (int j = 0; j < own.outerSize(); ++j) {
      const auto begin = rows + all.outerIndexPtr()[j], end = rows + all.outerIndexPtr()[j + 1];
      const auto place = [&](auto row) {
        return static_cast<std::size_t>(std::lower_bound(begin, end, row) - rows);
      };
      for (SparseMatrix::InnerIterator it(own, j); it; ++it) places_.push_back(place(it.row()));
      diagonal_.push_back(place(j));
    }
    stored_ = static_cast<std::size_t>(all.nonZeros());
  }

  void evaluate_jacobian(const Vector& z, double* values) {
    function_.evaluate_jacobian(z, values_.data());
    std::fill(values, values + stored_, 0.0);
    for (std::size_t i = 0; i < places_.size(); ++i)
      values[places_[i]] = values_[static_cast<Eigen::Index>(i)];
    for (const std::size_t i : diagonal_) values[i] += rho;
  }

  McpFunction function_;
  Mcp near_;
  Vector values_;                               // of dF/dz
  std::vector<std::size_t> places_, diagonal_;  // of those values, and of the diagonal, in near_
  std::size_t stored_ = 0;
};

// z+ solves F(z) + rho (z - c) = 0 with the bounds as posed, about as well as it helps
// [Rockafellar1976]. A smaller rho leads further and makes the inner problem more difficult.
class NonlinearProximalPoint final : public Strategy {
 public:
  NonlinearProximalPoint(const SolverExpression& e, const Workshop& workshop)
      : part_(workshop.build(e.parts.front())),
        rho_(e, "rho"),
        steps_(e, "steps", OptionRange::kInteger) {}

  Outcome& run(const Task& task) override {
    started_ = VerifiedClock::now();
    out_.clear();
    VerifiedResult& all = out_.result;
    all.status = all.claimed = Status::kIterationLimit;
    all.verdict.tolerance = task.verify_at;
    begin(task);
    if (all.status == Status::kIterationLimit && !all.verdict.solved) {
      const int steps = steps_.whole(*task.numbers, kMostSteps);
      for (int k = 0; k < steps && step(task, k); ++k) {
      }
    }
    if (all.verdict.solved) all.status = all.claimed = Status::kSolved;
    all.route.push_back(route_step("proximal", all));
    return out_;
  }

 private:
  // The start is the first answer.
  void begin(const Task& task) {
    VerifiedResult& all = out_.result;
    const auto& mcp = std::get<Mcp>(task.problem.data);
    try {
      prepare(task, mcp);
    } catch (const DeadlinePassed&) {
      out_.drop_answer();
      all.status = all.claimed = Status::kTimeLimit;
      return;
    }
    Vector& centre = shifted_.centre;
    centre.setZero(mcp.size());
    if (task.start.z) {
      all.start = "given";
      centre = *task.start.z;
    }
    centre = centre.cwiseMax(mcp.lower).cwiseMin(mcp.upper);
    first_rho_ = rho_.at(*task.numbers, kFirstRho) * shifted_.largest_entry(centre);
    shifted_.rho = first_rho_;
    drift_.point = centre;
    drift_.move.setZero(mcp.size());
    drift_.before.setZero(mcp.size());
    drift_.reach = 0.0;
    wait_ = {};
    all.answer.z = centre;
    all.setup_time = seconds_since(started_);
    check_answer(task.problem, task.verify_at, all);
    measures_.assign(1, all.verdict.measure);
  }

  // @throws DeadlinePassed
  void prepare(const Task& task, const Mcp& mcp) {
    if (task.version == version_ && shifted_.problem().size() > 0) return;
    const bool same = task.version.structure == version_.structure;
    version_ = {};
    shifted_.prepare(mcp, Deadline(task.limits.time_limit));
    near_.name = task.problem.name;
    near_.data = shifted_.problem();
    inner_version_.structure += same ? 0 : 1;
    version_ = task.version;
  }

  // One proximal step. @return whether another one follows
  bool step(const Task& task, int k) {
    VerifiedResult& all = out_.result;
    const auto& mcp = std::get<Mcp>(task.problem.data);
    const double accuracy = std::max(kTighter * task.verify_at, kAccuracy * measures_.back());
    ++inner_version_.values;
    Task inner = task.with(near_, inner_version_);
    inner.start = {&shifted_.centre};
    inner.limits.tolerance = inner.verify_at = accuracy;
    const Outcome* outcome = run_proximal_step(*part_, task, inner, started_, k == 0, all);
    if (!outcome) {
      all.status = all.claimed = Status::kTimeLimit;
      return false;
    }
    const VerifiedResult& r = outcome->result;
    if (r.status == Status::kInterrupted) {
      all.status = all.claimed = r.status;
      return false;
    }
    double measure = std::numeric_limits<double>::infinity();
    if (!outcome->skipped && has_answer(near_.data, near_.size(), r.answer)) {
      next_.answer.z = r.answer.z;
      next_.verification_time = 0.0;
      check_answer(task.problem, task.verify_at, next_);
      all.verification_time += next_.verification_time;
      measure = next_.verdict.measure;
    }
    const bool there = r.status == Status::kSolved && std::isfinite(measure);
    const bool better = measure < measures_.back();
    const bool reached = drift_.reach > 0;
    set_centre(mcp, there, better);
    if (better) {
      all.answer.z = next_.answer.z;
      all.verdict = next_.verdict;
    }
    measures_.push_back(std::min(measure, measures_.back()));
    if (all.verdict.solved) return false;
    if (there || !reached) follow(there, r.iterations);
    return goes_on(r);
  }

  // The next centre: the answer. If the last moves had the same direction, the answers drift until
  // other bounds hold, and the centre is so many moves ahead of the answer. If the inner problem
  // there is not solved, the centre goes back.
  void set_centre(const Mcp& mcp, bool solved, bool better) {
    Vector& centre = shifted_.centre;
    if (!solved) {
      if (better) drift_.point = next_.answer.z;
      centre = drift_.point;
      drift_.move.setZero(centre.size());
      drift_.reach = 0.0;
      return;
    }
    drift_.before.swap(drift_.move);
    drift_.point = next_.answer.z;
    drift_.move = drift_.point - centre;
    const double cosine = drift_.move.dot(drift_.before);
    const bool along = cosine > kAlong * drift_.move.norm() * drift_.before.norm();
    drift_.reach = along ? std::clamp(2 * drift_.reach, 1.0, kMostReach) : 0.0;
    centre = drift_.point + drift_.reach * drift_.move;
    centre = centre.cwiseMax(mcp.lower).cwiseMin(mcp.upper);
  }

  // Changes rho after an inner problem. If a smaller rho has failed, more easy inner problems come
  // before the next fall.
  void follow(bool solved, int iterations) {
    double& rho = shifted_.rho;
    if (!solved) {
      rho *= kRise;
      wait_ = {std::min(kMostWait, 2 * wait_.length + 1), 0};
    } else if (iterations <= kEasy && wait_.done++ >= wait_.length) {
      rho = std::max(kFall * rho, kLeastRho * first_rho_);
      wait_ = {wait_.length / 2, 0};
    }
  }

  bool goes_on(const VerifiedResult& last) {
    VerifiedResult& all = out_.result;
    const bool far = shifted_.rho > kMostRho * first_rho_;
    const bool halved = std::ssize(measures_) <= kStepsToHalve ||
                        measures_.back() <= 0.5 * measures_[measures_.size() - 1 - kStepsToHalve];
    if (!far && halved) return true;
    all.status = all.claimed = Status::kStalled;
    all.message = last.message;
    return false;
  }

  std::unique_ptr<Strategy> part_;
  OptionNumber rho_, steps_;
  ShiftedMcp shifted_;
  Problem near_;  // the proximal problem around the centre
  Version version_, inner_version_;
  double first_rho_ = 0.0;
  struct {
    Vector point, move, before;  // last answer, how it moved from its centre, and the move before
    double reach = 0.0;          // moves from the last answer to the centre
  } drift_;
  struct {
    int length = 0, done = 0;  // easy inner problems before rho falls again
  } wait_;
  std::vector<double> measures_;  // the best one at the start and after each step
  VerifiedResult next_;
  VerifiedClock::time_point started_;
  Outcome out_;
};

}  // namespace

std::unique_ptr<Strategy> make_nonlinear_proximal(const SolverExpression& e,
                                                  const Workshop& workshop) {
  return std::make_unique<NonlinearProximalPoint>(e, workshop);
}

}  // namespace perp
