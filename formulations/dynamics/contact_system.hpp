// The equations of a time step whose geometry is that of its beginning.
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

/// A direction of friction: the force at the contact point, or the moment, of a unit impulse.
struct FrictionDirection {
  Vector3d force, moment;
};

/// Gives the directions of friction of a contact.
using FrictionDirections =
    std::function<std::vector<FrictionDirection>(const ContactPoint3&, const ContactFrame&)>;

/// The choices that the equations depend on, in addition to the scene.
struct ContactSystemChoices {
  GapChoice gap;
  bool velocity_level = false;   ///< only touching contacts take part, without their gaps
  double rest_speed = 1e-3;      ///< m/s; approaches slower than this or than h|g| do not bounce
  double candidate_share = 0.1;  ///< `share` of find_contacts()
  /// Share of the end velocity in the gap at the end of the step: gap + h (share v_n + (1 - share)
  /// v_n at the beginning).
  double gap_share = 1.0;
  /// Share of the end velocity in the motion of a step, q + h (share v + (1 - share) v_0). The rows
  /// G of joints are those at q + (1 - share) h v_0, and ask for
  /// G v = (G_0 - G) v_0 - Theta_0 / h  with G_0, Theta_0 at q. Derivation: theta_method/README.md.
  double joint_share = 1.0;
  bool joint_friction = false;  ///< joints with friction have rows of their own
};

/// Largest impulse that counts as none (over impulse_scale()), and largest slip that counts as
/// sticking (over velocity_scale()).
struct ModeTolerance {
  double open, stick;
};

/// Impulses over a step and velocities at its end,
///   M (v+ - v_free) = J'p,  p = (normal impulses, friction impulses, joint impulses),
/// with contacts, frames, J and M at the beginning. A contact law determines the impulses.
/// Velocities, M and the velocity of free motion are those of a Motion.
class ContactSystem {
 public:
  /// Finds contacts, and computes J and the scales. The scene must outlive this object.
  /// @param friction used in this call only
  /// @param held used in this call only
  /// @throws CollisionError
  ContactSystem(const Scene& scene, const State& state, double h, Motion motion,
                const ContactSystemChoices& choices, const FrictionDirections& friction,
                const HeldContacts& held);

  /// Goes on to a later step of a scene that is equal to that of this system, if no body has moved
  /// since the contacts were found by more than 1e-12 of its radius. Contacts, J and M then stay as
  /// they are, to the bit; gaps change by J times the displacement, which is exact but for its
  /// square. So a pile at rest is not measured again. Scenes with joints or bearings, gaps other
  /// than the linearised one and steps of another length or at velocity level are never followed.
  /// @param motion that of the new step; it is taken only if the result is true
  /// @return false if nothing was changed, because the step needs a system of its own
  bool follow(const Scene& scene, const State& state, double h, Motion& motion);
  /// Whether contacts, J and M are those of the step before: follow() led here.
  bool followed() const { return kept_.followed; }

  const Scene& scene() const { return *scene_; }
  const State& state() const { return state_; }
  double h() const { return h_; }
  int dimension() const { return scene_->dimension; }
  int velocities() const { return static_cast<int>(motion_.free.size()); }

  int contacts() const { return static_cast<int>(contacts_.size()); }
  const ContactPoint3& contact(int c) const { return contacts_[static_cast<std::size_t>(c)]; }
  const ContactFrame& frame(int c) const { return frames_[static_cast<std::size_t>(c)]; }
  /// A name of the contact that is the same from step to step.
  std::string contact_name(int c) const;

  /// Number of rows of J: first the normals of all contacts, then friction (contact c from
  /// contacts() + friction_begin(c) on), then joints from joint_first() on, then the rates of
  /// joints with friction from rate_first() on.
  int rows() const { return static_cast<int>(jacobian_.rows()); }
  int joint_count() const { return static_cast<int>(theta_.size()); }
  int joint_first() const { return contacts() + direction_first_.back(); }
  /// Indices of the joints with friction; empty if choices.joint_friction is false.
  const std::vector<int>& rubbing_joints() const { return rubbing_; }
  int rate_first() const { return joint_first() + joint_count(); }
  /// Largest impulse of the friction of rubbing joint k, N s or N m s:
  /// h (mu_c + mu_v |rate at the beginning|)  [DrumwrightShell2010, QP4].
  double joint_friction_bound(int k) const { return friction_bounds_[k]; }
  int friction_begin(int c) const { return direction_first_[static_cast<std::size_t>(c)]; }
  int friction_end(int c) const { return friction_begin(c + 1); }
  /// The first direction of contact c that is a moment alone, or friction_end(c).
  int torsion_begin(int c) const;
  const SparseMatrix& jacobian() const { return jacobian_; }

