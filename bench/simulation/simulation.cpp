#include <perp/bench/simulation/segment_contacts.hpp>
#include <perp/bench/simulation/simulation.hpp>
#include <perp/bench/simulation/warm_starts.hpp>
#include <perp/formulations/dynamics/impulses.hpp>

#include <perp/formulations/registry.hpp>
#include <perp/solvers/plans.hpp>
#include <perp/solvers/session.hpp>
#include <perp/solvers/verified_solve.hpp>

#include <fmt/format.h>
#include <sys/resource.h>
#include <algorithm>
#include <chrono>
#include <cmath>
#include <new>
#include <numeric>
#include <perp/problems/matrix/infinity.hpp>
#include <stdexcept>
#include <unordered_map>
#include <unordered_set>

namespace perp {

namespace {

using Clock = std::chrono::steady_clock;

constexpr double kEventGap = 1e-9;     // m: accuracy of the gap at an event
constexpr double kNewApproach = 1e-9;  // m/s: least approach of a contact that has just closed
// An event-driven segment is looked at so often that no body moves by more than this share of its
// radius in between, but at most so many times.
constexpr double kPathBetweenLooks = 0.5, kMostLooks = 1000;
constexpr int kRootSteps = 60;                            // most tries to find the time of an event
constexpr double kLeastStep = 1e-12, kLargestStep = 1e9;  // s
constexpr double kEnergyRounding = 1e-9;                  // relative error of an energy

// @throws CollisionError if the state of a body is not finite
void check_finite(const Scene& scene, const State& state) {
  for (std::size_t b = 0; b < state.bodies.size(); ++b) {
    const BodyState& s = state.bodies[b];
    if (s.position.allFinite() && s.velocity.allFinite() && s.angular_velocity.allFinite() &&
        s.orientation.coeffs().allFinite())
      continue;
    throw CollisionError(
        fmt::format("body \"{}\": its state after the step is not finite", scene.bodies[b].name));
  }
}

class Simulator {
 public:
  Simulator(const Scene& scene, const SimulationRequest& request)
      : scene_(scene),
        request_(request),
        formulation_(request.make_formulation(
            request.formulation.empty() ? default_formulation(scene) : request.formulation)) {
    if (const auto reason = refusal_of(*formulation_, scene)) {
      throw std::invalid_argument("scene: " + *reason);
    }
    if (request.driver == Driver::kEventDriven && !formulation_->capabilities().held_contacts) {
      throw std::invalid_argument(
          "the event-driven driver needs a formulation of velocity level: anitescu-potra, "
          "max-dissipation-impulse or GAP+LAW+velocity-level");
    }
    for (const auto& [name, value] :
         {std::pair("step", request.step), {"duration", request.duration}}) {
      if (!(value >= 0.0))
        throw std::invalid_argument(fmt::format("{}: {} is not at least 0 s", name, value));
    }
    pattern_ = request.pattern;
    if (pattern_.empty()) pattern_ = {request.step > 0 ? request.step : scene.step};
    if (request.driver == Driver::kEventDriven && pattern_.size() > 1)
      throw std::invalid_argument("step: the event-driven driver needs a single length");
    for (const double h : pattern_) {
      if (!(h >= kLeastStep && h <= kLargestStep)) {
        throw std::invalid_argument(
            fmt::format("step: {} is not between {:g} and {:g} s", h, kLeastStep, kLargestStep));
      }
    }
    count_steps(request.duration > 0 ? request.duration : scene.duration);
    check_solver(request.solve.solver, request.solve.make);
    halvings_ = request.halvings >= 0 ? request.halvings : formulation_->capabilities().halvings;
    if (request.keep_going) halvings_ = 0;
  }

