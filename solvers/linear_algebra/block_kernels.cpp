#include <perp/solvers/linear_algebra/block_kernels.hpp>

#include <cstring>
#include <perp/solvers/linear_algebra/dense_kernels.hpp>

namespace perp {

extern const BlockKernels kBaselineBlockKernels;
#if defined(__x86_64__)
extern const BlockKernels kAvx2BlockKernels;
#endif

const BlockKernels* find_block_kernels(const char* name) {
  if (!find_dense_kernels(name)) return nullptr;
#if defined(__x86_64__)
  if (std::strcmp(name, "baseline") != 0) return &kAvx2BlockKernels;
#endif
  return &kBaselineBlockKernels;
}

const BlockKernels& block_kernels() {
  static const BlockKernels& chosen = *find_block_kernels(dense_kernels().name);
  return chosen;
}

}  // namespace perp