  const SparseMatrix& inverse_mass() const { return motion_.inverse_mass; }
  SparseMatrix mass_matrix() const;
  /// M^-1 without the stiffness and damping that springs add to M.
  const SparseMatrix& bodies_inverse_mass() const {
    return motion_.bodies_inverse_mass.size() > 0 ? motion_.bodies_inverse_mass
                                                  : motion_.inverse_mass;
  }
  /// Velocities at the end of free motion, v_free.
  const Vector& free_velocity() const { return motion_.free; }
  /// The velocities at the beginning, after the impulses of the scene.
  Vector initial_velocity() const;
  /// The velocities as unknowns from 0 on, and the blocks of M.
  Partition::Velocities velocity_partition() const;
  /// R M^-1 R' for rows R (rows x velocities), symmetric to the last bit and without stored zeros.
  /// @throws CollisionError if it would have more than 5e7 entries
  SparseMatrix delassus(const SparseMatrix& rows) const;

  /// Unit of velocities, m/s: h|g|, at least 0.01.
  double velocity_scale() const { return velocity_scale_; }
  /// Unit of impulses, N s: typical_mass() times velocity_scale().
  double impulse_scale() const { return impulse_scale_; }
  /// impulse_scale() / velocity_scale(), kg: the unit of masses in dimensionless problems.
  double mass_scale() const { return impulse_scale_ / velocity_scale_; }

  /// Normal velocity at the beginning, m/s.
  double approach(int c) const { return approach_[c]; }
  /// Whether a contact with restitution bounces: its approach is faster than rest_speed and than
  /// one step of free fall. So a resting contact does not bounce.
  bool bounces(int c) const;
  /// Compliance of a point in its normal row: velocity for each unit of impulse, 1/kg; 0: rigid.
  double compliance(int c) const;
  /// Gap at the end of the step if the normal velocity there is 0, m.
  double carried_gap(int c) const {
    return contact(c).gap + (1 - choices_.gap_share) * h_ * approach_[c];
  }
  /// ContactSystemChoices::gap_share.
  double gap_share() const { return choices_.gap_share; }
  /// Right-hand side of the normal row N v+ >= rhs, m/s. It closes gaps, with the present
  /// relaxation; at velocity level it is 0, or the velocity that a driver sets.
  double wanted_velocity(int c) const;
  /// Right-hand side of the joint rows, with the present relaxation.
  Vector wanted_joint_velocities() const;
  /// Reduces the stabilisation for the next try. @return false if it cannot be reduced further
  bool relax_further();
  /// Sets the stabilisation back to its value at the beginning of a stage.
  void restore_stabilisation();

  /// Fills in name, source and contacts of the problem of a stage. After follow() the contacts are
  /// described as they were found.
  void describe(std::string_view formulation, Stage& stage);

  /// The end of the step.
  /// @param v velocities at the end, SI
  /// @param impulses of the rows of J, N s
  /// @param modes of the contacts if the law knows them; else they follow from impulses and slip
  StepResult result(const Vector& v, const Vector& impulses, const ModeTolerance& tolerance,
                    const std::vector<ContactMode>& modes = {}) const;

 private:
  void remember_geometry();
  std::vector<ContactInfo> described_contacts() const;
  std::optional<Vector> small_displacement(const State& state) const;
  State struck() const;
  void find_active_contacts(const HeldContacts& held);
  void ask_of_joints(const HeldContacts& held);
  void assemble_jacobian(const FrictionDirections& friction);
  void add_joints(std::vector<Triplet>& entries);
  void add_joint_rates(std::vector<Triplet>& entries);
  void add_row(int row, const ContactPoint3& c, const FrictionDirection& d,
               std::vector<Triplet>& entries) const;
  void set_scales();
  bool at_velocity_level(const ContactPoint3& contact) const;
  double closing_time(int c) const {
    return choices_.gap_share * h_ + contact(c).properties.dissipation;
  }
  double slip_speed(int c, const State& end) const;
  double spin_speed(int c, const State& end) const;
  double momentum_error(const Vector& v, const Vector& impulses) const;

  const Scene* scene_;
  State state_;
  double h_;
  Motion motion_;
  ContactSystemChoices choices_;
  Coordinates coordinates_;
  std::vector<ContactPoint3> contacts_;
  // What is asked for: a velocity for each contact, and for joints, in two parts, m/s and
  // rad/s.
  struct Held {
    std::vector<double> contacts;
    Vector joints, joint_corrections;
    Vector curvature;  // (G_0 - G) v_0, see ContactSystemChoices::joint_share; may be empty
  };
  Held held_;
  std::vector<ContactFrame> frames_;
  std::vector<FrictionDirection> directions_;  // of all contacts
  std::vector<int> direction_first_ = {0};     // of each contact; one more at the end
  std::vector<int> rubbing_;
  std::vector<double> friction_bounds_;  // of rubbing joints
  SparseMatrix jacobian_;
  Vector theta_, approach_;
  /// What the contacts were found from.
  struct Geometry {
    State state;
    Vector gaps;                // m, of the contacts
    std::vector<double> radii;  // m, of the bodies
  };
  /// For later steps.
  struct Kept {
    std::optional<Geometry> geometry;  // nothing if it cannot be followed
    bool followed = false;
    SharedList<ContactInfo> described;  // the contacts, if a stage was described
  };
  Kept kept_;
  double velocity_scale_ = 1.0, impulse_scale_ = 1.0;
  /// Factor on gaps and drifts in this try, its least value in earlier stages, and tries so far.
  struct Relaxation {
    double now = 1.0, least = 1.0;
    int tries = 0;
  };
  Relaxation relaxation_;
};

}  // namespace perp