  SimulationSummary run() {
    const auto started = Clock::now();
    summary_.final_state = initial_state(scene_);
    bool going = true;
    for (int k = 1; k <= steps_ && going; ++k) {
      h_ = pattern_[static_cast<std::size_t>(k - 1) % pattern_.size()];
      const double end = end_of_step(k);
      try {
        going = request_.driver == Driver::kTimeStepping ? step_to(end) : events_to(end);
      } catch (const CollisionError& error) {
        going = stay(end, error.what(), new_report(0.0));
      }
    }
    summary_.stopped = !going;
    summary_.wall_time = std::chrono::duration<double>(Clock::now() - started).count();
    rusage usage{};
    getrusage(RUSAGE_SELF, &usage);
    summary_.peak_memory_mb = static_cast<double>(usage.ru_maxrss) / 1024.0;
    return summary_;
  }

 private:
  struct Unsolved {
    std::string stage;
    ProblemKeys keys;
    VerifiedResult result;  // its answer is empty if it is no point for this stage
  };

  double end_of_step(int k) const {
    const int length = static_cast<int>(pattern_.size());
    const double cycle = std::accumulate(pattern_.begin(), pattern_.end(), 0.0);
    return k / length * cycle +
           std::accumulate(pattern_.begin(), pattern_.begin() + k % length, 0.0);
  }

  void count_steps(double duration) {
    const int length = static_cast<int>(pattern_.size());
    if (!(duration / end_of_step(length) * length < 1e9))
      throw std::invalid_argument("duration: more than 1e9 steps");
    if (length == 1) {
      steps_ = static_cast<int>(std::llround(duration / pattern_[0]));
      return;
    }
    steps_ = length * static_cast<int>(duration / end_of_step(length));
    while (end_of_step(steps_) + 0.5 * pattern_[static_cast<std::size_t>(steps_ % length)] <=
           duration)
      ++steps_;
  }

  // Makes one step, which ends at the time `end`. @return false if the simulation stops
  bool step_to(double end) {
    halvings_left_ = halvings_;
    return part_to(end, h_, new_report(h_));
  }

  // Makes a step or a part of one. If there is no answer, it is made in two halves.
  bool part_to(double end, double length, StepReport report) {
    try {
      report.solved = take_step(summary_.final_state, length, report);
      if (report.solved || interrupted_ || halvings_left_ == 0 || out_of_time(report)) {
        report.result.state.time = end;
        return accept(report);
      }
    } catch (const CollisionError& error) {
      return stay(end, error.what(), std::move(report));
    }
    summary_.halved_steps += halvings_left_ == halvings_;
    --halvings_left_;
    StepReport half = new_report(0.5 * length);
    half.stages = std::move(report.stages);
    half.solved_stages = std::move(report.solved_stages);
    const bool going = part_to(end - 0.5 * length, half.h, std::move(half)) &&
                       part_to(end, 0.5 * length, new_report(0.5 * length));
    ++halvings_left_;
    return going;
  }

  // Reports a step that cannot be made: everything stays at its place, and the simulation stops.
  bool stay(double end, const std::string& why, StepReport report) {
    summary_.message = why;
    report.solved = false;
    report.h = end - summary_.final_state.time;
    report.result = {};
    report.result.state = summary_.final_state;
    report.result.state.time = end;
    accept(report);
    return false;
  }

  // Makes segments and impacts up to the time `end`.
  bool events_to(double end) {
    // In the shortest segment free fall must not reach the speed at which resting contacts bounce.
    const double least =
        std::min(1e-3 * h_, 0.5 * kHeldVelocity / std::max(scene_.gravity.norm(), 1e-9));
    for (int events = 0;;) {
      const bool given = impulse_is_due(end);
      if (given || approaching(summary_.final_state)) {
        if (events++ >= request_.max_events) {
          summary_.message = "more events within one step than max_events";
          ++summary_.failed_steps;
          return false;
        }
        StepReport impact = new_report(0.0);
        // Also contacts that separate take part, because others may push.
        const State now =
            given ? summary_.final_state : without_impulses(scene_, summary_.final_state);
        impact.solved = take_step(now, 0.0, impact, {held_if_touching});
        if (!given) impact.result.state.given = summary_.final_state.given;
        given_ |= given;
        ++summary_.events;
        held_.clear();
        for (const ContactResult& c : impact.result.contacts) struck_.insert(c.contact.key());
        if (!accept(impact)) return false;
        continue;
      }
      const double stop = next_impulse(end);
      const double left = stop - summary_.final_state.time;
      if (!(left > 1e-12 * std::max(h_, end))) {
        if (stop >= end) return true;
        summary_.final_state.time = stop;
        continue;
      }
      StepReport segment = next_segment(left, std::min(left, least));
      if (segment.h == left) segment.result.state.time = stop;
      given_ = false;
      struck_.clear();
      held_.clear();
      for (const ContactResult& c : segment.result.contacts) held_.insert(c.contact.key());
      if (!accept(segment)) return false;
    }
  }

