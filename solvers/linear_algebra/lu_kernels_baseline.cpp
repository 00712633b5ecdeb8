// Loops of DenseLu for any processor: vectors of two.
#include <perp/solvers/linear_algebra/lu_loops.hpp>

namespace perp {

extern const LuKernels kBaselineLuKernels;
const LuKernels kBaselineLuKernels = make_lu_kernels<2>();

}  // namespace perp
