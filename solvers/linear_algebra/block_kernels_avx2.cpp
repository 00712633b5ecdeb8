// Loops of BlockLu for AVX2.
#include <perp/solvers/linear_algebra/block_loops.hpp>

namespace perp {

extern const BlockKernels kAvx2BlockKernels;
const BlockKernels kAvx2BlockKernels = make_block_kernels();

}  // namespace perp