  // Impulses are events between segments. One whose condition holds acts once before a segment, and
  // one at the end of a step in the next step.
  bool impulse_is_due(double end) const {
    const State& now = summary_.final_state;
    if (given_ || !(end - now.time > 1e-12 * std::max(h_, end))) return false;
    const std::vector<char> due = impulses_due(scene_, now, 0.0);
    return std::find(due.begin(), due.end(), 1) != due.end();
  }

  // The time of the next impulse that has one, at most `end`.
  double next_impulse(double end) const {
    const State& now = summary_.final_state;
    double stop = end;
    for (std::size_t k = 0; k < scene_.impulses.size(); ++k) {
      const Impulse& impulse = scene_.impulses[k];
      if (!impulse.when && now.given[k] < impulse.times && impulse.time > now.time)
        stop = std::min(stop, impulse.time);
    }
    return stop;
  }

  // Motion for the time `left`, or until an open contact closes.
  StepReport next_segment(double left, double least) {
    const State start = summary_.final_state;
    const SegmentContacts contacts(scene_, start, left, held_);
    StepReport tried = try_segment(start, contacts, left);
    double high = left, gap_high = contacts.smallest_gap(tried.result.state);
    if (!tried.solved) return tried;
    if (const auto earlier = first_overlap(start, contacts, tried)) {
      tried = try_segment(start, contacts, *earlier);
      high = tried.h;
      gap_high = contacts.smallest_gap(tried.result.state);
      if (!tried.solved) return tried;
    }
    if (gap_high >= -kEventGap) return tried;
    // Secant steps, because gaps are almost linear in time; every fourth time the middle.
    double low = 0.0, gap_low = kInfinity;
    for (int k = 0; k < kRootSteps && high > least && high - low > 1e-14 * left; ++k) {
      const double middle = std::isinf(gap_low) || k % 4 == 3
                                ? 0.5 * (low + high)
                                : (low * gap_high - high * gap_low) / (gap_high - gap_low);
      StepReport at = try_segment(start, contacts, std::clamp(middle, low, high));
      const double gap = contacts.smallest_gap(at.result.state);
      if (!at.solved || std::abs(gap) <= kEventGap) return at;
      if (gap < 0) {
        high = at.h;
        gap_high = gap;
        tried = std::move(at);
      } else {
        low = at.h;
        gap_low = gap;
      }
    }
    return tried.h >= least ? tried : try_segment(start, contacts, least);
  }

  // The earliest of some times within a segment at which an open contact overlaps. Bodies that pass
  // through each other are apart again at its end. Between two of these times no body moves by more
  // than a part of its radius.
  std::optional<double> first_overlap(const State& start, const SegmentContacts& contacts,
                                      const StepReport& segment) const {
    const State& end = segment.result.state;
    double most = 0.0;  // radii
    for (std::size_t b = 0; b < scene_.bodies.size(); ++b) {
      const double radius = bounding_radius(scene_.bodies[b].shape);
      if (scene_.bodies[b].fixed || !(radius > 0) || std::isinf(radius)) continue;
      for (const BodyState* at : {&start.bodies[b], &end.bodies[b]}) {
        most = std::max(most,
                        segment.h * (at->velocity.norm() / radius + at->angular_velocity.norm()));
      }
    }
    const double looks = std::min(std::ceil(most / kPathBetweenLooks), kMostLooks);
    for (int k = 1; k < looks; ++k) {
      const double time = segment.h * k / looks, half = 0.5 * segment.h;
      State at = drifted(scene_, start, start, std::min(time, half));
      if (time > half) at = drifted(scene_, at, end, time - half);
      if (contacts.smallest_gap(at) < -kEventGap) return time;
    }
    return {};
  }

