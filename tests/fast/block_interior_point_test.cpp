// block-interior-point: against interior-point on steps of granular, structure, starts, ends.
#include "support.hpp"

#include <perp/bench/data/scenes.hpp>
#include <perp/bench/simulation/simulation.hpp>
#include <perp/problems/standard/random.hpp>
#include <perp/solvers/block_interior_point/block_augmented_lagrangian.hpp>
#include <perp/solvers/block_interior_point/block_interior_point.hpp>
#include <perp/solvers/block_interior_point/impulse_newton.hpp>
#include <perp/solvers/interior_point/interior_point.hpp>
#include <perp/solvers/linear_algebra/supernodal_ldl.hpp>

#include <Eigen/Cholesky>
#include <Eigen/LU>
#include <set>

namespace perp::test {
namespace {

// A quasi-definite matrix with blocks, its upper triangle by columns, and groups of three unknowns.
struct Quasidefinite {
  DenseMatrix dense;
  std::vector<int> starts{0}, rows, groups;
  std::vector<double> values;
  std::vector<signed char> signs;
};

Quasidefinite random_quasidefinite(int bodies, double coupled, Random& random) {
  Quasidefinite k;
  const int n = 3 * bodies;
  k.dense = DenseMatrix::Zero(n, n);
  for (int i = 0; i < n; ++i) {
    k.groups.push_back(i / 3);
    k.signs.push_back(i % 3 == 0 ? 1 : -1);
  }
  for (int a = 0; a < bodies; ++a) {
    for (int b = 0; b <= a; ++b) {
      if (a != b && random.uniform() > coupled) continue;
      for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < 3; ++j) {
          const double value = random.uniform(-1, 1);
          k.dense(3 * a + i, 3 * b + j) = k.dense(3 * b + j, 3 * a + i) = value;
        }
      }
    }
  }
  // Diagonally dominant within the rows of one sign.
  for (int i = 0; i < n; ++i) {
    double sum = 1.0;
    for (int j = 0; j < n; ++j) sum += k.signs[i] == k.signs[j] ? std::abs(k.dense(i, j)) : 0.0;
    k.dense(i, i) = k.signs[i] * sum;
  }
  for (int j = 0; j < n; ++j) {
    for (int i = 0; i <= j; ++i) {
      if (k.dense(i, j) == 0.0) continue;
      k.rows.push_back(i);
      k.values.push_back(k.dense(i, j));
    }
    k.starts.push_back(static_cast<int>(k.rows.size()));
  }
  return k;
}

TEST(SupernodalLdl, SolvesWhatDenseLuSolves) {
  Random random(7);
  for (const int bodies : {1, 2, 5, 20, 60}) {
    for (const double coupled : {0.0, 0.05, 0.3, 1.0}) {
      const Quasidefinite k = random_quasidefinite(bodies, coupled, random);
      const int n = 3 * bodies;
      Vector b(n);
      for (double& x : b) x = random.uniform(-1, 1);
      const Vector expected = k.dense.partialPivLu().solve(b);
      for (const bool grouped : {true, false}) {
        SupernodalLdl ldl;
        ldl.analyse(n, k.starts, k.rows, k.signs, grouped ? k.groups : std::vector<int>());
        EXPECT_GE(ldl.factor_entries(), n);
        for (int repeat = 0; repeat < 2; ++repeat) {
          ASSERT_TRUE(ldl.factor(k.values, 1e-25, 1e-12));
          EXPECT_EQ(ldl.substituted(), 0);
          Vector x = b;
          ldl.solve(x.data());
          EXPECT_LE((x - expected).cwiseAbs().maxCoeff(), 1e-11) << bodies << ' ' << coupled;
          Vector two(2 * n);
          two << b, -3.0 * b;
          ldl.solve(two.data(), 2);
          EXPECT_EQ(two.head(n), x);  // the bits of one alone
          EXPECT_LE((two.tail(n) + 3.0 * expected).cwiseAbs().maxCoeff(), 1e-10);
        }
      }
    }
  }
}

