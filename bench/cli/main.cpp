#include <perp/bench/cli/commands.hpp>

int main(int argc, char** argv) { return perp::cli::run(argc, argv); }
