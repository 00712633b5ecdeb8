#include <perp/bench/cli/commands.hpp>

#include <fmt/format.h>
#include <unistd.h>
#include <CLI/CLI.hpp>
#include <algorithm>
#include <charconv>
#include <cmath>
#include <exception>
#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>
#include <perp/bench/data/scenes.hpp>
#include <perp/bench/harness/solver_names.hpp>
#include <perp/bench/harness/solvers.hpp>
#include <perp/bench/processes/freed_memory.hpp>
#include <perp/bench/processes/interrupt.hpp>
#include <perp/bench/simulation/recorder.hpp>
#include <perp/bench/simulation/simulation.hpp>
#include <perp/formulations/registry.hpp>
#include <perp/problems/json/json.hpp>
#include <perp/problems/json/text.hpp>

namespace perp::cli {

namespace {

struct SimulateOptions {
  std::string scene, formulation, solver, record, problems;
  std::vector<double> steps;  // in turn, those of --step
  double duration = 0.0, tolerance = 1e-10, time_limit = 0.0;
  std::vector<std::string> parameters, settings;
  std::string driver = "time-stepping";
  int max_events = 1000, halvings = -1, threads = 1;
  bool json = false, sequence = false, no_contacts = false, cold = false, keep_going = false;
};

// Numbers of the order of the rounding of `largest` are shown as 0.
Vector3d rounding_as_zero(Vector3d v, double largest) {
  if (!std::isfinite(largest)) return v;
  for (double& value : v) {
    if (std::abs(value) <= 1e-14 * largest) value = 0.0;
  }
  return v;
}

void print_bodies(const Scene& scene, const State& state, double h) {
  // A velocity comes from the impulse of gravity in a step and what contacts take from it.
  double far = 0.0, fast = h * scene.gravity.cwiseAbs().maxCoeff();
  for (const BodyState& body : state.bodies) {
    far = std::max(far, body.position.cwiseAbs().maxCoeff());
    fast = std::max(fast, body.velocity.cwiseAbs().maxCoeff());
  }
  int printed = 0;
  for (std::size_t b = 0; b < scene.bodies.size() && printed < 6; ++b) {
    if (scene.bodies[b].fixed) continue;
    ++printed;
    const Vector3d p = rounding_as_zero(state.bodies[b].position, far),
                   v = rounding_as_zero(state.bodies[b].velocity, fast);
    std::cout << fmt::format(
        "  {:<9} position ({:.6g}, {:.6g}, {:.6g}), velocity ({:.4g}, {:.4g}, {:.4g})\n",
        scene.bodies[b].name, p[0], p[1], p[2], v[0], v[1], v[2]);
  }
}

void print(const Scene& scene, const std::string& formulation, double h,
           const SimulationSummary& s) {
  std::cout << fmt::format(
      "{}: {} steps, {} failed, {} relaxed ({} without certificate), {} problems, "
      "{} iterations\n",
      shown(scene.name), s.steps, s.failed_steps, s.relaxed_steps, s.uncertified_steps, s.stages,
      s.iterations);
  std::cout << fmt::format("  formulation {}\n", formulation);
  if (s.approximate_steps > 0) {
    std::cout << fmt::format("  failed    {} made with the point reached, {} without\n",
                             s.approximate_steps, s.failed_steps - s.approximate_steps);
  }
  if (s.halved_steps > 0)
    std::cout << fmt::format("  halved    {} steps without an answer at full length\n",
                             s.halved_steps);
  if (s.events > 0) std::cout << fmt::format("  events    {}\n", s.events);
  std::cout << fmt::format(
      "  times     wall {:.3f} s, setup {:.3f} s, solve {:.3f} s; peak memory {:.0f} MB\n",
      s.wall_time, s.setup_time, s.solve_time, s.peak_memory_mb);
  if (s.failed_steps > 0) std::cout << "  message   " << message_line(s.message) << '\n';
  print_bodies(scene, s.final_state, h);
}

nlohmann::ordered_json summary_json(const SimulateOptions& o, const Scene& scene, double h,
                                    const SimulationSummary& summary) {
  nlohmann::ordered_json bodies = nlohmann::ordered_json::array();
  for (std::size_t b = 0; b < scene.bodies.size(); ++b) {
    const BodyState& s = summary.final_state.bodies[b];
    bodies.push_back({{"name", scene.bodies[b].name},
                      {"position", {s.position[0], s.position[1], s.position[2]}},
                      {"velocity", {s.velocity[0], s.velocity[1], s.velocity[2]}},
                      {"angular_velocity",
                       {s.angular_velocity[0], s.angular_velocity[1], s.angular_velocity[2]}}});
  }
  return {
      {"scene", scene.name},
      {"driver", o.driver},
      {"formulation", o.formulation},
      {"solver", o.solver},
      {"h", h},
      {"steps", summary.steps},
      {"failed_steps", summary.failed_steps},
      {"relaxed_steps", summary.relaxed_steps},
      {"uncertified_steps", summary.uncertified_steps},
      {"halved_steps", summary.halved_steps},
      {"cut_short_steps", summary.cut_short_steps},
      {"approximate_steps", summary.approximate_steps},
      {"events", summary.events},
      {"stages", summary.stages},
      {"iterations", summary.iterations},
      {"times",
       {{"setup", summary.setup_time}, {"solve", summary.solve_time}, {"wall", summary.wall_time}}},
      {"message", summary.message},
      {"bodies", bodies}};
}

SimulationRequest request_from(const SimulateOptions& o) {
  SimulationRequest request;
  request.driver = driver_from(o.driver);
  request.max_events = o.max_events;
  request.formulation = o.formulation;
  request.pattern = o.steps;
  request.duration = o.duration;
  request.warm_start = !o.cold;
  request.keep_going = o.keep_going;
  request.halvings = o.halvings;
  request.solve.solver = o.solver;
  request.solve.limits.tolerance = o.tolerance;
  request.solve.limits.time_limit = o.time_limit;
  request.solve.limits.threads = o.threads;
  request.solve.settings = split_pairs(o.settings, "--set");
  request.solve.make = make_any_solver;
  return request;
}

// What asks for nothing or for what cannot be.
void check(const SimulateOptions& o, const Scene& scene, const RecordRequest& record, double h,
           double duration) {
  check_solvers({o.solver}, split_pairs(o.settings, "--set"));
  const std::unique_ptr<Formulation> formulation = make_formulation(o.formulation);
  if (const auto why = refusal_of(*formulation, scene))
    throw InputError(fmt::format("{}: {}", o.scene, *why));
  if (driver_from(o.driver) == Driver::kEventDriven && !formulation->capabilities().held_contacts) {
    throw std::invalid_argument(
        "--driver event-driven: needs a --formulation of velocity level: anitescu-potra, "
        "max-dissipation-impulse or GAP+LAW+velocity-level");
  }
  if (driver_from(o.driver) == Driver::kEventDriven && o.steps.size() > 1)
    throw std::invalid_argument("--step: the event-driven driver needs a single length");
  if (o.record.empty() && (!o.problems.empty() || o.sequence || o.no_contacts)) {
    throw std::invalid_argument(fmt::format("--{}: needs --record", o.sequence ? "sequence"
                                                                    : o.no_contacts
                                                                        ? "no-contacts"
                                                                        : "record-problems"));
  }
  if (o.sequence && record.problems.kind == ProblemSelection::Kind::kNone)
    throw std::invalid_argument("--sequence: there is nothing in it with --record-problems none");
  if (duration < 0.5 * h) {
    throw std::invalid_argument(
        fmt::format("--duration: {} s is less than half of a step ({} s)", duration, h));
  }
  if (!(duration / h < 1e9)) throw std::invalid_argument("--duration: more than 1e9 steps");
}

// The numbers of --step.
std::vector<double> read_steps(const std::vector<std::string>& texts) {
  std::vector<double> steps;
  for (std::string& part : split_list(texts, "--step")) {
    if (const std::string fault = positive()(part); !fault.empty())
      throw std::invalid_argument("--step: " + fault);
    std::from_chars(part.data(), part.data() + part.size(), steps.emplace_back());
  }
  return steps;
}

// Ends a record that could not be written whole: run.json says why, if it can be written.
[[noreturn]] void end_record(SimulationRecorder& recorder, const SimulationRequest& request,
                             double h, SimulationSummary& summary, const std::exception_ptr& why) {
  try {
    std::rethrow_exception(why);
  } catch (const InputError& error) {
    summary.message = error.what();
    try {
      recorder.summary(request, h, summary, false);
    } catch (const InputError&) {  // the first fault is told
    }
    throw;
  }
}

void run_simulation(SimulateOptions o, int& code) {
  keep_freed_memory();
  const Scene scene = load_scene(o.scene, read_parameters(o.parameters));
  if (o.formulation.empty()) o.formulation = default_formulation(scene);
  if (o.solver.empty()) o.solver = "auto";
  const SolverName solver = read_solver_name(o.solver);
  const double h = o.steps.empty() ? scene.step : *std::max_element(o.steps.begin(), o.steps.end()),
               duration = o.duration > 0 ? o.duration : scene.duration;
  const RecordRequest record{ProblemSelection::parse(o.problems.empty() ? "failed" : o.problems),
                             o.sequence,
                             !o.no_contacts,
                             solver.name == o.solver ? "" : solver.command,
                             {o.formulation, solver.name, driver_from(o.driver)}};
  check(o, scene, record, h, duration);
  SimulationRequest request = request_from(o);
  InterruptObserver observer;
  request.observer = &observer;
  o.solver = solver.name;
  SimulationRequest named = request;  // as records call it
  named.solve.solver = o.solver;
  std::unique_ptr<SimulationRecorder> recorder;
  if (!o.record.empty()) {
    recorder = std::make_unique<SimulationRecorder>(o.record, scene, record,
                                                    make_formulation(o.formulation)->columns());
    recorder->summary(named, h, {}, false);
    recorder->record_stages(request);
  }
  const bool bar = isatty(STDERR_FILENO) != 0;
  std::exception_ptr unwritten;  // what could not be recorded, which ends the run
  const auto record_safely = [&](const auto& write) {
    try {
      if (!unwritten) write();
    } catch (const InputError&) {
      unwritten = std::current_exception();
    }
  };
  if (request.on_stage) {
    request.on_stage = [&, write = request.on_stage](int step, const Stage& stage,
                                                     const VerifiedResult& result) {
      record_safely([&] { write(step, stage, result); });
    };
  }
  request.on_step = [&](const StepReport& report) {
    if (recorder) record_safely([&] { recorder->step(report); });
    if (unwritten) return false;
    if (bar && report.step % 10 == 0) {
      std::cerr << fmt::format("\r\033[K{:.0f} %", 100 * report.result.state.time / duration)
                << std::flush;
    }
    return interrupt_signal() == 0;
  };
  const InterruptGuard guard;
  SimulationSummary summary = simulate(scene, request);
  if (bar) std::cerr << "\r\033[K";
  if (unwritten) end_record(*recorder, named, h, summary, unwritten);
  if (summary.stopped && interrupt_signal() != 0) summary.message = "interrupted";
  if (recorder) recorder->summary(named, h, summary, !summary.stopped);
  if (o.json) {
    std::cout << json_text(summary_json(o, scene, h, summary)) << '\n';
  } else {
    print(scene, o.formulation, h, summary);
  }
  code = summary.failed_steps == 0 && !summary.stopped ? kDone : kNotSolved;
}

}  // namespace

void add_simulate(CLI::App& app, int& code) {
  auto o = std::make_shared<SimulateOptions>();
  CLI::App* verb = app.add_subcommand("simulate", "Simulate a scene");
  verb->add_option("SCENE", o->scene, "a scene's name or a scene file")->required();
  verb->add_option(
      "--formulation", o->formulation,
      "NAME or GAP+LAW+STEPPING, then :option=value,... (see perp list formulations; default: "
      "the scene's, else stewart-trinkle)");
  verb->add_option("--solver", o->solver,
                   "a solver's name, auto, a peer's name, exec:COMMAND (a program, started for "
                   "every solve) or serve:COMMAND (a program that is kept), also behind NAME=, or "
                   "a strategy (perp list strategies) (default: auto)");
  add_plugin_option(*verb);
  verb->add_option_function<std::vector<std::string>>(
          "--step", [o](const std::vector<std::string>& texts) { o->steps = read_steps(texts); },
          "step size in s (default: the scene's); several, as 0.01,0.002, are taken in turn")
      ->type_name("FLOAT,...")
      ->allow_extra_args(false);
  verb->add_option("--duration", o->duration, "seconds to simulate (default: the scene's)")
      ->check(positive());
  verb->add_option("--param", o->parameters, "a parameter of the scene, KEY=VALUE")
      ->allow_extra_args(false);
  verb->add_option("--tolerance", o->tolerance, "verifier's measure that every problem must reach")
      ->check(nonnegative())
      ->capture_default_str();
  verb->add_option("--time-limit", o->time_limit,
                   "seconds that the solve of each problem may take; the step of one that takes "
                   "longer has failed (default: none)")
      ->check(positive());
  verb->add_option(
          "--threads", o->threads,
          "threads that each solve may use; the answers have the same bits whatever their number")
      ->check(whole_number(1, kMostThreads))
      ->capture_default_str();
  verb->add_option("--set", o->settings, "a setting of the solver, KEY=VALUE")
      ->allow_extra_args(false);
  verb->add_option("--record", o->record, "folder for run.json and the CSV files");
  verb->add_option("--record-problems", o->problems,
                   "none, failed (default), A:B (steps) or all; needs --record");
  verb->add_flag("--sequence", o->sequence, "record problems as one perp-sequence, problems.jsonl");
  verb->add_flag("--no-contacts", o->no_contacts,
                 "record no contacts.csv, by far the largest file if there are many");
  verb->add_option("--driver", o->driver, "time-stepping or event-driven")
      ->check(CLI::IsMember({"time-stepping", "event-driven"}))
      ->capture_default_str();
  CLI::Option* max_events = verb->add_option("--max-events", o->max_events,
                                             "event-driven: impacts within one step at most")
                                ->check(whole_number(1, 1000000000))
                                ->capture_default_str();
  verb->add_flag("--cold", o->cold, "no warm start from the last step");
  verb->add_flag("--keep-going", o->keep_going,
                 "go on after a step that failed, with the point that its solve reached");
  verb->add_option(
          "--halvings", o->halvings,
          "times that a step without an answer is halved, each part once more and so on; "
          "not with --keep-going (default: 4 for the exact cone and for geometry at the end "
          "of the step, else 0)")
      ->check(whole_number(0, 20));
  verb->add_flag("--json", o->json, "print one JSON document");
  verb->footer(
      "Example: perp simulate box-stack --param rows=3 --duration 1 --record out/stack\n"
      "Exit code 0 if every step was solved and verified.");
  verb->callback([o, max_events, &code] {
    if (max_events->count() > 0 && driver_from(o->driver) != Driver::kEventDriven) {
      throw std::invalid_argument(
          "--max-events: time-stepping has no events; it needs --driver event-driven");
    }
    if (o->halvings > 0 && (o->keep_going || driver_from(o->driver) == Driver::kEventDriven)) {
      throw std::invalid_argument(
          "--halvings: neither with --keep-going nor with --driver event-driven");
    }
    run_simulation(*o, code);
  });
}

}  // namespace perp::cli
