#include <perp/bench/peers/engine.hpp>

#include <fmt/format.h>
#include <CLI/CLI.hpp>
#include <charconv>
#include <cmath>
#include <iostream>
#include <map>
#include <perp/bench/data/scenes.hpp>
#include <perp/bench/simulation/recorder.hpp>
#include <stdexcept>
#include <vector>

namespace perp {

namespace {

struct Options {
  std::string scene, record;
  std::vector<std::string> parameters;
  double step = 0.0, duration = 0.0;
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
  if (scene.contact.viscous > 0)
    throw std::invalid_argument("scene: field \"contact.viscous\": engines have Coulomb friction");
  for (const Body& body : scene.bodies) {
    const bool space = std::holds_alternative<HalfSpace>(body.shape) && body.fixed;
    if (!space && (body.fixed || !std::holds_alternative<Box>(body.shape)))
      throw std::invalid_argument(fmt::format(
          "scene: body \"{}\": engines take moving boxes and fixed half-spaces", body.name));
  }
}

void run(const std::string& name, const Options& o,
         const std::function<std::unique_ptr<Engine>(const Scene&)>& make) {
  const Scene scene = load_scene(o.scene, read(o.parameters));
  check(scene);
  const double h = o.step > 0 ? o.step : scene.step;
  const int steps =
      static_cast<int>(std::llround((o.duration > 0 ? o.duration : scene.duration) / h));
  SimulationRequest request;
  request.formulation = name;
  request.solve.solver = name;
  SimulationRecorder recorder(o.record, scene, {{ProblemSelection::Kind::kNone}});
  recorder.summary(request, h, {}, false);
  const std::unique_ptr<Engine> engine = make(scene);
  StepReport report;
  report.h = h;
  report.scene = &scene;
  report.result.state = initial_state(scene);
  State& state = report.result.state;
  for (int k = 1; k <= steps; ++k) {
    for (const Load& load : scene.loads) {
      Vector3d force, moment;
      for (int i = 0; i < 3; ++i) {
        force[i] = load.force[static_cast<std::size_t>(i)](state.time);
        moment[i] = load.moment[static_cast<std::size_t>(i)](state.time);
      }
      engine->apply(load.body, force, moment);
    }
    engine->step(h);
    state.time = k * h;
    for (std::size_t b = 0; b < scene.bodies.size(); ++b) {
      if (!scene.bodies[b].fixed) state.bodies[b] = engine->body(static_cast<int>(b));
    }
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

}  // namespace

int run_engine(const std::string& name, int argc, char** argv,
               const std::function<std::unique_ptr<Engine>(const Scene&)>& make) {
  Options o;
  CLI::App app{fmt::format("Runs a scene of perp with {}", name)};
  app.add_option("SCENE", o.scene, "a scene's name or a scene file")->required();
  app.add_option("--param", o.parameters, "a parameter of the scene, KEY=VALUE")
      ->allow_extra_args(false);
  app.add_option("--step", o.step, "step size in s (default: the scene's)");
  app.add_option("--duration", o.duration, "seconds to simulate (default: the scene's)");
  app.add_option("--record", o.record, "folder for run.json and the CSV files")->required();
  try {
    app.parse(argc, argv);
    run(name, o, make);
    return 0;
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : 2;
  } catch (const std::exception& error) {
    std::cerr << name << ": " << error.what() << '\n';
    return 2;
  }
}

}  // namespace perp
