// The equations of a time step with geometry taken at its beginning.
#pragma once

#include <functional>
#include <optional>
#include <perp/formulations/dynamics/contacts.hpp>
#include <perp/formulations/dynamics/motion.hpp>
#include <perp/formulations/dynamics/state.hpp>
#include <perp/formulations/formulation.hpp>
#include <perp/formulations/gap/gaps.hpp>
#include <string>
#include <vector>

namespace perp {

/// A wrench for a unit impulse of friction: a force at the contact point, or a moment.
struct FrictionDirection {
  Vector3d force, moment;
};

/// Directions of friction of a contact with its frame.
using FrictionDirections =
    std::function<std::vector<FrictionDirection>(const ContactPoint3&, const ContactFrame&)>;

/// What the equations depend on beside the scene.
struct ContactSystemChoices {
  GapChoice gap;
  bool velocity_level = false;   ///< what touches takes part, without its gap; nothing else does
  double rest_speed = 1e-3;      ///< m/s: slower approaches (or than h|g|) do not bounce
  double candidate_share = 0.1;  ///< of speeds, within which contacts are candidates: find_contacts
  /// Share of the velocity at the end of the step in the way that gaps go: gap + h (share v_n +
  /// (1 - share) v_n at the beginning).
  double gap_share = 1.0;
  bool joint_friction = false;  ///< joints with friction have rows of their own
};

/// Impulse that counts as none, and slip that counts as sticking, in units of the scales.
struct ModeTolerance {
  double open, stick;
};

/// Impulses over a step and velocities at its end,
///   M (v+ - v_free) = J'p,  p = (normal impulses, friction impulses, joint impulses),
/// with contacts, frames, J and M at the beginning. What the impulses are is a contact law's
/// matter. Velocities, M and the velocity of free motion are those of a Motion.
class ContactSystem {
 public:
  /// Finds contacts and assembles J and the scales. The scene must outlive it.
  /// @param friction and `held` are looked at in this call only  @throws CollisionError
  ContactSystem(const Scene& scene, const State& state, double h, Motion motion,
                const ContactSystemChoices& choices, const FrictionDirections& friction,
                const HeldContacts& held);

  const Scene& scene() const { return *scene_; }
  const State& state() const { return state_; }
  double h() const { return h_; }
  int dimension() const { return scene_->dimension; }
  int velocities() const { return static_cast<int>(motion_.free.size()); }

  int contacts() const { return static_cast<int>(contacts_.size()); }
  const ContactPoint3& contact(int c) const { return contacts_[static_cast<std::size_t>(c)]; }
  const ContactFrame& frame(int c) const { return frames_[static_cast<std::size_t>(c)]; }
  /// The same for the same contact from step to step.
  std::string contact_name(int c) const;

  /// Rows of J: normals of all contacts, then friction from contacts() + friction_begin(c) on, then
  /// joints from joint_first() on, then the rates of joints with friction.
  int rows() const { return static_cast<int>(jacobian_.rows()); }
  int joint_count() const { return static_cast<int>(theta_.size()); }
  int joint_first() const { return contacts() + direction_first_.back(); }
  /// Joints with friction, those of choices.joint_friction; empty without.
  const std::vector<int>& rubbing_joints() const { return rubbing_; }
  int rate_first() const { return joint_first() + joint_count(); }
  /// Most that the friction of rubbing joint k can do, N s or N m s:
  /// h (mu_c + mu_v |rate at the beginning|)  [DrumwrightShell2010, QP4].
  double joint_friction_bound(int k) const { return friction_bounds_[k]; }
  int friction_begin(int c) const { return direction_first_[static_cast<std::size_t>(c)]; }
  int friction_end(int c) const { return friction_begin(c + 1); }
  const SparseMatrix& jacobian() const { return jacobian_; }

