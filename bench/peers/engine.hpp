// Physics engines run on scenes of perp (docs/peers.md).
#pragma once

#include <functional>
#include <memory>
#include <perp/formulations/dynamics/state.hpp>
#include <string>

namespace perp {

/// An engine with a scene in it: boxes on half-spaces, with forces and moments on them.
class Engine {
 public:
  virtual ~Engine() = default;
  /// Wrench on a body in the next step, world frame, through the mass centre.
  virtual void apply(int body, const Vector3d& force, const Vector3d& moment) = 0;
  virtual void step(double h) = 0;
  virtual BodyState body(int index) const = 0;
};

/// main() of an engine's program: PROGRAM SCENE [--param KEY=VALUE]... [--step H] [--duration T]
/// --record DIR writes what perp simulate writes, without contacts.
int run_engine(const std::string& name, int argc, char** argv,
               const std::function<std::unique_ptr<Engine>(const Scene&)>& make);

}  // namespace perp
