// The step of a geometrically implicit formulation: which contacts it has, and their problem.
#pragma once

#include <map>
#include <perp/formulations/formulation.hpp>
#include <perp/formulations/mechanics/implicit_joints.hpp>
#include <perp/formulations/mechanics/implicit_step.hpp>
#include <perp/formulations/mechanics/options.hpp>

namespace perp {

/// A pair of bodies whose contact is in the problem of a step. `form` tells ways to write its
/// geometry apart; pairs and forms decide on the graph, everything else is a parameter.
struct ContactPair {
  int a = 0, b = 0;  ///< the normal points into a
  int form = 0;
  auto operator<=>(const ContactPair&) const = default;
};

/// A contact of a recorded step.
struct RecordedPair {
  ContactPair pair;
  int number = 0;  ///< of StepInput::contacts
  std::string name;
  std::uint64_t key = 0;  ///< first of 4096
  int first = 0;          ///< first unknown of the geometry
  ContactUnknowns unknowns;
};

/// A contact at the end of a step.
struct EndContact {
  Vector3d point_a, point_b;  ///< world
  ContactFrame frame;         ///< n points into a
  double gap = 0.0;           ///< m
};

/// "friction=fritz-john|normalised".
ChoiceOption friction_option(FrictionForm& form);

/// Time stepping with contact geometry at the end of the step. A step begins with the contacts of
/// the pairs that free motion would make overlap; where there are none it is free motion. Pairs
/// that overlap (by more than 10^-9 of the length scale) at the end of the step that the answer
/// gives are added and the step is posed once more: so contacts that stay open, whose geometry may
/// not be unique, are mostly left out, and no pair is forgotten. The step of a set of pairs is
/// recorded once and kept.
class ImplicitFormulation : public Formulation {
 public:
  StageOrResult begin(const Scene& scene, const State& state, double h) override;
  StageOrResult advance(const Answer& answer) override;
  std::optional<Stage> relax() override;
  /// How far the step is from the contact law, largest values: `law_gap`, overlap, or distance of
  /// what is pressed, m; `law_cone`, excess over the friction ellipsoid relative to mu p_n;
  /// `law_slip`, weighted slip that friction does not oppose, m/s.
  std::vector<std::string> columns() const override;

 protected:
  explicit ImplicitFormulation(FrictionForm friction) : friction_(friction) {}

  /// Why a scene cannot be treated whatever its shapes, or nothing.
  static std::optional<std::string> refusal_of_rigid_steps(const Scene& scene);

  /// The form in which a pair is written first, with its StartContact, which may be changed.
  virtual int form_of(const StepInput& input, StartContact& contact) const = 0;
  /// Other ways to write the pair, tried in turn where a step is not solved or `wrong` says so.
  /// False where there is none left. `tries` counts from 1.
  virtual bool rewrite(const StepInput& input, int tries, ContactPair& pair,
                       StartContact& contact) const = 0;
  /// True where an answer solves the equations in a way that they do not mean.
  virtual bool wrong(const StepInput& input, const RecordedPair& pair, const Vector& z,
                     const State& end) const = 0;
  /// Records the geometry of a contact with its unknowns, keys from pair.key + 16 on.
  virtual RecordedContact record(StepRecorder& recorder, const RecordedPair& pair) const = 0;
  /// Start values of the unknowns of the geometry.
  virtual void start(const StepInput& input, const RecordedPair& pair, Vector& z) const = 0;
  /// Adds to further columns of the formulation.
  virtual void describe(const StepInput&, const RecordedPair&, const Vector&,
                        std::vector<double>&) const {}
  virtual EndContact end(const StepInput& input, const RecordedPair& pair, const Vector& z,
                         const State& state) const = 0;

 private:
  struct Recording {
    RecordedStep step;
    std::vector<RecordedPair> pairs;
    std::vector<JointRow> joints;
  };

  bool add_overlapping(const State& end, double depth);
  void look(const State& guess);
  bool rewrite_pair(std::size_t k);
  bool rewrite_any();
  double start_impulse(const StartContact& contact) const;
  void begin_run(const Scene& scene, const State& state);
  static Vector3d world_point(const State& state, int body, const Vector3d& local);
  const Recording& recording();
  Stage stage(bool carried_over);
  void add_contact_infos(Problem& problem) const;
  static void add_law_residuals(const ContactResult& contact, double spin, const Vector3d& velocity,
                                std::vector<double>& columns);
  void add_joints(const Vector& z, StepResult& r, Vector& wrenches) const;
  StepResult finish(const Vector& velocity, const Vector* z) const;
  void add_contact(const RecordedPair& pair, const Vector& z, StepResult& r, Vector& wrenches,
                   double& size) const;

  FrictionForm friction_;
  std::optional<Scene> scene_;  // a copy: what is kept below is of it
  std::vector<std::pair<int, int>> candidates_;  // pairs of bodies that can collide
  StepInput input_;
  Vector start_velocity_;
  std::vector<std::pair<int, int>> touching_;  // bodies of the contacts of the step
  std::vector<ContactPair> pairs_;             // the same with their forms
  std::map<std::vector<ContactPair>, Recording> recordings_;
  std::map<std::pair<int, int>, std::uint64_t> spells_;  // of unbroken contact, by pair
  std::map<std::pair<int, int>, Vector3d> pressed_;      // in the last step: where, in a's frame
  int starts_ = 0;             // that have been tried for the contacts of the step
  std::vector<int> rewrites_;  // likewise, of each pair
};

}  // namespace perp
