// The gaps for steps whose geometry is that of their end.
#pragma once

#include <memory>
#include <perp/formulations/gap/implicit/implicit_gap.hpp>
#include <string_view>
#include <vector>

namespace perp {

/// An entry of the list.
struct ImplicitGapEntry {
  std::string_view name, summary, source;
  std::unique_ptr<ImplicitGap> (*make)();
};

/// All gaps of this kind, in the order of the list in implicit_gaps.cpp.
const std::vector<ImplicitGapEntry>& implicit_gaps();

}  // namespace perp
