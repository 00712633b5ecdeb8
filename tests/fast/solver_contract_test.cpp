// What every solver promises, whatever its method: it copies what it needs of a problem, and
// nothing that is asked of it in between changes what was prepared.
#include "support.hpp"

#include <perp/solvers/gradient_projection/gradient_projection.hpp>
#include <perp/solvers/interior_point/interior_point.hpp>
#include <perp/solvers/registry.hpp>

#include <memory>
#include <type_traits>

namespace perp::test {
namespace {

// Velocities and impulses: v - p = -1, v >= 0, p >= 0.
Problem one_contact_in_parts() {
  ConicQp qp{matrix(2, 2, {1, 0, 0, 0}),
             vector({0, 0}),
             matrix(3, 2, {1, -1, -1, 0, 0, -1}),
             vector({-1, 0, 0}),
             {{ConeType::kZero, 1}, {ConeType::kNonnegative, 2}}};
  qp.partition =
      std::make_shared<const Partition>(Partition{{{0}, {1}, {0}}, {{1}, {1}, {2}}, {}, {1}, -1});
  return problem_of(std::move(qp));
}

// Velocities alone, in a cone that the velocity without the contact is not in.
Problem one_contact_in_velocities() {
  ConicQp qp{matrix(3, 3, {1, 0, 0, 0, 2, 0, 0, 0, 3}),
             vector({1, 0.2, -0.1}),
             matrix(3, 3, {-1, 0, 0, 0, -1, 0, 0, 0, -1}),
             vector({0, 0.3, 0}),
             {{ConeType::kSecondOrder, 3}}};
  qp.partition = std::make_shared<const Partition>(
      Partition{{{0, 1, 2}, {1, 1, 1}, {}}, {{}, {3}, {0, 1, 2}}, {}, {}, -1});
  return problem_of(std::move(qp));
}

// z >= 0 complementary to exp(z_i) - 2 + z_j / 10 by a callback, which outlives the problem only if
// it is copied.
Problem callback_problem() {
  Mcp mcp;
  const auto constants = std::make_shared<Vector>(Vector::Constant(3, 2.0));
  mcp.callback = [constants](const Vector& z, Vector& f) {
    for (int i = 0; i < 3; ++i) f[i] = std::exp(z[i]) - (*constants)[i] + 0.1 * z[(i + 1) % 3];
  };
  mcp.lower = Vector::Zero(3);
  mcp.upper = Vector::Constant(3, kInf);
  return problem_of(std::move(mcp));
}

// Problems of every kind, small and of several shapes.
std::vector<Problem> some_problems() {
  std::vector<Problem> list;
  list.push_back(generate(find_family("obstacle"), 3, 1));
  list.push_back(generate(find_family("psd"), 8, 1));
  Problem bounded = problem_of(to_mlcp(std::get<Lcp>(list[0].data)));
  std::get<Mlcp>(bounded.data).upper.setConstant(0.1);
  list.push_back(bounded);
  list.push_back(callback_problem());
  list.push_back(generate(find_family("random-ncp"), 6, 1));
  list.push_back(generate(find_family("box-qp"), 12, 1));
  list.push_back(generate(find_family("socp"), 10, 1));
  list.push_back(one_contact_in_parts());
  list.push_back(generate(find_family("friction-stack"), 2, 1));
  list.push_back(generate(find_family("compliant-pile"), 6, 1));
  return list;
}

// Values in place become NaN, so that who still looks at them is found out without a sanitizer too.
void spoil(Vector& v) { v.setConstant(std::nan("")); }
void spoil(Matrix& m) {
  if (m.is_sparse()) {
    m.sparse().coeffs().setConstant(std::nan(""));
  } else {
    m.dense().setConstant(std::nan(""));
  }
}
void spoil_data(Lcp& p) { spoil(p.M), spoil(p.q); }
void spoil_data(Mlcp& p) { spoil(p.M), spoil(p.q), spoil(p.lower), spoil(p.upper); }
void spoil_data(Mcp& p) {
  spoil(p.lower), spoil(p.upper), spoil(p.parameters);
  p.callback = nullptr;
  p.graph.reset();
  p.compiled.reset();
}
void spoil_data(BoxQp& p) { spoil(p.H), spoil(p.c), spoil(p.lower), spoil(p.upper); }
void spoil_data(ConicQp& p) {
  spoil(p.P), spoil(p.c), spoil(p.A), spoil(p.b);
  p.cones.clear();
}
void spoil_data(FrictionContact& p) { spoil(p.W), spoil(p.q), spoil(p.mu); }
void spoil_data(ConvexContact& p) {
  spoil(p.A), spoil(p.J), spoil(p.R), spoil(p.bias), spoil(p.mu), spoil(p.v_star);
}

struct EndAndAnswer {
  Status status;
  Vector z, dual;
  bool operator==(const EndAndAnswer& o) const {
    const auto same = [](const Vector& a, const Vector& b) {
      return a.size() == b.size() && (a.array() == b.array()).all();
    };
    return status == o.status && same(z, o.z) && same(dual, o.dual);
  }
};

EndAndAnswer outcome_of(Solver& solver) {
  const Result& r = solver.solve();
  return {r.status, r.z, r.dual};
}

class EverySolver : public testing::TestWithParam<std::size_t> {
 protected:
  static std::unique_ptr<Solver> make() { return solver_registry()[GetParam()](); }
  // What it takes of some_problems().
  static std::vector<Problem> taken() {
    const std::unique_ptr<Solver> solver = make();
    const auto refused = [&](const Problem& p) { return solver->refusal(p).has_value(); };
    std::vector<Problem> list = some_problems();
    std::erase_if(list, refused);
    if (!list.empty()) return list;
    // A method for contacts with pyramids or cones alone.
    list.push_back(one_contact_in_velocities());
    for (const char* family : {"contact-stack", "contact-pile"})
      list.push_back(generate(find_family(family), 5, 1));
    std::erase_if(list, refused);
    return list;
  }
};

TEST_P(EverySolver, CopiesWhatItNeedsOfAProblem) {
  const std::vector<Problem> problems = taken();
  ASSERT_FALSE(problems.empty()) << make()->traits().name;
  for (const Problem& problem : problems) {
    const std::unique_ptr<Solver> with_problem = make(), without = make();
    with_problem->prepare(problem);
    const EndAndAnswer expected = outcome_of(*with_problem);
    EXPECT_EQ(expected.status, Status::kSolved) << with_problem->traits().name;
    auto temporary = std::make_unique<Problem>(problem);
    without->prepare(*temporary);
    std::visit([](auto& data) { spoil_data(data); }, temporary->data);
    EXPECT_TRUE(outcome_of(*without) == expected) << without->traits().name << problem.kind();
    temporary.reset();
    EXPECT_TRUE(outcome_of(*without) == expected) << without->traits().name << problem.kind();
  }
}

TEST_P(EverySolver, KeepsWhatIsPreparedWhenAskedAboutOtherProblems) {
  const std::vector<Problem> others = some_problems();
  for (const Problem& problem : taken()) {
    const std::unique_ptr<Solver> solver = make();
    solver->prepare(problem);
    const EndAndAnswer expected = outcome_of(*solver);
    for (const Problem& other : others) (void)solver->refusal(other);
    EXPECT_TRUE(outcome_of(*solver) == expected) << solver->traits().name << problem.kind();
  }
}

// Same kind, same sizes: other vectors; also other values of the matrices; also another pattern of
// them, or bounds that were not there. What is checked to be convex, or a partition, stays so.
std::vector<Problem> changes_of(const Problem& p) {
  std::vector<Problem> list(3, p);
  const auto scale = [](Matrix& m, double by) {
    m.is_sparse() ? void(m.sparse().coeffs() *= by) : void(m.dense() *= by);
  };
  const auto drop = [](Matrix& m) {
    m.is_sparse() ? void(m.sparse().coeffs()[1] = 0.0) : void(m.dense()(0, 1) = 0.0);
  };
  for (int k = 0; k < 3; ++k) {
    std::visit(
        [&](auto& q) {
          using Kind = std::decay_t<decltype(q)>;
          if constexpr (std::is_same_v<Kind, Lcp> || std::is_same_v<Kind, Mlcp>) {
            q.q *= 1.25;
            if (k > 0) scale(q.M, 1.5);
            if (k > 1) drop(q.M);
          } else if constexpr (std::is_same_v<Kind, BoxQp>) {
            q.c *= 1.25;
            if (k > 0) scale(q.H, 1.5);
            if (k > 1) q.lower[0] = -kInf, q.upper[1] = q.lower[1] = 0.0;
          } else if constexpr (std::is_same_v<Kind, ConicQp>) {
            q.c *= 1.25;
            if (k > 0 && !q.partition) scale(q.P, 1.5), scale(q.A, 0.75);
            if (k > 1 && !q.partition) drop(q.A);
          } else if constexpr (std::is_same_v<Kind, FrictionContact>) {
            q.q *= 1.25;
            if (k > 0) scale(q.W, 1.5);
            if (k > 1) q.mu[0] = 0.0;
          } else if constexpr (std::is_same_v<Kind, ConvexContact>) {
            q.v_star *= 1.25;
            if (k > 0) scale(q.A, 1.5), q.R *= 0.5;
            if (k > 1) drop(q.J);
          }
        },
        list[k].data);
  }
  return list;
}

// Whether what an update kept of the problem before still fits: not a digit differs.
TEST_P(EverySolver, AnUpdateGivesWhatPrepareGives) {
  int compared = 0;
  for (const Problem& p : taken()) {
    const std::unique_ptr<Solver> kept = make();
    kept->prepare(p);
    kept->solve();
    std::vector<Problem> sequence = changes_of(p);
    sequence.push_back(p);
    for (const Problem& next : sequence) {
      const std::unique_ptr<Solver> fresh = make();
      if (fresh->refusal(next)) {
        EXPECT_THROW(kept->update(next), std::invalid_argument);
        kept->prepare(p);
        continue;
      }
      fresh->prepare(next);
      kept->update(next);
      EXPECT_TRUE(outcome_of(*kept) == outcome_of(*fresh))
          << kept->traits().name << " on " << p.kind();
      ++compared;
    }
  }
  EXPECT_GE(compared, 4);
}

// The convexity of what is prepared says nothing of other values.
TEST(InteriorPoint, RefusesAnUpdateThatIsNotConvex) {
  Problem p = generate(find_family("socp"), 10, 1);
  InteriorPoint solver;
  solver.prepare(p);
  ConicQp& qp = std::get<ConicQp>(p.data);
  DenseMatrix negative = qp.P.to_dense();
  negative(3, 3) = -1.0;
  qp.P = Matrix(negative);
  EXPECT_THROW(solver.update(p), std::invalid_argument);
}

enum class Spoiled { kNotANumber, kTooSmall, kInfinite };

// Gives the k-th setting a value that it may not have, as C++ code could by mistake.
class Spoiler : public SettingVisitor {
 public:
  Spoiler(int k, Spoiled how) : left_(k), how_(how) {}
  std::string name;  // of the setting, if it has such a value

