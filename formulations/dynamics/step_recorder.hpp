// What all time steps with implicit geometry share: an Mcp of bodies and contacts at the end of a
// step. It is recorded once and evaluated with the numbers of every step.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <perp/formulations/dynamics/contacts.hpp>
#include <perp/formulations/dynamics/state.hpp>
#include <perp/formulations/dynamics/unknown_layout.hpp>
#include <perp/problems/expression/expr.hpp>
#include <perp/problems/standard/problem.hpp>
#include <string>
#include <vector>

namespace perp {

/// Units of a step. The unit of angular velocities is that of velocities / length, that of angular
/// impulses is impulse * length.
struct StepScales {
  double length = 1.0;    ///< m: mean radius of the moving bodies that have a shape
  double change = 1.0;    ///< m/s, of changes of velocity: h |gravity|, or a larger one
  double velocity = 1.0;  ///< m/s, of velocities: the largest speed
  double impulse = 1.0;   ///< N s: typical_mass() times `change`
};

/// What a simpler step says about the contact of a pair of bodies, to start from.
struct PredictedContact {
  double p_n = 0.0;                     ///< N s, of all contact points together
  Vector3d impulse = Vector3d::Zero();  ///< N s, on body a
  Vector3d centre = Vector3d::Zero();   ///< of pressure: mean of the points by p_n; frame of a
  Vector3d slip = Vector3d::Zero();     ///< m/s, of a over b: mean by p_n
};

/// The contact of a pair of bodies in a step, as it is guessed before the step is solved.
struct StartContact {
  int a = 0, b = 0;  ///< bodies; the normal points into a
  Vector3d normal, tangent;
  Vector3d point_a, point_b;  ///< nearest points, world
  int face = 0;               ///< only for a gap that chooses a face
  std::optional<PredictedContact> predicted = {};
};

/// The numbers of one step.
struct StepInput {
  const Scene* scene = nullptr;
  State state;  ///< at the beginning
  double h = 0.0;
  Vector free;  ///< free_velocity of the step
  StepScales scales;
  std::vector<Vector3d> free_position;  ///< of the bodies at the end of free motion
  State guess;  ///< the contacts are those of its positions and orientations
  std::vector<StartContact> contacts;
};
/// The input of a step without contacts; the guess is the end of free motion.
StepInput step_input(const Scene& scene, const State& state, double h);
/// StepScales::length, m; the same for all steps.
double length_scale(const Scene& scene);

/// A matrix of three times three expressions.
using ExprMatrix3 = Eigen::Matrix<Expr, 3, 3>;

/// A body at the end of the step, in units of StepScales. In 2D the components out of the plane are
/// zero.
struct RecordedBody {
  ExprVector3 velocity, spin;  ///< generalised velocity
  ExprVector3 shift;           ///< of the mass centre, from its place after free motion
  /// R(Q)/|Q|^2 with Q = Q^l + h/2 (0, spin) Q^l, which is not normalised. It is the rotation that
  /// the state has after the step, when Q is normalised.
  ExprMatrix3 axes;
};

/// A contact at the end of the step as expressions in units of StepScales.
struct RecordedContact {
  int a = 0, b = 0;          ///< bodies; n points into a
  ExprVector3 n, t, o;       ///< t x o = n
  ExprVector3 arm_a, arm_b;  ///< from the mass centres to the points of contact
  Expr gap;                  ///< complementary to p_n
};

/// Sets t along the part of `reference` that is normal to contact.n, and o; in 2D t = z x n.
void set_tangents(const ExprVector3& reference, int dimension, RecordedContact& contact);

/// Indices of the unknowns of a contact: its normal impulse and its friction; -1: it has none.
struct ContactUnknowns {
  int p_n = -1, q_t = -1, q_o = -1, q_r = -1, sigma = -1;
};

/// A recorded step. The graph is the same for every step; its parameters are computed from
/// StepInput.
struct RecordedStep {
  std::shared_ptr<const ExpressionGraph> graph;
  std::shared_ptr<const CompiledFunction> compiled;
  Vector lower;
  UnknownLayout layout;  ///< row i is complementary to unknown i
  std::vector<std::function<double(const StepInput&)>> parameters;

  int size() const { return static_cast<int>(lower.size()); }
  Problem problem(const StepInput& input) const;
  /// Generalised velocity of an answer, SI.
  Vector velocity(const StepInput& input, const Vector& z) const;
};

/// Records a step. The first unknowns w are the changes of the generalised velocities of the moving
/// bodies relative to free motion, in the order of Coordinates. Their rows are the momentum
/// balances
///   M^l (nu - nu_free) - sum W p = 0   [XieChakraborty2020, Eq. 7],
/// with W at the end of the step. Add contacts, pushes and further unknowns, then call finish().
/// While this object exists, it is the active Recorder of the thread.
class StepRecorder {
 public:
  using Number = std::function<double(const StepInput&)>;
  using Point = std::function<Vector3d(const StepInput&)>;

  /// The scene must outlive the recorder, but not the RecordedStep.
  explicit StepRecorder(const Scene& scene);

  const Scene& scene() const { return scene_; }
  const RecordedBody& body(int index) const { return bodies_[static_cast<std::size_t>(index)]; }
  /// Velocity of the point of a body at `arm` from its mass centre.
  ExprVector3 velocity_at(int body, const ExprVector3& arm) const;

  /// A parameter of the graph: a number that is computed again for every step.
  Expr parameter(Number value);
  ExprVector3 parameters(const Point& value);
  /// The vector from body a to body b (mass centres) after free motion.
  ExprVector3 free_offset(int a, int b);
  /// The tangent of a contact at StepInput::guess.
  ExprVector3 reference(int contact);

  /// Adds an unknown with the lower bound -infinity or 0, and returns its index. Its row is 0 until
  /// it is set.
  int free_unknown(std::string name, std::uint64_t key);
  int nonnegative_unknown(std::string name, std::uint64_t key);
  /// Adds three free unknowns NAME.x, NAME.y, NAME.z with keys from `key` on; returns the first
  /// index.
  int free_point(const std::string& name, std::uint64_t key);
  Expr unknown(int index) { return recorder_.variable(index); }
  ExprVector3 point(int first);
  /// The number of unknowns so far.
  int unknowns() const { return layout_.size(); }
  void set_row(int unknown, Expr row) { rows_[static_cast<std::size_t>(unknown)] = row; }
  void set_rows(int first, const ExprVector3& rows);

  /// Adds sign times an impulse, which acts at `arm` from the mass centre, and sign times an
  /// angular impulse to the momentum balance of a body.
  void push(int body, const ExprVector3& force, const ExprVector3& arm, const ExprVector3& moment,
            double sign);

  /// Adds the normal impulse of a contact as an unknown with the key `key`, 0 <= p_n complementary
  /// to the gap, and adds it to the momentum balances.
  ContactUnknowns add_contact(const std::string& name, std::uint64_t key,
                              const RecordedContact& contact);

  RecordedStep finish();

 private:
  struct Momentum {
    ExprVector3 force, moment;
  };
  int add_unknown(std::string name, std::uint64_t key, double lower);
  void record_body(int index);
  void record_momentum(int index);

  const Scene& scene_;
  Coordinates coordinates_;
  Recorder recorder_;
  std::vector<RecordedBody> bodies_;
  std::vector<ExprVector3> change_, spin_change_;  // w of each body
  std::vector<Momentum> pushes_;
  UnknownLayout layout_;
  std::vector<double> lower_;
  std::vector<Expr> rows_;
  std::vector<Number> parameters_;
};

}  // namespace perp
