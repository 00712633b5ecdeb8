// The loops of the dense LU: the same bits by every instruction set, against Eigen, and at their
// edges. Those of the LU of blocks: against Eigen, by every instruction set.
#include "support.hpp"

#include <Eigen/LU>
#include <cmath>
#include <cstring>
#include <limits>
#include <perp/problems/standard/random.hpp>
#include <perp/solvers/linear_algebra/block_kernels.hpp>
#include <perp/solvers/linear_algebra/dense_kernels.hpp>
#include <perp/solvers/linear_algebra/dense_lu.hpp>
#include <perp/solvers/linear_algebra/lu_kernels.hpp>
#include <utility>
#include <vector>

namespace perp::test {
namespace {

std::vector<const LuKernels*> runnable_lu_kernels() {
  std::vector<const LuKernels*> list;
  for (const char* name : {"baseline", "avx2", "avx512"}) {
    if (const LuKernels* kernels = find_lu_kernels(name)) list.push_back(kernels);
  }
  return list;
}

/// Whether all numbers have the same bits: == takes 0 for -0.
template <class Numbers>
bool same_bits(const Numbers& a, const Numbers& b) {
  if (a.size() != b.size()) return false;
  return a.size() == 0 ||
         std::memcmp(a.data(), b.data(), static_cast<std::size_t>(a.size()) * sizeof(double)) == 0;
}

/// What a factorisation and a solve by some kernels leave.
struct Factored {
  bool regular;
  DenseMatrix lu;
  std::vector<int> swaps;
  Vector x;
};
Factored factored(const LuKernels& kernels, const DenseMatrix& a, const Vector& b) {
  const int n = static_cast<int>(a.rows());
  Factored f{false, a, std::vector<int>(static_cast<std::size_t>(n), -1), b};
  const double least = 1e-15 * kernels.largest(a.size(), a.data());
  f.regular = kernels.factor_columns(n, 0, n, least, f.lu.data(), f.swaps.data());
  if (!f.regular) return f;
  for (int k = 0; k < n; ++k) std::swap(f.x[k], f.x[f.swaps[k]]);
  kernels.solve(n, f.lu.data(), f.x.data());
  return f;
}

TEST(LuKernels, AreThoseOfTheMachine) {
  EXPECT_EQ(&lu_kernels(), find_lu_kernels(dense_kernels().name));
  EXPECT_NE(find_lu_kernels("baseline"), nullptr);
  EXPECT_EQ(find_lu_kernels("none"), nullptr);
}

// Sizes around those of panels and vectors; rows with zeros, and pivots that need exchanges.
TEST(LuKernels, SolveToRoundingWithTheSameBits) {
  Random random(11);
  for (const int n : {1, 2, 3, 4, 5, 7, 8, 9, 12, 15, 16, 17, 31, 33, 64}) {
    DenseMatrix a = gaussian(random, n, n);
    for (double& x : a.reshaped()) {
      if (random.uniform() < 0.2) x = random.uniform() < 0.5 ? 0.0 : -0.0;
    }
    for (int i = 0; i < n; ++i) a(i, (i + n / 2) % n) += 5.0;
    Vector b = gaussian(random, n, 1);
    if (n > 8) b.head(6) << 0.0, -0.0, -0.0, 0.0, 0.0, -0.0;
    const Factored first = factored(*runnable_lu_kernels().front(), a, b);
    ASSERT_TRUE(first.regular);
    const Vector exact = a.partialPivLu().solve(b);
    EXPECT_LE((first.x - exact).norm(), 1e-13 * n * exact.norm()) << n;
    for (const LuKernels* kernels : runnable_lu_kernels()) {
      const Factored other = factored(*kernels, a, b);
      EXPECT_EQ(other.swaps, first.swaps) << n;
      EXPECT_TRUE(same_bits(other.lu, first.lu)) << n;
      EXPECT_TRUE(same_bits(other.x, first.x)) << n;
    }
  }
}

// Only the columns begin .. end change; the other rows of U are found from them.
TEST(LuKernels, FactorisePartOfTheColumns) {
  Random random(12);
  const DenseMatrix a = gaussian(random, 20, 20);
  DenseMatrix first;
  for (const LuKernels* kernels : runnable_lu_kernels()) {
    DenseMatrix part = a;
    std::vector<int> swaps(20, -1);
    ASSERT_TRUE(kernels->factor_columns(20, 3, 12, 0.0, part.data(), swaps.data()));
    if (first.size() == 0) first = part;
    EXPECT_TRUE(same_bits(part, first));
    EXPECT_EQ(part.leftCols(3), a.leftCols(3));
    EXPECT_EQ(part.rightCols(8), a.rightCols(8));
    EXPECT_EQ(part.block(0, 3, 3, 9), a.block(0, 3, 3, 9));
    for (int k = 0; k < 20; ++k) EXPECT_EQ(swaps[k] >= k, k >= 3 && k < 12) << k;
    DenseMatrix rows = a.block(3, 3, 17, 9);
    for (int k = 3; k < 12; ++k) rows.row(k - 3).swap(rows.row(swaps[k] - 3));
    const DenseMatrix lower = part.block(3, 3, 9, 9).triangularView<Eigen::UnitLower>();
    const DenseMatrix upper = part.block(3, 3, 9, 9).triangularView<Eigen::Upper>();
    EXPECT_LE((lower * upper - rows.topRows(9)).norm(), 1e-13);
    EXPECT_LE((part.block(12, 3, 8, 9) * upper - rows.bottomRows(8)).norm(), 1e-13);
  }
}

TEST(LuKernels, SubstituteInRowsOfColumns) {
  Random random(13);
  for (const auto& [rows, size] : {std::pair(1, 11), std::pair(2, 2), std::pair(5, 11),
                                   std::pair(7, 7), std::pair(8, 8), std::pair(8, 11)}) {
    for (const int columns : {0, 1, 3, 4, 9}) {
      const DenseMatrix a = gaussian(random, size, size);
      const DenseMatrix c = gaussian(random, size, columns);
      const DenseMatrix lower = a.topLeftCorner(rows, rows).triangularView<Eigen::UnitLower>();
      const DenseMatrix expected = lower.triangularView<Eigen::UnitLower>().solve(c.topRows(rows));
      DenseMatrix first;
      for (const LuKernels* kernels : runnable_lu_kernels()) {
        DenseMatrix x = c;
        kernels->substitute(size, rows, columns, a.data(), x.data());
        EXPECT_LE((x.topRows(rows) - expected).norm(), 1e-12 * (1 + expected.norm()));
        EXPECT_EQ(x.bottomRows(size - rows), c.bottomRows(size - rows));
        if (first.size() == 0) first = x;
        EXPECT_TRUE(same_bits(x, first));
      }
    }
  }
}

// Of entries of the same size the first is the pivot; a pivot that is not larger than the least, or
// that is not a number, ends the factorisation.
TEST(LuKernels, ChooseThePivot) {
  const double nan = std::nan(""), infinity = std::numeric_limits<double>::infinity();
  for (const LuKernels* kernels : runnable_lu_kernels()) {
    DenseMatrix a = DenseMatrix::Identity(19, 19);
    a(5, 0) = -3.0;
    a(17, 0) = 3.0;
    std::vector<int> swaps(19, -1);
    ASSERT_TRUE(kernels->factor_columns(19, 0, 1, 1.0, a.data(), swaps.data()));
    EXPECT_EQ(swaps[0], 5);
    EXPECT_EQ(a(17, 0), -1.0);
    // An entry below that is not a number is no pivot.
    DenseMatrix below = DenseMatrix::Identity(19, 19);
    below(3, 0) = below(18, 0) = nan;
    below(7, 0) = 2.0;
    ASSERT_TRUE(kernels->factor_columns(19, 0, 1, 1.0, below.data(), swaps.data()));
    EXPECT_EQ(swaps[0], 7);
    DenseMatrix small = 0.5 * DenseMatrix::Identity(3, 3);
    EXPECT_FALSE(kernels->factor_columns(3, 0, 3, 0.5, small.data(), swaps.data()));
    DenseMatrix none = DenseMatrix::Identity(3, 3);
    none(0, 0) = nan;
    EXPECT_FALSE(kernels->factor_columns(3, 0, 3, 0.0, none.data(), swaps.data()));
    EXPECT_EQ(kernels->largest(0, nullptr), 0.0);
    EXPECT_TRUE(kernels->factor_columns(0, 0, 0, 0.0, nullptr, nullptr));
    kernels->solve(0, nullptr, nullptr);
    std::vector<double> x(13, -1.0);
    x[2] = x[11] = nan;
    EXPECT_EQ(kernels->largest(13, x.data()), 1.0);
    x[3] = -infinity;
    EXPECT_EQ(kernels->largest(13, x.data()), infinity);
  }
}

// Larger than the loops alone: products of blocks take part.
TEST(DenseLu, SolvesLargeSystems) {
  Random random(14);
  for (const int n : {65, 130, 301}) {
    const DenseMatrix a = gaussian(random, n, n);
    const Vector exact = gaussian(random, n, 1);
    DenseLu lu;
    std::copy(a.data(), a.data() + a.size(), lu.matrix(n));
    ASSERT_TRUE(lu.factor());
    Vector x = a * exact, y = a.transpose() * exact;
    lu.solve(x.data());
    lu.solve_transposed(y.data());
    const double bound = 1e-10 * exact.norm();
    EXPECT_LE((x - exact).norm(), bound) << n;
    EXPECT_LE((y - exact).norm(), bound) << n;
  }
}

// ---- blocks of 3 x 3 ----

std::vector<const BlockKernels*> runnable_block_kernels() {
  std::vector<const BlockKernels*> list;
  for (const char* name : {"baseline", "avx2", "avx512"}) {
    if (const BlockKernels* kernels = find_block_kernels(name)) list.push_back(kernels);
  }
  return list;
}

Matrix3d block_of(const std::vector<double>& values, std::size_t k) {
  return Eigen::Map<const Eigen::Matrix<double, kBlockStride, 3>>(values.data() + kBlockValues * k)
      .topRows(3);
}

/// Solves with the blocks of a full matrix, by the steps of BlockLu, and subtracts A x from b.
struct SolvedBlocks {
  std::vector<double> lower, upper, inverses, x, rest, sizes;

