// The interface of formulations: a step is a sequence of standard problems.
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

/// How often a step offers a problem with its start.
enum class Offer {
  kOnce,     ///< once: it is worth all effort
  kEarly,    ///< before others: relax() has other starts or forms, so a solver may give up early
  kAgain,    ///< it was offered early before
  kRelaxed,  ///< another problem, with weaker stabilisation: only if nothing else helps
};

/// A problem of a step. The keys tell its unknowns apart; the same unknown (contact and component)
/// has the same key in the next step, so that answers can be carried over as starts. Unknowns
/// without a known key start from problem.start, or from 0 if there is none.
struct Stage {
  std::string name;
  Problem problem;
  std::vector<std::uint64_t> keys;
  std::vector<std::uint64_t> row_keys =
      {};  ///< keys of the rows of a conic_qp, for its dual; or empty
  Offer offer = Offer::kOnce;
};

/// What a contact does in a step.
enum class ContactMode { kOpen, kStick, kSlide };
/// "open", "stick" or "slide".
std::string_view to_string(ContactMode mode);

/// The result of a contact in a step. Impulses in N s (p_r in N m s), velocities at the end of the
/// step in m/s.
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
  Vector joint_impulses;        ///< impulses of the rows of Theta
  bool reduced = false;         ///< true: joint_values are coordinates of joints, not errors
  double contact_work = 0.0;    ///< sum of impulse times end velocity over all contacts, J
  double feeding = 0.0;         ///< most energy that -gap/h and -Theta/h can add, J
  double momentum_error = 0.0;  ///< |M (v+ - v_free) - J'p| over the sum of |J|'|p| and momenta
  double relaxation = 1.0;      ///< factor on the stabilisation terms that made the step solvable
  /// The reason why the answer is no step of the model, although it solves the problem; or empty.
  std::string rejected;
  std::vector<double> columns;  ///< values of Formulation::columns(); empty if no problem was posed
};

/// The next problem of a step, or its end.
using StageOrResult = std::variant<Stage, StepResult>;

/// The features of scenes that a model supports. refusal_of() refuses the others and names the
/// field.
struct Capabilities {
  bool joints = true;
  bool joint_friction = false;      ///< Joint::coulomb and Joint::viscous
  bool bearings = false;            ///< those of find_contacts() include them
  bool restitution = true;          ///< ContactProperties::restitution
  bool compliant_contacts = true;   ///< ContactProperties::stiffness
  bool viscous_friction = false;    ///< ContactProperties::viscous
  bool torsional_friction = false;  ///< ContactProperties::e_r
  bool elliptic_friction = true;    ///< ContactProperties::e_t and e_o other than 1
  bool held_contacts = false;       ///< HeldContacts at velocity level; needed if event-driven
  /// Times that a driver halves a step for which no answer is found, if it is not told otherwise:
  /// more than 0 if solvers are known to find none for some steps.
  int halvings = 0;
};

/// A contact that takes part at velocity level: N v+ >= velocity (m/s).
struct HeldContact {
  ContactPoint3 point;
  double velocity = 0.0;
};

/// The decisions of a caller that watches contacts itself.
struct HeldContacts {
  /// Of the points that were found, those that take part, or others in their place. An empty
  /// function: the model decides.
  std::function<std::vector<HeldContact>(std::vector<ContactPoint3>)> choose{};
  /// Joints ask for J v+ = -joints_kept J v - joints_corrected Theta / h, v the velocities of the
  /// state.
  double joints_kept = 0.0, joints_corrected = 1.0;
  /// Below 1 in place of joints_kept: bodies will move with share v+ + (1 - share) v. The rows of
  /// joints are then those of a later place (ContactSystemChoices::joint_share).
  double joint_share = 1.0;
};

/// Turns a step into problems, and their answers into the next state. It never calls a solver: the
/// caller solves each stage and passes the answer to advance().
class Formulation {
 public:
  Formulation() = default;
  Formulation(const Formulation&) = delete;  // data of a step points at its own parts
  Formulation& operator=(const Formulation&) = delete;
  virtual ~Formulation() = default;
  /// The name of the model.
  virtual std::string_view name() const = 0;
  /// What the model supports.
  virtual Capabilities capabilities() const = 0;
  /// The reason why a scene within the capabilities is refused, or nothing.
  virtual std::optional<std::string> refusal(const Scene& scene) const = 0;

  /// Names of the numbers that it reports for every step in addition to those of StepResult: its
  /// columns in steps.csv.
  virtual std::vector<std::string> columns() const { return {}; }

  /// Begins a step of length h (s) from a state. The scene must exist until the step has ended.
  /// Data that is kept from step to step belongs to all scenes that are equal to it, wherever they
  /// are in memory. A step that does not begin later than the step before it is the first of a new
  /// run; a step that has not ended may also begin again, for instance with half of its length.
  /// @param held used in this call only, and only if capabilities().held_contacts
  /// @throws CollisionError if contacts cannot be found
  virtual StageOrResult begin(const Scene& scene, const State& state, double h,
                              const HeldContacts& held) = 0;
  /// The same, without a driver that watches contacts.
  StageOrResult begin(const Scene& scene, const State& state, double h) {
    return begin(scene, state, h, {});
  }
  /// Continues with the answer of the last stage.
  virtual StageOrResult advance(const Answer& answer) = 0;
  /// Called if the last stage could not be solved: the same stage again, relaxed, in another form
  /// or from another start; nothing if there is no more to offer.
  virtual std::optional<Stage> relax() { return {}; }
  /// Called if the last stage could not be solved even when relaxed: continues without it if the
  /// model allows that, else nothing. The argument is the point that the solver reached, which may
  /// be empty.
  virtual std::optional<StageOrResult> settle(const Answer&) { return {}; }
};

/// The reason why a formulation cannot treat a scene, with the field, or nothing.
std::optional<std::string> refusal_of(const Formulation& formulation, const Scene& scene);

}  // namespace perp
