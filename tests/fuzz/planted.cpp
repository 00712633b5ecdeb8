// Readers with the faults that fuzzing is for, to see that it finds them (test_fuzz.py). Nothing of
// perp is in here, so that it is built in a second.
#include <cstdint>
#include <cstdlib>
#include <stdexcept>
#include <string>
#include <vector>

namespace {

// A list: how many numbers, then these.
std::vector<double> read_list(const char* text, bool trusts_the_count) {
  char* at = nullptr;
  const unsigned long count = std::strtoul(text, &at, 10) & 0xffffffffu;  // no more than fits
  std::vector<double> numbers;
  numbers.reserve(1);
  if (trusts_the_count) numbers.reserve(count);  // before a single one is there
  for (unsigned long i = 0; i < count; ++i) {
    char* end = nullptr;
    const double x = std::strtod(at, &end);
    if (end == at) break;
    numbers.push_back(x);
    at = end;
  }
  return numbers;
}

double read_second(const std::vector<double>& numbers, bool checks) {
  if (checks && numbers.size() < 2) return 0.0;
  return numbers.data()[1];
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const char* name = std::getenv("PERP_FUZZ_READER");
  const std::string fault = name ? name : "";
  const std::string text(reinterpret_cast<const char*>(data), size);
  const std::vector<double> numbers = read_list(text.c_str(), fault == "trusts-a-count");
  volatile double second = read_second(numbers, fault != "reads-beyond");
  (void)second;
  if (fault == "throws" && text.starts_with("9 9"))
    throw std::out_of_range("what no reader should throw");
  while (fault == "hangs" && text.starts_with("7 7")) {
  }
  return 0;
}
