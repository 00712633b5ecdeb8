// A second solve of the same size does not allocate. malloc is counted by standing in front of
// glibc's.
#include "sliding_column.hpp"
#include "support.hpp"

#include <perp/problems/expression/expr.hpp>
#include <perp/problems/standard/mcp_function.hpp>
#include <perp/solvers/active_set/newton_min.hpp>
#include <perp/solvers/block_interior_point/block_augmented_lagrangian.hpp>
#include <perp/solvers/block_interior_point/block_interior_point.hpp>
#include <perp/solvers/friction/admm.hpp>
#include <perp/solvers/friction/newton_ac.hpp>
#include <perp/solvers/friction/newton_pyramid.hpp>
#include <perp/solvers/friction/nsgs.hpp>
#include <perp/solvers/friction/proximal_newton.hpp>
#include <perp/solvers/friction/proximal_pyramid.hpp>
#include <perp/solvers/friction/sap.hpp>
#include <perp/solvers/friction/smoothing_continuation.hpp>
#include <perp/solvers/gradient_projection/gradient_projection.hpp>
#include <perp/solvers/interior_point/interior_point.hpp>
#include <perp/solvers/josephy_newton/josephy_newton.hpp>
#include <perp/solvers/multigrid/multigrid.hpp>
#include <perp/solvers/projection/pgs.hpp>
#include <perp/solvers/projection/rpgs.hpp>
#include <perp/solvers/registry.hpp>
#include <perp/solvers/semismooth_newton/newton_fb.hpp>
#include <perp/solvers/session.hpp>

#include <SuiteSparse_config.h>

#include <atomic>
#include <cstdlib>

namespace {
std::atomic<long> allocations{0};
}

extern "C" {
void* __libc_malloc(std::size_t size);
void* __libc_calloc(std::size_t count, std::size_t size);
void* __libc_realloc(void* old, std::size_t size);
void* malloc(std::size_t size) {
  ++allocations;
  return __libc_malloc(size);
}
void* calloc(std::size_t count, std::size_t size) {
  ++allocations;
  return __libc_calloc(count, size);
}
void* realloc(void* old, std::size_t size) {
  ++allocations;
  return __libc_realloc(old, size);
}
}

namespace perp::test {
namespace {

using Settings = std::initializer_list<std::pair<const char*, const char*>>;

template <class AnySolver = Lemke>
long allocations_of_second_solve(const Problem& problem, double tolerance = 1e-10,
                                 Settings settings = {}) {
  AnySolver solver;
  for (const auto& [name, value] : settings) set_setting(solver, name, value);
  solver.limits.tolerance = tolerance;
  solver.prepare(problem);
  solver.solve();
  const long before = allocations;
  const Status status = solver.solve().status;
  const long after = allocations;
  EXPECT_EQ(status, Status::kSolved);
  return after - before;
}

// Through auto, the same problem again and then one with other values, the verifier included.
std::pair<long, long> allocations_of_a_session(Problem problem) {
  SolveRequest request;
  request.look_for_vacuous = false;
  Session session(request);
  const auto allocated = [&] {
    const long before = allocations;
    const VerifiedResult& r = session.solve(problem, request);
    const long after = allocations;
    EXPECT_EQ(r.status, Status::kSolved);
    return after - before;
  };
  allocated();
  const long second = allocated();
  if (auto* lcp = std::get_if<Lcp>(&problem.data)) lcp->q *= 1.0001;
  if (auto* contact = std::get_if<FrictionContact>(&problem.data)) contact->q *= 1.0001;
  if (auto* qp = std::get_if<BoxQp>(&problem.data)) qp->c *= 1.0001;
  if (auto* qp = std::get_if<ConicQp>(&problem.data)) qp->c *= 1.0001;
  return {second, allocated()};
}

TEST(Allocation, SecondSolvesByAutoAllocateNothing) {
  for (const auto& [family, size] : {std::pair{"psd", 30},
                                     {"psd", 120},
                                     {"contact-stack", 20},
                                     {"contact-pile", 20},
                                     {"box-qp", 60},
                                     {"socp", 60},
                                     {"friction-stack", 10}}) {
    const auto [second, update] = allocations_of_a_session(generate(find_family(family), size, 1));
    EXPECT_EQ(second, 0) << family << ' ' << size;
    EXPECT_EQ(update, 0) << family << ' ' << size;
  }
}
// Calls that update and solve make after the same with other values; `change` alters the values.
template <class AnySolver, class Change>
long allocations_of_update(const Problem& problem, Change change, double tolerance = 1e-10) {
  AnySolver solver;
  solver.limits.tolerance = tolerance;
  Problem other = problem;
  change(other);
  solver.prepare(problem);
  solver.solve();
  solver.update(other);
  solver.solve();
  const long before = allocations;
  solver.update(problem);
  const Status first = solver.solve().status;
  solver.update(other);
  const Status second = solver.solve().status;
  const long after = allocations;
  EXPECT_EQ(first, Status::kSolved);
  EXPECT_EQ(second, Status::kSolved);
  return after - before;
}

// While it lives, what SuiteSparse's libraries allocate is not counted.
class UncountedFactors {
 public:
  UncountedFactors() { set(__libc_malloc, __libc_calloc, __libc_realloc); }
  ~UncountedFactors() { set(malloc, calloc, realloc); }

