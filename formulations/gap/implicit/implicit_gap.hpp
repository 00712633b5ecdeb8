// How the gap of two bodies is measured at the end of a step.
#pragma once

#include <compare>
#include <memory>
#include <optional>
#include <perp/formulations/dynamics/step_recorder.hpp>
#include <perp/problems/settings/settings.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace perp {

/// A pair of bodies whose contact is in the problem of a step. `form` tells ways to write its
/// geometry apart; pairs and forms decide on the graph, everything else is a parameter.
struct ContactPair {
  int a = 0, b = 0;  ///< the normal points into a
  int form = 0;
  auto operator<=>(const ContactPair&) const = default;
};

/// A contact of a recorded step.
struct RecordedPair {
  ContactPair pair;
  int number = 0;  ///< of StepInput::contacts
  std::string name;
  std::uint64_t key = 0;  ///< first of 4096
  int first = 0;          ///< first unknown of the geometry
  ContactUnknowns unknowns;
};

/// A contact at the end of a step.
struct EndContact {
  Vector3d point_a, point_b;  ///< world
  ContactFrame frame;         ///< n points into a
  double gap = 0.0;           ///< m
};

/// One of the three choices that a model consists of: the rows of a contact whose geometry is that
/// of the end of the step, with unknowns of its own if it has any.
class ImplicitGap {
 public:
  ImplicitGap() = default;
  ImplicitGap(const ImplicitGap&) = delete;
  ImplicitGap& operator=(const ImplicitGap&) = delete;
  virtual ~ImplicitGap() = default;

  virtual void visit_settings(SettingVisitor&) {}
  /// Why it cannot measure the gaps of a scene, or nothing.
  virtual std::optional<std::string> refusal(const Scene& scene) const = 0;
  /// Whether scenes may have joints.
  virtual bool with_joints() const { return true; }
  /// Whether its gap goes on below 0 as the depth of bodies that overlap, so that contacts may have
  /// a stiffness.
  virtual bool with_stiffness() const { return false; }
  /// How far bodies that pressed may have parted and still be posed as a contact; of the unit of
  /// length.
  virtual double parted() const { return 1e-6; }
  /// Names of numbers that it tells of every step, and their values: largest ones over contacts.
  virtual std::vector<std::string> columns() const { return {}; }
  virtual void raise_columns(const StepInput&, const RecordedPair&, const Vector&, double*) const {}

  /// The form in which a pair is written first, with its StartContact, which may be changed.
  virtual int form_of(const StepInput&, StartContact&) const { return 0; }
  /// Other ways to write the pair, tried in turn if a step is not solved or `wrong` says so. False
  /// if there is none left. `tries` counts from 1.
  virtual bool rewrite(const StepInput&, int, ContactPair&, StartContact&) const { return false; }
  /// True if an answer solves the equations in a way that they do not mean.
  virtual bool wrong(const StepInput&, const RecordedPair&, const Vector&, const State&) const {
    return false;
  }
  /// Records the geometry of a contact with its unknowns, keys from pair.key + 16 on.
  virtual RecordedContact record(StepRecorder& recorder, const RecordedPair& pair) const = 0;
  /// Start values of the unknowns of the geometry.
  virtual void start(const StepInput&, const RecordedPair&, Vector&) const {}
  virtual EndContact end(const StepInput& input, const RecordedPair& pair, const Vector& z,
                         const State& state) const = 0;
};

}  // namespace perp
