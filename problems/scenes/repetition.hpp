// Repeated items of scene files: {"repeat": {"i": COUNT, ...}, "of": ITEM}.
#pragma once

#include <functional>
#include <perp/problems/scenes/number_fields.hpp>

namespace perp {

constexpr int kMaxRepeats = 100'000;  ///< largest COUNT of one index

using MakeItem = std::function<void(const Field&, const Names&)>;

/// Calls make(item, names) for every element of a list, as often as it is repeated; the names then
/// include the indices. A count may depend on the indices before it. All repetitions of a list
/// together may stand for at most 1e7 numbers and words.
/// @param most how often `make` may be called
/// @throws InputError
void each(const Field& list, const Names& names, int most, const MakeItem& make);

}  // namespace perp
