#include <perp/problems/standard/row_sums.hpp>

#include <limits>

namespace perp {

namespace {

constexpr Extended kUnitOfDoubles = 0x1p-53L;
constexpr Extended kDoubtfulRow = 0x1p-60L;    // relative error at which a row is summed exactly
constexpr Extended kNegligibleBound = 1e-30L;  // no tolerance asks for less
constexpr double kLargestSum = 1e280;          // beyond it the halves of a factor may be infinite

}  // namespace

void RowSums::reset(int rows) {
  for (std::vector<double>* v : {&sums_, &errors_, &rests_, &sizes_, &counts_, &unsafe_})
    v->assign(static_cast<std::size_t>(rows), 0.0);
}

// add(), in a form that compilers turn into vectors of rows.
void RowSums::add_rows(int first, int count, const double* a, double x) {
  const Halves v = split(x);
  double* const sums = sums_.data() + first;
  double* const errors = errors_.data() + first;
  double* const rests = rests_.data() + first;
  double* const sizes = sizes_.data() + first;
  double* const unsafe = unsafe_.data() + first;
  double* const counts = counts_.data() + first;
#pragma GCC ivdep
  for (int i = 0; i < count; ++i) {
    const double product = a[i] * x, size = std::abs(product);
    const double error = error_of(product, split(a[i]), v);
    unsafe[i] = std::abs(a[i]) > 0.0 && size < kSmallestProduct ? 1.0 : unsafe[i];
    const double of_sum = two_sum(sums[i], product);
    const double of_first = two_sum(errors[i], error);
    const double of_second = two_sum(errors[i], of_sum);
    rests[i] += of_first + of_second;
    sizes[i] += size;
    counts[i] += 1.0;
  }
}

Extended RowSums::value(int row) const {
  const Extended sum = sums_[row], error = errors_[row];
  const Extended total = sum + error, virtual_error = total - sum;
  const Extended lost = (sum - (total - virtual_error)) + (error - virtual_error);
  return total + (lost + rests_[row]);
}

// Sums of positive numbers are rounded by less than their count times the unit.
Extended RowSums::size(int row) const {
  return sizes_[row] * (1 + 4 * counts_[row] * kUnitOfDoubles);
}

bool RowSums::doubtful(int row) const {
  const Extended total = value(row);
  if (unsafe_[row] != 0.0 || !std::isfinite(total) || !(sizes_[row] < kLargestSum)) return true;
  const Extended gamma = 4 * (counts_[row] + 1) * kUnitOfDoubles;
  const Extended bound = 2 * gamma * gamma * gamma * sizes_[row];  // [OgitaRumpOishi2005, Sec. 5]
  return bound > kNegligibleBound && bound > kDoubtfulRow * std::abs(total);
}

}  // namespace perp
