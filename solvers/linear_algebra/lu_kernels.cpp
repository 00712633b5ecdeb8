#include <perp/solvers/linear_algebra/lu_kernels.hpp>

#include <cstring>
#include <perp/solvers/linear_algebra/dense_kernels.hpp>

namespace perp {

extern const LuKernels kBaselineLuKernels;
#if defined(__x86_64__)
extern const LuKernels kAvx2LuKernels, kAvx512LuKernels;
#endif

const LuKernels* find_lu_kernels(const char* name) {
  if (!find_dense_kernels(name)) return nullptr;
#if defined(__x86_64__)
  if (std::strcmp(name, "avx512") == 0) return &kAvx512LuKernels;
  if (std::strcmp(name, "avx2") == 0) return &kAvx2LuKernels;
#endif
  return &kBaselineLuKernels;
}

const LuKernels& lu_kernels() {
  static const LuKernels& chosen = *find_lu_kernels(dense_kernels().name);
  return chosen;
}

}  // namespace perp
