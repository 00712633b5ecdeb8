// Sums in three doubles beside exact rational arithmetic.
#include <perp/problems/standard/row_sums.hpp>

#include <gmpxx.h>
#include <gtest/gtest.h>
#include <cmath>
#include <perp/problems/standard/random.hpp>
#include <string>
#include <vector>

namespace perp {
namespace {

// Half a unit of a number of 64 bits, and what two sums of three parts may add.
constexpr double kRounding = 0x1p-62;

struct Product {
  double a, x;
};

mpq_class exact_sum(const std::vector<Product>& products) {
  mpq_class sum = 0;
  for (const Product& p : products) sum += mpq_class(p.a) * mpq_class(p.x);
  return sum;
}

// Two doubles hold every bit of an Extended of this range.
mpq_class exact_value(Extended value) {
  const double high = static_cast<double>(value), low = static_cast<double>(value - high);
  return mpq_class(high) + mpq_class(low);
}

void expect_rounded(Extended value, const mpq_class& exact, const std::string& what) {
  const mpq_class error = abs(exact_value(value) - exact), allowed = abs(exact) * kRounding + 1e-30;
  EXPECT_TRUE(error <= allowed) << what << ": " << static_cast<double>(value) << " and "
                                << exact.get_d();
}

// Products that cancel to a share of 10^-digits of their sizes.
std::vector<Product> cancelling(Random& random, int count, double digits) {
  std::vector<Product> products;
  for (int i = 0; i < count; ++i) {
    products.push_back({random.normal() * std::pow(10.0, random.uniform(-digits, 0)),
                        random.normal() * std::pow(10.0, random.uniform(-2, 2))});
  }
  // What takes the sum so far away again, as closely as a double can, until it is that small.
  for (double left = 0.0; left < digits; left += 15.0) {
    const double sum = exact_sum(products).get_d();
    products.push_back({-sum, 1.0});
  }
  return products;
}

TEST(RowSums, AreRoundedOnceOrSayThatTheyMayNotBe) {
  Random random(1);
  int trusted = 0, doubted = 0;
  for (double digits : {0.0, 10.0, 20.0, 30.0, 45.0, 60.0}) {
    for (int trial = 0; trial < 200; ++trial) {
      const std::vector<Product> products = cancelling(random, 1 + trial % 60, digits);
      RowSums sums;
      sums.reset(1);
      for (const Product& p : products) sums.add(0, p.a, p.x);
      if (sums.doubtful(0)) {
        ++doubted;
        continue;
      }
      ++trusted;
      expect_rounded(sums.value(0), exact_sum(products), std::to_string(digits) + " digits");
    }
  }
  EXPECT_GE(trusted, 600);
}

TEST(RowSums, ColumnsAndProductsGiveTheSameBits) {
  Random random(2);
  const int rows = 37, columns = 21;
  RowSums by_column, one_by_one;
  by_column.reset(rows);
  one_by_one.reset(rows);
  for (int col = 0; col < columns; ++col) {
    std::vector<double> a(rows);
    for (double& v : a) v = random.uniform(0, 1) < 0.2 ? 0.0 : random.normal();
    const double x = random.normal();
    const int first = col % 5;  // the rows before it one by one
    for (int i = 0; i < first; ++i) by_column.add(i, a[i], x);
    by_column.add_rows(first, rows - first, a.data() + first, x);
    for (int i = 0; i < rows; ++i) one_by_one.add(i, a[i], x);
  }
  for (int i = 0; i < rows; ++i) {
    EXPECT_EQ(by_column.value(i), one_by_one.value(i));
    EXPECT_EQ(by_column.size(i), one_by_one.size(i));
    EXPECT_FALSE(by_column.doubtful(i));
  }
}

// Whatever instructions the machine has.
TEST(RowSums, AllLoopsGiveTheSameBits) {
  Random random(3);
  for (const RowSumLoop loop : row_sum_loops()) {
    for (const int rows : {1, 3, 8, 17, 40}) {
      RowSums expected;
      expected.reset(rows);
      std::vector<std::vector<double>> arrays(6, std::vector<double>(rows, 0.0));
      const RowSumArrays to{arrays[0].data(), arrays[1].data(), arrays[2].data(),
                            arrays[3].data(), arrays[4].data(), arrays[5].data()};
      std::vector<double> a(rows);
      for (int k = 0; k < 30; ++k) {
        for (double& v : a) v = random.normal() * std::pow(10.0, random.uniform(-20, 5));
        const double x = random.normal();
        loop(to, rows, a.data(), x);
        for (int i = 0; i < rows; ++i) expected.add(i, a[i], x);
      }
      for (int i = 0; i < rows; ++i) {
        const Extended sum = arrays[0][i], error = arrays[1][i], total = sum + error;
        const Extended lost = (sum - (total - (total - sum))) + (error - (total - sum));
        EXPECT_EQ(total + (lost + arrays[2][i]), expected.value(i)) << rows;
        EXPECT_EQ(arrays[4][i], 30.0);
        EXPECT_EQ(arrays[5][i], 0.0);
      }
    }
  }
}

// Products that overflow, underflow or cannot be split.
TEST(RowSums, DoubtWhatDoublesCannotHold) {
  for (const Product& p : std::vector<Product>{{1e200, 1e200},
                                               {1e-200, 1e-200},
                                               {5e-324, 0.25},
                                               {1e305, 1e-250},
                                               {1e-250, 1e305},
                                               {1e150, 1e140}}) {
    RowSums added, column;
    added.reset(1);
    column.reset(1);
    added.add(0, p.a, p.x);
    column.add_rows(0, 1, &p.a, p.x);
    EXPECT_TRUE(added.doubtful(0)) << p.a << " " << p.x;
    EXPECT_TRUE(column.doubtful(0)) << p.a << " " << p.x;
  }
}

TEST(RowSums, SizesAreNotTooSmall) {
  Random random(3);
  for (int trial = 0; trial < 100; ++trial) {
    RowSums sums;
    sums.reset(1);
    mpq_class exact = 0;
    for (int i = 0; i < 50; ++i) {
      const double a = random.normal(), x = random.normal();
      sums.add(0, a, x);
      exact += abs(mpq_class(a) * mpq_class(x));
    }
    EXPECT_TRUE(exact_value(sums.size(0)) >= exact);
    EXPECT_TRUE(exact_value(sums.size(0)) <= exact * (1 + 1e-12));
  }
}

// Through sum_of, with everything that may be in a term.
TEST(RowSums, EveryTermAgreesWithExactArithmetic) {
  Random random(4);
  for (int trial = 0; trial < 40; ++trial) {
    const int n = 1 + trial % 12;
    DenseMatrix dense(n, n);
    Vector x(n), d(n);
    ExtendedVector e(n);
    for (int i = 0; i < n; ++i) {
      x[i] = random.uniform(0, 1) < 0.3 ? 0.0 : random.normal();
      d[i] = random.normal();
      e[i] = static_cast<Extended>(random.normal()) + 1e-18L * random.normal();
      for (int j = 0; j < n; ++j) dense(i, j) = random.uniform(0, 1) < 0.3 ? 0.0 : random.normal();
    }
    const SparseMatrix compressed = dense.sparseView();
    const Matrix full(dense), sparse{compressed};
    for (const Matrix* m : {&full, &sparse}) {
      const AffineSum sum =
          sum_of({AffineTerm::product(*m, x), AffineTerm::transposed_product(*m, x, -1),
                  AffineTerm::product(*m, e), AffineTerm::transposed_product(*m, e, -1),
                  AffineTerm::scaled(d, x), AffineTerm::vector(e, -1), AffineTerm::vector(x)},
                 n);
      for (int i = 0; i < n; ++i) {
        mpq_class exact = mpq_class(d[i]) * mpq_class(x[i]) - exact_value(e[i]) + mpq_class(x[i]);
        for (int j = 0; j < n; ++j) {
          exact += (mpq_class(dense(i, j)) - mpq_class(dense(j, i))) *
                   (mpq_class(x[j]) + exact_value(e[j]));
        }
        expect_rounded(sum.values[i], exact, "row " + std::to_string(i));
      }
    }
  }
}

}  // namespace
}  // namespace perp
