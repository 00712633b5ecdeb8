#include <perp/problems/io/problem_file.hpp>

#include <fmt/format.h>
#include <algorithm>
#include <filesystem>
#include <perp/problems/io/files.hpp>
#include <perp/problems/io/problem_json.hpp>
#include <perp/problems/io/siconos_text.hpp>
#include <stdexcept>

namespace perp {

namespace {

std::string format_of(const std::string& path, const std::string& format, bool write) {
  std::vector<std::string_view> names;
  for (const FormatInfo& f : problem_formats()) {
    if (!write || f.writes) names.push_back(f.name);
  }
  if (!format.empty()) {
    if (std::find(names.begin(), names.end(), format) != names.end()) return format;
    throw InputError(fmt::format("{}: format \"{}\" is not among those that can be {}: {}", path,
                                 format, write ? "written" : "read", fmt::join(names, ", ")));
  }
  std::string name = path;
  if (name.ends_with(".gz")) name.resize(name.size() - 3);
  if (name == "-" || name.ends_with(".json")) return "perp";
  if (!write && (name.ends_with(".dat") || name.ends_with(".txt"))) return "siconos";
  if (write) {
    throw InputError(
        fmt::format("{}: the ending names no format that can be written (.json, .json.gz)", path));
  }
  return "perp";
}

// Without this the second line would be called text after the object.
void refuse_sequence(const std::string& text, const std::string& shown) {
  const std::string_view head = std::string_view(text).substr(0, text.find('\n')).substr(0, 200);
  if (head.find("\"perp-sequence\"") == std::string_view::npos) return;
  throw InputError(fmt::format(
      "{}: is a sequence of problems, not one problem; perp bench solves all of them", shown));
}

}  // namespace

const std::vector<FormatInfo>& problem_formats() {
  static const std::vector<FormatInfo> formats = {{"perp", ".json, .json.gz", true},
                                                  {"siconos", ".dat, .txt", false}};
  return formats;
}

Problem read_problem(const std::string& path, const std::string& format) {
  const std::string chosen = format_of(path, format, false);
  const std::string shown = path == "-" ? "standard input" : path;
  const std::string text = read_text_file(path);
  if (chosen == "perp") {
    refuse_sequence(text, shown);
    return problem_from_text(text, shown);
  }
  Problem problem = problem_from_siconos_text(text, shown);
  problem.name = std::filesystem::path(path).stem().string();
  return problem;
}

void write_problem(const Problem& problem, const std::string& path, const std::string& format) {
  format_of(path, format, true);
  try {
    write_text_file(path, problem_to_text(problem));
  } catch (const std::invalid_argument& error) {
    throw InputError(fmt::format("{}: {}", path, error.what()));
  }
}

}  // namespace perp
