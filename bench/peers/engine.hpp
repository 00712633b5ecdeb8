// Physics engines run on scenes of perp (docs/reference/peers.md).
#pragma once

#include <functional>
#include <memory>
#include <perp/bench/peers/engine_step.hpp>
#include <perp/formulations/dynamics/state.hpp>
#include <string>
#include <vector>

namespace perp {

/// An engine with a scene in it: boxes on half-spaces, with forces and moments on them.
class Engine {
 public:
  virtual ~Engine() = default;
  /// Wrench on a body in the next step, world frame, through the mass centre.
  virtual void apply(int body, const Vector3d& force, const Vector3d& moment) = 0;
  virtual void step(double h) = 0;
  virtual BodyState body(int index) const = 0;
  /// With the engine's version.
  virtual std::string version() const { return {}; }
  /// Whether it tells its contacts.
  virtual bool has_contacts() const { return false; }
  /// Contacts of the last step, h long, as the engine found them at its beginning, and their
  /// impulses.
  virtual std::vector<EngineContact> contacts(double /*h*/) const { return {}; }
};

/// main() of an engine's program: PROGRAM SCENE [--param KEY=VALUE]... [--step H] [--duration T]
/// --record DIR writes what perp simulate writes, without contacts; --print-steps tells a step
/// as a problem (engine_step_to_text) for every line of standard input.
int run_engine(const std::string& name, int argc, char** argv,
               const std::function<std::unique_ptr<Engine>(const Scene&)>& make);

}  // namespace perp
