// The gaps that models with geometry at the beginning of a step can be made of.
#pragma once

#include <perp/formulations/mechanics/gap.hpp>

namespace perp {

/// What a model of this kind says about its gap.
struct GapChoice {
  const Gap* gap = &linearised_gap();
  /// Rows as they are printed, of a gap that is no length: the multiplier of the normal row is then
  /// no impulse, and friction is bounded by mu times it.
  bool printed_rows = false;
};

/// One line each in gaps.cpp.
const std::vector<const Gap*>& gaps();

/// Takes the options "gap=NAME" and "rows=metres|printed". @return false if it is another one.
/// @throws std::invalid_argument naming the value that is unknown
bool read_gap_option(const std::string& key, const std::string& value, GapChoice& choice);

/// For messages: "gap=linearised|ratio, rows=metres|printed".
std::string gap_options();

}  // namespace perp
