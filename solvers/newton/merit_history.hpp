// The merits with which a globalised Newton method compares.
#pragma once

#include <algorithm>
#include <limits>
#include <vector>

namespace perp {

/// Merits of the last points. A nonmonotone search compares with the highest of the last `memory`
/// ones [GrippoLamparielloLucidi1986]. Progress is a merit below 0.9 times the lowest one before.
/// After two thirds of `patience` points without progress the search compares with the last merit
/// only: full steps can jump to and fro between two points, whose merits a nonmonotone search
/// accepts for ever. From there on, falls to 0.9 times the merits of this phase count as well.
/// After more than `patience` points the method is stuck.
class MeritHistory {
 public:
  void begin(int memory, int patience) {
    ring_.assign(static_cast<std::size_t>(memory), 0.0);
    patience_ = patience;
    kept_ = since_progress_ = 0;
    lowest_ = lowest_of_phase_ = std::numeric_limits<double>::infinity();
  }

  /// @param compared false: later searches do not compare with it, since the step may be undone
  void record(double merit, bool compared) {
    ++since_progress_;
    if (merit < lowest_) {
      if (merit < kProgress * lowest_) since_progress_ = 0;
      lowest_ = merit;
    }
    if (!is_monotone()) {
      lowest_of_phase_ = std::numeric_limits<double>::infinity();
    } else if (merit < kProgress * lowest_of_phase_) {
      since_progress_ = loose() + 1;
      lowest_of_phase_ = merit;
    }
    if (compared) ring_[static_cast<std::size_t>(kept_++) % ring_.size()] = merit;
  }

  /// The merit with which a search compares. At least one must have been recorded.
  double reference() const {
    if (is_monotone()) return ring_[static_cast<std::size_t>(kept_ - 1) % ring_.size()];
    const auto count = std::min(static_cast<std::size_t>(kept_), ring_.size());
    return *std::max_element(ring_.begin(), ring_.begin() + static_cast<std::ptrdiff_t>(count));
  }
  bool out_of_patience() const { return since_progress_ > patience_; }

 private:
  static constexpr double kProgress = 0.9;

  int loose() const { return 2 * patience_ / 3; }
  bool is_monotone() const { return since_progress_ > loose(); }

  std::vector<double> ring_;
  int kept_ = 0, since_progress_ = 0, patience_ = 0;
  double lowest_ = 0.0, lowest_of_phase_ = 0.0;
};

}  // namespace perp
