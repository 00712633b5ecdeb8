// Time steps with friction cones that are not replaced by pyramids.
#pragma once

#include <Eigen/QR>
#include <perp/formulations/mechanics/contact_step.hpp>
#include <string>
#include <vector>

namespace perp {

struct ConeSettings {
  GapChoice gap;
  bool keep_velocities = false;  ///< velocities as unknowns (or J and M as the operator), not W
  double rest_speed = 1e-3;      ///< m/s: slower approaches (or than h|g|) do not bounce
};

/// Options "velocities=kept|eliminated", "rest_speed=0.01" and those of gaps. @throws
/// std::invalid_argument naming the option.
ConeSettings read_cone_settings(const std::string& options);

/// Base of the models with a circular cone for every contact, in local order (n, t[, o]). The axes
/// of a friction ellipse are scaled away: with p_t = e_t p and u = e_t v_t the law of the ellipse
/// is that of the circle.
class ConeStep : public ContactStep {
 protected:
  std::optional<std::string> refusal_of_law(const Scene& scene) const override;

  explicit ConeStep(ConeSettings settings) : ContactStep(settings.gap), settings_(settings) {
    rest_speed_ = settings.rest_speed;
  }

  std::vector<Direction> friction_directions(int c) const override;
  /// A contact that restitutes must meet with its approach velocity.
  bool at_velocity_level(const ContactPoint3& c) const override {
    return c.properties.restitution > 0;
  }
  /// Cones are solved to a tolerance, not to a vertex.
  ModeTolerance mode_tolerance() const override { return {1e-7, 1e-6}; }

  int dimension() const { return scene_->dimension; }
  /// Rows of J in local order; `contact_rows` maps their impulses to those of all rows of J.
  void order_rows();
  /// Right-hand side of N v+ >= it in local order (0 for friction): gaps, or Newton's restitution
  /// -e times the approach for contacts that bounce.
  Vector wanted_local() const;
  double mu(int c) const { return active_[c].properties.mu; }

  /// Takes the joints out of the problem: with G v+ = w their impulses follow from those of the
  /// contacts. Rows that depend on others (a closed chain in space) share the impulse of least
  /// norm. Needs order_rows().
  void eliminate_joints();
  /// base_ and joint_base_ for the stabilisation as it is.
  void free_of_drift();
  /// scale * (W of the contacts in local order, joints taken out), symmetric to the last bit.
  Matrix scaled_delassus(double scale) const;
  /// Its normal rows and columns.
  Matrix scaled_normal_block(double scale) const;
  /// Velocities that local impulses lead to, and the impulses of all rows of J with them.
  Vector velocity_after(const Vector& p) const;
  Vector all_impulses(const Vector& p) const;

  /// Names and keys of the unknowns (n, t[, o]) of every contact.
  std::vector<std::string> impulse_names() const;
  std::vector<std::uint64_t> impulse_keys() const;

  ConeSettings settings_;
  SparseMatrix contact_rows_;  // local rows by rows of J
  SparseMatrix local_;         // contact_rows_ J
  SparseMatrix joint_rows_;    // G
  Vector base_;                // velocities without contact, joints kept together

 private:
  /// Of all local rows, or of those that `chosen` takes.
  Matrix scaled_block(double scale, const std::optional<SparseMatrix>& chosen) const;

  Eigen::CompleteOrthogonalDecomposition<DenseMatrix> joints_;  // of G M^-1 G'
  DenseMatrix joint_response_;  // joint impulses that a contact impulse takes back
  Vector joint_base_;           // joint impulses without contact
};

}  // namespace perp