  // Moves half of the time with the velocities of the beginning and half with those of the end.
  StepReport try_segment(const State& start, const SegmentContacts& contacts, double length) {
    StepReport report = new_report(length);
    const State reference = contacts.reference(length);
    report.solved = take_step(reference, length, report, contacts.decisions(reference, length, h_));
    State& end = report.result.state;
    if (!report.solved && !request_.keep_going) {  // the run ends
      end = start;
      end.time += length;
      return report;
    }
    end.time = start.time + length;
    end.given = start.given;
    const State moved =
        drifted(scene_, drifted(scene_, start, start, 0.5 * length), end, 0.5 * length);
    for (std::size_t b = 0; b < end.bodies.size(); ++b) {
      end.bodies[b].position = moved.bodies[b].position;
      end.bodies[b].orientation = moved.bodies[b].orientation;
    }
    for (ContactResult& c : report.result.contacts)
      c.contact.gap = contacts.gap_at_start(c.contact);
    return report;
  }

  // Whether there is an impact. A contact that has just closed takes part however slowly it closes.
  // One that was held takes part only if it closes faster than the errors of a segment explain.
  bool approaching(const State& state) const {
    for (const ContactPoint3& c : find_contacts(scene_, state, 0.0)) {
      const bool known = held_.contains(c.key()) || struck_.contains(c.key());
      const double least = known ? kHeldVelocity : kNewApproach;
      if (c.gap <= kTouchingGap && normal_velocity(c, state) < -least) return true;
    }
    return false;
  }

  StepReport new_report(double h) const {
    StepReport report;
    report.step = summary_.steps + 1;
    report.h = h;
    report.scene = &scene_;
    return report;
  }

  bool accept(StepReport& report) {
    if (interrupted_) {  // the step is dropped
      summary_.message = "interrupted";
      return false;
    }
    check_finite(scene_, report.result.state);
    const State& state = summary_.final_state = report.result.state;
    report.kinetic = kinetic_energy(scene_, state);
    report.potential = potential_energy(scene_, state);
    ++summary_.steps;
    summary_.failed_steps += !report.solved;
    // What tries said whose step was made in another way is of no interest.
    if (report.solved) summary_.message = failure_;
    failure_ = summary_.message;
    summary_.cut_short_steps += report.cut_short;
    summary_.approximate_steps += report.approximate;
    if (report.result.relaxation < 1.0) {
      ++summary_.relaxed_steps;
      summary_.uncertified_steps +=
          std::none_of(report.stages.begin(), report.stages.end(),
                       [](const StageReport& s) { return s.certificate != "none"; });
    }
    if (request_.on_stage) {
      for (const auto& [stage, result] : report.solved_stages)
        request_.on_stage(report.step, stage, result);
    }
    report.solved_stages.clear();
    const bool go_on = !request_.on_step || request_.on_step(report);
    return go_on && (report.solved || request_.keep_going);
  }

