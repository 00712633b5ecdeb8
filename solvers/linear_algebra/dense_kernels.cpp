#include <perp/solvers/linear_algebra/dense_kernels.hpp>

#include <cstdlib>
#include <cstring>
#include <initializer_list>

namespace perp {

extern const DenseKernels kBaselineKernels;
#if defined(__x86_64__)
extern const DenseKernels kAvx2Kernels, kAvx512Kernels;
#endif

const DenseKernels* find_dense_kernels(const char* name) {
#if defined(__x86_64__)
  __builtin_cpu_init();
  if (std::strcmp(name, "avx512") == 0)
    return __builtin_cpu_supports("avx512f") ? &kAvx512Kernels : nullptr;
  if (std::strcmp(name, "avx2") == 0)
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") ? &kAvx2Kernels
                                                                           : nullptr;
#endif
  return std::strcmp(name, "baseline") == 0 ? &kBaselineKernels : nullptr;
}

const DenseKernels& dense_kernels() {
  static const DenseKernels& chosen = []() -> const DenseKernels& {
    const char* named = std::getenv("PERP_KERNELS");
    for (const char* name : {named ? named : "", "avx512", "avx2"}) {
      if (const DenseKernels* kernels = find_dense_kernels(name)) return *kernels;
    }
    return kBaselineKernels;
  }();
  return chosen;
}

}  // namespace perp
