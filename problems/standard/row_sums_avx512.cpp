// The loop of RowSums for AVX-512F: vectors of eight.
#include <perp/problems/standard/row_sum_loop.hpp>

namespace perp {

extern const RowSumLoop kAvx512RowSumLoop;
const RowSumLoop kAvx512RowSumLoop = [](const RowSumArrays& to, int count, const double* a,
                                        double x) {
  add_to_rows(to, count, a, x);
  // Else all code without AVX that runs later may take several times as long.
  __builtin_ia32_vzeroupper();
};

}  // namespace perp