  bool take_step(const State& state, double h, StepReport& report, const HeldContacts& held = {}) {
    StageOrResult next = formulation_->begin(scene_, state, h, held);
    std::vector<Unsolved> reached;  // what the step is made with although it is no answer
    while (auto* stage = std::get_if<Stage>(&next)) {
      std::optional<Answer> answer = solve(*stage, state, report);
      std::optional<Stage> relaxed;
      while (!answer && !interrupted_ && !out_of_time(report) &&
             (relaxed = formulation_->relax())) {
        // Half of the step is nearer to the model than a weaker stabilisation. But if gaps
        // contradict each other, half of the step asks for twice the velocity.
        if (relaxed->offer == Offer::kRelaxed && halvings_left_ > 0 && !contradicts(report)) break;
        // To go on, the formulation needs a point of the problem that it has offered last.
        if (relaxed->offer != Offer::kAgain || request_.keep_going ||
            (halvings_left_ == 0 && gave_up_early(*relaxed)))
          answer = solve(*relaxed, state, report);
      }
      if (answer) {
        next = formulation_->advance(*answer);
        continue;
      }
      if (interrupted_) return fail(state, h, report);
      std::optional<StageOrResult> settled;
      if (!out_of_time(report) && (settled = formulation_->settle(unsolved_.result.answer))) {
        report.cut_short = true;
        next = std::move(*settled);
        continue;
      }
      if (!request_.keep_going || unsolved_.result.answer.z.size() == 0)
        return fail(state, h, report);
      report.approximate = true;
      reached.push_back(unsolved_);
      next = formulation_->advance(unsolved_.result.answer);
    }
    report.result = std::get<StepResult>(std::move(next));
    if (report.approximate) {
      if (!adds_energy(state, h, report.result)) {
        if (request_.warm_start) {
          for (const Unsolved& u : reached) answers_.remember(u.stage, u.keys, u.result);
        }
        return false;
      }
      report.approximate = false;
      return fail(state, h, report);
    }
    if (report.result.rejected.empty()) return true;
    summary_.message = report.result.rejected;
    return fail(state, h, report);
  }

  // Whether a step ends with more energy than free motion and the terms of overlap and drift give.
  // No exact step does. True as well if the end is not finite.
  bool adds_energy(const State& state, double h, const StepResult& end) const {
    const double most = kinetic_energy(scene_, free_motion(state, h)) + end.feeding;
    return !(kinetic_energy(scene_, end.state) <= (1.0 + kEnergyRounding) * most);
  }

  State free_motion(const State& state, double h) const {
    const Coordinates coordinates(scene_);
    return moved(scene_, state, coordinates, free_velocity(scene_, state, coordinates, h), h);
  }

  // Whether the solver does more for a start without others: a named method never does.
  bool gave_up_early(const Stage& stage) const {
    return runs_plans(parse_any_solver(request_.solve.solver)) &&
           choose_plan(stage.problem, true, true).name !=
               choose_plan(stage.problem, true, false).name;
  }

  // Whether the last problem was shown to have no solution.
  static bool contradicts(const StepReport& report) {
    const std::string& certificate = report.stages.back().certificate;
    return certificate == "farkas" || certificate == "excluded";
  }

  // A solve that reached the time limit is not tried again: that would multiply the time.
  static bool out_of_time(const StepReport& report) {
    return !report.stages.empty() && report.stages.back().status == Status::kTimeLimit;
  }

  // If the problem itself is not valid (for example not finite), no solver can solve it, and the
  // step fails. Other exceptions are about the solver and its settings.
  VerifiedResult solved(const Stage& stage, const SolveRequest& request) {
    try {
      return solve_in_memory(stage, request);
    } catch (const std::invalid_argument&) {
      try {
        validate(stage.problem);
      } catch (const std::invalid_argument& error) {
        throw CollisionError(fmt::format("stage \"{}\": the problem of the step is not valid: {}",
                                         stage.name, error.what()));
      }
      throw;
    }
  }