TEST(SupernodalLdl, ReplacesPivotsOfTheWrongSignAndSeesNan) {
  SupernodalLdl ldl;
  ldl.analyse(2, {0, 1, 3}, {0, 0, 1}, {1, -1});
  ASSERT_TRUE(ldl.factor({2.0, 0.0, 3.0}, 1e-20, 0.5));
  EXPECT_EQ(ldl.substituted(), 1);
  double x[] = {2.0, 1.0};
  ldl.solve(x);
  EXPECT_EQ(x[0], 1.0);
  EXPECT_EQ(x[1], -2.0);
  EXPECT_FALSE(ldl.factor({NAN, 0.0, -3.0}, 1e-20, 0.5));
}

// Problems of steps, with their starts.
std::vector<Problem> stages_of(const Scene& scene, const std::string& formulation,
                               const std::string& name, double duration, int every) {
  std::vector<Problem> stages;
  SimulationRequest request;
  request.formulation = formulation;
  request.duration = duration;
  request.solve.limits.tolerance = 1e-8;
  request.on_stage = [&](int step, const Stage& stage, const VerifiedResult&) {
    if (stage.name == name && step % every == 0) stages.push_back(stage.problem);
  };
  EXPECT_EQ(simulate(scene, request).failed_steps, 0);
  return stages;
}

std::vector<Problem> friction_stages(const Scene& scene, double duration, int every) {
  return stages_of(scene, "max-dissipation-step", "friction", duration, every);
}

Scene small_pile() {
  return load_scene("granular", {{"across", 3}, {"high", 3}, {"width", 0.28}, {"drop", 0.06}});
}

Vector velocities(const Problem& problem, const Vector& x) {
  const SparseMatrix p = std::get<ConicQp>(problem.data).P.to_sparse();
  Vector v = Vector::Zero(x.size());
  for (int j = 0; j < p.cols(); ++j) v[j] = p.coeff(j, j) > 0 ? x[j] : 0.0;
  return v;
}

// Velocities are unique, impulses need not be. Without refined directions the path ends above 1e-9
// on some of these problems: its matrix has weights of 1e12 beside masses of 1.
void expect_agreement(const Problem& problem, double tolerance) {
  BlockInteriorPoint block;
  InteriorPoint point;
  block.limits.tolerance = point.limits.tolerance = 1e-9;
  const VerifiedResult y = solve_with(point, problem);
  // With some redundant contacts the other method, which is a yardstick here, ends above 1e-9.
  ASSERT_LE(y.verdict.measure, 1e-8) << problem.name << ' ' << y.message;
  block.prepare(problem);
  const Result& x = block.solve();
  ASSERT_EQ(x.status, Status::kSolved) << problem.name << ' ' << x.message;
  EXPECT_LE(x.iterations, 60) << problem.name;
  EXPECT_TRUE(verify(problem, {x.z, x.dual}, 1e-9).solved) << problem.name;
  const Vector difference = velocities(problem, x.z) - velocities(problem, y.answer.z);
  EXPECT_LE(difference.cwiseAbs().maxCoeff(), tolerance) << problem.name;
}

TEST(BlockInteriorPoint, AgreesWithInteriorPointOnStepsOfAPile) {
  const std::vector<Problem> stages = friction_stages(small_pile(), 0.3, 3);
  ASSERT_GE(stages.size(), 5U);
  for (const Problem& problem : stages) expect_agreement(problem, 1e-3);
}

// The impulses are the dual of the cones' rows. Kept velocities need no momentum of their own.
TEST(BlockInteriorPoint, AgreesWithInteriorPointOnProgramsOfVelocitiesAlone) {
  const std::vector<Problem> stages =
      stages_of(small_pile(), "anitescu-tasora:velocities=kept", "contact", 0.3, 4);
  ASSERT_GE(stages.size(), 4U);
  for (const Problem& problem : stages) {
    ASSERT_TRUE(std::get<ConicQp>(problem.data).partition->contacts.unknowns.empty());
    expect_agreement(problem, 1e-3);
  }
}

