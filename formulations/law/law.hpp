// The interface of contact laws: the problems that a step with geometry at its beginning poses.
#pragma once

#include <memory>
#include <optional>
#include <perp/formulations/dynamics/contact_system.hpp>
#include <perp/problems/settings/settings.hpp>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace perp {

/// The result of a step. `columns` are the values of ContactLaw::columns().
struct StepEnd {
  Vector velocity;  ///< at the end, SI
  Vector impulses;  ///< of the rows of J, N s
  std::vector<double> columns = {};
  std::vector<ContactMode> modes = {};  ///< of the contacts, if the law knows them
};

/// The next problem of a step, or its end.
using StageOrEnd = std::variant<Stage, StepEnd>;

/// How contacts and joints push: one of the three choices that a model consists of. A law makes
/// problems from the equations of a step and reads their answers. It does not depend on collision
/// detection, on how gaps are measured, or on whether they count. The system that begin() receives
/// exists until the step has ended. The step, not the law, sets names and contacts of the problems.
class ContactLaw {
 public:
  ContactLaw() = default;
  ContactLaw(const ContactLaw&) = delete;
  ContactLaw& operator=(const ContactLaw&) = delete;
  virtual ~ContactLaw() = default;

  /// What it supports; only the members about joints and contacts are used.
  virtual Capabilities capabilities() const { return {}; }
  /// The reason why it refuses a scene within the capabilities, or nothing.
  virtual std::optional<std::string> refusal(const Scene&) const { return {}; }
  /// Shows the settings of the law.
  virtual void visit_settings(SettingVisitor&) {}
  /// Names of the numbers that it reports for every step.
  virtual std::vector<std::string> columns() const { return {}; }

  /// Directions of the friction impulses of a contact: generators of a pyramid, or axes of a cone.
  virtual std::vector<FrictionDirection> friction_directions(const ContactPoint3& contact,
                                                             const ContactFrame& frame,
                                                             int dimension) const = 0;
  /// Impulses and slips of its answers that count as zero.
  virtual ModeTolerance mode_tolerance() const = 0;
  /// ContactSystemChoices::candidate_share.
  virtual double candidate_share(const Scene&, double /*h*/) const { return 0.1; }

  /// As begin(), advance(), relax() and settle() of Formulation.
  virtual StageOrEnd begin(ContactSystem& system) = 0;
  /// As Formulation::advance().
  virtual StageOrEnd advance(const Answer& answer) = 0;
  /// As Formulation::relax().
  virtual std::optional<Stage> relax() { return {}; }
  /// As Formulation::settle().
  virtual std::optional<StageOrEnd> settle(const Answer&) { return {}; }
};

/// An entry of the list.
struct LawEntry {
  std::string_view name, summary, source;
  std::vector<std::string_view> kinds;  ///< kinds of the problems that it poses
  std::unique_ptr<ContactLaw> (*make)();
};

/// The laws for steps with geometry at their beginning, in the order of the list in laws.cpp.
const std::vector<LawEntry>& contact_laws();

}  // namespace perp
