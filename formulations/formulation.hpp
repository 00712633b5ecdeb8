// What a formulation is: a step as a small machine of standard problems.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <perp/formulations/dynamics/contacts.hpp>
#include <perp/formulations/dynamics/state.hpp>
#include <perp/problems/standard/problem.hpp>
#include <perp/problems/standard/verifier.hpp>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace perp {

/// A problem of a step. The keys tell its unknowns apart and are the same for the same unknown of
/// the next step (contact and component), so that answers can be carried over as starts; unknowns
/// without a known key start from problem.start, or 0 where there is none.
struct Stage {
  std::string name;
  Problem problem;
  std::vector<std::uint64_t> keys;
  std::vector<std::uint64_t> row_keys = {};  ///< of the rows of a conic_qp, for its dual; or empty
};

enum class ContactMode { kOpen, kStick, kSlide };
std::string_view to_string(ContactMode mode);

/// What a contact did in a step. Impulses in N s, velocities at the end of the step in m/s.
struct ContactResult {
  ContactPoint3 contact;
  ContactFrame frame;
  double p_n = 0.0, p_t = 0.0, p_o = 0.0, p_r = 0.0;
  double v_n = 0.0, slip = 0.0;
  ContactMode mode = ContactMode::kOpen;
};

/// The end of a step.
struct StepResult {
  State state;
  std::vector<ContactResult> contacts;
  Vector joint_values;          ///< Theta at the beginning of the step
  Vector joint_impulses;        ///< of the rows of Theta
  bool reduced = false;         ///< joint_values are coordinates of joints, not errors
  double contact_work = 0.0;    ///< sum of impulse times end velocity over contacts, J
  double feeding = 0.0;         ///< what -gap/h and -Theta/h may feed at most, J
  double momentum_error = 0.0;  ///< |M (v+ - v_free) - J'p| over the sum of |J|'|p| and the momenta
  double relaxation = 1.0;      ///< factor on the stabilisation terms that made the step solvable
  /// Why the answer, though it solves the problem, is no step of the model; empty: it is one.
  std::string rejected;
  std::vector<double> columns;  ///< values of Formulation::columns(), none where nothing was posed
};

using StageOrResult = std::variant<Stage, StepResult>;

/// What a model treats of what scenes have. refusal_of() refuses the rest, naming the field.
struct Capabilities {
  bool joints = true;
  bool joint_friction = false;      ///< Joint::coulomb and Joint::viscous
  bool bearings = false;            ///< contacts of find_contacts() have them
  bool restitution = true;          ///< ContactProperties::restitution
  bool compliant_contacts = true;   ///< ContactProperties::stiffness
  bool viscous_friction = false;    ///< ContactProperties::viscous
  bool torsional_friction = false;  ///< ContactProperties::e_r
  bool elliptic_friction = true;    ///< ContactProperties::e_t and e_o other than 1
  bool held_contacts = false;       ///< velocity level: HeldContacts, so event-driven too
};

/// What drivers that watch contacts themselves say: a contact takes part at velocity level, N v+ >=
/// the value, m/s, or not at all if there is none. An empty function: the model sees to it itself.
using HeldContacts = std::function<std::optional<double>(const ContactPoint3&)>;

/// Turns a step into problems and their answers into the next state. Never calls a solver: whoever
/// runs it solves each stage and passes the answer to advance().
class Formulation {
 public:
  Formulation() = default;
  Formulation(const Formulation&) = delete;  // what it keeps of a step points at its own parts
  Formulation& operator=(const Formulation&) = delete;
  virtual ~Formulation() = default;
  virtual std::string_view name() const = 0;
  virtual Capabilities capabilities() const = 0;
  /// Why a scene cannot be treated though it has nothing beyond the capabilities, or nothing.
  virtual std::optional<std::string> refusal(const Scene& scene) const = 0;

  /// Names of the numbers that it tells of every step beside those of StepResult: the columns that
  /// it adds to steps.csv.
  virtual std::vector<std::string> columns() const { return {}; }

  /// Begins a step of length h from a state. The scene must live until the step has ended. What is
  /// kept from step to step belongs to scenes that are equal to it, wherever they lie; a step that
  /// does not begin later than the one before is the first of a new run.
  /// @param held looked at in this call only, and only if capabilities().held_contacts
  virtual StageOrResult begin(const Scene& scene, const State& state, double h,
                              const HeldContacts& held) = 0;
  StageOrResult begin(const Scene& scene, const State& state, double h) {
    return begin(scene, state, h, {});
  }
  /// Goes on with the answer of the last stage.
  virtual StageOrResult advance(const Answer& answer) = 0;
  /// The last stage once more, relaxed, where it could not be solved; nothing where there is no
  /// way.
  virtual std::optional<Stage> relax() { return {}; }
  /// Goes on without the last stage, which could not be solved even relaxed, where the model allows
  /// it; given is what the solver reached, which may be empty.
  virtual std::optional<StageOrResult> settle(const Answer&) { return {}; }
};

/// Why a formulation cannot treat a scene, or nothing.
std::optional<std::string> refusal_of(const Formulation& formulation, const Scene& scene);

}  // namespace perp
