#include <perp/bench/processes/freed_memory.hpp>

#if __has_include(<malloc.h>)
#include <malloc.h>
#endif

namespace perp {

void keep_freed_memory() {
#if defined(M_TRIM_THRESHOLD)
  constexpr int kMebibyte = 1 << 20;
  mallopt(M_TRIM_THRESHOLD, 512 * kMebibyte);
  mallopt(M_TOP_PAD, 4 * kMebibyte);
  mallopt(M_MMAP_THRESHOLD, 32 * kMebibyte);  // the largest value allowed
#endif
}

}  // namespace perp
