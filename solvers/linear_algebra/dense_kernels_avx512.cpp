// Kernels for AVX-512F: vectors of eight.
#include <perp/solvers/linear_algebra/dense_loops.hpp>

namespace perp {

extern const DenseKernels kAvx512Kernels;
const DenseKernels kAvx512Kernels = make_kernels<8, 2, 8>("avx512");

}  // namespace perp
