// The gaps that steps with geometry at their beginning can have.
#pragma once

#include <perp/formulations/gap/gap.hpp>
#include <perp/problems/settings/settings.hpp>

namespace perp {

/// A gap, and how a step uses it.
struct GapChoice {
  const Gap* gap = &linearised_gap();
  std::string rows = "metres";

  /// Rows as they are printed, of a gap that is no length: the multiplier of the normal row is then
  /// no impulse, and friction is bounded by mu times it.
  bool printed_rows() const { return rows == "printed"; }
  void visit_settings(SettingVisitor& visitor);
};

/// One line each in gaps.cpp.
const std::vector<const Gap*>& gaps();

}  // namespace perp
