// Loops of DenseLu for AVX-512F: vectors of eight.
#include <perp/solvers/linear_algebra/lu_loops.hpp>

namespace perp {

extern const LuKernels kAvx512LuKernels;
const LuKernels kAvx512LuKernels = make_lu_kernels<8>();

}  // namespace perp
