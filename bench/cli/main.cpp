#include <perp/bench/cli/commands.hpp>
#include <perp/bench/processes/freed_memory.hpp>

int main(int argc, char** argv) {
  perp::keep_freed_memory();
  return perp::cli::run(argc, argv);
}
