// Steps in which nothing moves: what they share with the step before, and when they must not.
#include "support.hpp"

#include <perp/bench/data/scenes.hpp>
#include <perp/bench/simulation/simulation.hpp>
#include <perp/formulations/registry.hpp>
#include <perp/problems/scenes/scene_json.hpp>
#include <perp/solvers/linear_algebra/block_lu.hpp>
#include <perp/solvers/session.hpp>

#include <functional>
#include <memory>

namespace perp::test {
namespace {

constexpr double kStep = 0.01;  // s
const std::vector<std::string> kModels = {"coulomb-implicit", "coulomb-implicit:velocities=kept",
                                          "stewart-trinkle", "stewart-trinkle:velocities=kept"};

// Two cubes on a slab, one on the other.
Scene cubes(const std::string& more = "") {
  return scene_from_text(R"({"format":"perp-scene","version":1,"name":"cubes","dimension":3,
    "gravity":[0,0,-10],"contact":{"mu":0.5},"bodies":[
      {"name":"slab","fixed":true,"shape":{"type":"box","half":[4,4,1]},"position":[0,0,-1]},
      {"name":"lower","mass":2,"shape":{"type":"box","half":[0.5,0.5,0.5]},
       "position":[0.1,0,0.5]},
      {"name":"upper","mass":1,"shape":{"type":"box","half":[0.5,0.5,0.5]},
       "position":[0.2,0.1,1.5]}])" +
                             more + "}",
                         "cubes");
}

Problem posed(Formulation& model, const Scene& scene, const State& state, double h = kStep) {
  return std::get<Stage>(model.begin(scene, state, h)).problem;
}

// The matrix that depends on where the contacts are.
const Matrix& matrix_of(const Problem& problem) {
  if (const auto* lcp = std::get_if<Lcp>(&problem.data)) return lcp->M;
  if (const auto* mlcp = std::get_if<Mlcp>(&problem.data)) return mlcp->M;
  const auto& contact = std::get<FrictionContact>(problem.data);
  return contact.is_operator() ? contact.J : contact.W;
}

const Vector& q_of(const Problem& problem) {
  if (const auto* lcp = std::get_if<Lcp>(&problem.data)) return lcp->q;
  if (const auto* mlcp = std::get_if<Mlcp>(&problem.data)) return mlcp->q;
  return std::get<FrictionContact>(problem.data).q;
}

// A later state, with the upper cube moved and turned by lengths and angles of this size.
State later(const Scene& scene, double moved) {
  State state = initial_state(scene);
  state.time += kStep;
  BodyState& upper = state.bodies[2];
  upper.position += moved * Vector3d(0.3, -0.2, 0.5);
  upper.orientation = Quaterniond(1.0, 0.2 * moved, -0.3 * moved, 0.1 * moved).normalized();
  return state;
}

TEST(AtRest, MatricesAndNamesAreThoseOfTheStepBefore) {
  const Scene scene = cubes();
  for (const std::string& name : kModels) {
    const auto model = make_formulation(name);
    const Problem first = posed(*model, scene, initial_state(scene));
    const Problem second = posed(*model, scene, later(scene, 2e-13));
    EXPECT_TRUE(matrix_of(second).shares(matrix_of(first))) << name;
    EXPECT_EQ(&second.variables[0], &first.variables[0]) << name;
    EXPECT_EQ(&second.contacts[0], &first.contacts[0]) << name;
    const Problem third = posed(*model, scene, later(scene, 1e-9));
    EXPECT_FALSE(matrix_of(third).shares(matrix_of(first))) << name;
  }
}

// What follows a body differs from what is found anew by rounding, and not by the displacement.
TEST(AtRest, GapsFollowTheBodies) {
  const Scene scene = cubes();
  const State moved = later(scene, 5e-13);
  for (const std::string& name : kModels) {
    const auto model = make_formulation(name), fresh = make_formulation(name);
    const Problem first = posed(*model, scene, initial_state(scene));
    const Problem followed = posed(*model, scene, moved), found = posed(*fresh, scene, moved);
    ASSERT_TRUE(matrix_of(followed).shares(matrix_of(first))) << name;
    EXPECT_LE((q_of(followed) - q_of(found)).cwiseAbs().maxCoeff(), 1e-11) << name;
    EXPECT_GE((q_of(followed) - q_of(first)).cwiseAbs().maxCoeff(), 1e-10) << name;
  }
}

TEST(AtRest, NothingIsFollowedThatIsNotAtRest) {
  const Scene scene = cubes();
  const auto follows = [&](const Scene& then, const State& before, const Scene& now,
                           const State& after, double h) {
    const auto model = make_formulation("coulomb-implicit");
    const Problem first = posed(*model, then, before);
    return matrix_of(posed(*model, now, after, h)).shares(matrix_of(first));
  };
  const State start = initial_state(scene), still = later(scene, 0.0);
  EXPECT_TRUE(follows(scene, start, scene, still, kStep));
  EXPECT_TRUE(follows(scene, start, cubes(), still, kStep));  // an equal scene elsewhere
  EXPECT_FALSE(follows(scene, start, scene, still, 0.5 * kStep));
  EXPECT_FALSE(follows(scene, still, scene, start, kStep));  // a new run
  State fast = still;
  fast.bodies[2].velocity.x() = 0.1;
  EXPECT_FALSE(follows(scene, start, scene, fast, kStep));
  State shifted = still;
  shifted.bodies[0].position.x() += 1e-15;  // the slab is fixed
  EXPECT_FALSE(follows(scene, start, scene, shifted, kStep));
  State invalid = still;
  invalid.bodies[2].velocity.x() = std::nan("");
  const auto model = make_formulation("coulomb-implicit");
  posed(*model, scene, start);
  EXPECT_THROW(model->begin(scene, invalid, kStep), CollisionError);
  const Scene joined = cubes(R"(,"joints":[{"name":"hinge","type":"revolute","a":"lower",
    "b":"upper","anchor":[0,0,1],"axis":[0,1,0]}])");
  EXPECT_FALSE(follows(joined, start, joined, still, kStep));
}

