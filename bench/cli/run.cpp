#include <perp/bench/cli/commands.hpp>

#include <fmt/format.h>
#include <unistd.h>
#include <CLI/CLI.hpp>
#include <algorithm>
#include <charconv>
#include <cmath>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <nlohmann/json.hpp>
#include <perp/bench/cli/outputs.hpp>
#include <perp/bench/harness/solver_names.hpp>
#include <perp/bench/plugins/plugin.hpp>
#include <perp/bench/processes/interrupt.hpp>
#include <perp/bench/processes/kept_solver.hpp>
#include <perp/problems/json/json.hpp>
#include <perp/problems/json/text.hpp>

namespace perp::cli {

std::vector<std::pair<std::string, std::string>> split_pairs(const std::vector<std::string>& texts,
                                                             const std::string& option) {
  std::vector<std::pair<std::string, std::string>> pairs;
  for (const std::string& text : texts) {
    const auto equals = text.find('=');
    if (equals == std::string::npos || equals == 0) {
      throw std::invalid_argument(fmt::format("{}: \"{}\" is not KEY=VALUE", option, text));
    }
    const std::string key = text.substr(0, equals);
    if (std::any_of(pairs.begin(), pairs.end(), [&](const auto& p) { return p.first == key; }))
      throw std::invalid_argument(fmt::format("{}: {} is given twice", option, key));
    pairs.emplace_back(key, text.substr(equals + 1));
  }
  return pairs;
}

std::vector<std::string> split_list(const std::vector<std::string>& texts,
                                    const std::string& option) {
  std::vector<std::string> parts;
  for (const std::string& text : texts) {
    for (std::size_t begin = 0; begin <= text.size();) {
      const std::size_t end = std::min(text.find(',', begin), text.size());
      if (end == begin)
        throw std::invalid_argument(fmt::format("{}: \"{}\" has an empty part", option, text));
      parts.push_back(text.substr(begin, end - begin));
      begin = end + 1;
    }
  }
  return parts;
}

std::pair<int, int> read_shard(const std::string& text) {
  int shard = 0, shards = 0;
  const char* const end = text.data() + text.size();
  const auto first = std::from_chars(text.data(), end, shard);
  bool read = first.ec == std::errc() && first.ptr != end && *first.ptr == '/';
  if (read) {
    const auto second = std::from_chars(first.ptr + 1, end, shards);
    read = second.ec == std::errc() && second.ptr == end;
  }
  if (!read || shard < 1 || shard > shards)
    throw std::invalid_argument(fmt::format("--shard: \"{}\" is not I/N with 1 <= I <= N", text));
  return {shard, shards};
}

namespace {

CLI::Validator number_check(bool zero_allowed, const char* expected) {
  return CLI::Validator(
      [zero_allowed, expected](std::string& text) {
        double value = 0.0;
        const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
        const bool number =
            error == std::errc() && end == text.data() + text.size() && std::isfinite(value);
        if (number && (value > 0 || (value == 0 && zero_allowed))) return std::string();
        return fmt::format("\"{}\" is not {}", text, expected);
      },
      "", "");
}

// An empty text is mostly a variable of a shell that is not set. It does not count as "not given".
void refuse_empty_texts(CLI::App& app) {
  for (CLI::App* verb : app.get_subcommands({})) {
    for (CLI::Option* option : verb->get_options()) {
      if (option->get_expected_max() == 0) continue;
      option->check([](const std::string& text) { return text.empty() ? "the text is empty" : ""; },
                    "");
    }
  }
}

// What CLI11 would only call a missing verb.
std::string first_word_fault(const CLI::App& app, const std::string& word) {
  std::vector<std::string> verbs;
  for (const CLI::App* verb : app.get_subcommands({})) {
    if (verb->get_name() == word) return "";
    verbs.push_back(verb->get_name());
  }
  if (word == "--help" || word == "-h" || word == "--version") return "";
  return fmt::format(
      "unknown {} \"{}\"; there are: {}", word.starts_with("-") ? "option" : "verb", word,
      word.starts_with("-") ? "--help, --version" : fmt::format("{}", fmt::join(verbs, ", ")));
}

}  // namespace

CLI::Validator nonnegative() { return number_check(true, "a finite number of at least 0"); }
CLI::Validator positive() { return number_check(false, "a finite number above 0"); }

CLI::Validator whole_number(std::int64_t low, std::int64_t high) {
  return CLI::Validator(
      [low, high](std::string& text) {
        std::int64_t value = 0;
        const char* const end = text.data() + text.size();
        const auto read = std::from_chars(text.data(), end, value);
        if (read.ec == std::errc() && read.ptr == end && low <= value && value <= high)
          return std::string();
        return fmt::format("\"{}\" is not a whole number from {} to {}", text, low, high);
      },
      high >= std::numeric_limits<int>::max() ? fmt::format("INT >= {}", low)
                                              : fmt::format("INT in [{} - {}]", low, high));
}

namespace {

int run_verb(int argc, char** argv) {
  CLI::App app{
      "perp: complementarity problems of rigid-body contact: solve, verify, export, measure."};
  app.name("perp");
  app.set_version_flag("--version", "perp " PERP_VERSION);
  app.require_subcommand(1);
  app.footer(
      "Each verb has its own --help with an example. Exit codes: 0 done (solve, verify: verified "
      "solved),\n"
      "1 not solved, 2 bad usage, bad input or output that cannot be written; a signal ends it as "
      "usual\n(130 in a shell after Ctrl-C), once records are whole and programs it started are "
      "gone.");
  int code = kDone;
  add_list(app, code);
  add_info(app, code);
  add_solve(app, code);
  add_verify(app, code);
  add_simulate(app, code);
  add_export(app, code);
  add_convert(app, code);
  add_bench(app, code);
  add_report(app, code);
  add_study(app, code);
  add_compare(app, code);
  add_shrink(app, code);
  add_analyse(app, code);
  add_why(app, code);
  add_import_step(app, code);
  refuse_empty_texts(app);
  if (argc <= 1) {
    std::cerr << "perp: a verb is missing; perp --help names them\n";
    return kBadInput;
  }
  if (const std::string fault = first_word_fault(app, argv[1]); !fault.empty()) {
    std::cerr << "perp: " << message_line(fault) << '\n';
    return kBadInput;
  }
  try {
    app.parse(argc, argv);
  } catch (const CLI::ExtrasError&) {  // whose own text has them in the order from the last
    const std::string extras = fmt::format("{}", fmt::join(app.remaining(true), " "));
    std::cerr << "perp: " << message_line("not expected: " + extras) << '\n';
    return kBadInput;
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() == 0) return app.exit(error);  // --help, --version
    std::cerr << "perp: " << message_line(error.what()) << '\n';
    return kBadInput;
  } catch (const InputError& error) {
    std::cerr << "perp: " << message_line(error.what()) << '\n';
    return kBadInput;
  } catch (const std::invalid_argument& error) {
    std::cerr << "perp: " << message_line(error.what()) << '\n';
    return kBadInput;
  } catch (const std::bad_alloc&) {
    std::cerr << "perp: out of memory\n";
    return kBadInput;
  } catch (const std::filesystem::filesystem_error& error) {  // such as a name that is too long
    const std::string text = error.path1().string() + ": " + error.code().message();
    std::cerr << "perp: " << message_line(text) << '\n';
    return kBadInput;
  } catch (const std::exception& error) {
    std::cerr << "perp: " << message_line(error.what()) << '\n';
    return kBadInput;
  }
  return code;
}

}  // namespace

void add_plugin_option(CLI::App& verb) {
  verb.add_option("--plugin", "a shared library with solvers of yours (docs/how-to/adding.md)")
      ->type_name("FILE")
      ->allow_extra_args(false)
      ->each([](const std::string& file) { load_plugin(file, is_solver_name); });
}

namespace {

bool at_work = true;

// Nothing in perp calls exit() before the end: a plug-in did, and its code is no verdict.
void end_of_exit() {
  if (!at_work) return;
  constexpr std::string_view kTold = "perp: a plug-in has ended the program\n";
  [[maybe_unused]] const auto told = write(STDERR_FILENO, kTold.data(), kTold.size());
  _exit(kBadInput);
}

}  // namespace

std::string json_text(const nlohmann::ordered_json& document) {
  return document.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
}

int run(int argc, char** argv) {
  hold_standard_streams();
  std::atexit(end_of_exit);
  std::signal(SIGXFSZ, SIG_IGN);  // a limit on file sizes is an error of writing, not the end
  const int code = run_verb(argc, argv);
  end_kept_programs();
  const bool written = finish_output();
  at_work = false;
  if (interrupt_signal() != 0) end_by_signal(interrupt_signal());
  return written ? code : kBadInput;
}

}  // namespace perp::cli
