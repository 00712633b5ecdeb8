#include <perp/bench/cli/commands.hpp>
#include <perp/bench/processes/process.hpp>

int main(int argc, char** argv) {
  perp::exit_without_memory(perp::cli::kBadInput, "perp: out of memory\n");
  return perp::cli::run(argc, argv);
}