// The scene is compared by its contents: it may change where it is.
TEST(AtRest, AChangedSceneIsPosedAnew) {
  Scene scene = cubes();
  const auto model = make_formulation("coulomb-implicit");
  posed(*model, scene, initial_state(scene));
  scene.contact.mu = 0.25;
  const Problem second = posed(*model, scene, later(scene, 0.0));
  EXPECT_EQ(std::get<FrictionContact>(second.data).mu.maxCoeff(), 0.25);
}

// Poses every step with a model that knows nothing of the step before.
class Forgetful final : public Formulation {
 public:
  explicit Forgetful(const std::string& name) : text_(name), inner_(make_formulation(name)) {}
  std::string_view name() const override { return inner_->name(); }
  Capabilities capabilities() const override { return inner_->capabilities(); }
  std::optional<std::string> refusal(const Scene& s) const override { return inner_->refusal(s); }
  StageOrResult begin(const Scene& scene, const State& state, double h,
                      const HeldContacts& held) override {
    inner_ = make_formulation(text_);
    return inner_->begin(scene, state, h, held);
  }
  StageOrResult advance(const Answer& answer) override { return inner_->advance(answer); }
  std::optional<Stage> relax() override { return inner_->relax(); }

 private:
  std::string text_;
  std::unique_ptr<Formulation> inner_;
};

TEST(AtRest, AStackStandsAsItDoesIfEveryStepIsPosedAnew) {
  const Scene scene = cubes();
  for (const std::string& name : kModels) {
    SimulationRequest request;
    request.formulation = name;
    request.step = kStep;
    request.duration = 1.0;
    request.solve.limits.tolerance = 1e-10;
    const SimulationSummary kept = simulate(scene, request);
    request.make_formulation = [](std::string_view text) -> std::unique_ptr<Formulation> {
      return std::make_unique<Forgetful>(std::string(text));
    };
    const SimulationSummary anew = simulate(scene, request);
    EXPECT_EQ(kept.steps, 100) << name;
    EXPECT_EQ(kept.failed_steps + anew.failed_steps, 0) << name;
    for (std::size_t b = 1; b < scene.bodies.size(); ++b) {
      const BodyState &x = kept.final_state.bodies[b], &y = anew.final_state.bodies[b];
      EXPECT_LE((x.position - y.position).norm(), 1e-11) << name;
      EXPECT_LE((x.position - scene.bodies[b].position).norm(), 1e-11) << name;
      EXPECT_LE(x.velocity.norm(), 1e-9) << name;
    }
  }
}