  std::optional<Answer> solve(Stage& stage, const State& state, StepReport& report) {
    SolveRequest request = request_.solve;
    const ProblemKeys keys{stage.keys, stage.row_keys};
    request.start = stage.problem.start;
    request.give_up_early =
        stage.offer == Offer::kEarly || (stage.offer == Offer::kOnce && halvings_left_ > 0);
    request.stop_if_excluded = true;  // no body takes an impulse of 1e10 times those around it
    if (request_.warm_start) answers_.give(stage.name, keys, stage.problem.start, request);
    request.look_for_vacuous = request.all_residuals = request_.on_stage && request_.full_verdicts;
    if (request.start && request.look_for_vacuous) stage.problem.start = request.start;
    const VerifiedResult r = solved(stage, request);
    // An external program may report this status without a request to end.
    interrupted_ = r.status == Status::kInterrupted && request_.observer &&
                   !request_.observer->on_iteration({});
    if (request_.on_stage && (!request_.stages || request_.stages(report.step, r.status))) {
      if (request.start) stage.problem.start = request.start;
      report.solved_stages.emplace_back(stage, r);
    }
    StageReport s;
    s.step = report.step;
    s.time = state.time;
    s.stage = stage.name;
    s.solver = r.route.empty() ? request.solver : r.route.back().solver.str();
    s.status = r.status;
    s.natural = r.verdict.measure;
    s.iterations = r.iterations;
    s.setup_time = r.setup_time;
    s.solve_time = r.solve_time;
    s.unknowns = stage.problem.size();
    s.contacts = static_cast<int>(stage.problem.contacts.size());
    if (r.status != Status::kSolved && r.certificate && r.certificate->checked)
      s.certificate = r.certificate->type;
    if (r.status == Status::kExcluded) s.certificate = "excluded";
    report.stages.push_back(s);
    ++summary_.stages;
    summary_.iterations += r.iterations;
    summary_.setup_time += r.setup_time;
    summary_.solve_time += r.solve_time;
    if (r.status != Status::kSolved) {
      summary_.message = r.message.empty()
                             ? fmt::format("stage \"{}\": {}", stage.name, to_string(r.status))
                             : r.message;
      unsolved_ = {stage.name, keys, r};
      if (!has_answer(stage.problem.data, stage.problem.size(), r.answer) ||
          !r.answer.z.allFinite() || !r.answer.dual.allFinite())
        unsolved_.result.answer = {};
      return {};
    }
    if (request_.warm_start) answers_.remember(stage.name, keys, r);
    return r.answer;
  }

  // A problem that does not fit into memory counts as not solved.
  VerifiedResult solve_in_memory(const Stage& stage, const SolveRequest& request) {
    std::unique_ptr<Session>& session = sessions_[stage.name];
    try {
      if (!session) session = std::make_unique<Session>(request);
      return session->solve(stage.problem, request, request_.observer);
    } catch (const std::bad_alloc&) {
      session.reset();
      VerifiedResult result;
      result.status = result.claimed = Status::kNumericalError;
      result.message = "out of memory";
      return result;
    }
  }

  // Without an answer the bodies move freely, and the step is marked as failed.
  bool fail(const State& state, double h, StepReport& report) {
    report.result = {};  // contacts and impulses of an answer that was refused
    // A run that goes on needs some motion; one that ends shows the last state that it knows.
    report.result.state = request_.keep_going ? free_motion(state, h) : state;
    return false;
  }

  const Scene& scene_;
  const SimulationRequest& request_;
  std::unique_ptr<Formulation> formulation_;
  std::vector<double> pattern_;  // lengths of steps, s
  double h_ = 0.0;               // length of the current step, s
  int steps_ = 0;
  int halvings_ = 0, halvings_left_ = 0;  // of a step, and of the present part of one
  WarmStarts answers_;
  std::map<std::string, std::unique_ptr<Session>> sessions_;  // key: the stage
  bool given_ = false;  // whether impulses have acted since the last segment
  // keys of contacts held in the last segment, if no impact followed
  std::unordered_set<std::uint64_t> held_;
  std::unordered_set<std::uint64_t> struck_;  // keys of contacts in impacts since then
  Unsolved unsolved_;                         // the last stage that was not solved
  std::string failure_;                       // message of the last step that failed
  bool interrupted_ = false;                  // the observer ended a solve
  SimulationSummary summary_;
};

}  // namespace

std::string to_string(Driver driver) {
  return driver == Driver::kEventDriven ? "event-driven" : "time-stepping";
}

Driver driver_from(const std::string& name) {
  for (const Driver driver : {Driver::kTimeStepping, Driver::kEventDriven}) {
    if (name == to_string(driver)) return driver;
  }
  throw std::invalid_argument("driver: \"" + name + "\" is not time-stepping or event-driven");
}

SimulationSummary simulate(const Scene& scene, const SimulationRequest& request) {
  return Simulator(scene, request).run();
}

void expect_possible(const Scene& scene, const SimulationRequest& request) {
  const Simulator refuses(scene, request);
}

}  // namespace perp
