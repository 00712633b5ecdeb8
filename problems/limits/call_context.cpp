#include <perp/problems/limits/call_context.hpp>

namespace perp {

void*& call_context() {
  thread_local void* context = nullptr;
  return context;
}

}  // namespace perp