// Solvers and the verifier keep what follows from a shared matrix. Answers do not depend on it.
TEST(AtRest, SharedMatricesGiveTheBitsOfCopies) {
  const Scene scene = cubes();
  for (const std::string& name : kModels) {
    const bool pyramids = name.starts_with("stewart");
    for (const char* const solver :
         {"auto", pyramids ? "newton-fb" : "newton-ac", pyramids ? "lemke" : "nsgs"}) {
      SolveRequest request;
      request.solver = solver;
      request.limits.tolerance = 1e-10;
      Session with_shared(request), with_copies(request);
      const auto model = make_formulation(name);
      Matrix before;
      for (int k = 0; k < 6; ++k) {
        // At k = 3 the cubes move, and the matrix is another one.
        State state = later(scene, k < 3 ? 0.0 : 1e-3);
        state.time += k;
        state.bodies[2].velocity.x() = 1e-5 * k * k;
        const Problem shared = posed(*model, scene, state);
        const bool follows = k == 1 || k == 2 || k == 4;
        EXPECT_EQ(matrix_of(shared).shares(before), follows) << name << " " << k;
        before = matrix_of(shared);
        Problem copy = shared;
        std::visit(
            [](auto& data) {
              using Data = std::decay_t<decltype(data)>;
              const auto own = [](Matrix& m) {
                if (m.is_sparse()) m = Matrix(SparseMatrix(m.sparse()));
              };
              if constexpr (std::is_same_v<Data, FrictionContact>) {
                own(data.W);
                own(data.J);
                own(data.M);
              } else if constexpr (std::is_same_v<Data, Lcp> || std::is_same_v<Data, Mlcp>) {
                own(data.M);
              }
            },
            copy.data);
        const VerifiedResult a = with_shared.solve(shared, request);
        const VerifiedResult b = with_copies.solve(copy, request);
        EXPECT_EQ(a.status, Status::kSolved) << name << " " << solver << " " << k;
        EXPECT_EQ(a.status, b.status) << name << " " << solver << " " << k;
        EXPECT_EQ(a.iterations, b.iterations) << name << " " << solver << " " << k;
        EXPECT_EQ(a.answer.z, b.answer.z) << name << " " << solver << " " << k;
        EXPECT_EQ(a.verdict.measure, b.verdict.measure) << name << " " << solver << " " << k;
      }
    }
  }
}

TEST(SharedMatrix, IsOneMatrixUntilItIsChanged) {
  SparseMatrix entries(2, 2);
  entries.insert(0, 0) = 1.0;
  entries.insert(1, 0) = 2.0;
  const Matrix first = Matrix::share(entries);
  Matrix second = first;
  EXPECT_TRUE(second.shares(first));
  EXPECT_EQ(&second.sparse() == &first.sparse(), false);  // asked to change it: a matrix of its own
  EXPECT_FALSE(second.shares(first));
  second.sparse().coeffRef(0, 0) = 3.0;
  EXPECT_EQ(first.coefficient(0, 0), 1.0);
  EXPECT_EQ(second.coefficient(0, 0), 3.0);
  EXPECT_FALSE(Matrix::share(entries).shares(first));  // equal, but another one
  EXPECT_FALSE(Matrix(entries).shares(Matrix(entries)));
  EXPECT_TRUE(first.is_sparse() && first.is_shared() && !second.is_shared());
  EXPECT_EQ(first.nonzeros(), 2);
  EXPECT_EQ(first.to_dense(), DenseMatrix(entries));
  EXPECT_THROW(first.dense(), std::bad_variant_access);
  EXPECT_TRUE(first.all_finite());
  entries.coeffRef(1, 0) = std::nan("");
  EXPECT_FALSE(Matrix::share(entries).all_finite());
}