  void visit(std::string_view n, double& value, std::string_view, const Range& range) override {
    if (!is_it(n)) return;
    if (how_ == Spoiled::kNotANumber) value = std::nan("");
    if (how_ == Spoiled::kTooSmall) value = range.open_low ? range.low : range.low - 1.0;
    if (how_ == Spoiled::kInfinite) value = kInf;
  }
  void visit(std::string_view n, int& value, std::string_view, const Range& range) override {
    if (is_it(n)) value = static_cast<int>(range.low) - 1;
  }
  void visit(std::string_view, bool&, std::string_view) override { --left_; }
  void visit(std::string_view n, std::string& value, std::string_view,
             const Choices& choices) override {
    if (choices.size() == 0) --left_;
    if (choices.size() > 0 && is_it(n)) value = "nonsense";
  }
  bool passed() const { return left_ >= 0; }  // there is no k-th

 private:
  bool is_it(std::string_view n) {
    if (left_-- != 0) return false;
    name = n;
    return true;
  }

  int left_;
  Spoiled how_;
};

TEST_P(EverySolver, RefusesSettingsThatAreNotWhatTheyMayBe) {
  const Problem problem = taken().front();
  const auto complaint_of = [](const auto& call) -> std::string {
    try {
      call();
    } catch (const std::invalid_argument& error) {
      return error.what();
    }
    return "none";
  };
  for (const Spoiled how : {Spoiled::kNotANumber, Spoiled::kTooSmall, Spoiled::kInfinite}) {
    for (int k = 0;; ++k) {
      const std::unique_ptr<Solver> solver = make(), prepared = make();
      prepared->prepare(problem);
      Spoiler spoiler(k, how), again(k, how);
      solver->visit_settings(spoiler);
      prepared->visit_settings(again);
      if (spoiler.passed()) break;
      if (spoiler.name.empty()) continue;
      const std::string begin = "setting \"" + spoiler.name + "\": ";
      EXPECT_TRUE(complaint_of([&] { solver->prepare(problem); }).starts_with(begin)) << begin;
      EXPECT_TRUE(complaint_of([&] { prepared->solve(); }).starts_with(begin)) << begin;
    }
  }
}

TEST_P(EverySolver, KeepsNoStartAndNoObserver) {
  struct Count final : Observer {
    int seen = 0;
    bool on_iteration(const IterationRecord&) override { return ++seen > 0; }
  };
  for (const Problem& problem : taken()) {
    const std::unique_ptr<Solver> solver = make();
    solver->prepare(problem);
    const EndAndAnswer expected = outcome_of(*solver);
    auto start = std::make_unique<Vector>(Vector::Constant(problem.size(), 0.5));
    auto observer = std::make_unique<Count>();
    (void)solver->solve(start.get(), observer.get());
    spoil(*start);
    start.reset();
    observer.reset();
    EXPECT_TRUE(outcome_of(*solver) == expected) << solver->traits().name << problem.kind();
  }
}

TEST_P(EverySolver, RefusesAStartOfTheWrongSize) {
  for (const Problem& problem : taken()) {
    const std::unique_ptr<Solver> solver = make();
    solver->prepare(problem);
    const Vector none(0), long_start = Vector::Zero(problem.size() + 1);
    EXPECT_THROW(solver->solve(&long_start), std::invalid_argument);
    if (!std::holds_alternative<ConicQp>(problem.data)) continue;
    EXPECT_THROW(solver->solve(Start{nullptr, &none}), std::invalid_argument);
  }
}

INSTANTIATE_TEST_SUITE_P(Solvers, EverySolver,
                         testing::Range(std::size_t{0}, solver_registry().size()),
                         [](const auto& tested) {
                           std::string name(solver_registry()[tested.param]()->traits().name);
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

// Parts of a solver point at one another.
template <class T>
constexpr bool stays_in_its_place =
    !std::is_copy_constructible_v<T> && !std::is_move_constructible_v<T> &&
    !std::is_copy_assignable_v<T> && !std::is_move_assignable_v<T>;
static_assert(stays_in_its_place<GradientProjection> && stays_in_its_place<Lemke> &&
              stays_in_its_place<InteriorPoint>);

// (2 + i) on the diagonal.
class Diagonal final : public SymmetricOperator {
 public:
  explicit Diagonal(int n) : values_(Vector::LinSpaced(n, 2.0, 1.0 + n)) {}
  int size() const override { return static_cast<int>(values_.size()); }
  void multiply(const Vector& x, Vector& y) override { y = values_.cwiseProduct(x); }
  void set_face(const std::vector<int>& face) override { face_ = face; }
  void multiply_face(const Vector& x, Vector& y) override {
    for (std::size_t k = 0; k < face_.size(); ++k) {
      const auto i = static_cast<Eigen::Index>(k);
      y[i] = values_[face_[k]] * x[i];
    }
  }

 private:
  Vector values_;
  std::vector<int> face_;
};

TEST(GradientProjection, MinimisesWithAnOperator) {
  Diagonal h(5);
  const Vector c = Vector::Constant(5, -1.0), lower = Vector::Zero(5), upper = Vector::Ones(5);
  const Result r = minimise({h, c, lower, upper}, {}, {});
  EXPECT_EQ(r.status, Status::kSolved);
  for (int i = 0; i < 5; ++i) EXPECT_NEAR(r.z[i], 1.0 / (2.0 + i), 1e-7);
}

// Stationary points are what it promises for an indefinite H: no refusal, and the message says so.
TEST(GradientProjection, TakesFunctionsThatAreNotConvex) {
  const Problem saddle = problem_of(
      BoxQp{matrix(2, 2, {1, 2, 2, 1}), vector({0, 0}), vector({-1, -1}), vector({1, 1})});
  GradientProjection solver;
  EXPECT_EQ(solver.refusal(saddle), std::nullopt);
  solver.prepare(saddle);
  const Result& r = solver.solve();
  EXPECT_EQ(r.status, Status::kSolved);
  EXPECT_TRUE(verify(saddle, {r.z, {}}, 1e-8).solved);
}

}  // namespace
}  // namespace perp::test
