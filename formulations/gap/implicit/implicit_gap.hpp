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

/// A pair of bodies whose contact is in the problem of a step. `form` is the number of a way to
/// write its geometry. The graph depends only on pairs and forms; everything else is a parameter.
struct ContactPair {
  int a = 0, b = 0;  ///< the normal points into a
  int form = 0;
  auto operator<=>(const ContactPair&) const = default;
};

/// A contact of a recorded step.
struct RecordedPair {
  ContactPair pair;
  int number = 0;  ///< index in StepInput::contacts
  std::string name;
  std::uint64_t key = 0;  ///< first of 4096 keys
  int first = 0;          ///< index of the first unknown of the geometry
  ContactUnknowns unknowns;
};

/// A contact at the end of a step.
struct EndContact {
  Vector3d point_a, point_b;  ///< contact points, world, m
  ContactFrame frame;         ///< n points into a
  double gap = 0.0;           ///< m
};

/// When a step begins with a simpler one (coulomb-implicit), whose end is the start of this one.
enum class Prediction {
  kNever,
  kSeveral,  ///< if a moving body has several contacts
  kAlways
};

/// A way to measure gaps at the end of a step: one of the three choices that a model consists of.
/// It gives the rows of a contact whose geometry is that of the end of the step, and may have
/// unknowns of its own.
class ImplicitGap {
 public:
  ImplicitGap() = default;
  ImplicitGap(const ImplicitGap&) = delete;
  ImplicitGap& operator=(const ImplicitGap&) = delete;
  virtual ~ImplicitGap() = default;

  virtual void visit_settings(SettingVisitor&) {}
  /// The reason why it cannot measure the gaps of a scene, or nothing.
  virtual std::optional<std::string> refusal(const Scene& scene) const = 0;
  /// Whether scenes may have joints.
  virtual bool with_joints() const { return true; }
  /// Whether a negative gap is the depth of the overlap, so that contacts may have a stiffness.
  virtual bool with_stiffness() const { return false; }
  /// Largest gap, in the unit of length, at which bodies that were pressed together in the last
  /// step still are in the problem as a contact.
  virtual double parted() const { return 1e-6; }
  /// Names of the numbers that it reports for every step; and a function that raises each number to
  /// its value for one contact, so that they become the largest values over all contacts.
  virtual std::vector<std::string> columns() const { return {}; }
  virtual void raise_columns(const StepInput&, const RecordedPair&, const Vector&, double*) const {}

  /// Whether steps begin with a prediction.
  virtual Prediction prediction() const { return Prediction::kNever; }

  /// The form in which a pair is written first. May change the StartContact.
  virtual int form_of(const StepInput&, StartContact&) const { return 0; }
  /// Changes the pair to the next way to write it. Called if a step was not solved or if wrong() is
  /// true; the number of the try counts from 1. False if no way is left.
  virtual bool rewrite(const StepInput&, int, ContactPair&, StartContact&) const { return false; }
  /// True if an answer solves the equations but is not the contact that they are meant to describe.
  virtual bool wrong(const StepInput&, const RecordedPair&, const Vector&, const State&) const {
    return false;
  }
  /// Records the geometry of a contact with its unknowns, keys from pair.key + 16 on.
  virtual RecordedContact record(StepRecorder& recorder, const RecordedPair& pair) const = 0;
  /// Start values of the unknowns of the geometry.
  virtual void start(const StepInput&, const RecordedPair&, Vector&) const {}
  /// The contact in an answer z; `state` is the end of the step.
  virtual EndContact end(const StepInput& input, const RecordedPair& pair, const Vector& z,
                         const State& state) const = 0;
};

}  // namespace perp