// From an answer with its dual nothing is left to do; another problem of the same structure is
// read anew.
TEST(BlockAugmentedLagrangian, StartsFromTheDualOfAProgramOfVelocitiesAlone) {
  const std::vector<Problem> stages =
      stages_of(small_pile(), "anitescu-tasora:velocities=kept", "contact", 0.3, 4);
  ASSERT_GE(stages.size(), 4U);
  Problem problem = stages.back();
  BlockInteriorPoint path;
  BlockAugmentedLagrangian solver;
  path.limits.tolerance = 1e-8;
  solver.limits.tolerance = 1e-6;
  for (const double factor : {1.0, 0.5}) {
    auto& qp = std::get<ConicQp>(problem.data);
    qp.c *= factor;
    qp.b *= factor;
    path.prepare(problem);
    const Result& x = path.solve();
    const Answer answer{x.z, x.dual};
    ASSERT_TRUE(verify(problem, answer, 1e-7).solved);
    solver.prepare(problem);
    const Result& y = solver.solve({&answer.z, &answer.dual});
    EXPECT_EQ(y.status, Status::kSolved);
    EXPECT_LE(y.iterations, 1);
    EXPECT_TRUE(verify(problem, {y.z, y.dual}, 1e-6).solved);
    EXPECT_GT(solver.solve({&answer.z, nullptr}).iterations, 1);
  }
}

// Both forms of the pivot of the total, with weights so moderate that nothing is lost in either.
TEST(ImpulseProgram, TheCurvatureOfTheTotalIsASumWithoutCancellation) {
  Random random(5);
  for (const Problem& problem : friction_stages(small_pile(), 0.25, 6)) {
    ImpulseProgram program;
    program.read(std::get<ConicQp>(problem.data));
    ASSERT_TRUE(program.has_total());
    std::vector<Eigen::Matrix3d> blocks(program.cones.size(), Eigen::Matrix3d::Zero());
    Vector weights(program.bounds()), pull = Vector::Zero(program.velocities());
    for (std::size_t c = 0; c < blocks.size(); ++c) {
      const int n = program.cones[c].size;
      Eigen::Matrix3d root = Eigen::Matrix3d::Zero();
      for (int i = 0; i < n * n; ++i) root(i / n, i % n) = random.uniform(-1, 1);
      blocks[c] = root * root.transpose();
      program.pull_total(program.cones[c], blocks[c], pull);
    }
    for (double& weight : weights) weight = random.uniform(0, 2);
    double posed = 0.0;
    for (std::size_t c = 0; c < blocks.size(); ++c) {
      const ImpulseCone& cone = program.cones[c];
      const auto e = program.e.segment(cone.first, cone.size);
      posed += e.dot(blocks[c].topLeftCorner(cone.size, cone.size) * e);
    }
    ImpulseNewton newton;
    newton.prepare(program);
    ASSERT_TRUE(newton.factor(blocks, weights));
    const Vector zero = Vector::Zero(program.velocities());
    Vector v = zero, m = zero;
    newton.solve({{zero, pull, v, m}});
    posed += pull.dot(m);
    EXPECT_GT(posed, 0.0);
    EXPECT_NEAR(program.curvature_of_total(blocks, weights, v, m), posed, 1e-10 * pull.norm());
  }
}

// The one bound of all impulses: as posed, twice as large, far away, and left out of the problem.
TEST(BlockInteriorPoint, TheBoundOfAllImpulsesMayBeActiveOrNot) {
  const std::vector<Problem> stages = friction_stages(small_pile(), 0.25, 6);
  ASSERT_GE(stages.size(), 2U);
  double largest_nu = 0.0;
  for (Problem problem : stages) {
    auto& qp = std::get<ConicQp>(problem.data);
    const int row = qp.partition->total;
    ASSERT_GE(row, 0);
    const double kappa = qp.b[row];
    for (const double factor : {1.0, 2.0, 1e6}) {
      qp.b[row] = factor * kappa;
      expect_agreement(problem, 1e-3);
      BlockInteriorPoint solver;
      solver.limits.tolerance = 1e-9;
      solver.prepare(problem);
      const Result& r = solver.solve();
      largest_nu = std::max(largest_nu, r.dual[row]);
      if (factor == 1e6) {
        EXPECT_LE(r.dual[row], 1e-9);
      }
    }
  }
  EXPECT_GT(largest_nu, 0.01);  // it was active somewhere
}

TEST(BlockInteriorPoint, TakesContactsWithoutFrictionAndPlanarOnes) {
  Scene mixed = small_pile();
  ContactProperties smooth = mixed.contact;
  smooth.mu = 0.0;
  mixed.pairs.push_back({"wall_*", "grain_*", smooth});
  mixed.pairs.push_back({"floor", "grain_*", smooth});
  const std::vector<Problem> stages = friction_stages(mixed, 0.25, 6);
  ASSERT_GE(stages.size(), 2U);
  for (const Problem& problem : stages) expect_agreement(problem, 1e-3);
  const std::vector<Problem> planar = friction_stages(load_scene("disc", {}), 0.05, 1);
  ASSERT_FALSE(planar.empty());
  for (const Problem& problem : planar) expect_agreement(problem, 1e-5);
}

