// The unknowns of a problem of a step.
#pragma once

#include <cstdint>
#include <perp/formulations/dynamics/contact_system.hpp>
#include <string>
#include <vector>

namespace perp {

/// Keys are numbers that tell unknowns apart; the same unknown has the same key in the next step. A
/// contact has 64 keys, because ContactPoint3::key() has 58 of the 64 bits.
std::uint64_t velocity_key(int coordinate);
/// The key of the impulse of a joint row.
std::uint64_t joint_key(int row);
/// @param component 0: normal; from 1 on: friction; kSlipComponent: the slip of a pyramid
std::uint64_t contact_key(const ContactPoint3& contact, int component);
inline constexpr int kSlipComponent = 63;
/// The key of the friction of a joint. @param component as for a contact
std::uint64_t joint_friction_key(int joint, int component);
/// The key of a bound on the sum of all normal impulses.
inline constexpr std::uint64_t kTotalKey = 3ULL << 62;

/// Consecutive unknowns with the same unit.
struct UnknownBlock {
  int first = 0, size = 0;
  double unit = 1.0;  ///< the quantity, SI, for which an unknown has the value 1

  /// The quantities of the block, SI.
  Vector read(const Vector& z) const { return unit * z.segment(first, size); }
  /// Sets the unknowns of the block from quantities, SI.
  void write(const Vector& values, Vector& z) const { z.segment(first, size) = values / unit; }
};

/// The order, names, keys and units of the unknowns of a problem, block by block.
class UnknownLayout {
 public:
  /// Adds a block after those that exist. @throws std::logic_error unless there are as many keys as
  /// names
  UnknownBlock add(std::vector<std::string> names, std::vector<std::uint64_t> keys, double unit);

  /// Generalised velocities.
  UnknownBlock add_velocities(const ContactSystem& system);
  /// Impulses of the joint rows.
  UnknownBlock add_joints(const ContactSystem& system);
  /// Normal impulses of all contacts.
  UnknownBlock add_normals(const ContactSystem& system);
  /// Impulses along the directions of friction, contact by contact.
  UnknownBlock add_friction(const ContactSystem& system);
  /// Slips of the given contacts, in the unit of velocity.
  UnknownBlock add_slips(const ContactSystem& system, const std::vector<int>& contacts);
  /// Impulses contact by contact in the order (n, t[, o]), then those of the joints with friction.
  UnknownBlock add_local_impulses(const ContactSystem& system);
  /// Normal impulses of the given contacts.
  UnknownBlock add_normals(const ContactSystem& system, const std::vector<int>& contacts);

  /// Adds one unknown; returns its index.
  int add(std::string name, std::uint64_t key);

  /// Number of unknowns.
  int size() const { return static_cast<int>(names_.size()); }
  /// Sets names and keys of a stage whose problem has these unknowns.
  void name(Stage& stage) const;

 private:
  SharedList<std::string> names_;
  std::vector<std::uint64_t> keys_;
};

}  // namespace perp
