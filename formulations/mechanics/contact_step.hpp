// Time steps with geometry taken at their beginning: what models of impulses share.
#pragma once

#include <perp/formulations/formulation.hpp>
#include <perp/formulations/gaps.hpp>

namespace perp {

/// Impulse that counts as none, and slip that counts as sticking, in units of the scales.
struct ModeTolerance {
  double open, stick;
};

/// Base of the formulations whose unknowns are impulses over a step and velocities at its end,
///   M (v+ - v_free) = J'p,  p = (normal impulses, friction impulses, joint impulses),
/// with contacts, frames, J and M at the beginning. A model says which directions friction has and
/// makes problems of the rest.
class ContactStep : public Formulation {
 public:
  bool takes_bearings() const override { return choice_.gap == &linearised_gap(); }
  std::optional<std::string> refusal(const Scene& scene) const final;
  /// Those of the law; and if the gap is no length, both at the beginning of the step:
  /// `generalised_speed`, the norm of all velocities (m/s, rad/s), and `infeasibility_in_units`,
  /// the largest overlap in its units or value of a joint.
  std::vector<std::string> columns() const final;
  void hold_contacts(std::function<std::optional<double>(const ContactPoint3&)> wanted) override {
    held_ = std::move(wanted);
  }

 protected:
  explicit ContactStep(const GapChoice& choice) : choice_(choice) {}

  /// What the contact law cannot treat; and the names of its columns.
  virtual std::optional<std::string> refusal_of_law(const Scene&) const { return {}; }
  virtual std::vector<std::string> columns_of_law() const { return {}; }

  /// A wrench for a unit impulse: a force at the contact point, or a moment.
  struct Direction {
    Vector3d force, moment;
  };

  /// Directions of friction of contact c, whose frame is known.
  virtual std::vector<Direction> friction_directions(int c) const = 0;
  /// Whether a contact takes part only where it touches, without its gap.
  virtual bool at_velocity_level(const ContactPoint3& contact) const = 0;
  virtual ModeTolerance mode_tolerance() const = 0;
  /// Share of the speeds within which contacts are candidates: see find_contacts.
  virtual double candidate_share(const Scene&) const { return 0.1; }

  /// Finds contacts and assembles J, M^-1, the free velocity and the scales.
  void begin_step(const Scene& scene, const State& state, double h);
  /// Less stabilisation for the next try. @return false where there is no less.
  bool relax_further();
  /// Stabilisation as it is at the beginning of a stage.
  void restore_stabilisation();

  int contacts() const { return static_cast<int>(active_.size()); }
  int joint_count() const { return static_cast<int>(theta_.size()); }
  /// Rows of J: normals of all contacts, then friction from contacts() + friction_begin(c) on, then
  /// joints from joint_first() on.
  int joint_first() const { return contacts() + direction_first_.back(); }
  int friction_begin(int c) const { return direction_first_[c]; }
  int friction_end(int c) const { return direction_first_[c + 1]; }

  /// Its approach is faster than what one step of free fall makes: what rests does not bounce.
  bool bounces(int c) const;
  /// Velocity that an impulse takes off the constraint of a compliant point, s/kg; 0: rigid.
  double compliance(int c) const;
  /// Right-hand side of the normal row, N v+ >= it: gaps to be closed; relaxed.
  double wanted_velocity(int c) const;
  /// Right-hand side of the joint rows, relaxed.
  Vector wanted_joint_velocities() const;
  SparseMatrix mass_matrix() const;
  /// The velocities, from 0 on, and the blocks of M that couple them: those of a body, in space its
  /// rotation together.
  Partition::Velocities velocity_partition() const;
  /// R M^-1 R' for rows R of velocities (rows x coordinates).
  /// @throws CollisionError if it would have more than 5e7 entries
  SparseMatrix delassus(const SparseMatrix& rows) const;

  /// Name, source and contacts of a problem.
  void describe(const std::string& stage, Problem& problem) const;
  /// The same for the same contact from step to step.
  std::string contact_name(int c) const;

  /// The end of the step. @param impulses of the rows of J, N s
  StepResult result(const Vector& v, const Vector& impulses) const;

  const Scene* scene_ = nullptr;
  State state_;
  double h_ = 0.0;
  GapChoice choice_;
  double rest_speed_ = 1e-3;  // m/s: slower approaches (or than h|g|) do not bounce
  std::optional<Coordinates> coordinates_;
  std::vector<ContactPoint3> active_;
  std::vector<ContactFrame> frames_;
  SparseMatrix jacobian_, inverse_mass_;
  Vector theta_, free_;
  Vector approach_;  // normal velocities at the beginning, m/s
  double velocity_scale_ = 1.0, impulse_scale_ = 1.0;

 private:
  void find_active_contacts();
  void add_row(int row, const ContactPoint3& c, const Direction& d,
               std::vector<Triplet>& entries) const;
  void set_scales();
  double closing_time(int c) const { return h_ + active_[c].properties.dissipation; }
  double slip_speed(int c, const State& end) const;
  double momentum_error(const Vector& v, const Vector& impulses) const;

  std::vector<Direction> directions_;  // of all contacts
  std::vector<int> direction_first_;   // per contact: its first direction; one more at the end
  /// Factor on gaps and drifts: in this try, the least of the stages before, tries so far.
  struct Relaxation {
    double now = 1.0, least = 1.0;
    int tries = 0;
  };

  Relaxation relaxation_;
  std::function<std::optional<double>(const ContactPoint3&)> held_;
};

}  // namespace perp