// From an answer nothing is left to do; from one nearby, with its dual, it takes few steps.
TEST(BlockAugmentedLagrangian, ContinuesFromAStart) {
  const std::vector<Problem> stages = friction_stages(small_pile(), 0.3, 5);
  ASSERT_FALSE(stages.empty());
  Random random(3);
  for (const Problem& problem : stages) {
    BlockInteriorPoint path;
    BlockAugmentedLagrangian solver;
    solver.limits.tolerance = path.limits.tolerance = 1e-6;
    path.prepare(problem);
    solver.prepare(problem);
    const Result cold = path.solve();
    ASSERT_EQ(cold.status, Status::kSolved);
    EXPECT_GT(cold.iterations, 4);
    Vector start = cold.z;
    const Vector dual = cold.dual;
    EXPECT_LE(solver.solve({&start, &dual}).iterations, 1);
    for (double& x : start) x += 1e-6 * random.uniform(-1, 1);
    const Result& warm = solver.solve({&start, &dual});
    EXPECT_EQ(warm.status, Status::kSolved);
    EXPECT_TRUE(verify(problem, {warm.z, warm.dual}, 1e-6).solved);
    EXPECT_LE(warm.iterations, cold.iterations);
  }
}

// The path begins at its own point, and no step of it is one of the method of multipliers.
TEST(BlockInteriorPoint, HeedsNoStart) {
  const std::vector<Problem> stages = friction_stages(small_pile(), 0.25, 6);
  ASSERT_FALSE(stages.empty());
  BlockInteriorPoint solver;
  EXPECT_FALSE(solver.traits().uses_start);
  solver.prepare(stages.front());
  const Result cold = solver.solve();
  const Vector start = cold.z, dual = cold.dual;
  const Result& again = solver.solve({&start, &dual});
  EXPECT_EQ(again.iterations, cold.iterations);
  EXPECT_EQ(again.z, cold.z);
}

TEST(BlockAugmentedLagrangian, BeginsNoFartherThanAsked) {
  const std::vector<Problem> stages = friction_stages(small_pile(), 0.25, 6);
  ASSERT_FALSE(stages.empty());
  BlockAugmentedLagrangian solver;
  solver.settings.start_measure = 1e-6;
  solver.prepare(stages.front());
  const Result& r = solver.solve();
  EXPECT_EQ(r.status, Status::kStalled);
  EXPECT_EQ(r.iterations, 0);
  EXPECT_NE(r.message.find("too far"), std::string::npos);
}

// Problems of a simulation have the structure of the step before or another one.
TEST(BlockInteriorPoint, UpdateIsLikePrepare) {
  const std::vector<Problem> stages = friction_stages(small_pile(), 0.25, 6);
  ASSERT_GE(stages.size(), 2U);
  Problem other = stages[0];
  std::get<ConicQp>(other.data).b *= 1.25;
  BlockInteriorPoint kept, fresh;
  kept.prepare(stages[0]);
  const Vector first = kept.solve().z;
  for (const Problem* p : std::initializer_list<const Problem*>{&other, &stages[0]}) {
    kept.update(*p);
    fresh.prepare(*p);
    const Result& r = kept.solve();
    EXPECT_EQ(r.status, Status::kSolved);
    EXPECT_LE((velocities(*p, r.z) - velocities(*p, fresh.solve().z)).cwiseAbs().maxCoeff(), 1e-3);
  }
}

// A contact stated twice: impulses and multipliers are not unique.
TEST(BlockInteriorPoint, TakesRedundantContacts) {
  Scene s = load_scene("box-stack", {{"rows", 2}});
  const std::vector<Problem> stages = friction_stages(s, 0.05, 1);
  ASSERT_FALSE(stages.empty());
  for (const Problem& problem : stages) expect_agreement(problem, 1e-3);
}

