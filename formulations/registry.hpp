// The models that there are: named ones, and all that gaps, laws and steppings combine to.
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
  std::vector<std::string_view> gaps, laws;  ///< that it takes
};
const std::vector<SteppingEntry>& steppings();

/// Why three choices do not make a model, or nothing. @throws std::invalid_argument if one of them
/// is unknown
std::optional<std::string> refusal_of(const Composition& composition);

/// All that make one.
std::vector<Composition> compositions();

/// Kinds of the problems that a model poses.
std::vector<std::string_view> kinds_of(const Composition& composition);

/// A model with a name of its own, mostly that of its paper.
struct FormulationEntry {
  std::string_view name, summary, source;
  Composition composition;
  /// Settings that the name stands for: they cannot be changed.
  std::vector<std::pair<std::string, std::string>> fixed = {};
};

/// One entry each in registry.cpp.
const std::vector<FormulationEntry>& formulation_registry();

/// The formulation that a scene is made for, else stewart-trinkle.
std::string default_formulation(const Scene& scene);

/// From "NAME" or "NAME:key=value,key=value"; NAME is that of an entry or GAP+LAW+STEPPING.
/// @throws std::invalid_argument naming what is unknown, or why the choices do not go together
std::unique_ptr<Formulation> make_formulation(const std::string& text);

/// Its settings with their defaults. @throws as make_formulation
std::vector<SettingText> formulation_settings(const std::string& text);

}  // namespace perp
