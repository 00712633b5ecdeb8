// Contacts with friction cones that are not replaced by pyramids.
#pragma once

#include <Eigen/QR>
#include <optional>
#include <perp/formulations/dynamics/contact_system.hpp>
#include <vector>

namespace perp {

/// The axes of a friction ellipse as directions of friction: they are scaled away, since with p_t =
/// e_t p and u = e_t v_t the law of the ellipse is that of the circle.
std::vector<FrictionDirection> ellipse_axes(const ContactPoint3& contact, const ContactFrame& frame,
                                            int dimension);

/// The rows of a system whose friction has these directions, contact by contact in local order (n,
/// t[, o]), then those of joints with friction: each a contact whose first tangent is the rate of
/// the joint, with nothing in its other rows. The system must outlive it.
class ConeRows {
 public:
  explicit ConeRows(const ContactSystem& system);

  int dimension() const { return system_->dimension(); }
  int contacts() const { return system_->contacts(); }
  /// Joints with friction.
  int rates() const { return static_cast<int>(system_->rubbing_joints().size()); }
  /// Place of the normal row of a contact, or of a joint with friction, behind the contacts.
  int normal(int c) const { return dimension() * c; }
  double mu(int c) const { return system_->contact(c).properties.mu; }
  int size() const { return static_cast<int>(local_.rows()); }

  /// The local rows, and the local rows by those of the system.
  const SparseMatrix& local() const { return local_; }
  const SparseMatrix& contact_rows() const { return contact_rows_; }
  /// The rows of the joints, G.
  const SparseMatrix& joints() const { return joint_rows_; }
  /// Right-hand side of N v+ >= it in local order (0 for friction): gaps to be closed, 0 for what
  /// bounces by Poisson's law.
  Vector wanted() const;
  /// The same with Newton's restitution, -e times the approach for contacts that bounce.
  Vector wanted_with_restitution() const;
  /// Of a local vector.
  Vector normal_part(const Vector& local) const;

  /// Takes the joints out of the problem: with G v+ = w their impulses follow from those of the
  /// contacts. Rows that depend on others (a closed chain in space) share the impulse of least
  /// norm.
  void eliminate_joints();
  // All below: with the joints eliminated.
  /// Takes the stabilisation of the joints as it is now.
  void free_of_drift();
  /// Velocities without contact, joints kept together.
  const Vector& base() const { return base_; }
  /// scale * W of the contacts, symmetric to the last bit.
  Matrix scaled_delassus(double scale) const { return scaled_block(scale, {}); }
  /// Its normal rows and columns.
  Matrix scaled_normal_block(double scale) const;
  /// Velocities that local impulses lead to, and the impulses of all rows of J with them.
  Vector velocity_after(const Vector& p) const;
  Vector all_impulses(const Vector& p) const;

 private:
  /// Of all local rows, or of those that `chosen` takes.
  Matrix scaled_block(double scale, const std::optional<SparseMatrix>& chosen) const;

  const ContactSystem* system_;
  SparseMatrix contact_rows_, local_, joint_rows_;
  Vector base_;
  Eigen::CompleteOrthogonalDecomposition<DenseMatrix> joints_;  // of G M^-1 G'
  DenseMatrix joint_response_;  // joint impulses that a contact impulse takes back
  Vector joint_base_;           // joint impulses without contact
};

}  // namespace perp