// One velocity v and one impulse p >= 0, v - p = 0, p <= 10.
ConicQp one_impulse() {
  ConicQp qp;
  qp.P = matrix(2, 2, {1, 0, 0, 0});
  qp.c = Vector::Zero(2);
  qp.A = matrix(3, 2, {1, -1, 0, 1, 0, -1});
  qp.b = vector({0, 10, 0});
  qp.cones = {{ConeType::kZero, 1}, {ConeType::kNonnegative, 2}};
  return qp;
}

Partition parts_of_one_impulse() {
  Partition p;
  p.velocities = {{0}, {1}, {0}};
  p.contacts = {{1}, {1}, {2}};
  p.total = 1;
  return p;
}

ConicQp with(ConicQp qp, const Partition& parts) {
  qp.partition = std::make_shared<const Partition>(parts);
  return qp;
}

// One velocity that is to be >= 1 and <= -1.
TEST(BlockInteriorPoint, SaysThatItIsStalledIfBoundsContradict) {
  ConicQp qp = one_impulse();
  qp.A = matrix(5, 2, {1, -1, 0, 1, 0, -1, -1, 0, 1, 0});
  qp.b = vector({0, 10, 0, -1, -1});
  qp.cones[1].size = 4;
  Partition parts = parts_of_one_impulse();
  parts.bounds = {3, 4};
  const Problem problem = problem_of(with(qp, parts));
  BlockInteriorPoint solver;
  ASSERT_FALSE(solver.refusal(problem));
  const VerifiedResult r = solve_with(solver, problem);
  EXPECT_EQ(r.status, Status::kStalled);
  EXPECT_FALSE(r.verdict.solved);
  SolveRequest request;  // auto has the proof
  EXPECT_EQ(solve_verified(problem, request).status, Status::kInfeasible);
}

TEST(BlockInteriorPoint, RefusesWhatIsNotOfVelocitiesAndImpulses) {
  BlockInteriorPoint solver;
  const auto reason = [&](const ConicQp& qp) {
    return solver.refusal(problem_of(qp)).value_or("taken");
  };
  const Problem socp = generate(find_family("socp"), 10, 1);
  EXPECT_NE(solver.refusal(socp)->find("partition: missing"), std::string::npos);
  EXPECT_THROW(solver.prepare(socp), std::invalid_argument);
  const ConicQp qp = one_impulse();
  Partition parts = parts_of_one_impulse();
  EXPECT_EQ(reason(with(qp, parts)), "taken");
  parts.total = -1;
  EXPECT_NE(reason(with(qp, parts)).find("1 rows"), std::string::npos);
  parts = parts_of_one_impulse();
  parts.contacts = {};
  EXPECT_NE(reason(with(qp, parts)).find("no impulses"), std::string::npos);
  ConicQp alone;  // one velocity at a floor, and in a row of another meaning
  alone.P = matrix(1, 1, {2});
  alone.c = vector({1});
  alone.A = matrix(2, 1, {-1, 1});
  alone.b = vector({0, 5});
  alone.cones = {{ConeType::kNonnegative, 2}};
  parts = {};
  parts.velocities = {{0}, {1}, {}};
  parts.contacts = {{}, {1}, {0}};
  EXPECT_NE(reason(with(alone, parts)).find("1 rows"), std::string::npos);
  parts.contacts = {{}, {1, 1}, {0, 1}};
  EXPECT_EQ(reason(with(alone, parts)), "taken");
  ConicQp moved = qp;
  moved.b[2] = 1.0;
  EXPECT_NE(reason(with(moved, parts_of_one_impulse())).find("b[2]"), std::string::npos);
  ConicQp squared = qp;
  squared.P = matrix(2, 2, {1, 0, 0, 1});
  EXPECT_NE(reason(with(squared, parts_of_one_impulse())).find("impulse 1"), std::string::npos);
}

