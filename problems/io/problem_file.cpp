#include <perp/problems/io/problem_file.hpp>

#include <fmt/format.h>
#include <algorithm>
#include <filesystem>
#include <perp/problems/io/fclib.hpp>
#include <perp/problems/io/files.hpp>
#include <perp/problems/io/matrix_market.hpp>
#include <perp/problems/io/mof.hpp>
#include <perp/problems/io/nl.hpp>
#include <perp/problems/io/problem_json.hpp>
#include <perp/problems/io/qps.hpp>
#include <perp/problems/io/siconos_text.hpp>
#include <perp/problems/io/text.hpp>
#include <stdexcept>

namespace perp {

namespace {

std::string format_of(const std::string& path, const std::string& format, bool write) {
  std::vector<std::string_view> names;
  for (const FormatInfo& f : problem_formats()) {
    if (write ? f.writes : f.reads) names.push_back(f.name);
  }
  if (!format.empty()) {
    if (std::find(names.begin(), names.end(), format) != names.end()) return format;
    throw InputError(fmt::format("{}: format \"{}\" is not among those that can be {}: {}", path,
                                 format, write ? "written" : "read", fmt::join(names, ", ")));
  }
  std::string name = path;
  if (name.ends_with(".gz")) name.resize(name.size() - 3);
  if (name.ends_with(".mof.json")) return "mof";
  if (name.ends_with(".nl")) return "nl";
  if (write && name.ends_with(".mtx")) return "mtx";
  if (name.ends_with(".hdf5") || name.ends_with(".h5")) return "fclib";
  if (name == "-" || name.ends_with(".json")) return "perp";
  for (const char* ending : {".qps", ".QPS", ".mps", ".MPS", ".sif", ".SIF"}) {
    if (!write && name.ends_with(ending)) return "qps";
  }
  if (!write && (name.ends_with(".dat") || name.ends_with(".txt"))) return "siconos";
  if (write) {
    throw InputError(fmt::format(
        "{}: the ending names no format that can be written (.json, .mof.json, .nl, .hdf5, .mtx, "
        "each also with .gz)",
        path));
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

// The file of names beside an .nl file: model.col beside model.nl.
std::string names_file(const std::string& path) {
  const bool is_nl = path.ends_with(".nl");
  return is_nl ? path.substr(0, path.size() - 2) + "col" : std::string();
}

std::string read_names(const std::string& path) {
  const std::string names = names_file(path);
  return !names.empty() && std::filesystem::exists(names) ? read_text_file(names) : std::string();
}

void write_names(const Problem& problem, const std::string& path) {
  const std::string file = names_file(path);
  const auto has_line_break = [](const std::string& name) {
    return name.find_first_of("\r\n") != std::string::npos;
  };
  if (file.empty()) return;
  std::string text;
  if (std::ranges::none_of(problem.variables, has_line_break)) {
    for (const std::string& name : problem.variables) text += name + '\n';
  }
  if (!text.empty()) {
    write_text_file(file, text);
  } else {
    std::error_code ignored;  // names of an older problem must not stand beside this one
    std::filesystem::remove(file, ignored);
  }
}

// A model.col without its model.nl belongs to somebody else, and is neither replaced nor removed.
void expect_own_names(const std::string& path) {
  const std::string file = names_file(path);
  if (!file.empty() && std::filesystem::exists(file) && !std::filesystem::exists(path)) {
    throw InputError(fmt::format(
        "{}: is there and would be taken for the names of {}; name another file", file, path));
  }
}

std::string to_format(const Problem& problem, const std::string& format) {
  if (format == "nl") return problem_to_nl(problem);
  if (format == "mof") return problem_to_mof(problem);
  if (format == "fclib") return problem_to_fclib(problem);
  return problem_to_text(problem);
}

// One file a field: model.M.mtx, model.q.mtx, ... for model.mtx.
std::vector<std::string> write_matrix_market(const Problem& problem, const std::string& path) {
  std::string first = path, ending;
  for (const std::string_view part : {".gz", ".mtx"}) {
    if (!first.ends_with(part)) continue;
    first.resize(first.size() - part.size());
    ending.insert(0, part);
  }
  std::vector<std::string> files;
  for (const auto& [field, text] : problem_to_matrix_market(problem)) {
    files.push_back(fmt::format("{}.{}{}", first, field, ending));
    write_text_file(files.back(), text);
  }
  return files;
}

std::string stem(const std::string& path) {
  std::string name = std::filesystem::path(path).filename().string();
  for (const std::string_view ending : {".gz", ".json", ".mof", ".nl", ".dat", ".txt", ".hdf5",
                                        ".h5", ".qps", ".QPS", ".mps", ".MPS", ".sif", ".SIF"}) {
    if (name.ends_with(ending)) name.resize(name.size() - ending.size());
  }
  return name;
}

}  // namespace

const std::vector<FormatInfo>& problem_formats() {
  static const std::vector<FormatInfo> formats = {{"perp", ".json", ".json, .json.gz"},
                                                  {"mof", ".mof.json", ".mof.json"},
                                                  {"nl", ".nl", ".nl"},
                                                  {"fclib", ".hdf5", ".hdf5, .h5"},
                                                  {"qps", ".qps", ".qps, .mps, .sif", true, false},
                                                  {"siconos", ".dat", ".dat, .txt", true, false},
                                                  {"mtx", ".mtx", ".mtx", false, true}};
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
  Problem problem = chosen == "nl"      ? problem_from_nl(text, read_names(path), shown)
                    : chosen == "mof"   ? problem_from_mof(text, shown)
                    : chosen == "fclib" ? problem_from_fclib(text, shown)
                    : chosen == "qps"   ? problem_from_qps(text, shown)
                                        : problem_from_siconos_text(text, shown);
  if (problem.name.empty()) problem.name = to_utf8(stem(path));
  return problem;
}

std::vector<std::string> write_problem(const Problem& problem, const std::string& path,
                                       const std::string& format) {
  const std::string chosen = format_of(path, format, true);
  try {
    if (chosen == "mtx") return write_matrix_market(problem, path);
    if (chosen == "nl") expect_own_names(path);
    write_text_file(path, to_format(problem, chosen));
    if (chosen == "nl") write_names(problem, path);
  } catch (const std::invalid_argument& error) {
    throw InputError(fmt::format("{}: {}", path, error.what()));
  }
  return {path};
}

}  // namespace perp