  const SparseMatrix& inverse_mass() const { return motion_.inverse_mass; }
  SparseMatrix mass_matrix() const;
  /// M^-1 without the stiffness and damping that springs add to M.
  const SparseMatrix& bodies_inverse_mass() const {
    return motion_.bodies_inverse_mass.size() > 0 ? motion_.bodies_inverse_mass
                                                  : motion_.inverse_mass;
  }
  /// Velocities at the end of free motion.
  const Vector& free_velocity() const { return motion_.free; }
  /// The velocities at the beginning, impulses of the scene given.
  Vector initial_velocity() const;
  /// The velocities, from 0 on, and the blocks of M that couple them.
  Partition::Velocities velocity_partition() const;
  /// R M^-1 R' for rows R of velocities (rows x coordinates), symmetric to the last bit and without
  /// zeros.
  /// @throws CollisionError if it would have more than 5e7 entries
  SparseMatrix delassus(const SparseMatrix& rows) const;

  double velocity_scale() const { return velocity_scale_; }
  double impulse_scale() const { return impulse_scale_; }
  /// Of dimensionless rows over dimensionless unknowns: impulse_scale() / velocity_scale(), kg.
  double mass_scale() const { return impulse_scale_ / velocity_scale_; }

  /// Normal velocity at the beginning, m/s.
  double approach(int c) const { return approach_[c]; }
  /// Its approach is faster than what one step of free fall makes: what rests does not bounce.
  bool bounces(int c) const;
  /// Velocity that an impulse takes off the constraint of a compliant point, s/kg; 0: rigid.
  double compliance(int c) const;
  /// Gap at the end of the step if contacts part with no velocity at it, m.
  double carried_gap(int c) const {
    return contact(c).gap + (1 - choices_.gap_share) * h_ * approach_[c];
  }
  /// Share of the velocity at the end of the step in the way that gaps go.
  double gap_share() const { return choices_.gap_share; }
  /// Right-hand side of the normal row, N v+ >= it: gaps to be closed; relaxed.
  double wanted_velocity(int c) const;
  /// Right-hand side of the joint rows, relaxed.
  Vector wanted_joint_velocities() const;
  /// Less stabilisation for the next try. @return false if there is no less.
  bool relax_further();
  /// Stabilisation as it is at the beginning of a stage.
  void restore_stabilisation();

  /// Name, source and contacts of a problem.
  void describe(std::string_view formulation, Stage& stage) const;

  /// The end of the step. @param impulses of the rows of J, N s
  /// @param modes of the contacts if the law knows them; else they are read from the answer
  StepResult result(const Vector& v, const Vector& impulses, const ModeTolerance& tolerance,
                    const std::vector<ContactMode>& modes = {}) const;

 private:
  void find_active_contacts(const HeldContacts& held);
  void assemble_jacobian(const FrictionDirections& friction);
  void add_joint_rates(std::vector<Triplet>& entries);
  void add_row(int row, const ContactPoint3& c, const FrictionDirection& d,
               std::vector<Triplet>& entries) const;
  void set_scales();
  bool at_velocity_level(const ContactPoint3& contact) const;
  double closing_time(int c) const {
    return choices_.gap_share * h_ + contact(c).properties.dissipation;
  }
  double slip_speed(int c, const State& end) const;
  double momentum_error(const Vector& v, const Vector& impulses) const;

  const Scene* scene_;
  State state_;
  double h_;
  Motion motion_;
  ContactSystemChoices choices_;
  Coordinates coordinates_;
  std::vector<ContactPoint3> contacts_;
  std::vector<double> held_;  // of each contact: the velocity that a driver holds it at, m/s
  std::vector<ContactFrame> frames_;
  std::vector<FrictionDirection> directions_;  // of all contacts
  std::vector<int> direction_first_ = {0};     // of each contact; one more at the end
  std::vector<int> rubbing_;
  std::vector<double> friction_bounds_;  // of rubbing joints
  SparseMatrix jacobian_;
  Vector theta_, approach_;
  double velocity_scale_ = 1.0, impulse_scale_ = 1.0;
  /// Factor on gaps and drifts: in this try, the least of the stages before, tries so far.
  struct Relaxation {
    double now = 1.0, least = 1.0;
    int tries = 0;
  };
  Relaxation relaxation_;
};

}  // namespace perp
