#include <perp/bench/cli/problem_input.hpp>

#include <fmt/format.h>
#include <CLI/CLI.hpp>
#include <perp/problems/io/problem_file.hpp>
#include <stdexcept>

namespace perp::cli {

PartFiles ProblemInput::beside_matrix() const {
  if (q.empty() && !(lower.empty() && upper.empty()))
    throw std::invalid_argument(
        "--lower, --upper: they go with --q, as options name all files beside M");
  PartFiles given;
  for (const auto& [field, path] : {std::pair("q", q), {"lower", lower}, {"upper", upper}}) {
    if (!path.empty()) given.emplace(field, path);
  }
  return given;
}

Problem ProblemInput::read_input() const { return read_problem(file, from, beside_matrix()); }

std::vector<std::string> ProblemInput::input_files() const {
  return files_read(file, from, beside_matrix());
}

void add_problem_input(CLI::App& verb, ProblemInput& input, const std::string& name) {
  std::string reads;
  for (const FormatInfo& f : problem_formats()) {
    if (f.read) reads += fmt::format("{}{}", reads.empty() ? "" : ", ", f.name);
  }
  verb.add_option(name, input.file,
                  "problem: a file, or a folder with M.mtx and q.mtx (or .csv; lower and upper if "
                  "there are bounds), or STEPS.jsonl:17 for one problem of a sequence; - for "
                  "standard input")
      ->required();
  verb.add_option("--from", input.from, "format of the file, by its ending if left out: " + reads);
  verb.add_option("--q", input.q, "a matrix M alone is named: file of the vector q, .mtx or .csv");
  verb.add_option("--lower", input.lower, "with --q: file of the lower bounds (with --upper)");
  verb.add_option("--upper", input.upper, "with --q: file of the upper bounds");
}

}  // namespace perp::cli
