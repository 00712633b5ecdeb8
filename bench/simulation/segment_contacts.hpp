// Contacts in a segment of an event-driven simulation.
#pragma once

#include <optional>
#include <perp/formulations/dynamics/contacts.hpp>
#include <set>
#include <unordered_map>
#include <unordered_set>
#include <utility>

namespace perp {

/// Gap up to which contacts touch, m: they take part in impacts, and are held in segments.
inline constexpr double kTouchingGap = 1e-6;
/// Normal velocity of what was held that counts as an error of the segment before, m/s.
inline constexpr double kHeldVelocity = 1e-3;

/// A state after time with the velocities of another one, turned exactly; its own time stays.
State drifted(const Scene& scene, const State& from, const State& velocities, double time);

/// What touches at the beginning of a segment and does not part is held in it, the rest is watched.
/// Bodies move half the way with the velocities v of the beginning and half with those v+ of the
/// end. With N of the middle a gap then changes by h N (v + v+)/2, but for terms of third order,
/// and its contact does the work p N (v + v+)/2: held contacts want N v+ >= -N v, so that both
/// vanish. Where one of them has friction, geometry is that of the beginning and they want N v+ >=
/// 0: with the other rule, what sticks would swing about its place.
class SegmentContacts {
 public:
  /// @param before keys of what the segment before held, where no impact came between
  SegmentContacts(const Scene& scene, const State& start, double length,
                  const std::unordered_set<std::uint64_t>& before);

  /// The state whose geometry counts in a segment of that length; velocities of the beginning.
  State reference(double length) const;
  /// Right-hand side of N v+ for a contact of that state that is held, m/s; nothing for others.
  std::optional<double> wanted(const ContactPoint3& contact, const State& reference,
                               double length) const;

  double gap_at_start(const ContactPoint3& contact) const;
  /// Of those that are watched, at the end, less the overlap that they began with, m.
  double smallest_gap(const State& end) const;

 private:
  struct Start {
    double gap, velocity;  // m, m/s
  };

  bool is_new_of_held_pair(const ContactPoint3& contact) const;

  const Scene& scene_;
  State start_;
  bool at_beginning_;  // geometry
  std::unordered_map<std::uint64_t, Start> held_;
  std::set<std::pair<int, int>> held_pairs_;
  std::unordered_map<std::uint64_t, double> open_;  // gaps at the beginning, 0 where positive
};

}  // namespace perp
