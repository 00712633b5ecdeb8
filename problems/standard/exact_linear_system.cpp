#include <perp/problems/standard/exact_linear_system.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <utility>
#include <vector>

namespace perp {

namespace {

using Word = std::uint64_t;
__extension__ typedef unsigned __int128 Wide;
constexpr Word kPrime = (Word(1) << 61) - 1;
constexpr int kDigits = 61;  // bits that a step gains

// Without a division, because 2^61 is 1 modulo the prime. @param a less than 2^122
Word reduce(Wide a) {
  const Word sum = (static_cast<Word>(a) & kPrime) + static_cast<Word>(a >> kDigits);
  return sum >= kPrime ? sum - kPrime : sum;
}
Word multiply(Word a, Word b) { return reduce(static_cast<Wide>(a) * b); }
Word subtract(Word a, Word b) { return a >= b ? a - b : a + kPrime - b; }
// The scalar product of two arrays. 32 products are less than 2^127 together.
Word dot(const Word* a, const Word* b, std::size_t count) {
  constexpr std::size_t kAtOnce = 32;
  Wide sum = 0;
  for (std::size_t from = 0; from < count; from += kAtOnce) {
    const std::size_t end = std::min(count, from + kAtOnce);
    for (std::size_t k = from; k < end; ++k) sum += static_cast<Wide>(a[k]) * b[k];
    sum = (sum & kPrime) + (sum >> kDigits);
  }
  return reduce(sum);
}
Word invert(Word a) {  // a^(p - 2)
  Word result = 1;
  for (Word exponent = kPrime - 2; exponent > 0; exponent >>= 1) {
    if (exponent & 1) result = multiply(result, a);
    a = multiply(a, a);
  }
  return result;
}
Word modulo(const mpz_class& a) { return mpz_fdiv_ui(a.get_mpz_t(), kPrime); }

// A square matrix modulo the prime, factorised: P A = L U with a unit diagonal in L, column by
// column [GolubVanLoan2013, Sec. 3.4]. Every entry is a scalar product, since the sum of many
// products is reduced once.
class ModularLu {
 public:
  // @return false if the matrix is singular modulo the prime
  bool factor(std::vector<std::vector<Word>> a) {
    lower_ = std::move(a);  // L and, not yet factorised, the columns to the right of it
    const std::size_t n = lower_.size();
    std::vector<std::vector<Word>> columns(n, std::vector<Word>(n));  // of U
    rows_.resize(n);
    inverse_pivots_.resize(n);
    for (std::size_t i = 0; i < n; ++i) rows_[i] = i;
    for (std::size_t k = 0; k < n; ++k) {
      const Word* const above = columns[k].data();
      for (std::size_t i = k; i < n; ++i)
        lower_[i][k] = subtract(lower_[i][k], dot(lower_[i].data(), above, k));
      std::size_t pivot = k;
      while (pivot < n && lower_[pivot][k] == 0) ++pivot;
      if (pivot == n) return false;
      std::swap(lower_[pivot], lower_[k]);
      std::swap(rows_[pivot], rows_[k]);
      columns[k][k] = lower_[k][k];
      inverse_pivots_[k] = invert(lower_[k][k]);
      for (std::size_t i = k + 1; i < n; ++i)
        lower_[i][k] = multiply(lower_[i][k], inverse_pivots_[k]);
      const Word* const left = lower_[k].data();
      for (std::size_t j = k + 1; j < n; ++j)
        columns[j][k] = subtract(left[j], dot(left, columns[j].data(), k));
    }
    upper_.assign(n, std::vector<Word>(n));
    for (std::size_t j = 0; j < n; ++j)
      for (std::size_t i = 0; i <= j; ++i) upper_[i][j] = columns[j][i];
    return true;
  }

  // x with A x = b
  void solve(const std::vector<Word>& b, std::vector<Word>& x) const {
    const std::size_t n = lower_.size();
    for (std::size_t i = 0; i < n; ++i)
      x[i] = subtract(b[rows_[i]], dot(lower_[i].data(), x.data(), i));
    for (std::size_t i = n; i-- > 0;) {
      const Word known = dot(upper_[i].data() + i + 1, x.data() + i + 1, n - i - 1);
      x[i] = multiply(subtract(x[i], known), inverse_pivots_[i]);
    }
  }

