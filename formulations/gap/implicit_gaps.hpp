// The gaps that steps with geometry at their end can have.
#pragma once

#include <memory>
#include <perp/formulations/gap/implicit/implicit_gap.hpp>
#include <string_view>
#include <vector>

namespace perp {

/// A gap of this kind as listed.
struct ImplicitGapEntry {
  std::string_view name, summary, source;
  std::unique_ptr<ImplicitGap> (*make)();
};

/// One line each in implicit_gaps.cpp.
const std::vector<ImplicitGapEntry>& implicit_gaps();

}  // namespace perp
