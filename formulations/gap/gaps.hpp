// The gaps for steps whose geometry is that of their beginning.
#pragma once

#include <perp/formulations/gap/gap.hpp>
#include <perp/problems/settings/settings.hpp>

namespace perp {

/// A gap, and the form of its rows in a step.
struct GapChoice {
  const Gap* gap = &linearised_gap();
  std::string rows = "metres";

  /// Only for a gap that is no length: the rows have the form that the paper prints. Then the
  /// multiplier of the normal row is no impulse, and friction is bounded by mu times this
  /// multiplier.
  bool printed_rows() const { return rows == "printed"; }
  /// Shows the setting `rows`.
  void visit_settings(SettingVisitor& visitor);
};

/// All gaps, in the order of the list in gaps.cpp.
const std::vector<const Gap*>& gaps();

}  // namespace perp
