// The contacts in a segment of an event-driven simulation.
#pragma once

#include <optional>
#include <perp/formulations/formulation.hpp>
#include <set>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

namespace perp {

/// m; contacts with a gap up to this one touch: they take part in impacts and are held in segments.
inline constexpr double kTouchingGap = 1e-6;
/// m/s; a normal velocity up to this one of a contact that was held counts as an error of the
/// segment before, not as a separation or an impact.
inline constexpr double kHeldVelocity = 1e-3;

/// The state `from` moved for `time` (s) with the velocities of `velocities`; rotations are exact.
/// The time of the state does not change.
State drifted(const Scene& scene, const State& from, const State& velocities, double time);

/// The state as if all impulses of the scene had acted, so that none of them is due.
State without_impulses(const Scene& scene, State state);

/// Of the points that were found, those that touch, N v+ >= 0: they take part in an impact.
std::vector<HeldContact> held_if_touching(std::vector<ContactPoint3> found);

/// Contacts that touch at the beginning of a segment and do not separate are held in it; the others
/// are watched. Bodies move half of the time with the velocities v of the beginning and half with
/// the velocities v+ of the end. With N of the middle, a gap then changes by h N (v + v+)/2, up to
/// terms of third order, and its contact does the work p N (v + v+)/2. So held contacts ask for
/// N v+ >= -N v, which makes both zero. If one of the contacts has friction, their geometry is that
/// of the beginning and they ask for N v+ >= 0: with the other rule, contacts that stick would
/// oscillate. Impulses of the scene act between segments.
class SegmentContacts {
 public:
  /// @param length s @param before keys of the contacts that the segment before held; empty after
  /// an impact
  SegmentContacts(const Scene& scene, const State& start, double length,
                  const std::unordered_set<std::uint64_t>& before);

  /// The state whose geometry is used in a segment of that length (s). It has the velocities of the
  /// beginning. Its time, at which loads are evaluated, is that of the middle. No impulses are due.
  State reference(double length) const;
  /// Of the points that were found for that state, those that are held.
  std::vector<HeldContact> held(std::vector<ContactPoint3> found, const State& reference,
                                double length) const;
  /// What a formulation is told for a segment of that length in a step of length `step` (s). Joints
  /// have the geometry of the middle, so that they do no work. If that of the contacts is that of
  /// the beginning, errors of joints are corrected, as time stepping would: over a whole step,
  /// because over the length of a short segment that would add energy without bound.
  HeldContacts decisions(const State& reference, double length, double step) const;

  /// Gap of a held contact at the beginning of the segment, else its gap now, m.
  double gap_at_start(const ContactPoint3& contact) const;
  /// The smallest gap at the end of the contacts that are watched, m; an overlap at the beginning
  /// is subtracted.
  double smallest_gap(const State& end) const;

 private:
  struct Start {
    double gap, velocity;  // m, m/s
  };

  // Lower bound of N v+ for a contact of that state, m/s, if it is held; else nothing.
  std::optional<double> wanted(const ContactPoint3& contact, const State& reference,
                               double length) const;
  bool is_new_of_held_pair(const ContactPoint3& contact) const;

  const Scene& scene_;
  State start_;
  bool at_beginning_;  // whether the geometry is that of the beginning
  std::unordered_map<std::uint64_t, Start> held_;
  std::set<std::pair<int, int>> held_pairs_;
  std::unordered_map<std::uint64_t, double> open_;  // gaps at the beginning, m; 0 if positive
};

}  // namespace perp
