#include <perp/bench/simulation/simulation.hpp>

#include <chrono>
#include <cmath>
#include <stdexcept>
#include <unordered_map>

namespace perp {

namespace {

using Clock = std::chrono::steady_clock;

// Answers of the last step, to start from.
class Memory {
 public:
  std::optional<Vector> start(const Stage& stage) const {
    const auto it = values_.find(stage.name);
    if (it == values_.end() || it->second.empty()) return {};
    Vector z = Vector::Zero(stage.problem.size());
    bool any = false;
    for (std::size_t i = 0; i < stage.keys.size(); ++i) {
      const auto known = it->second.find(stage.keys[i]);
      if (known == it->second.end()) continue;
      z[static_cast<int>(i)] = known->second;
      any = true;
    }
    return any ? std::optional<Vector>(z) : std::nullopt;
  }

  void remember(const Stage& stage, const Vector& z) {
    auto& values = values_[stage.name];
    values.clear();
    for (std::size_t i = 0; i < stage.keys.size(); ++i)
      values[stage.keys[i]] = z[static_cast<int>(i)];
  }

 private:
  std::map<std::string, std::unordered_map<std::uint64_t, double>> values_;
};

class Simulator {
 public:
  Simulator(const Scene& scene, const SimulationRequest& request)
      : scene_(scene), request_(request), formulation_(make_formulation(request.formulation)) {
    if (const auto reason = formulation_->refusal(scene)) {
      throw std::invalid_argument("scene: " + *reason);
    }
    h_ = request.step > 0 ? request.step : scene.step;
    const double duration = request.duration > 0 ? request.duration : scene.duration;
    if (!(duration / h_ < 1e9)) throw std::invalid_argument("duration: more than 1e9 steps");
    steps_ = static_cast<int>(std::llround(duration / h_));
    request.solve.make(request.solve.solver == "auto" ? "lemke" : request.solve.solver);  // known?
  }

  SimulationSummary run() {
    const auto started = Clock::now();
    State state = initial_state(scene_);
    for (int k = 1; k <= steps_; ++k) {
      StepReport report;
      report.step = k;
      report.h = h_;
      report.scene = &scene_;
      report.solved = take_step(state, report);
      report.result.state.time = k * h_;
      state = report.result.state;
      report.kinetic = kinetic_energy(scene_, state);
      report.potential = potential_energy(scene_, state);
      ++summary_.steps;
      summary_.failed_steps += !report.solved;
      summary_.relaxed_steps += report.result.relaxation < 1.0;
      const bool go_on = !request_.on_step || request_.on_step(report);
      if (!go_on || (!report.solved && !request_.keep_going)) {
        summary_.stopped = true;
        break;
      }
    }
    summary_.final_state = state;
    summary_.wall_time = std::chrono::duration<double>(Clock::now() - started).count();
    return summary_;
  }

 private:
  bool take_step(const State& state, StepReport& report) {
    StageOrResult next = formulation_->begin(scene_, state, h_);
    while (auto* stage = std::get_if<Stage>(&next)) {
      std::optional<Answer> answer = solve(*stage, state, report);
      while (!answer) {
        std::optional<Stage> relaxed = formulation_->relax();
        if (!relaxed) return fail(state, report);
        answer = solve(*relaxed, state, report);
      }
      next = formulation_->advance(*answer);
    }
    report.result = std::get<StepResult>(std::move(next));
    return true;
  }

  std::optional<Answer> solve(const Stage& stage, const State& state, StepReport& report) {
    SolveRequest request = request_.solve;
    if (request_.warm_start) request.start = memory_.start(stage);
    const VerifiedResult r = solve_verified(stage.problem, request);
    if (request_.on_stage) request_.on_stage(report.step, stage, r);
    StageReport s;
    s.step = report.step;
    s.time = state.time;
    s.stage = stage.name;
    s.solver = r.route.empty() ? request.solver : r.route.back().solver;
    s.status = r.status;
    s.natural = r.verdict.measure;
    s.iterations = r.iterations;
    s.setup_time = r.setup_time;
    s.solve_time = r.solve_time;
    s.unknowns = stage.problem.size();
    s.contacts = static_cast<int>(stage.problem.contacts.size());
    s.certified = r.status == Status::kInfeasible && r.certificate && r.certificate->checked;
    report.stages.push_back(s);
    ++summary_.stages;
    summary_.iterations += r.iterations;
    summary_.setup_time += r.setup_time;
    summary_.solve_time += r.solve_time;
    if (r.status != Status::kSolved) {
      summary_.message = r.message;
      return {};
    }
    memory_.remember(stage, r.answer.z);
    return r.answer;
  }

  // No answer: the bodies move freely, and the step is marked.
  bool fail(const State& state, StepReport& report) {
    const Coordinates coordinates(scene_);
    report.result.state =
        moved(scene_, state, coordinates, free_velocity(scene_, state, coordinates, h_), h_);
    return false;
  }

  const Scene& scene_;
  const SimulationRequest& request_;
  std::unique_ptr<Formulation> formulation_;
  double h_ = 0.0;
  int steps_ = 0;
  Memory memory_;
  SimulationSummary summary_;
};

}  // namespace

SimulationSummary simulate(const Scene& scene, const SimulationRequest& request) {
  return Simulator(scene, request).run();
}

}  // namespace perp