  SolvedBlocks(const BlockKernels& kernels, const DenseMatrix& a, const std::vector<double>& b)
      : x(b), rest(b), sizes(b) {
    const int n = static_cast<int>(a.rows()) / 3;
    std::vector<int> l_starts = {0}, l_rows, u_starts = {0}, u_rows, a_starts = {0}, a_rows;
    std::vector<double> values;
    for (int j = 0; j < n; ++j) {
      for (int i = 0; i < n; ++i) {
        (i < j ? &u_rows : &l_rows)->push_back(i);
        if (i == j) l_rows.pop_back();
        a_rows.push_back(i);
        for (int k = 0; k < kBlockValues; ++k)
          values.push_back(k % 4 < 3 ? a(3 * i + k % 4, 3 * j + k / 4) : 0.0);
      }
      l_starts.push_back(static_cast<int>(l_rows.size()));
      u_starts.push_back(static_cast<int>(u_rows.size()));
      a_starts.push_back(static_cast<int>(a_rows.size()));
    }
    lower.resize(kBlockValues * l_rows.size());
    upper.resize(kBlockValues * u_rows.size());
    inverses.resize(kBlockValues * static_cast<std::size_t>(n));
    const BlockColumns l{l_starts.data(), l_rows.data(), lower.data()},
        u{u_starts.data(), u_rows.data(), upper.data()},
        whole{a_starts.data(), a_rows.data(), values.data()};
    for (int j = 0; j < n; ++j) {
      const std::ptrdiff_t begin = static_cast<std::ptrdiff_t>(kBlockValues) * n * j;
      std::vector<double> column(values.begin() + begin, values.begin() + begin + kBlockValues * n);
      kernels.eliminate(u_starts[j], u_starts[j + 1], u_rows.data(), upper.data(), l,
                        column.data());
      double* inverse = &inverses[kBlockValues * static_cast<std::size_t>(j)];
      const Matrix3d diagonal = block_of(column, static_cast<std::size_t>(j));
      EXPECT_TRUE(kernels.invert(&column[kBlockValues * static_cast<std::size_t>(j)], inverse));
      EXPECT_LT((diagonal * block_of(inverses, static_cast<std::size_t>(j)) - Matrix3d::Identity())
                    .cwiseAbs()
                    .maxCoeff(),
                1e-13);
      kernels.divide(l_starts[j], l_starts[j + 1], l_rows.data(), inverse, column.data(),
                     lower.data());
      for (int i = 0; i < n; ++i) {
        if (i == j) continue;
        EXPECT_EQ(block_of(column, static_cast<std::size_t>(i)).cwiseAbs().maxCoeff(), 0.0);
      }
    }
    kernels.substitute(n, l, u, inverses.data(), x.data());
    kernels.subtract(n, whole, x.data(), rest.data(), sizes.data());
  }
};

TEST(BlockKernels, AreThoseOfTheMachine) {
  EXPECT_EQ(&block_kernels(), find_block_kernels(dense_kernels().name));
  EXPECT_NE(find_block_kernels("baseline"), nullptr);
  EXPECT_EQ(find_block_kernels("none"), nullptr);
}

TEST(BlockKernels, SolveToRounding) {
  Random random(2);
  for (const int n : {1, 2, 3, 7, 20}) {
    DenseMatrix a(3 * n, 3 * n);
    for (double& x : a.reshaped()) x = random.normal();
    a.diagonal().array() += 3.0 * n;
    std::vector<double> b(static_cast<std::size_t>(kBlockStride) * n, 0.0);
    Vector dense(3 * n);
    for (int k = 0; k < 3 * n; ++k) dense[k] = b[k / 3 * kBlockStride + k % 3] = random.normal();
    const Vector reference = Eigen::PartialPivLU<DenseMatrix>(a).solve(dense);
    const Vector sizes = dense + a.cwiseAbs() * reference.cwiseAbs();
    for (const BlockKernels* kernels : runnable_block_kernels()) {
      const SolvedBlocks now(*kernels, a, b);
      for (int k = 0; k < 3 * n; ++k) {
        const std::size_t at = k / 3 * kBlockStride + k % 3;
        EXPECT_NEAR(now.x[at], reference[k], 1e-13) << n;
        EXPECT_NEAR(now.rest[at], 0.0, 1e-13) << n;
        EXPECT_NEAR(now.sizes[at], sizes[k], 1e-12) << n;
      }
    }
  }
}

TEST(BlockKernels, RefuseSingularBlocks) {
  Random random(4);
  for (const BlockKernels* kernels : runnable_block_kernels()) {
    std::vector<double> block(kBlockValues, 0.0), inverse(kBlockValues);
    EXPECT_FALSE(kernels->invert(block.data(), inverse.data()));
    const Vector3d u(random.normal(), random.normal(), random.normal());
    for (int k = 0; k < 9; ++k) block[k / 3 * kBlockStride + k % 3] = u[k / 3] * u[k % 3];
    EXPECT_FALSE(kernels->invert(block.data(), inverse.data()));
    block[0] += 1e-3;
    block[5] -= 1e-3;
    EXPECT_TRUE(kernels->invert(block.data(), inverse.data()));
    block[0] = std::numeric_limits<double>::quiet_NaN();
    EXPECT_FALSE(kernels->invert(block.data(), inverse.data()));
  }
}

TEST(BlockKernels, MultiplyBlocks) {
  Random random(3);
  constexpr int kCount = 5;
  std::vector<double> left(kBlockValues * kCount, 0.0), right(9 * kCount);
  for (std::size_t k = 0; k < left.size(); ++k) left[k] = k % 4 < 3 ? random.normal() : 0.0;
  for (double& x : right) x = random.normal();
  std::vector<const double*> b, w;
  for (int k = 0; k < kCount; ++k) {
    b.push_back(&left[kBlockValues * static_cast<std::size_t>(k)]);
    w.push_back(&right[9 * static_cast<std::size_t>(k)]);
  }
  for (const BlockKernels* kernels : runnable_block_kernels()) {
    std::vector<double> out(kBlockValues * kCount, 7.0);
    kernels->multiply(kCount, b.data(), w.data(), out.data());
    for (std::size_t k = 0; k < kCount; ++k) {
      const Matrix3d product = block_of(left, k) * Eigen::Map<const Matrix3d>(w[k]);
      EXPECT_LT((block_of(out, k) - product).cwiseAbs().maxCoeff(), 1e-14);
      for (std::size_t j = 0; j < 3; ++j)
        EXPECT_EQ(out[kBlockValues * k + kBlockStride * j + 3], 0.0);
    }
  }
}

}  // namespace
}  // namespace perp::test
