#include <perp/formulations/registry.hpp>

#include <perp/formulations/gap/gaps.hpp>
#include <perp/formulations/gap/implicit_gaps.hpp>
#include <perp/formulations/law/joint_friction/joint_friction.hpp>
#include <perp/formulations/law/law.hpp>
#include <perp/formulations/law/penalty/penalty.hpp>
#include <perp/formulations/stepping/implicit_step.hpp>
#include <perp/formulations/stepping/impulse_step.hpp>
#include <perp/formulations/stepping/theta_method/theta_rule.hpp>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <algorithm>
#include <stdexcept>

namespace perp {

const std::vector<FormulationEntry>& formulation_registry() {
  // To add a name for a model, add its entry here.
  static const std::vector<FormulationEntry> registry = {
      {"stewart-trinkle",
       "LCP time stepping with a friction pyramid and gaps in the constraints",
       "StewartTrinkle1996",
       {"linearised", "pyramid", "position-level"}},
      {"anitescu-potra",
       "stewart-trinkle at velocity level: touching contacts only, no gaps",
       "AnitescuPotra1997",
       {"linearised", "pyramid", "velocity-level"}},
      {"ratio-metric",
       "the step of stewart-trinkle with gaps by the ratio metric of polyhedra",
       "Hart",
       {"ratio", "pyramid", "position-level"}},
      {"coulomb-implicit",
       "the step of stewart-trinkle with the exact friction cone",
       "AcaryBremondHuber2018",
       {"linearised", "exact-cone", "position-level"}},
      {"anitescu-tasora",
       "convex relaxation: friction cones, sliding contacts separate a little",
       "AnitescuTasora2010",
       {"linearised", "convex-relaxation", "position-level"}},
      {"geometric-implicit",
       "geometry at the end of the step: nearest points of smooth bodies as unknowns",
       "ChakrabortyBerardAkellaTrinkle2007",
       {"nearest-points", "ellipsoid", "implicit-geometry"}},
      {"closed-form-gap",
       "geometry at the end of the step: distances of balls in closed form",
       "TrinkleTzitzourisPang2001",
       {"closed-form", "ellipsoid", "implicit-geometry"}},
      {"equivalent-contact-point",
       "implicit geometry, line and surface contact by one point each",
       "XieChakraborty2020",
       {"equivalent-contact-point", "ellipsoid", "implicit-geometry"}},
      {"theta-method",
       "velocities by the theta-method, then contact with the exact friction cone",
       "CastroPermenterHan2022",
       {"linearised", "exact-cone", "theta-method"}},
      {"theta-method-convex",
       "velocities by the theta-method, then compliant contact, a strictly convex problem (SAP)",
       "CastroPermenterHan2022",
       {"linearised", "compliant", "theta-method"}},
      {"max-dissipation-step",
       "convex programs in place of complementarity: least kinetic energy within the friction "
       "cones",
       "DrumwrightShell2010",
       {"linearised", "max-dissipation", "position-level"},
       {{"velocities", "kept"}}},
      {"max-dissipation-impulse",
       "max-dissipation-step at velocity level, impulses as unknowns: impacts and resting contact",
       "DrumwrightShell2010",
       {"linearised", "max-dissipation", "velocity-level"},
       {{"velocities", "eliminated"}}},
      {"joint-friction",
       "arms in reduced coordinates with Coulomb and viscous friction in the joints, no contacts",
       "DrumwrightShell2010",
       {"none", "joint-friction", "reduced-coordinates"}},
      {"penalty",
       "explicit steps with springs and dampers at contacts, for comparison: poses no problem",
       "CundallStrack1979",
       {"linearised", "spring-damper", "explicit"}},
  };
  return registry;
}

namespace {

std::vector<std::string_view> gap_names() {
  std::vector<std::string_view> names;
  for (const Gap* gap : gaps()) names.push_back(gap->name);
  return names;
}

std::vector<std::string_view> implicit_gap_names() {
  std::vector<std::string_view> names;
  for (const ImplicitGapEntry& gap : implicit_gaps()) names.push_back(gap.name);
  return names;
}

std::vector<std::string_view> law_names() {
  std::vector<std::string_view> names;
  for (const LawEntry& law : contact_laws()) names.push_back(law.name);
  return names;
}

// The laws that work without gaps.
std::vector<std::string_view> rigid_law_names() {
  std::vector<std::string_view> names = law_names();
  std::erase(names, "compliant");
  return names;
}

std::vector<std::string_view> with(std::string_view first, std::vector<std::string_view> others) {
  others.insert(others.begin(), first);
  return others;
}

bool contains(const std::vector<std::string_view>& names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

const SteppingEntry* find_stepping(std::string_view name) {
  for (const SteppingEntry& s : steppings()) {
    if (s.name == name) return &s;
  }
  return nullptr;
}

// @throws std::invalid_argument if no stepping has the name in this list
void check_known(std::string_view what, std::string_view name,
                 std::vector<std::string_view> SteppingEntry::*list) {
  std::vector<std::string_view> all;
  for (const SteppingEntry& s : steppings()) {
    for (const std::string_view n : s.*list) {
      if (!contains(all, n)) all.push_back(n);
    }
  }
  if (!contains(all, name))
    throw std::invalid_argument(
        fmt::format("unknown {} \"{}\"; there are: {}", what, name, fmt::join(all, ", ")));
}

// The parts of a model whose settings may still change.
class Parts {
 public:
  virtual ~Parts() = default;
  virtual void visit(SettingVisitor& visitor) = 0;
  /// @param name gives the formulation its name from its gap
  virtual std::unique_ptr<Formulation> build(
      const std::function<std::string(std::string_view gap)>& name) = 0;
};

// The setting `gap` of models with geometry at the beginning of a step.
class GapSetting {
 public:
  explicit GapSetting(std::string name) : name_(std::move(name)) {}
  void visit(SettingVisitor& visitor) { visitor.visit("gap", name_, doc_); }
  const Gap* find() const {
    for (const Gap* gap : gaps()) {
      if (gap->name == name_) return gap;
    }
    throw std::invalid_argument(
        contains(implicit_gap_names(), name_)
            ? fmt::format(
                  "setting \"gap\": {} is for geometry at the end of a step; for geometry at its "
                  "beginning there are {}",
                  name_, fmt::join(gap_names(), ", "))
            : fmt::format("setting \"gap\": \"{}\" is not one of {}", name_,
                          fmt::join(gap_names(), ", ")));
  }

 private:
  std::string name_;
  std::string doc_ = fmt::format("how gaps are measured: {}", fmt::join(gap_names(), " or "));
};

class ImpulseParts final : public Parts {
 public:
  explicit ImpulseParts(const Composition& c) : gap_(c.gap) {
    choices_.level = c.stepping == "velocity-level" ? StepLevel::kVelocity : StepLevel::kPosition;
    for (const LawEntry& law : contact_laws()) {
      if (law.name == c.law) law_ = law.make();
    }
    motion_ = c.stepping == "theta-method"          ? make_theta_rule()
              : c.stepping == "reduced-coordinates" ? make_reduced_motion_rule()
                                                    : make_maximal_motion_rule();
  }
  void visit(SettingVisitor& visitor) override {
    gap_.visit(visitor);
    choices_.visit_settings(visitor);
    motion_->visit_settings(visitor);
    law_->visit_settings(visitor);
  }
  std::unique_ptr<Formulation> build(
      const std::function<std::string(std::string_view gap)>& name) override {
    choices_.gap.gap = gap_.find();
    choices_.name = name(choices_.gap.gap->name);
    return make_impulse_step(std::move(choices_), std::move(motion_), std::move(law_));
  }

 private:
  GapSetting gap_;
  ImpulseStepChoices choices_;
  std::unique_ptr<MotionRule> motion_;
  std::unique_ptr<ContactLaw> law_;
};

class ImplicitParts final : public Parts {
 public:
  explicit ImplicitParts(const Composition& c) : name_(c.gap) {
    for (const ImplicitGapEntry& gap : implicit_gaps()) {
      if (gap.name == c.gap) gap_ = gap.make();
    }
  }
  void visit(SettingVisitor& visitor) override {
    choices_.visit_settings(visitor);
    gap_->visit_settings(visitor);
  }
  std::unique_ptr<Formulation> build(
      const std::function<std::string(std::string_view gap)>& name) override {
    choices_.name = name(name_);
    return make_implicit_step(choices_, std::move(gap_),
                              {make_formulation("coulomb-implicit"),
                               make_formulation("linearised+exact-cone+velocity-level")});
  }

 private:
  std::string name_;
  ImplicitStepChoices choices_;
  std::unique_ptr<ImplicitGap> gap_;
};

class PenaltyParts final : public Parts {
 public:
  explicit PenaltyParts(const Composition& c) : gap_(c.gap) {}
  void visit(SettingVisitor& visitor) override {
    gap_.visit(visitor);
    settings_.visit(visitor);
  }
  std::unique_ptr<Formulation> build(
      const std::function<std::string(std::string_view gap)>& name) override {
    settings_.gap.gap = gap_.find();
    settings_.name = name(settings_.gap.gap->name);
    return make_penalty(settings_);
  }

 private:
  GapSetting gap_;
  PenaltySettings settings_;
};

class JointFrictionParts final : public Parts {
 public:
  void visit(SettingVisitor& visitor) override { settings_.visit(visitor); }
  std::unique_ptr<Formulation> build(
      const std::function<std::string(std::string_view gap)>&) override {
    return make_joint_friction(settings_);
  }

 private:
  JointFrictionSettings settings_;
};

std::unique_ptr<Parts> parts_of(const Composition& c) {
  if (c.stepping == "implicit-geometry") return std::make_unique<ImplicitParts>(c);
  if (c.stepping == "explicit") return std::make_unique<PenaltyParts>(c);
  if (c.law == "joint-friction") return std::make_unique<JointFrictionParts>();
  return std::make_unique<ImpulseParts>(c);
}

// "GAP+LAW+STEPPING" as choices that go together.
Composition read_composition(const std::string& text) {
  const std::size_t first = text.find('+'), last = text.rfind('+');
  if (first == last)
    throw std::invalid_argument(
        fmt::format("formulation \"{}\": a model is GAP+LAW+STEPPING", text));
  Composition c{text.substr(0, first), text.substr(first + 1, last - first - 1),
                text.substr(last + 1)};
  if (const auto reason = refusal_of(c))
    throw std::invalid_argument(fmt::format("formulation \"{}\": {}", text, *reason));
  return c;
}

// The entry for the name before a colon; a composition becomes an entry without fixed settings.
FormulationEntry entry_of(const std::string& name) {
  std::vector<std::string_view> names;
  for (const FormulationEntry& entry : formulation_registry()) {
    if (entry.name == name) return entry;
    names.push_back(entry.name);
  }
  if (name.find('+') != std::string::npos) return {{}, {}, {}, read_composition(name)};
  throw std::invalid_argument(
      fmt::format("unknown formulation \"{}\"; there are: {}; and GAP+LAW+STEPPING", name,
                  fmt::join(names, ", ")));
}

// The name of a model with another gap: that of an entry for this model, if there is one.
std::string name_with_gap(const FormulationEntry& entry, std::string_view gap) {
  if (gap == entry.composition.gap && !entry.name.empty()) return std::string(entry.name);
  Composition other = entry.composition;
  other.gap = gap;
  for (const FormulationEntry& e : formulation_registry()) {
    if (!entry.name.empty() && e.composition == other && e.fixed == entry.fixed)
      return std::string(e.name);
  }
  return other.text();
}

// The parts of a model, with the settings in its text.
std::pair<FormulationEntry, std::unique_ptr<Parts>> read_parts(const std::string& text) {
  const auto colon = text.find(':');
  FormulationEntry entry = entry_of(text.substr(0, colon));
  const std::string owner = entry.name.empty() ? entry.composition.text() : std::string(entry.name);
  std::unique_ptr<Parts> parts = parts_of(entry.composition);
  const auto visit = [&](SettingVisitor& visitor) { parts->visit(visitor); };
  for (const auto& [key, value] : entry.fixed) set_setting(visit, owner, key, value);
  if (colon == std::string::npos) return {std::move(entry), std::move(parts)};
  for (const auto& [key, value] : split_settings(text.substr(colon + 1))) {
    for (const auto& [name, meant] : entry.fixed) {
      if (name == key)
        throw std::invalid_argument(
            fmt::format("setting \"{}\": {} means {}={}", key, owner, name, meant));
    }
    set_setting(visit, owner, key, value);
  }
  return {std::move(entry), std::move(parts)};
}

}  // namespace

const std::vector<SteppingEntry>& steppings() {
  static const std::vector<SteppingEntry> list = {
      {"position-level", "geometry of the beginning of the step, gaps are closed within it",
       gap_names(), law_names()},
      {"velocity-level", "geometry of the beginning of the step, of what touches; no gaps",
       gap_names(), rigid_law_names()},
      {"theta-method", "the theta-method without contact, then contact with it linearised",
       gap_names(), law_names()},
      {"implicit-geometry", "geometry of the end of the step", implicit_gap_names(), {"ellipsoid"}},
      {"explicit", "forces of the beginning of the step", gap_names(), {"spring-damper"}},
      {"reduced-coordinates", "coordinates of joints; gaps are closed within the step",
       with("none", gap_names()), with("joint-friction", law_names())},
  };
  return list;
}

std::optional<std::string> refusal_of(const Composition& c) {
  const SteppingEntry* stepping = find_stepping(c.stepping);
  if (!stepping) {
    std::vector<std::string_view> names;
    for (const SteppingEntry& s : steppings()) names.push_back(s.name);
    throw std::invalid_argument(
        fmt::format("unknown stepping \"{}\"; there are: {}", c.stepping, fmt::join(names, ", ")));
  }
  check_known("gap", c.gap, &SteppingEntry::gaps);
  check_known("law", c.law, &SteppingEntry::laws);
  if (!contains(stepping->laws, c.law)) {
    return fmt::format("{} steps ({}) have no law {}; they take {}", stepping->name,
                       stepping->summary, c.law, fmt::join(stepping->laws, ", "));
  }
  if (!contains(stepping->gaps, c.gap)) {
    return fmt::format("{} steps ({}) have no gap {}; they take {}", stepping->name,
                       stepping->summary, c.gap, fmt::join(stepping->gaps, ", "));
  }
  if ((c.gap == "none") != (c.law == "joint-friction"))
    return fmt::format(
        "{} steps: gap none goes only with law joint-friction, a model without contacts; other "
        "models take {} and {}",
        stepping->name, fmt::join(gap_names(), ", "), fmt::join(law_names(), ", "));
  return {};
}

std::vector<Composition> compositions() {
  std::vector<Composition> all;
  for (const SteppingEntry& s : steppings()) {
    for (const std::string_view law : s.laws) {
      for (const std::string_view gap : s.gaps) {
        Composition c{std::string(gap), std::string(law), std::string(s.name)};
        if (!refusal_of(c)) all.push_back(std::move(c));
      }
    }
  }
  return all;
}

std::vector<std::string_view> kinds_of(const Composition& composition) {
  for (const LawEntry& law : contact_laws()) {
    if (law.name == composition.law) return law.kinds;
  }
  if (composition.law == "ellipsoid") return {"mcp"};
  if (composition.law == "joint-friction") return {"box_qp"};
  return {};
}

std::string default_formulation(const Scene& scene) {
  return scene.formulation.empty() ? "stewart-trinkle" : scene.formulation;
}

std::unique_ptr<Formulation> make_formulation(const std::string& text) {
  const auto [entry, parts] = read_parts(text);
  return parts->build([&entry = entry](std::string_view gap) { return name_with_gap(entry, gap); });
}

std::vector<SettingText> formulation_settings(const std::string& text) {
  const auto [entry, parts] = read_parts(text);
  std::vector<SettingText> settings =
      list_settings([&parts = parts](SettingVisitor& visitor) { parts->visit(visitor); });
  std::erase_if(settings, [&entry = entry](const SettingText& s) {
    return std::any_of(entry.fixed.begin(), entry.fixed.end(),
                       [&](const auto& fixed) { return fixed.first == s.name; });
  });
  return settings;
}

}  // namespace perp
