// Loops of DenseLu for AVX2: vectors of four.
#include <perp/solvers/linear_algebra/lu_loops.hpp>

namespace perp {

extern const LuKernels kAvx2LuKernels;
const LuKernels kAvx2LuKernels = make_lu_kernels<4>();

}  // namespace perp
