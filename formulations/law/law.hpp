// What a contact law is: which problems a step with geometry at its beginning poses.
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

/// What ends a step. Columns are the values of ContactLaw::columns().
struct StepEnd {
  Vector velocity;  ///< at the end, SI
  Vector impulses;  ///< of the rows of J, N s
  std::vector<double> columns = {};
  std::vector<ContactMode> modes = {};  ///< of the contacts, if the law knows them
};

using StageOrEnd = std::variant<Stage, StepEnd>;

/// One of the three choices that a model consists of: how contacts and joints push. A law makes
/// problems of the equations of a step and reads their answers; it knows nothing of collisions, of
/// how gaps are measured, nor of whether they count. The system that begin() is given lives until
/// the step has ended. Names and contacts of the problems are set by the step, not by the law.
class ContactLaw {
 public:
  ContactLaw() = default;
  ContactLaw(const ContactLaw&) = delete;
  ContactLaw& operator=(const ContactLaw&) = delete;
  virtual ~ContactLaw() = default;

  /// What it treats; of those on joints and contacts alone.
  virtual Capabilities capabilities() const { return {}; }
  /// Why it cannot treat a scene though it has nothing beyond the capabilities, or nothing.
  virtual std::optional<std::string> refusal(const Scene&) const { return {}; }
  virtual void visit_settings(SettingVisitor&) {}
  /// Names of the numbers that it tells of every step.
  virtual std::vector<std::string> columns() const { return {}; }

  /// Directions that friction impulses of a contact have: generators of a pyramid, axes of a cone.
  virtual std::vector<FrictionDirection> friction_directions(const ContactPoint3& contact,
                                                             const ContactFrame& frame,
                                                             int dimension) const = 0;
  /// What of its answers counts as nothing.
  virtual ModeTolerance mode_tolerance() const = 0;
  /// ContactSystemChoices::candidate_share.
  virtual double candidate_share(const Scene&, double /*h*/) const { return 0.1; }

  /// As begin(), advance(), relax() and settle() of Formulation.
  virtual StageOrEnd begin(ContactSystem& system) = 0;
  virtual StageOrEnd advance(const Answer& answer) = 0;
  virtual std::optional<Stage> relax() { return {}; }
  virtual std::optional<StageOrEnd> settle(const Answer&) { return {}; }
};

/// A law as listed.
struct LawEntry {
  std::string_view name, summary, source;
  std::vector<std::string_view> kinds;  ///< of the problems that it poses
  std::unique_ptr<ContactLaw> (*make)();
};

/// Those of steps with geometry at their beginning; one line each in laws.cpp.
const std::vector<LawEntry>& contact_laws();

}  // namespace perp
