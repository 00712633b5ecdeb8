#include <perp/solvers/linear_algebra/minimum_degree.hpp>

#include <amd.h>
#include <new>

namespace perp {

std::vector<int> minimum_degree_order(const std::vector<int>& starts,
                                      const std::vector<int>& rows) {
  const int size = static_cast<int>(starts.size()) - 1;
  std::vector<int> order(size);
  if (size > 0 && amd_order(size, starts.data(), rows.data(), order.data(), nullptr, nullptr) ==
                      AMD_OUT_OF_MEMORY)
    throw std::bad_alloc();
  return order;
}

}  // namespace perp
