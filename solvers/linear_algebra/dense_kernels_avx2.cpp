// Kernels for AVX2 and FMA: vectors of four.
#include <perp/solvers/linear_algebra/dense_loops.hpp>

namespace perp {

extern const DenseKernels kAvx2Kernels;
const DenseKernels kAvx2Kernels = make_kernels<4, 3, 4>("avx2");

}  // namespace perp