TEST(Partition, MustFitTheNumbers) {
  const auto complaint = [](const ConicQp& qp, const Partition& parts) -> std::string {
    try {
      validate(with(qp, parts));
    } catch (const std::invalid_argument& error) {
      return error.what();
    }
    return "";
  };
  const ConicQp qp = one_impulse();
  EXPECT_EQ(complaint(qp, parts_of_one_impulse()), "");
  EXPECT_EQ(complaint(qp, {}), "");
  const struct {
    const char* field;
    void (*spoil)(Partition&);
  } cases[] = {
      {"partition.velocities.unknowns[0]", [](Partition& p) { p.velocities.unknowns = {2}; }},
      {"partition.velocities.blocks", [](Partition& p) { p.velocities.blocks = {2}; }},
      {"partition.velocities.rows[0]",
       [](Partition& p) {
         p.velocities.rows = {1};
         p.total = -1;
       }},
      {"partition.contacts.unknowns[0]", [](Partition& p) { p.contacts.unknowns = {0}; }},
      {"partition.contacts.sizes", [](Partition& p) { p.contacts.sizes = {2}; }},
      {"partition.contacts.rows[0]",
       [](Partition& p) {
         p.contacts.rows = {1};
         p.total = -1;
       }},
      {"partition.held.rows",
       [](Partition& p) {
         p.held.rows = {1};
         p.total = -1;
       }},
      {"partition.bounds[0]",
       [](Partition& p) {
         p.bounds = {1};
         p.total = -1;
       }},
      {"partition.total[0]", [](Partition& p) { p.total = 7; }},
      {"partition.total[0]", [](Partition& p) { p.total = 2; }}};
  for (const auto& c : cases) {
    Partition parts = parts_of_one_impulse();
    c.spoil(parts);
    EXPECT_EQ(complaint(qp, parts).rfind(c.field, 0), 0U)
        << c.field << ": " << complaint(qp, parts);
  }
  ConicQp heavier = qp;  // 2 v - p = 0: not the objective's mass
  heavier.A = matrix(3, 2, {2, -1, 0, 1, 0, -1});
  EXPECT_NE(complaint(heavier, parts_of_one_impulse()).find("not M v - J'p = f"),
            std::string::npos);
  ConicQp coupled = qp;
  coupled.P = matrix(2, 2, {1, 0.5, 0.5, 1});
  EXPECT_NE(complaint(coupled, parts_of_one_impulse()).find("couples"), std::string::npos);
}

// The formulations that pose convex programs say what is what, and it fits.
TEST(Partition, ComesWithTheModels) {
  for (const char* formulation : {"max-dissipation-step", "max-dissipation-impulse",
                                  "anitescu-tasora", "anitescu-tasora:velocities=kept"}) {
    Scene scene = small_pile();
    ContactProperties smooth = scene.contact;
    smooth.mu = 0.0;
    scene.pairs.push_back({"floor", "grain_*", smooth});
    SimulationRequest request;
    request.formulation = formulation;
    request.duration = 0.1;
    int seen = 0;
    request.on_stage = [&](int, const Stage& stage, const VerifiedResult&) {
      const auto* qp = std::get_if<ConicQp>(&stage.problem.data);
      if (!qp) return;
      ++seen;
      ASSERT_TRUE(qp->partition) << formulation;
      EXPECT_NO_THROW(validate(*qp)) << formulation;
      EXPECT_FALSE(qp->partition->contacts.sizes.empty());
    };
    simulate(scene, request);
    EXPECT_GT(seen, 0) << formulation;
  }
}

TEST(BlockInteriorPoint, ObeysLimitsAndObservers) {
  const std::vector<Problem> stages = friction_stages(small_pile(), 0.2, 8);
  ASSERT_FALSE(stages.empty());
  BlockInteriorPoint solver;
  solver.limits.max_iterations = 3;
  solver.prepare(stages.back());
  EXPECT_EQ(solver.solve().status, Status::kIterationLimit);
  EXPECT_EQ(solver.solve().iterations, 3);
  struct Stop final : Observer {
    int seen = 0;
    bool on_iteration(const IterationRecord& record) override {
      EXPECT_EQ(record.iteration, ++seen);
      return seen < 2;
    }
  } stop;
  EXPECT_EQ(solver.solve(nullptr, &stop).status, Status::kInterrupted);
  EXPECT_EQ(stop.seen, 2);
}

// Answers are carried over by these: they must differ for all contacts of a pile.
TEST(ContactKeys, DifferForAllPairs) {
  std::set<std::uint64_t> keys;
  int count = 0;
  for (int a = 1; a < 120; ++a) {
    for (int b = 0; b < a; ++b) {
      for (int feature = 0; feature < 8; ++feature) {
        keys.insert(ContactPoint3{a, b, feature, {}, {}, 0.0, {}}.key());
        ++count;
      }
    }
  }
  EXPECT_EQ(keys.size(), static_cast<std::size_t>(count));
}

}  // namespace
}  // namespace perp::test
