#include <perp/bench/peers/engine.hpp>

#include <fmt/format.h>
#include <CLI/CLI.hpp>
#include <charconv>
#include <cmath>
#include <iostream>
#include <map>
#include <perp/bench/data/scenes.hpp>
#include <perp/bench/peers/step_options.hpp>
#include <perp/bench/simulation/recorder.hpp>
#include <perp/problems/json/text.hpp>
#include <stdexcept>
#include <vector>

namespace perp {

namespace {

struct Options {
  std::string scene, record;
  std::vector<std::string> parameters;
  double step = 0.0, duration = 0.0;
  bool print_steps = false;
  StepOptions steps;
};

std::map<std::string, double> read(const std::vector<std::string>& pairs) {
  std::map<std::string, double> values;
  for (const std::string& pair : pairs) {
    const auto equals = pair.find('=');
    double value = 0.0;
    const char* end = pair.data() + pair.size();
    if (equals == std::string::npos ||
        std::from_chars(pair.data() + equals + 1, end, value).ptr != end)
      throw std::invalid_argument(fmt::format("--param: \"{}\" is not KEY=NUMBER", pair));
    values[pair.substr(0, equals)] = value;
  }
  return values;
}

void check(const Scene& scene) {
  if (scene.dimension != 3 || !scene.joints.empty() || !scene.bearings.empty() ||
      !scene.springs.empty() || !scene.impulses.empty() || !scene.pairs.empty())
    throw std::invalid_argument("scene: engines take 3D scenes of bodies, contact and loads");
  ContactProperties plain;
  plain.mu = scene.contact.mu;
  plain.direction = scene.contact.direction;  // of no effect if friction is isotropic
  if (scene.contact != plain)
    throw std::invalid_argument(
        "scene: field \"contact\": engines take mu alone: rigid, without restitution, torsion or "
        "viscous friction, isotropic");
  for (const Body& body : scene.bodies) {
    const bool space = std::holds_alternative<HalfSpace>(body.shape) && body.fixed;
    if (!space && (body.fixed || !std::holds_alternative<Box>(body.shape)))
      throw std::invalid_argument(fmt::format(
          "scene: body \"{}\": engines take moving boxes and fixed half-spaces", body.name));
  }
}

using MakeEngine = std::function<std::unique_ptr<Engine>(const Scene&)>;

void push(const Scene& scene, double time, Engine& engine) {
  for (const Load& load : scene.loads) {
    Vector3d force, moment;
    for (int i = 0; i < 3; ++i) {
      force[i] = load.force[static_cast<std::size_t>(i)](time);
      moment[i] = load.moment[static_cast<std::size_t>(i)](time);
    }
    engine.apply(load.body, force, moment);
  }
}

void read_bodies(const Scene& scene, const Engine& engine, State& state) {
  for (std::size_t b = 0; b < scene.bodies.size(); ++b) {
    if (!scene.bodies[b].fixed) state.bodies[b] = engine.body(static_cast<int>(b));
  }
}

void record(const std::string& name, const Options& o, const Scene& scene, double h,
            Engine& engine) {
  const int steps =
      static_cast<int>(std::llround((o.duration > 0 ? o.duration : scene.duration) / h));
  SimulationRequest request;
  request.formulation = name;
  request.solve.solver = name;
  SimulationRecorder recorder(o.record, scene, {{ProblemSelection::Kind::kNone}});
  recorder.summary(request, h, {}, false);
  StepReport report;
  report.h = h;
  report.scene = &scene;
  report.result.state = initial_state(scene);
  State& state = report.result.state;
  for (int k = 1; k <= steps; ++k) {
    push(scene, state.time, engine);
    engine.step(h);
    state.time = k * h;
    read_bodies(scene, engine, state);
    report.step = k;
    report.kinetic = kinetic_energy(scene, state);
    report.potential = potential_energy(scene, state);
    recorder.step(report);
  }
  SimulationSummary summary;
  summary.steps = steps;
  recorder.summary(request, h, summary, true);
  for (std::size_t b = 0; b < scene.bodies.size(); ++b) {
    if (scene.bodies[b].fixed) continue;
    const Vector3d &p = state.bodies[b].position, &v = state.bodies[b].velocity;
    std::cout << fmt::format(
        "{} position ({:.6f}, {:.6f}, {:.6f}), velocity ({:.6f}, {:.6f}, {:.6f})\n",
        scene.bodies[b].name, p[0], p[1], p[2], v[0], v[1], v[2]);
  }
}

// Only the law "coulomb" is available: these engines do not show the problem that they solve.
void print_steps(const std::string& name, const Options& o, const Scene& scene, double h,
                 Engine& engine) {
  if (!engine.has_contacts())
    throw std::invalid_argument("--print-steps: this engine does not give its contacts");
  State state = initial_state(scene);
  StepCounter counter(o.steps);
  answer_lines(counter, [&] {
    const State before = state;
    push(scene, state.time, engine);
    engine.step(h);
    state.time += h;
    read_bodies(scene, engine, state);
    const std::vector<EngineContact> contacts = engine.contacts(h);
    if (!counter.next(!contacts.empty())) return false;
    EngineStep step{
        name + " " + engine.version(), scene.name, counter.step(), before.time, h, {}, {}};
    for (const std::string& law : o.steps.laws) {
      if (law != "coulomb") {
        step.refused.emplace_back(law, "this engine does not show its own problem");
        continue;
      }
      EngineProblem& p = step.problems.emplace_back(coulomb_problem(scene, before, h, contacts));
      p.problem.name = fmt::format("{} step {}, coulomb", scene.name, step.step);
      p.problem.source =
          json::Object{{"engine", step.engine},           {"scene", scene.name}, {"law", law},
                       {"step", std::int64_t{step.step}}, {"time", step.time},   {"h", h}};
    }
    std::cout << engine_step_to_text(step) << std::endl;
    return true;
  });
}

void run(const std::string& name, const Options& o, const MakeEngine& make) {
  if (o.record.empty() != o.print_steps)
    throw std::invalid_argument("one of --record and --print-steps is needed");
  const Scene scene = load_scene(o.scene, read(o.parameters));
  check(scene);
  const double h = o.step > 0 ? o.step : scene.step;
  const std::unique_ptr<Engine> engine = make(scene);
  if (o.print_steps) {
    print_steps(name, o, scene, h, *engine);
  } else {
    record(name, o, scene, h, *engine);
  }
}

}  // namespace

int run_engine(const std::string& name, int argc, char** argv, const MakeEngine& make) {
  Options o;
  CLI::App app{fmt::format("Runs a scene of perp with {}", name)};
  app.add_option("SCENE", o.scene, "a scene's name or a scene file")->required();
  app.add_option("--param", o.parameters, "a parameter of the scene, KEY=VALUE")
      ->allow_extra_args(false);
  app.add_option("--step", o.step, "step size in s (default: the scene's)");
  app.add_option("--duration", o.duration, "seconds to simulate (default: the scene's)");
  app.add_option("--record", o.record, "folder for run.json and the CSV files");
  app.add_flag(
      "--print-steps", o.print_steps,
      "print a step with contacts as a problem for every line of input (for perp import-step)");
  add_step_options(app, o.steps);
  try {
    app.parse(argc, argv);
    run(name, o, make);
    return 0;
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : 2;
  } catch (const std::exception& error) {
    std::cerr << name << ": " << message_line(error.what()) << '\n';
    return 2;
  }
}

}  // namespace perp
