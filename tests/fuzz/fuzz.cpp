// The fuzzer: libFuzzer's inputs to the reader that PERP_FUZZ_READER names. The name is no
// argument, since libFuzzer starts itself again with its own arguments.
#include <cstdint>
#include <cstdlib>
#include <string_view>
#include "readers.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const perp::fuzz::Reader& reader = []() -> const perp::fuzz::Reader& {
    const char* name = std::getenv("PERP_FUZZ_READER");
    return perp::fuzz::find_reader(name ? name : "");
  }();
  reader.take({reinterpret_cast<const char*>(data), size});
  return 0;
}
