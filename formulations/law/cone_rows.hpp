// Rows of contacts with friction cones (not pyramids).
#pragma once

#include <Eigen/QR>
#include <optional>
#include <perp/formulations/dynamics/contact_system.hpp>
#include <vector>

namespace perp {

/// The axes of a friction ellipse as directions of friction, scaled by its semi-axes. With p_t =
/// e_t p and u = e_t v_t the law of the ellipse becomes that of the circle.
std::vector<FrictionDirection> ellipse_axes(const ContactPoint3& contact, const ContactFrame& frame,
                                            int dimension);

/// The rows of a system whose friction has the directions of ellipse_axes(), contact by contact in
/// local order (n, t[, o]), then those of the joints with friction. Such a joint is treated as a
/// contact: its first tangential row is the rate of the joint, its other rows are zero. The system
/// must outlive this object.
class ConeRows {
 public:
  explicit ConeRows(const ContactSystem& system);

  int dimension() const { return system_->dimension(); }
  int contacts() const { return system_->contacts(); }
  /// Number of joints with friction.
  int rates() const { return static_cast<int>(system_->rubbing_joints().size()); }
  /// Index of the normal row of a contact; joints with friction follow the contacts.
  int normal(int c) const { return dimension() * c; }
  double mu(int c) const { return system_->contact(c).properties.mu; }
  int size() const { return static_cast<int>(local_.rows()); }

  /// The local rows (size() x velocities), and the matrix that selects them from the rows of the
  /// system.
  const SparseMatrix& local() const { return local_; }
  const SparseMatrix& contact_rows() const { return contact_rows_; }
  /// The rows of the joints, G.
  const SparseMatrix& joints() const { return joint_rows_; }
  /// Right-hand side of N v+ >= rhs in local order, m/s (0 for friction): closes gaps; it is 0 for
  /// contacts that bounce, as in Poisson's law.
  Vector wanted() const;
  /// The same with Newton's restitution: -e times the approach velocity for contacts that bounce.
  Vector wanted_with_restitution() const;
  /// The normal components of a local vector.
  Vector normal_part(const Vector& local) const;

  /// Eliminates the joints: with G v+ = w their impulses follow from those of the contacts. If rows
  /// depend on each other (a closed chain in space), the impulse of least norm is taken.
  void eliminate_joints();
  /// After ContactSystem::follow(): the same rows, in a step without joints.
  void follow() { base_ = system_->free_velocity(); }
  // The functions below need eliminate_joints().
  /// Updates base() to the present stabilisation of the joints.
  void free_of_drift();
  /// Velocities without contact impulses; the joints hold.
  const Vector& base() const { return base_; }
  /// scale * W of the contacts, symmetric to the last bit.
  SparseMatrix scaled_delassus(double scale) const { return scaled_block(scale, {}); }
  /// The normal rows and columns of scaled_delassus(scale).
  SparseMatrix scaled_normal_block(double scale) const;
  /// Velocities that follow from local impulses, and the impulses of all rows of J.
  Vector velocity_after(const Vector& p) const;
  Vector all_impulses(const Vector& p) const;

 private:
  /// scale * W of all local rows, or of those that `chosen` selects.
  SparseMatrix scaled_block(double scale, const std::optional<SparseMatrix>& chosen) const;

  const ContactSystem* system_;
  SparseMatrix contact_rows_, local_, joint_rows_;
  Vector base_;
  Eigen::CompleteOrthogonalDecomposition<DenseMatrix> joints_;  // of G M^-1 G'
  DenseMatrix joint_response_;  // minus the joint impulses for a unit contact impulse
  Vector joint_base_;           // joint impulses without contact impulses
};

}  // namespace perp
