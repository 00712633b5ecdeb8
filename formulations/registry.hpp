// All models: those with names, and all combinations of gaps, laws and steppings.
#pragma once

#include <memory>
#include <optional>
#include <perp/formulations/formulation.hpp>
#include <perp/problems/settings/settings.hpp>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace perp {

/// The three choices that a model consists of, by name.
struct Composition {
  std::string gap, law, stepping;

  bool operator==(const Composition&) const = default;
  /// "GAP+LAW+STEPPING".
  std::string text() const { return gap + "+" + law + "+" + stepping; }
};

/// How time is stepped.
struct SteppingEntry {
  std::string_view name, summary;
  std::vector<std::string_view> gaps, laws;  ///< that it can be combined with
};
/// All ways to step.
const std::vector<SteppingEntry>& steppings();

/// The reason why three choices do not make a model, or nothing.
/// @throws std::invalid_argument if one of them is unknown
std::optional<std::string> refusal_of(const Composition& composition);

/// All compositions that make a model.
std::vector<Composition> compositions();

/// Kinds of the problems that a model poses.
std::vector<std::string_view> kinds_of(const Composition& composition);

/// A model with a name, mostly from its paper.
struct FormulationEntry {
  std::string_view name, summary, source;
  Composition composition;
  /// Settings that are part of the name, and so cannot be changed.
  std::vector<std::pair<std::string, std::string>> fixed = {};
};

/// All models with names, in the order of the list in registry.cpp.
const std::vector<FormulationEntry>& formulation_registry();

/// The formulation that a scene is made for (Scene::formulation), or stewart-trinkle if it has
/// none.
std::string default_formulation(const Scene& scene);

/// A formulation from "NAME" or "NAME:key=value,key=value". NAME is the name of an entry, or
/// GAP+LAW+STEPPING.
/// @throws std::invalid_argument naming what is unknown, or why the choices do not go together
std::unique_ptr<Formulation> make_formulation(const std::string& text);

/// The settings of a formulation with their values. @throws as make_formulation()
std::vector<SettingText> formulation_settings(const std::string& text);

}  // namespace perp
