// Loops of BlockLu for any processor.
#include <perp/solvers/linear_algebra/block_loops.hpp>

namespace perp {

extern const BlockKernels kBaselineBlockKernels;
const BlockKernels kBaselineBlockKernels = make_block_kernels();

}  // namespace perp
