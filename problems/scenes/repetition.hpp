// Repeated items of scene files: {"repeat": {"i": COUNT, ...}, "of": ITEM}.
#pragma once

#include <functional>
#include <perp/problems/scenes/number_fields.hpp>

namespace perp {

constexpr int kMaxRepeats = 100'000;  ///< of one index

using MakeItem = std::function<void(const Field&, const Names&)>;

/// Calls make(item, names) for every element of a list, as often as it is repeated, with the
/// indices among the names. Counts may depend on the indices before them. All repetitions of a list
/// stand for 1e7 numbers and words at most.
/// @param most times that `make` is called. @throws InputError
void each(const Field& list, const Names& names, int most, const MakeItem& make);

}  // namespace perp
