#include <perp/solvers/linear_algebra/minimum_degree.hpp>

#include <amd.h>
#include <new>
#include <numeric>

namespace perp {

void find_minimum_degree_order(const std::vector<int>& starts, const std::vector<int>& rows,
                               std::vector<int>& order) {
  const int size = static_cast<int>(starts.size()) - 1;
  order.resize(size);
  std::iota(order.begin(), order.end(), 0);
  if (rows.empty()) return;  // AMD refuses an empty list
  if (amd_order(size, starts.data(), rows.data(), order.data(), nullptr, nullptr) ==
      AMD_OUT_OF_MEMORY)
    throw std::bad_alloc();
}

}  // namespace perp
