// newton-pyramid and proximal-pyramid, and the contacts that they find in an LCP.
#include "support.hpp"

#include <perp/solvers/friction/pyramid_problem.hpp>
#include <perp/solvers/registry.hpp>
#include <perp/solvers/router.hpp>

#include <algorithm>
#include <numeric>

namespace perp::test {
namespace {

const Lcp& lcp_of(const Problem& problem) { return std::get<Lcp>(problem.data); }

// The unknowns in another order, as a dense matrix.
Lcp permuted(const Lcp& p, const std::vector<int>& order) {
  const DenseMatrix m = p.M.to_dense();
  const int n = p.size();
  DenseMatrix moved(n, n);
  Vector q(n);
  for (int i = 0; i < n; ++i) {
    q[order[i]] = p.q[i];
    for (int j = 0; j < n; ++j) moved(order[i], order[j]) = m(i, j);
  }
  return {Matrix(moved), q};
}

std::vector<int> shuffled(Random& random, int n) {
  std::vector<int> order(n);
  std::iota(order.begin(), order.end(), 0);
  for (int i = n - 1; i > 0; --i) std::swap(order[i], order[random.index(i + 1)]);
  return order;
}

void expect_solved(const std::string& name, const Problem& problem, double tolerance) {
  const std::unique_ptr<Solver> solver = make_solver(name);
  solver->limits.tolerance = tolerance;
  solver->prepare(problem);
  const Result& r = solver->solve();
  EXPECT_EQ(r.status, Status::kSolved) << name << ' ' << problem.name << ' ' << r.message;
  const Verdict verdict = verify(problem, {r.z, {}}, tolerance);
  EXPECT_TRUE(verdict.solved) << name << ' ' << problem.name << ' ' << verdict.measure;
}

TEST(PyramidContacts, AreFoundInAnyOrder) {
  Random random(5);
  for (const char* family : {"contact-stack", "contact-pile", "contact-tower"}) {
    for (const int nc : {3, 20}) {
      const Problem problem = generate(find_family(family), nc, 2);
      const Lcp& given = lcp_of(problem);
      const std::vector<int> order = shuffled(random, given.size());
      for (const Lcp& lcp : {given, permuted(given, order)}) {
        const auto* contacts = find_pyramid_contacts(lcp);
        ASSERT_TRUE(contacts) << family;
        EXPECT_EQ(6 * contacts->size(), static_cast<std::size_t>(lcp.size()));
        for (const PyramidContact& c : *contacts) {
          EXPECT_EQ(lcp.M.coefficient(c.slip, c.normal), c.mu);
          for (const auto& [forth, back] : c.edges) {
            EXPECT_EQ(lcp.M.coefficient(forth, c.slip), 1.0);
            EXPECT_EQ(lcp.M.coefficient(c.slip, back), -1.0);
            EXPECT_EQ(lcp.M.coefficient(forth, forth), -lcp.M.coefficient(forth, back));
          }
        }
      }
    }
  }
}

// Each of these changes makes it another law, or none.
TEST(PyramidContacts, AreRefusedIfTheFormIsAnother) {
  const Lcp good = lcp_of(generate(find_family("contact-stack"), 4, 1));
  const PyramidContact contact = find_pyramid_contacts(good)->front();
  const auto [forth, back] = contact.edges[0];
  const auto changed = [&](int i, int j, double value) {
    DenseMatrix m = good.M.to_dense();
    m(i, j) += value;
    return Lcp{Matrix(m), good.q};
  };
  EXPECT_FALSE(find_pyramid_contacts(changed(forth, contact.normal, 0.1)));
  EXPECT_FALSE(find_pyramid_contacts(changed(contact.normal, forth, 0.1)));
  EXPECT_FALSE(find_pyramid_contacts(changed(contact.slip, contact.slip, 0.1)));
  EXPECT_FALSE(find_pyramid_contacts(changed(contact.slip, forth, 0.1)));
  EXPECT_FALSE(find_pyramid_contacts(changed(forth, contact.slip, 0.1)));
  EXPECT_FALSE(find_pyramid_contacts(changed(contact.slip, contact.normal, -1.0)));
  EXPECT_TRUE(find_pyramid_contacts(changed(contact.slip, contact.normal, 1.0)));
  Lcp other = good;
  other.q[back] += 0.1;
  EXPECT_FALSE(find_pyramid_contacts(other));
  other = good;
  other.q[contact.slip] = 0.1;
  EXPECT_FALSE(find_pyramid_contacts(other));
  EXPECT_FALSE(find_pyramid_contacts(lcp_of(generate(find_family("psd"), 12, 1))));
  EXPECT_FALSE(find_pyramid_contacts(lcp_of(generate(find_family("obstacle"), 4, 1))));
  for (const char* name : {"newton-pyramid", "proximal-pyramid"}) {
    EXPECT_TRUE(make_solver(name)->refusal(problem_of(other)));
    EXPECT_FALSE(make_solver(name)->refusal(problem_of(good)));
  }
}

// Any impulses and velocities: the measure of (r, W r + q) is that of the LCP, and the unknowns
// come back.
TEST(PyramidProblem, HasTheMeasureOfTheVerifier) {
  Random random(6);
  for (const char* family : {"contact-stack", "contact-pile"}) {
    const Problem problem = generate(find_family(family), 12, 3);
    PyramidProblem pyramids;
    pyramids.build(problem, ContactScaling::kContact);
    for (int k = 0; k < 50; ++k) {
      Vector r = gaussian(random, pyramids.size(), 1), u(r.size()), z, again;
      for (int c = 0; c < pyramids.contacts(); ++c) r[3 * c] = std::abs(r[3 * c]);
      pyramids.velocity(r, u);
      pyramids.to_lcp(r, z);
      const double natural = verify(problem, {z, {}}, 1.0).measure;
      EXPECT_NEAR(pyramids.measure(r), natural, 1e-12 * natural);
      EXPECT_NEAR(pyramids.measure(r, u), natural, 1e-9 * natural);
      pyramids.from_lcp(z, again);
      EXPECT_LT((again - r).norm(), 1e-14 * r.norm());
    }
  }
}

// A cube of mass m that is pushed along the floor: it sticks up to mu m g, then slides.
TEST(Pyramids, OneContactInClosedForm) {
  const double mu = 0.5, weight = 10;
  for (const double push : {1.0, 4.9, 7.0, -7.0}) {
    for (const bool second : {false, true}) {
      DenseMatrix w = DenseMatrix::Zero(6, 6);
      Vector q = Vector::Zero(6);
      q[0] = -weight;
      const int forth = second ? 2 : 1;
      q[forth] = push;
      q[forth + 2] = -push;
      w(0, 0) = 1;
      for (int k = 1; k < 5; ++k) {
        w(k, k) = 1;
        w(k, k < 3 ? k + 2 : k - 2) = -1;
        w(k, 5) = 1;
        w(5, k) = -1;
      }
      w(5, 0) = mu;
      const Problem problem = problem_of(Lcp{Matrix(w), q});
      for (const char* name : {"newton-pyramid", "proximal-pyramid"}) {
        const std::unique_ptr<Solver> solver = make_solver(name);
        solver->limits.tolerance = 1e-12;
        solver->prepare(problem);
        const Vector z = solver->solve().z;
        EXPECT_NEAR(z[0], weight, 1e-11);
        const double friction = std::clamp(-push, -mu * weight, mu * weight);
        EXPECT_NEAR(z[forth] - z[forth + 2], friction, 1e-11) << name << push;
        EXPECT_NEAR(z[5], std::abs(push + friction), 1e-11) << name << push;
      }
    }
  }
}

TEST(Pyramids, SolveStacksAndPiles) {
  for (const std::uint64_t seed : {1, 2, 3, 4, 5}) {
    for (const int nc : {5, 20, 60}) {
      for (const char* family : {"contact-stack", "contact-pile", "contact-tower"})
        expect_solved("proximal-pyramid", generate(find_family(family), nc, seed), 1e-10);
    }
    expect_solved("newton-pyramid", generate(find_family("contact-stack"), 8, seed), 1e-10);
  }
}

// Contacts without friction have neither edges nor slip; in 2D there are two edges. Dense and
// sparse matrices are the same problem.
TEST(Pyramids, TakeContactsWithoutFrictionAndWithTwoEdges) {
  const Lcp full = lcp_of(generate(find_family("contact-pile"), 9, 4));
  const std::vector<PyramidContact> contacts = *find_pyramid_contacts(full);
  std::vector<int> kept;
  for (std::size_t c = 0; c < contacts.size(); ++c) {
    kept.push_back(contacts[c].normal);
    const std::size_t directions = c % 3;
    for (std::size_t k = 0; k < directions; ++k)
      kept.insert(kept.end(), contacts[c].edges[k].begin(), contacts[c].edges[k].end());
    if (directions > 0) kept.push_back(contacts[c].slip);
  }
  const DenseMatrix m = full.M.to_dense()(kept, kept);
  const Vector q = full.q(kept);
  for (const bool sparse : {false, true}) {
    const Problem problem =
        problem_of(Lcp{sparse ? Matrix(SparseMatrix(m.sparseView())) : Matrix(m), q});
    const auto* found = find_pyramid_contacts(lcp_of(problem));
    ASSERT_TRUE(found);
    EXPECT_EQ(found->size(), contacts.size());
    expect_solved("newton-pyramid", problem, 1e-10);
    expect_solved("proximal-pyramid", problem, 1e-10);
  }
}

// From its answer a solver takes no step.
TEST(Pyramids, TakeAStart) {
  const Problem problem = generate(find_family("contact-pile"), 30, 1);
  SolveRequest request;
  request.limits.tolerance = 1e-10;
  const VerifiedResult first = solve_verified(problem, request);
  ASSERT_EQ(first.status, Status::kSolved);
  request.start = first.answer.z;
  for (const char* name : {"newton-pyramid", "proximal-pyramid"}) {
    request.solver = name;
    const VerifiedResult again = solve_verified(problem, request);
    EXPECT_EQ(again.status, Status::kSolved);
    EXPECT_EQ(again.iterations, 0) << name;
  }
}

}  // namespace
}  // namespace perp::test
