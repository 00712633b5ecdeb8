// The unknowns of a problem of a step.
#pragma once

#include <cstdint>
#include <perp/formulations/dynamics/contact_system.hpp>
#include <string>
#include <vector>

namespace perp {

/// Keys tell unknowns apart and are the same for the same unknown of the next step. A contact has
/// 64 of them, as ContactPoint3::key() has 58 bits.
std::uint64_t velocity_key(int coordinate);
std::uint64_t joint_key(int row);
/// @param component 0 normal, from 1 on friction, kSlipComponent the slip of a pyramid
std::uint64_t contact_key(const ContactPoint3& contact, int component);
inline constexpr int kSlipComponent = 63;
/// Of the friction of a joint. @param component as of a contact
std::uint64_t joint_friction_key(int joint, int component);
/// Of a bound on the sum of all normal impulses.
inline constexpr std::uint64_t kTotalKey = 3ULL << 62;

/// A run of unknowns of one unit.
struct UnknownBlock {
  int first = 0, size = 0;
  double unit = 1.0;  ///< SI, of what has the value 1

  Vector read(const Vector& z) const { return unit * z.segment(first, size); }
  void write(const Vector& values, Vector& z) const { z.segment(first, size) = values / unit; }
};

/// Owns the order, names, keys and units of the unknowns of a problem, block by block, and reads
/// answers back.
class UnknownLayout {
 public:
  /// A block begins behind those there are.
  UnknownBlock add(std::vector<std::string> names, std::vector<std::uint64_t> keys, double unit);

  UnknownBlock add_velocities(const ContactSystem& system);
  /// Impulses of the joint rows.
  UnknownBlock add_joints(const ContactSystem& system);
  /// Normal impulses of all contacts.
  UnknownBlock add_normals(const ContactSystem& system);
  /// Impulses along the directions of friction, contact by contact.
  UnknownBlock add_friction(const ContactSystem& system);
  /// Slip of the given contacts, in the unit of velocity.
  UnknownBlock add_slips(const ContactSystem& system, const std::vector<int>& contacts);
  /// Impulses contact by contact, each in the order (n, t[, o]); then those of joints with
  /// friction.
  UnknownBlock add_local_impulses(const ContactSystem& system);
  /// Normal impulses of the given contacts.
  UnknownBlock add_normals(const ContactSystem& system, const std::vector<int>& contacts);

  /// One unknown; returns its place.
  int add(std::string name, std::uint64_t key);

  int size() const { return static_cast<int>(names_.size()); }
  /// Gives names and keys to a stage whose problem has these unknowns.
  void name(Stage& stage) const;

 private:
  std::vector<std::string> names_;
  std::vector<std::uint64_t> keys_;
};

}  // namespace perp