TEST(SharedList, IsOneListUntilItIsChanged) {
  SharedList<std::string> first = {"a", "b"};
  SharedList<std::string> second = first;
  EXPECT_EQ(&first[0], &second[0]);
  second.push_back("c");
  EXPECT_EQ(first, (std::vector<std::string>{"a", "b"}));
  EXPECT_EQ(second, (std::vector<std::string>{"a", "b", "c"}));
  const std::string* const place = &second[0];
  second.edit()[0] = "d";  // nobody shares it any more
  EXPECT_EQ(&second[0], place);
  second.clear();
  EXPECT_TRUE(second.empty());
  EXPECT_EQ(second, SharedList<std::string>());
  EXPECT_EQ(first.size(), 2u);
}

// Factors are kept only for the matrix that they are those of.
TEST(BlockLu, FactorsAnEqualMatrixOnceAndAnotherOneAnew) {
  Random random(3);
  const int n = 4;
  const auto dense = [&] {
    DenseMatrix a(3 * n, 3 * n);
    for (int i = 0; i < a.size(); ++i) a.data()[i] = random.normal();
    a.diagonal().array() += 12.0;
    return a;
  };
  const DenseMatrix first = dense(), second = dense();
  BlockLu lu;
  const auto fill = [&](const DenseMatrix& a) {
    lu.begin(n);
    for (int j = 0; j < n; ++j) {
      double* to = lu.append_column(std::vector{0, 1, 2, 3});
      for (int i = 0; i < n; ++i, to += kBlockValues) {
        Eigen::Map<Eigen::Matrix<double, kBlockStride, 3>> block(to);
        block << a.block<3, 3>(3 * i, 3 * j), Eigen::RowVector3d::Zero();
      }
    }
  };
  const auto check = [&](const DenseMatrix& a, const char* what) {
    ASSERT_TRUE(lu.factor()) << what;
    Vector x = Vector::LinSpaced(3 * n, -1.0, 2.0);
    const Vector b = x;
    ASSERT_TRUE(lu.solve(x.data())) << what;
    EXPECT_LE((a * x - b).cwiseAbs().maxCoeff(), 1e-13) << what;
  };
  fill(first);
  check(first, "first");
  fill(first);
  check(first, "the same");
  fill(second);
  check(second, "another one");
  fill(first);  // never factorised
  fill(second);
  check(second, "the last one that was factorised");
  fill(first);
  fill(first);
  check(first, "filled twice");
  DenseMatrix singular = first;
  singular.middleCols<3>(0).setZero();
  fill(singular);
  EXPECT_FALSE(lu.factor());
  fill(first);
  check(first, "after a singular one");
}

// The unit of impulses is that of a typical body. With the mean mass as the unit, the impulses on a
// grain were below the tolerance beside ten thousand tons that rest far away: it was not braked,
// and every step counted as solved.
TEST(Scales, AHeavyBodyFarAwayChangesNothing) {
  const Scene scene = scene_of(R"("dimension":3,"gravity":[0,0,-9.81],"bodies":[
    {"name":"floor","fixed":true,"shape":{"type":"half_space","normal":[0,0,1]}},
    {"name":"heavy","mass":1e7,"shape":{"type":"sphere","radius":1},"position":[50,0,1]},
    {"name":"grain","mass":0.001,"shape":{"type":"sphere","radius":0.1},"position":[0,0,0.1],"velocity":[2,0,0]}],
    "contact":{"mu":0.2})");
  for (const char* formulation :
       {"coulomb-implicit", "stewart-trinkle", "closed-form-gap", "geometric-implicit"}) {
    SimulationRequest request;
    request.formulation = formulation;
    request.step = 0.01;
    request.duration = 0.1;
    request.solve.limits.tolerance = 1e-10;
    request.on_step = [&](const StepReport& step) {
      for (const ContactResult& c : step.result.contacts)
        EXPECT_NE(c.mode, ContactMode::kOpen) << formulation;
      return true;
    };
    const SimulationSummary run = simulate(scene, request);
    EXPECT_EQ(run.failed_steps, 0) << formulation;
    EXPECT_NEAR(run.final_state.bodies[2].velocity.x(), 2.0 - 0.2 * 9.81 * 0.1, 1e-6)
        << formulation;
  }
}

}  // namespace
}  // namespace perp::test
