#include <perp/problems/standard/row_sums.hpp>

#include <limits>

namespace perp {

#if defined(__x86_64__)
extern const RowSumLoop kAvx512RowSumLoop;
#endif

namespace {

constexpr Extended kUnitOfDoubles = 0x1p-53L;
constexpr Extended kDoubtfulRow = 0x1p-60L;     // relative error at which a row is summed exactly
constexpr Extended kNegligibleBound = 1e-30L;   // no tolerance asks for less
constexpr double kSurelyNegligible = 0.99e-30;  // the same with room for the rounding of doubles
constexpr double kLargestSum = 1e280;           // beyond it the halves of a factor may be infinite

}  // namespace

void RowSums::reset(int rows) {
  for (std::vector<double>* v : {&sums_, &errors_, &rests_, &sizes_, &counts_, &unsafe_})
    v->assign(static_cast<std::size_t>(rows), 0.0);
}

void RowSums::add_rows(int first, int count, const double* a, double x) {
  static const RowSumLoop loop = row_sum_loops().back();
  const auto from = static_cast<std::size_t>(first);
  loop({sums_.data() + from, errors_.data() + from, rests_.data() + from, sizes_.data() + from,
        counts_.data() + from, unsafe_.data() + from},
       count, a, x);
}

std::vector<RowSumLoop> row_sum_loops() {
  std::vector<RowSumLoop> loops = {add_to_rows};
#if defined(__x86_64__)
  __builtin_cpu_init();
  if (__builtin_cpu_supports("avx512f")) loops.push_back(kAvx512RowSumLoop);
#endif
  return loops;
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
  // Mostly the bound on the error is below what any tolerance asks for, whatever the value. Then
  // doubles are enough to see it.
  const double unit = 4 * (counts_[row] + 1) * static_cast<double>(kUnitOfDoubles);
  if (unsafe_[row] == 0.0 && 2 * unit * unit * unit * sizes_[row] < kSurelyNegligible &&
      std::isfinite(errors_[row]) && std::isfinite(rests_[row]))
    return false;
  const Extended total = value(row);
  if (unsafe_[row] != 0.0 || !std::isfinite(total) || !(sizes_[row] < kLargestSum)) return true;
  const Extended gamma = 4 * (counts_[row] + 1) * kUnitOfDoubles;
  const Extended bound = 2 * gamma * gamma * gamma * sizes_[row];  // [OgitaRumpOishi2005, Sec. 5]
  return bound > kNegligibleBound && bound > kDoubtfulRow * std::abs(total);
}

}  // namespace perp
