#include <unistd.h>
#include <cstdlib>
#include <exception>
#include <new>
#include <perp/bench/cli/commands.hpp>

namespace {

std::terminate_handler before = nullptr;

// The destructor of a large JSON tree needs memory itself: if there is none, the exception cannot
// be caught any more.
void end_without_memory() {
  try {
    if (const std::exception_ptr thrown = std::current_exception()) std::rethrow_exception(thrown);
  } catch (const std::bad_alloc&) {
    constexpr char kLine[] = "perp: out of memory\n";
    if (write(STDERR_FILENO, kLine, sizeof kLine - 1) < 0) std::abort();
    _exit(2);
  } catch (...) {
  }
  before();
}

}  // namespace

int main(int argc, char** argv) {
  before = std::set_terminate(end_without_memory);
  return perp::cli::run(argc, argv);
}
