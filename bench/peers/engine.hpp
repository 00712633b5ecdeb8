// Runs physics engines on scenes of perp (docs/reference/peers.md).
#pragma once

#include <functional>
#include <memory>
#include <perp/bench/peers/engine_step.hpp>
#include <perp/formulations/dynamics/state.hpp>
#include <string>
#include <vector>

namespace perp {

/// An engine that holds a scene: boxes on half-spaces, with forces and moments. SI units.
class Engine {
 public:
  virtual ~Engine() = default;
  /// Sets the force (N) and the moment (N m) on a body in the next step: world frame, at the mass
  /// centre.
  virtual void apply(int body, const Vector3d& force, const Vector3d& moment) = 0;
  /// Makes a step of h seconds.
  virtual void step(double h) = 0;
  /// State of the body with this index in the scene, after the last step.
  virtual BodyState body(int index) const = 0;
  /// Version of the engine.
  virtual std::string version() const { return {}; }
  /// Whether contacts() is available.
  virtual bool has_contacts() const { return false; }
  /// Contacts of the last step, of length h, with their impulses. Their geometry is that of the
  /// beginning of the step.
  virtual std::vector<EngineContact> contacts(double /*h*/) const { return {}; }
};

/// main() of an engine's program: PROGRAM SCENE [--param KEY=VALUE]... [--step H] [--duration T].
/// --record DIR writes the files that perp simulate writes, without contacts. --print-steps prints,
/// for every line of standard input, a step as a problem (engine_step_to_text).
/// @param make makes the engine for a scene @return the exit code
int run_engine(const std::string& name, int argc, char** argv,
               const std::function<std::unique_ptr<Engine>(const Scene&)>& make);

}  // namespace perp