 private:
  std::vector<std::vector<Word>> lower_, upper_;  // by rows
  std::vector<std::size_t> rows_;
  std::vector<Word> inverse_pivots_;
};

// n / d = residue modulo m with |n|, d <= sqrt(m / 2) [Wang1981]; false if there is none.
bool reconstruct(const mpz_class& residue, const mpz_class& m, mpz_class& n, mpz_class& d) {
  const mpz_class bound = sqrt(mpz_class(m / 2));
  mpz_class r0 = m, r1 = residue, t0 = 0, t1 = 1, quotient, next;
  while (abs(r1) > bound) {
    quotient = r0 / r1;
    next = r0 - quotient * r1;
    r0 = r1;
    r1 = next;
    next = t0 - quotient * t1;
    t0 = t1;
    t1 = next;
  }
  if (t1 == 0 || abs(t1) > bound) return false;
  n = t1 < 0 ? mpz_class(-r1) : r1;
  d = abs(t1);
  return true;
}

// All components with one common denominator, which grows from component to component.
std::optional<RationalVector> reconstruct(const std::vector<mpz_class>& x, const mpz_class& m) {
  RationalVector result{std::vector<mpz_class>(x.size()), 1};
  mpz_class n, d, residue;
  for (std::size_t i = 0; i < x.size(); ++i) {
    residue = x[i] * result.denominator % m;
    if (residue < 0) residue += m;
    if (!reconstruct(residue, m, n, d)) return {};
    result.numerators[i] = n;
    if (d == 1) continue;
    for (std::size_t k = 0; k < i; ++k) result.numerators[k] *= d;
    result.denominator *= d;
  }
  return result;
}

bool solves(const std::vector<std::vector<mpz_class>>& a, const std::vector<mpz_class>& b,
            const RationalVector& x) {
  for (std::size_t i = 0; i < a.size(); ++i) {
    mpz_class sum = -b[i] * x.denominator;
    for (std::size_t j = 0; j < a.size(); ++j) sum += a[i][j] * x.numerators[j];
    if (sum != 0) return false;
  }
  return true;
}

// Steps after which Hadamard's bound guarantees that numerators and denominators are determined.
double steps_needed(const std::vector<std::vector<mpz_class>>& a, const std::vector<mpz_class>& b) {
  double bits = 0, largest = 1;
  for (std::size_t i = 0; i < a.size(); ++i) {
    std::size_t row = mpz_sizeinbase(b[i].get_mpz_t(), 2);
    largest = std::max(largest, static_cast<double>(row));
    row = 1;
    for (const mpz_class& entry : a[i]) row = std::max(row, mpz_sizeinbase(entry.get_mpz_t(), 2));
    bits += static_cast<double>(row) + 0.5 * std::log2(static_cast<double>(a.size()));
  }
  return (2 * bits + largest + 2) / kDigits + 2;
}

}  // namespace

double exact_work(const std::vector<std::vector<mpz_class>>& a, const std::vector<mpz_class>& b,
                  int most_steps) {
  const auto order = static_cast<double>(a.size());
  return order * order * (std::min<double>(steps_needed(a, b), most_steps) + order);
}

std::optional<RationalVector> solve_exactly(const std::vector<std::vector<mpz_class>>& a,
                                            const std::vector<mpz_class>& b, double most_work,
                                            int most_steps) {
  const std::size_t n = a.size();
  if (exact_work(a, b, most_steps) > most_work) return {};
  const double steps = std::min<double>(steps_needed(a, b), most_steps);
  std::vector<std::vector<Word>> reduced(n, std::vector<Word>(n));
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < n; ++j) reduced[i][j] = modulo(a[i][j]);
  ModularLu lu;
  if (!lu.factor(std::move(reduced))) return {};
  const mpz_class prime = kPrime;
  std::vector<mpz_class> right = b, x(n, 0);
  std::vector<Word> digits(n), residues(n);
  mpz_class power = 1;
  int next_try = 2;  // so that solutions with short numbers are found early
  for (int step = 1; step <= static_cast<int>(steps) + 1; ++step) {
    for (std::size_t i = 0; i < n; ++i) residues[i] = modulo(right[i]);
    lu.solve(residues, digits);
    for (std::size_t i = 0; i < n; ++i) x[i] += power * mpz_class(digits[i]);
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t j = 0; j < n; ++j)
        mpz_submul_ui(right[i].get_mpz_t(), a[i][j].get_mpz_t(), digits[j]);
      mpz_divexact(right[i].get_mpz_t(), right[i].get_mpz_t(), prime.get_mpz_t());
    }
    power *= prime;
    if (step < next_try && step < static_cast<int>(steps)) continue;
    next_try = 3 * step;
    auto found = reconstruct(x, power);
    if (found && solves(a, b, *found)) return found;
  }
  return {};
}

}  // namespace perp
