// Kernels for any processor: vectors of two.
#include <perp/solvers/linear_algebra/dense_loops.hpp>

namespace perp {

extern const DenseKernels kBaselineKernels;
const DenseKernels kBaselineKernels = make_kernels<2, 2, 4>("baseline");

}  // namespace perp
