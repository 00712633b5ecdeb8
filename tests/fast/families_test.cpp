// Every family keeps its promise.
#include "support.hpp"

#include <perp/problems/io/problem_json.hpp>
#include <perp/solvers/core/structure.hpp>

#include <Eigen/Eigenvalues>
#include <Eigen/LU>

namespace perp::test {
namespace {

TEST(Families, SameSeedSameBitsOtherSeedOtherBits) {
  for (const Family& f : families()) {
    if (!f.members.empty()) continue;  // mcp_classics_test.cpp
    const int size = std::max(f.min_size, 6);
    const std::string a = problem_to_text(generate(f, size, 1));
    EXPECT_EQ(a, problem_to_text(generate(f, size, 1))) << f.name;
    Problem first = generate(f, size, 1), second = generate(f, size, 2);
    first.name = second.name = "";
    first.source = second.source = {};
    EXPECT_EQ(problem_to_text(first) == problem_to_text(second), !f.seeded) << f.name;
  }
}

// n and the numbers of entries are counted by int.
TEST(Families, SizesThatCannotBeCountedAreRefused) {
  for (const Family& f : families()) {
    if (!f.members.empty()) continue;
    for (const int size : {f.max_size + 1, 65536 * 32767, 2147483647}) {
      try {
        generate(f, size, 1);
        ADD_FAILURE() << f.name << " of " << size;
      } catch (const std::invalid_argument& error) {
        EXPECT_NE(std::string(error.what()).find("size: " + f.name + " takes at most"),
                  std::string::npos)
            << error.what();
      }
    }
  }
}

// The generator itself, so that another platform would be noticed [BlackmanVigna2021].
TEST(Families, GeneratorIsTheStatedOne) {
  Random random(0);
  EXPECT_EQ(random.bits(), 0x99ec5f36cb75f2b4ULL);
}

TEST(Families, PlantedSolutionsSolve) {
  int planted = 0;
  for (const Family& f : families()) {
    if (!f.members.empty()) continue;
    for (int seed = 1; seed <= 5; ++seed) {
      const Problem p = generate(f, std::max(f.min_size, 12), seed);
      EXPECT_NO_THROW(validate(p));
      if (!p.solution) continue;
      ++planted;
      EXPECT_TRUE(verify(p, {p.solution->z, p.solution->dual}, 1e-12).solved) << p.name;
    }
  }
  EXPECT_GE(planted, 25);
}

TEST(Families, IllPosedSocpsAreWhatTheySay) {
  for (int seed = 1; seed <= 5; ++seed) {
    const auto socp = [&](const std::map<std::string, double>& parameters) {
      const Problem p = generate(find_family("socp"), 30, seed, parameters);
      EXPECT_TRUE(verify(p, {p.solution->z, p.solution->dual}, 1e-9).solved) << p.name;
      return std::get<ConicQp>(p.data);
    };
    // Primal: every nonnegative row but the last has an opposite one, and of a second-order cone
    // the second row is the first up to its sign.
    ConicQp qp = socp({{"no_interior", 1}});
    DenseMatrix a = qp.A.to_dense();
    int offset = 0;
    for (const Cone& cone : qp.cones) {
      for (int i = offset + 1; cone.type == ConeType::kNonnegative && i < offset + cone.size;
           i += 2) {
        EXPECT_TRUE(a.row(i) == -a.row(i - 1));
        EXPECT_NEAR(qp.b[i], -qp.b[i - 1], 1e-14);
      }
      if (cone.type == ConeType::kSecondOrder) {
        EXPECT_EQ(a.row(offset).cwiseAbs(), a.row(offset + 1).cwiseAbs());
        EXPECT_EQ(a.middleRows(offset + 2, cone.size - 2).norm(), 0.0);
      }
      offset += cone.size;
    }
    // Dual: P e_j = 0, c_j = 0, -A e_j in K and not 0 for some j.
    qp = socp({{"no_interior", 2}});
    a = qp.A.to_dense();
    const DenseMatrix p = qp.P.to_dense();
    int rays = 0;
    for (int j = 0; j < qp.size(); ++j) {
      if (p.col(j).norm() > 0 || qp.c[j] != 0.0 || a.col(j).norm() == 0.0) continue;
      ++rays;
      offset = 0;
      for (const Cone& cone : qp.cones) {
        for (int i = offset; i < offset + cone.size; ++i)
          EXPECT_TRUE(cone.type == ConeType::kZero ? a(i, j) == 0.0 : a(i, j) <= 0.0);
        offset += cone.size;
      }
    }
    EXPECT_GE(rays, 1);
    socp({{"margin", 1e-6}});
    a = socp({{"decades", 3}}).A.to_dense();
    EXPECT_GT(a.cwiseAbs().maxCoeff(),
              1e6 * (a.array() == 0).select(1e300, a.cwiseAbs()).minCoeff());
  }
  EXPECT_THROW(generate(find_family("socp"), 30, 1, {{"no_interior", 3}}), std::invalid_argument);
}

TEST(Families, MatricesHaveTheirProperties) {
  for (int seed = 1; seed <= 5; ++seed) {
    const auto structure = [&](const char* name) {
      return analyse("M", std::get<Lcp>(generate(find_family(name), 20, seed).data).M);
    };
    EXPECT_EQ(structure("psd").definiteness, "positive definite");
    EXPECT_EQ(structure("psd").rank, 20);
    EXPECT_EQ(structure("psd-deficient").definiteness, "positive semidefinite");
    EXPECT_EQ(structure("psd-deficient").rank, 10);
    EXPECT_FALSE(structure("p-matrix").symmetric);
    EXPECT_EQ(structure("nonmonotone").definiteness, "indefinite");
    const MatrixStructure stack = structure("contact-stack");
    EXPECT_LT(stack.rank, stack.rows);
  }
  EXPECT_TRUE(analyse("M", std::get<Lcp>(generate(find_family("obstacle"), 5, 1).data).M).z_matrix);
}

TEST(Families, PMatricesHavePositivePrincipalMinors) {
  const DenseMatrix m = std::get<Lcp>(generate(find_family("p-matrix"), 10, 3).data).M.to_dense();
  for (int bits = 1; bits < 1 << 10; ++bits) {
    std::vector<int> rows;
    for (int i = 0; i < 10; ++i) {
      if (bits >> i & 1) rows.push_back(i);
    }
    EXPECT_GT(DenseMatrix(m(rows, rows)).determinant(), 0.0);
  }
}

// The border of the contact matrix [AnitescuPotra1997]: lambda's column is E, its row (mu, -E', 0).
TEST(Families, ContactMatrixHasItsBlocks) {
  const Problem p = generate(find_family("contact-pile"), 6, 2, {{"mu", 0.3}});
  const DenseMatrix m = std::get<Lcp>(p.data).M.to_dense();
  const int nc = 6;
  EXPECT_TRUE(
      m.topLeftCorner(5 * nc, 5 * nc).isApprox(m.topLeftCorner(5 * nc, 5 * nc).transpose()));
  EXPECT_EQ(m.bottomRightCorner(nc, nc).cwiseAbs().maxCoeff(), 0.0);
  for (int c = 0; c < nc; ++c) {
    EXPECT_EQ(m(5 * nc + c, c), 0.3);
    for (int e = 0; e < 4; ++e) {
      EXPECT_EQ(m(nc + 4 * c + e, 5 * nc + c), 1.0);
      EXPECT_EQ(m(5 * nc + c, nc + 4 * c + e), -1.0);
      // Opposite edges of the pyramid have opposite rows.
      EXPECT_NEAR(m(nc + 4 * c + e, nc + 4 * c + (e + 2) % 4), -m(nc + 4 * c + e, nc + 4 * c + e),
                  1e-14);
    }
  }
  EXPECT_EQ(p.contacts.size(), 6u);
  EXPECT_EQ(p.variables.size(), 36u);
}

// A box at rest on four contacts and pushed down: the impulses carry its momentum, shared in any
// way.
TEST(Families, StackImpulsesStopTheFall) {
  const Problem p = generate(find_family("contact-stack"), 4, 1);
  const Solved s = solve_by_lemke(p);
  ASSERT_EQ(s.status, Status::kSolved);
  const Vector w = evaluate_map(std::get<Lcp>(p.data), s.z);
  EXPECT_GT(s.z.head(4).sum(), 0.1);        // at least the push of 0.1 m/s on 1 kg
  EXPECT_GE(w.head(4).minCoeff(), -1e-12);  // no contact point moves into the ground
}

TEST(Families, RefuseWhatTheyCannotMake) {
  EXPECT_THROW(generate(find_family("psd"), -1, 1), std::invalid_argument);
  EXPECT_THROW(generate(find_family("psd"), 5, 1, {{"mu", 1.0}}), std::invalid_argument);
  EXPECT_THROW(find_family("nothing"), std::invalid_argument);
}

}  // namespace
}  // namespace perp::test
