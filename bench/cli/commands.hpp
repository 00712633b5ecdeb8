// The verbs of the perp program.
#pragma once

#include <cstdint>
#include <limits>
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

namespace CLI {
class App;
class Validator;
}  // namespace CLI

namespace perp::cli {

/// Exit codes of the program.
inline constexpr int kDone = 0, kNotSolved = 1, kBadInput = 2;

/// Each adds its verb to the program; the verb stores its exit code in `code`.
void add_list(CLI::App& app, int& code);
void add_info(CLI::App& app, int& code);
void add_solve(CLI::App& app, int& code);
void add_verify(CLI::App& app, int& code);
void add_simulate(CLI::App& app, int& code);
void add_export(CLI::App& app, int& code);
void add_convert(CLI::App& app, int& code);
void add_bench(CLI::App& app, int& code);
void add_report(CLI::App& app, int& code);
void add_study(CLI::App& app, int& code);
void add_compare(CLI::App& app, int& code);
void add_shrink(CLI::App& app, int& code);
void add_analyse(CLI::App& app, int& code);
void add_why(CLI::App& app, int& code);
void add_import_step(CLI::App& app, int& code);

/// "KEY=VALUE" split at the first '='. @throws std::invalid_argument naming the option, also if a
/// key is given twice
std::vector<std::pair<std::string, std::string>> split_pairs(const std::vector<std::string>& texts,
                                                             const std::string& option);

/// The parts between commas of an option's texts. @throws std::invalid_argument naming the option
/// if a part is empty
std::vector<std::string> split_list(const std::vector<std::string>& texts,
                                    const std::string& option);

/// "I/N" of --shard as (I, N). @throws std::invalid_argument
std::pair<int, int> read_shard(const std::string& text);

/// KEY=NUMBER options of --param. @throws std::invalid_argument
std::map<std::string, double> read_parameters(const std::vector<std::string>& texts);

/// Options that take finite numbers of at least zero, or above zero.
CLI::Validator nonnegative();
CLI::Validator positive();
/// The largest number for --threads.
inline constexpr int kMostThreads = 1024;

/// Options that take whole numbers from low to high.
CLI::Validator whole_number(std::int64_t low, std::int64_t high = std::numeric_limits<int>::max());

/// What --json prints, on one line; bytes that are no UTF-8 are replaced.
std::string json_text(const nlohmann::ordered_json& document);

/// Adds --plugin, which loads a library with solvers before the verb runs.
void add_plugin_option(CLI::App& verb);

/// The whole program: parses, runs, turns bad usage and bad input into one line and exit code 2.
int run(int argc, char** argv);

}  // namespace perp::cli