 private:
  static void set(void* (*m)(std::size_t), void* (*c)(std::size_t, std::size_t),
                  void* (*r)(void*, std::size_t)) {
#if SUITESPARSE_MAIN_VERSION >= 7
    SuiteSparse_config_malloc_func_set(m);
    SuiteSparse_config_calloc_func_set(c);
    SuiteSparse_config_realloc_func_set(r);
#else
    SuiteSparse_config.malloc_func = m;
    SuiteSparse_config.calloc_func = c;
    SuiteSparse_config.realloc_func = r;
#endif
  }
};

// Of update() with twice the matrix and half of the constants, and of the solve behind it.
struct UpdateAllocations {
  long update, solve;
};

void change_values(Matrix& m, Vector& q) {
  if (m.is_sparse()) {
    m.sparse() *= 2.0;
  } else {
    m.dense() *= 2.0;
  }
  q *= 0.5;
}

template <class AnySolver>
UpdateAllocations allocations_of_update(const Problem& first, double tolerance = 1e-8,
                                        Settings settings = {}) {
  Problem second = first;
  if (auto* qp = std::get_if<BoxQp>(&second.data)) {
    change_values(qp->H, qp->c);
  } else {
    Lcp& lcp = std::get<Lcp>(second.data);
    change_values(lcp.M, lcp.q);
  }
  AnySolver solver;
  for (const auto& [name, value] : settings) set_setting(solver, name, value);
  solver.limits.tolerance = tolerance;
  solver.prepare(first);
  solver.solve();
  solver.update(second);
  solver.solve();  // once of every size that occurs
  const long before = allocations;
  solver.update(first);
  const long between = allocations;
  EXPECT_EQ(solver.solve().status, Status::kSolved);
  return {between - before, allocations - between};
}

TEST(Allocation, TheCounterCounts) {
  const long before = allocations;
  std::vector<double> v(1000);
  EXPECT_GT(allocations, before);
}

TEST(Allocation, SecondDenseSolveAllocatesNothing) {
  for (const char* name : {"psd", "psd-deficient", "p-matrix"})
    EXPECT_EQ(allocations_of_second_solve(generate(find_family(name), 120, 1)), 0) << name;
}

TEST(Allocation, SecondSolveByActiveSetsAllocatesNothing) {
  for (const char* name : {"psd", "psd-deficient", "p-matrix"}) {
    const Problem p = generate(find_family(name), 150, 1);
    EXPECT_EQ(allocations_of_second_solve<NewtonMin>(p), 0) << name;
  }
}

// A sparse block is factorised by libraries that allocate; what is prepared for it is not.
TEST(Allocation, UpdatesOfActiveSetsAllocateNothing) {
  for (const char* name : {"psd", "p-matrix"}) {
    const auto counted = allocations_of_update<NewtonMin>(generate(find_family(name), 150, 1));
    EXPECT_EQ(counted.update, 0) << name;
    EXPECT_EQ(counted.solve, 0) << name;
  }
  EXPECT_EQ(allocations_of_update<NewtonMin>(generate(find_family("obstacle"), 20, 1)).update, 0);
}

TEST(Allocation, UpdatesOfGradientProjectionAllocateNothing) {
  const Problem box = generate(find_family("box-qp"), 150, 1);
  const Problem grid = generate(find_family("obstacle"), 30, 1);
  for (const Problem* problem : {&box, &grid}) {
    const bool sparse = problem == &grid;
    const auto counted = allocations_of_update<GradientProjection>(
        *problem, 1e-8, {{"face", sparse ? "cg" : "auto"}});
    EXPECT_EQ(counted.update, 0) << sparse;
    EXPECT_EQ(counted.solve, 0) << sparse;
  }
}

TEST(Allocation, UpdatesOfSweepsAndMultigridAllocateNothing) {
  const Problem psd = generate(find_family("psd"), 50, 1);
  const Problem grid = generate(find_family("obstacle"), 40, 1);
  for (const Problem* problem : {&psd, &grid}) {
    for (const auto& counted : {allocations_of_update<ProjectedGaussSeidel>(*problem),
                                allocations_of_update<RegularisedProjectedGaussSeidel>(*problem)}) {
      EXPECT_EQ(counted.update, 0) << (problem == &grid);
      EXPECT_EQ(counted.solve, 0) << (problem == &grid);
    }
  }
  const auto counted = allocations_of_update<Multigrid>(grid);
  EXPECT_EQ(counted.update, 0);
  EXPECT_EQ(counted.solve, 0);
}

// Sparse faces too, where conjugate gradients are enough.
TEST(Allocation, SecondSolveByGradientProjectionAllocatesNothing) {
  for (const double rank : {1.0, 0.5}) {
    const Problem p = generate(find_family("box-qp"), 150, 1, {{"rank", rank}});
    EXPECT_EQ(allocations_of_second_solve<GradientProjection>(p), 0) << rank;
    EXPECT_EQ(allocations_of_second_solve<GradientProjection>(p, 1e-6, {{"face", "cg"}}), 0);
  }
  const Problem grid = generate(find_family("obstacle"), 30, 1);
  EXPECT_EQ(allocations_of_second_solve<GradientProjection>(grid, 1e-8, {{"face", "cg"}}), 0);
}

TEST(Allocation, SecondSolveBySweepsOrMultigridAllocatesNothing) {
  const Problem psd = generate(find_family("psd"), 50, 1);
  const Problem grid = generate(find_family("obstacle"), 40, 1);
  EXPECT_EQ(allocations_of_second_solve<ProjectedGaussSeidel>(psd, 1e-8), 0);
  EXPECT_EQ(allocations_of_second_solve<ProjectedGaussSeidel>(grid, 1e-8), 0);
  EXPECT_EQ(allocations_of_second_solve<RegularisedProjectedGaussSeidel>(psd, 1e-8), 0);
  EXPECT_EQ(allocations_of_second_solve<Multigrid>(grid, 1e-8), 0);
}

TEST(Allocation, SecondContactSolveAllocatesNothing) {
  for (const char* name : {"contact-stack", "contact-pile"})
    EXPECT_EQ(allocations_of_second_solve(generate(find_family(name), 20, 1)), 0) << name;
  const UncountedFactors uncounted;  // AMD
  const Problem stack = generate(find_family("contact-stack"), 20, 1);
  EXPECT_EQ(allocations_of_second_solve<NewtonPyramid>(stack), 0);
  EXPECT_EQ(allocations_of_second_solve<ProximalPyramid>(stack), 0);
}

// A sparse factorisation of our own.
TEST(Allocation, SecondSolveByAlternatingDirectionsAllocatesNothing) {
  const Problem p = generate(find_family("friction-granular"), 150, 1, {{"agitation", 0}});
  EXPECT_EQ(allocations_of_second_solve<Admm>(p, 1e-3), 0);
}

// Dense and sparse systems of Newton steps, dense ones of least-squares steps.
TEST(Allocation, SecondFrictionSolveAllocatesNothing) {
  const UncountedFactors uncounted;  // AMD
  for (const char* name : {"friction-stack", "friction-pile"}) {
    const Problem p = generate(find_family(name), 20, 2);
    EXPECT_EQ(allocations_of_second_solve<Nsgs>(p, 1e-8), 0) << name;
    EXPECT_EQ(allocations_of_second_solve<Admm>(p, 1e-8), 0) << name;
    for (const char* algebra : {"dense", "sparse"}) {
      SCOPED_TRACE(algebra);
      const Settings by = {{"linear_algebra", algebra}};
      EXPECT_EQ(allocations_of_second_solve<NewtonAc>(p, 1e-8, by), 0) << name;
      EXPECT_EQ(allocations_of_second_solve<ProximalNewton>(p, 1e-8, by), 0) << name;
      EXPECT_EQ(allocations_of_second_solve<SmoothingContinuation>(p, 1e-8, by), 0) << name;
    }
  }
  const Problem soft = generate(find_family("compliant-pile"), 40, 1);
  EXPECT_EQ(allocations_of_second_solve<Sap>(soft, 1e-8), 0);
  const Problem pile = generate(find_family("friction-pile"), 20, 1);
  EXPECT_EQ(allocations_of_second_solve<NewtonAc>(pile, 1e-8, {{"least_squares", "always"}}), 0);
}

void change_lcp(Problem& p) {
  Lcp& lcp = std::get<Lcp>(p.data);
  Random random(5);
  for (double& x : lcp.q) x *= 1.0 + 1e-2 * random.uniform();
  if (lcp.M.is_sparse()) {
    lcp.M.sparse() *= 1.5;
  } else {
    lcp.M.dense() *= 1.5;
  }
}

// Dense M, sparse M with dense kernels, and sparse ones.
TEST(Allocation, UpdateOfLemkeAllocatesNothing) {
  for (const char* name : {"psd", "psd-deficient", "p-matrix"}) {
    const Problem p = generate(find_family(name), 120, 1);
    EXPECT_EQ(allocations_of_update<Lemke>(p, change_lcp), 0) << name;
  }
  for (const char* name : {"contact-stack", "contact-pile"}) {
    const Problem small = generate(find_family(name), 20, 1);
    EXPECT_EQ(allocations_of_update<Lemke>(small, change_lcp), 0) << name;
    const UncountedFactors uncounted;
    const Problem large = generate(find_family(name), 50, 1);
    EXPECT_EQ(allocations_of_second_solve(large), 0) << name;
    EXPECT_EQ(allocations_of_update<Lemke>(large, change_lcp), 0) << name;
  }
}

// Also if the free block is singular, so that partners are sought.
TEST(Allocation, UpdateOfLemkeWithFreeUnknownsAllocatesNothing) {
  const UncountedFactors uncounted;  // of the free block
  const auto change = [](Problem& p) { std::get<Mlcp>(p.data).q *= 1.1; };
  const Problem regular =
      problem_of(Mlcp{matrix(3, 3, {2, 1, 0, 1, 2, 0, 0, 0, 1}), vector({-3, 1, -5}),
                      vector({-kInf, 0, 0}), vector({kInf, kInf, 1})});
  EXPECT_EQ(allocations_of_update<Lemke>(regular, change), 0);
  const Problem partners = problem_of(
      Mlcp{matrix(2, 2, {1, -1, 1, 0}), vector({1, -1}), vector({0, -kInf}), vector({kInf, kInf})});
  EXPECT_EQ(allocations_of_update<Lemke>(partners, change), 0);
}

// With other values of q and W.
TEST(Allocation, UpdateOfFrictionAllocatesNothing) {
  const Problem first = generate(find_family("friction-stack"), 20, 1);
  Problem other = first;
  std::get<FrictionContact>(other.data).q *= 1.5;
  const auto names = {"nsgs", "newton-ac", "proximal-newton", "smoothing-continuation", "admm"};
  for (const char* name : names) {
    const std::unique_ptr<Solver> solver = make_solver(name);
    solver->prepare(first);
    solver->update(other);
    const long before = allocations;
    solver->update(first);
    EXPECT_EQ(allocations - before, 0) << name;
  }
}

TEST(Allocation, SecondMixedSolveAllocatesNothing) {
  Mlcp p{matrix(3, 3, {2, 1, 0, 1, 2, 0, 0, 0, 1}), vector({-3, 1, -5}), vector({-kInf, 0, 0}),
         vector({kInf, kInf, 1})};
  EXPECT_EQ(allocations_of_second_solve(problem_of(p)), 0);
}

// Dense systems only: KLU allocates its factors.
TEST(Allocation, SecondNewtonSolveAllocatesNothing) {
  for (const char* name : {"psd", "psd-deficient", "p-matrix"}) {
    const Problem p = generate(find_family(name), 120, 1);
    EXPECT_EQ(allocations_of_second_solve<NewtonFb>(p), 0) << name;
  }
  for (const char* name : {"contact-stack", "contact-pile"}) {
    const Problem p = generate(find_family(name), 20, 1);
    EXPECT_EQ(allocations_of_second_solve<NewtonFb>(p, 1e-10, {{"linear_algebra", "dense"}}), 0)
        << name;
    EXPECT_EQ(allocations_of_second_solve<NewtonFb>(
                  p, 1e-10, {{"linear_algebra", "dense"}, {"least_squares", "always"}}),
              0)
        << name;
  }
}

TEST(Allocation, SecondInteriorPointSolveAllocatesNothing) {
  for (const char* algebra : {"dense", "sparse"}) {
    for (const int n : {10, 60, 150}) {
      const Problem p = generate(find_family("socp"), n, 1);
      EXPECT_EQ(allocations_of_second_solve<InteriorPoint>(p, 1e-8, {{"linear_algebra", algebra}}),
                0)
          << algebra << n;
    }
  }
  for (const char* name : {"psd", "psd-deficient"}) {
    const Lcp lcp = std::get<Lcp>(generate(find_family(name), 150, 1).data);
    const BoxQp box{lcp.M, lcp.q, Vector::Zero(150), Vector::Constant(150, kInf)};
    EXPECT_EQ(allocations_of_second_solve<InteriorPoint>(problem_of(box)), 0) << name;
  }
}

// Vectors of the problem, scaled a little.
void change_vectors(Problem& p) {
  if (auto* lcp = std::get_if<Lcp>(&p.data)) lcp->q *= 1.001;
  if (auto* qp = std::get_if<BoxQp>(&p.data)) qp->c *= 1.001;
  if (auto* contact = std::get_if<FrictionContact>(&p.data)) contact->q *= 1.001;
  if (auto* qp = std::get_if<ConicQp>(&p.data)) qp->c *= 1.001;
}

// Whatever a method takes, an update to other values and the solve after it allocate nothing; what
// libraries factorise is theirs.
TEST(Allocation, UpdatesOfEveryMethodAllocateNothing) {
  std::vector<Problem> problems;
  for (const auto& [family, size] : {std::pair{"psd", 60},
                                     {"contact-stack", 20},
                                     {"obstacle", 12},
                                     {"box-qp", 60},
                                     {"friction-stack", 10}})
    problems.push_back(generate(find_family(family), size, 1));
  problems.push_back(generate(find_family("socp"), 60, 1));
  problems.push_back(sliding_column(5));  // with a partition
  const UncountedFactors uncounted;
  int taken = 0, solves = 0;
  for (const SolverFactory& make : solver_registry()) {
    const std::string name(make()->traits().name);
    if (name == "enumerate") continue;  // a definition, for problems of a few unknowns
    for (const Problem& problem : problems) {
      const std::unique_ptr<Solver> solver = make();
      if (solver->refusal(problem)) continue;
      Problem other = problem;
      change_vectors(other);
      solver->limits.max_iterations = 3;
      solver->prepare(problem);
      solver->solve();
      solver->update(other);
      solver->solve();
      long before = allocations;
      solver->update(problem);
      EXPECT_EQ(allocations - before, 0) << "update of " << name << " on " << problem.name;
      // Eigen's sparse LDL', a library too, allocates in ways that cannot be told from ours.
      const bool by_eigen = name == "newton-min" && problem.name.starts_with("obstacle");
      before = allocations;
      const bool told = !solver->solve().message.empty();  // why it failed, in words
      const long in_solve = allocations - before;
      ++taken;
      if (by_eigen || told) continue;
      EXPECT_EQ(in_solve, 0) << "solve by " << name << " on " << problem.name;
      ++solves;
    }
  }
  EXPECT_GE(taken, 24);
  EXPECT_GE(solves, 20);
}

TEST(Allocation, SecondBlockInteriorPointSolveAllocatesNothing) {
  for (const int blocks : {1, 5, 20}) {
    const double tolerance = blocks < 20 ? 1e-8 : 1e-5;  // what the path alone reaches
    EXPECT_EQ(allocations_of_second_solve<BlockInteriorPoint>(sliding_column(blocks), tolerance), 0)
        << blocks;
    BlockAugmentedLagrangian solver;  // from afar it may take more steps than it has
    solver.prepare(sliding_column(blocks));
    solver.solve();
    const long before = allocations;
    EXPECT_GT(solver.solve().iterations, 0);
    EXPECT_EQ(allocations - before, 0) << blocks;
  }
}

TEST(Allocation, SecondNonlinearNewtonSolveAllocatesNothing) {
  Problem p;
  Mcp mcp;
  {
    Recorder recorder;
    const ExprVector z = recorder.variables(3);
    mcp.graph = std::make_shared<const ExpressionGraph>(recorder.graph(
        {(z[0] + 1.0) * (z[0] + 1.0) - 4.01, exp(z[1]) + z[0] - 9.0, 1000.0 * (z[2] - z[1])}));
  }
  mcp.lower = Vector::Zero(3);
  mcp.upper = Vector::Constant(3, 4.0);
  p.data = mcp;
  EXPECT_EQ(allocations_of_second_solve<NewtonFb>(p), 0);
  EXPECT_EQ(allocations_of_second_solve<NewtonFb>(p, 1e-10, {{"least_squares", "always"}}), 0);
}

TEST(Allocation, SecondJosephyNewtonSolveAllocatesNothing) {
  for (const char* rounds : {"20", "1"}) {  // linear systems alone, and paths of pivots
    for (const char* name : {"psd", "psd-deficient", "p-matrix"}) {
      const Problem p = generate(find_family(name), 60, 1);
      EXPECT_EQ(allocations_of_second_solve<JosephyNewton>(
                    p, 1e-10, {{"set_rounds", rounds}, {"crash_iterations", "0"}}),
                0)
          << name;
    }
  }
  const int n = 28;
  Mcp mcp;
  Random random(1);
  {
    Recorder recorder;
    const ExprVector z = recorder.variables(n);
    ExprVector f(n);
    for (int i = 0; i < n; ++i) {
      f[i] = 2.0 * z[i] * z[i] * z[i] + 5.0 * z[i] + random.normal();
      for (int j = 0; j < n; ++j) f[i] += random.normal() * z[j] / n;
    }
    mcp.graph = std::make_shared<const ExpressionGraph>(recorder.graph(f));
  }
  mcp.lower = Vector::Zero(n);
  mcp.upper = Vector::Constant(n, kInf);
  for (int i = 0; i < n; i += 4) mcp.lower[i] = -kInf;
  for (const char* path : {"far", "point"}) {
    EXPECT_EQ(allocations_of_second_solve<JosephyNewton>(problem_of(mcp), 1e-10, {{"path", path}}),
              0);
  }
}

// Of an update to other values, and of the solve after it unless only the update counts, as that of
// KLU's systems.
template <class AnySolver>
long allocations_of_update(const Problem& first, const Problem& second, bool with_solve,
                           const char* linear_algebra) {
  AnySolver solver, fresh;
  for (AnySolver* s : {&solver, &fresh}) {
    set_setting(*s, "linear_algebra", linear_algebra);
    s->limits.tolerance = 1e-10;
  }
  solver.prepare(first);
  solver.solve();
  const long before = allocations;
  solver.update(second);
  if (with_solve) solver.solve();
  const long after = allocations;
  fresh.prepare(second);
  EXPECT_EQ(fresh.solve().status, Status::kSolved);
  EXPECT_EQ(solver.solve().z, fresh.solve().z);  // and is the same as a preparation
  return after - before;
}

template <class AnySolver>
void expect_updates_without_allocation() {
  const Problem dense = generate(find_family("p-matrix"), 60, 1);
  EXPECT_EQ(allocations_of_update<AnySolver>(dense, generate(find_family("p-matrix"), 60, 2), true,
                                             "dense"),
            0);
  const Problem grid = generate(find_family("obstacle"), 12, 1);
  Problem other = grid;
  for (double& x : std::get<Lcp>(other.data).M.sparse().coeffs()) x *= 2.0;
  EXPECT_EQ(allocations_of_update<AnySolver>(grid, other, false, "sparse"), 0);
  EXPECT_EQ(allocations_of_update<AnySolver>(grid, other, true, "dense"), 0);
  Mcp mcp;
  {
    Recorder recorder;
    const ExprVector z = recorder.variables(3), p = recorder.parameters(1);
    mcp.graph = std::make_shared<const ExpressionGraph>(
        recorder.graph({exp(z[0]) - p[0], z[1] + z[0] * z[2] - 1.0, 2.0 * z[2] + z[1] - p[0]}));
  }
  mcp.lower = Vector::Zero(3);
  mcp.upper = Vector::Constant(3, 4.0);
  mcp.parameters = vector({2.0});
  Problem one, two;
  one.data = mcp;
  mcp.parameters = vector({3.0});
  two.data = mcp;
  EXPECT_EQ(allocations_of_update<AnySolver>(one, two, true, "dense"), 0);
  EXPECT_EQ(allocations_of_update<AnySolver>(one, two, false, "sparse"), 0);
}

TEST(Allocation, UpdatesOfNewtonFbAllocateNothing) {
  expect_updates_without_allocation<NewtonFb>();
}

TEST(Allocation, UpdatesOfJosephyNewtonAllocateNothing) {
  expect_updates_without_allocation<JosephyNewton>();
}

TEST(Allocation, EvaluatingAnMcpAllocatesNothing) {
  Mcp graph, callback;
  {
    Recorder recorder;
    const ExprVector3 z = recorder.variables(3), p = recorder.parameters(3);
    const ExprVector3 f = cross(unit(z), p) + ExprVector3(exp(z[0]), pow(z[1], 3.0), norm(z));
    graph.graph = std::make_shared<const ExpressionGraph>(recorder.graph({f[0], f[1], f[2]}));
  }
  graph.parameters = vector({1, 2, 3});
  callback.callback = [](const Vector& z, Vector& f) { f = z.cwiseProduct(z); };
  for (Mcp* p : {&graph, &callback}) {
    p->lower = Vector::Zero(3);
    p->upper = Vector::Constant(3, kInf);
    McpFunction function(*p);
    SparseMatrix jacobian = function.pattern();
    Vector z = vector({0.5, 1.5, 2.5}), f(3);
    const long before = allocations;
    for (int k = 0; k < 3; ++k) {
      z[0] += 0.1;
      function.evaluate(z, f);
      function.evaluate_jacobian(z, jacobian.valuePtr());
      function.evaluate(z, f, jacobian.valuePtr());
    }
    if (p->graph) function.prepare(*p);  // the next time step: the same graph, other parameters
    EXPECT_EQ(allocations - before, 0);
  }
}

}  // namespace
}  // namespace perp::test
