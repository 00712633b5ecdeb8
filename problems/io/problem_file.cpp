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
#include <perp/problems/io/problem_parts.hpp>
#include <perp/problems/io/qps.hpp>
#include <perp/problems/io/sequence.hpp>
#include <perp/problems/io/siconos_text.hpp>
#include <perp/problems/json/text.hpp>
#include <stdexcept>

namespace perp {

namespace {

// Without this the second line would be called text after the object.
void refuse_sequence(const std::string& text, const std::string& shown) {
  const std::string_view head = std::string_view(text).substr(0, text.find('\n')).substr(0, 200);
  if (head.find("\"perp-sequence\"") == std::string_view::npos) return;
  throw InputError(
      is_sequence_file(shown)
          ? fmt::format(
                "{}: is a sequence of problems, not one problem; {}:1 is the first of them, "
                "and perp bench solves all",
                shown, shown)
          : fmt::format("{}: is a sequence of problems, not one problem; in a file with a "
                        "name in .jsonl, perp bench solves all",
                        shown));
}

// The file of names beside an .nl file: model.col beside model.nl and model.nl.gz.
std::string names_file(const std::string& path) {
  std::string_view name = path;
  if (name.ends_with(".gz")) name.remove_suffix(3);
  return name.ends_with(".nl") ? std::string(name.substr(0, name.size() - 2)) + "col"
                               : std::string();
}

std::string read_names(const std::string& path) {
  const std::string names = names_file(path);
  return !names.empty() && std::filesystem::exists(names) ? read_text_file(names) : std::string();
}

// Adds the file to those written.
void write_names(const Problem& problem, const std::string& path, std::vector<std::string>& files) {
  const std::string file = names_file(path);
  if (file.empty()) return;
  std::string text;
  for (std::string name : problem.variables) {
    std::ranges::replace_if(
        name, [](char c) { return c == '\r' || c == '\n'; }, '_');
    text += name + '\n';
  }
  if (!text.empty()) {
    write_text_file(file, text);
    files.push_back(file);
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

// model and .mtx, or .mtx.gz, of model.mtx.
std::pair<std::string, std::string> split_mtx(const std::string& path) {
  std::string first = path, ending;
  for (const std::string_view part : {".gz", ".mtx"}) {
    if (!first.ends_with(part)) continue;
    first.resize(first.size() - part.size());
    ending.insert(0, part);
  }
  return {first, ending};
}

// Whether perp wrote this file of a field (problem_to_matrix_market has such a second line).
bool is_own_part(const std::string& file) {
  std::error_code error;
  if (!std::filesystem::is_regular_file(file, error)) return false;
  const std::string text = read_text_file(file);
  const std::size_t second = text.find('\n');
  return text.starts_with("%%MatrixMarket ") && second != std::string::npos &&
         std::string_view(text).substr(second + 1).starts_with("% perp ");
}

// One file a field: model.M.mtx, model.q.mtx, ... for model.mtx.
std::vector<std::string> write_mtx(const Problem& problem, const std::string& path) {
  const auto [first, ending] = split_mtx(path);
  std::vector<std::string> files;
  const auto fields = problem_to_matrix_market(problem);
  // Parts of an older problem must not stand beside those of this one: they would be read as its.
  // Files of somebody else are not removed.
  std::vector<std::string> older;
  for (const std::string_view field : part_fields()) {
    for (const std::string_view other : {".mtx", ".mtx.gz"}) {
      const std::string file = fmt::format("{}.{}{}", first, field, other);
      const bool is_own = other == ending && std::ranges::any_of(fields, [&](const auto& own) {
                            return own.first == field;
                          });
      std::error_code error;
      if (is_own || !std::filesystem::exists(file, error)) continue;
      if (!is_own_part(file)) {
        throw InputError(fmt::format(
            "{}: is there and would be taken for a part of {}; name another file", file, path));
      }
      older.push_back(file);
    }
  }
  for (const std::string& file : older) {
    std::error_code error;
    if (!std::filesystem::remove(file, error))
      throw InputError(fmt::format("{}: is of an older problem and cannot be removed", file));
  }
  for (const auto& [field, text] : fields) {
    files.push_back(fmt::format("{}.{}{}", first, field, ending));
    write_text_file(files.back(), text);
  }
  return files;
}

Problem read_perp(const std::string& path, const std::string& shown, const PartFiles&) {
  const std::string text = read_text_file(path);
  refuse_sequence(text, shown);
  return problem_from_text(text, shown);
}

Problem read_mtx(const std::string& path, const std::string&, const PartFiles& given) {
  return read_parts(path, ".mtx", given);
}
Problem read_csv_parts(const std::string& path, const std::string&, const PartFiles& given) {
  return read_parts(path, ".csv", given);
}

Problem read_nl(const std::string& path, const std::string& shown, const PartFiles&) {
  const std::string text = read_text_file(path);
  return problem_from_nl(text, read_names(path), shown);
}

// Formats that are one text a file.
template <auto from_text>
Problem read_with(const std::string& path, const std::string& shown, const PartFiles&) {
  return from_text(read_text_file(path), shown);
}
std::vector<std::string> write_one(const Problem& problem, const std::string& path,
                                   const FormatInfo& format) {
  expect_own_names(path);
  write_text_file(path, format.to_text(problem));
  std::vector<std::string> files{path};
  write_names(problem, path, files);
  return files;
}

std::string_view without_gz(std::string_view path) {
  if (path.ends_with(".gz")) path.remove_suffix(3);
  return path;
}

// The longest ending of all formats that a path has. @return nullptr if it has none
const FormatInfo* by_ending(std::string_view path, std::string_view& ending) {
  const FormatInfo* found = nullptr;
  for (const FormatInfo& f : problem_formats()) {
    for (const std::string_view e : f.endings) {
      if (!without_gz(path).ends_with(e) || (found && e.size() <= ending.size())) continue;
      found = &f;
      ending = e;
    }
  }
  return found;
}

// The path, or of a folder with matrices a name with their ending.
std::string file_that_tells(const std::string& path) {
  std::error_code unknown;
  if (!std::filesystem::is_directory(path, unknown)) return path;
  const auto ending = ending_of_parts(path);
  if (!ending)
    throw InputError(fmt::format("{}: is a directory, and holds no M.mtx or M.csv", path));
  return std::string(*ending);
}

bool serves(const FormatInfo& f, bool write) { return write ? f.can_write() : f.read != nullptr; }

const FormatInfo& format_of(const std::string& path, const std::string& name, bool write) {
  std::vector<std::string_view> names, endings;
  for (const FormatInfo& f : problem_formats()) {
    if (!serves(f, write)) continue;
    if (f.name == name) return f;
    names.push_back(f.name);
    endings.insert(endings.end(), f.endings.begin(), f.endings.end());
  }
  if (!name.empty())
    throw InputError(fmt::format("{}: format \"{}\" is not among those that can be {}: {}", path,
                                 name, write ? "written" : "read", fmt::join(names, ", ")));
  std::string_view ending;
  const FormatInfo* found = by_ending(write ? path : file_that_tells(path), ending);
  if (found && serves(*found, write)) return *found;
  if (write && path != "-")
    throw InputError(
        fmt::format("{}: the ending names no format that can be written ({}, each also with .gz)",
                    path, fmt::join(endings, ", ")));
  return problem_formats().front();
}

// The name of a file without what its format and packing add.
std::string stem(const std::string& path) {
  const std::string file = std::filesystem::path(path).filename().string();
  std::string_view ending;
  by_ending(file, ending);
  const std::string_view name = without_gz(file);
  return std::string(name.substr(0, name.size() - ending.size()));
}

}  // namespace

std::string FormatInfo::endings_text() const { return fmt::format("{}", fmt::join(endings, ", ")); }

const std::vector<FormatInfo>& problem_formats() {
  static const std::vector<FormatInfo> formats = {
      {"perp", {".json"}, read_perp, problem_to_text},
      {"mof", {".mof.json"}, read_with<problem_from_mof>, problem_to_mof},
      {"nl", {".nl"}, read_nl, problem_to_nl},
      {"fclib", {".hdf5", ".h5"}, read_with<problem_from_fclib>, problem_to_fclib},
      {"qps",
       {".qps", ".mps", ".sif", ".QPS", ".MPS", ".SIF"},
       read_with<problem_from_qps>,
       nullptr},
      {"siconos", {".dat", ".txt"}, read_with<problem_from_siconos_text>, nullptr},
      {"mtx", {".mtx"}, read_mtx, nullptr, true, write_mtx},
      {"csv", {".csv"}, read_csv_parts, nullptr, true}};
  return formats;
}

bool is_in_parts(const std::string& path) {
  std::string_view ending;
  const FormatInfo* found = by_ending(path, ending);
  return found && found->in_parts;
}

Problem read_problem(const std::string& path, const std::string& format, const PartFiles& given) {
  const FormatInfo& chosen = format_of(path, format, false);
  const std::string shown = path == "-" ? "standard input" : path;
  if (!given.empty() && !chosen.in_parts) {
    throw InputError(
        fmt::format("{}: --{} goes with a matrix in Matrix Market or CSV, and this is read as {}",
                    shown, given.begin()->first, chosen.name));
  }
  if (const auto place = sequence_place(path); place && format.empty())
    return read_sequence_problem(*place);
  Problem problem = chosen.read(path, shown, given);
  const bool own = &chosen == &problem_formats().front();
  if (!own && problem.name.empty()) problem.name = to_utf8(stem(path));
  return problem;
}

std::vector<std::string> files_read(const std::string& path, const std::string& format,
                                    const PartFiles& given) {
  const FormatInfo& chosen = format_of(path, format, false);
  if (const auto place = sequence_place(path); place && format.empty()) return {place->file};
  if (chosen.in_parts) return files_of_parts(path, chosen.ending(), given);
  std::vector<std::string> files = {path};
  if (const std::string names = names_file(path); !names.empty()) files.push_back(names);
  return files;
}

std::vector<std::string> files_written(const std::string& path, const std::string& format) {
  const FormatInfo& chosen = format_of(path, format, true);
  std::vector<std::string> files;
  if (chosen.in_parts) {
    for (const std::string_view field : part_fields()) {
      for (const std::string_view ending : {".mtx", ".mtx.gz"})
        files.push_back(fmt::format("{}.{}{}", split_mtx(path).first, field, ending));
    }
    return files;
  }
  files.push_back(path);
  if (const std::string names = names_file(path); !names.empty()) files.push_back(names);
  return files;
}

std::vector<std::string> write_problem(const Problem& problem, const std::string& path,
                                       const std::string& format) {
  const FormatInfo& chosen = format_of(path, format, true);
  try {
    return chosen.to_text ? write_one(problem, path, chosen) : chosen.write_parts(problem, path);
  } catch (const std::invalid_argument& error) {
    throw InputError(fmt::format("{}: {}", path, error.what()));
  }
}

std::string problem_text(const Problem& problem, const std::string& format) {
  const FormatInfo& chosen = format_of("-", format, true);
  if (!chosen.to_text)
    throw InputError(fmt::format(
        "standard output: format {} writes a file for each matrix and vector", chosen.name));
  try {
    return chosen.to_text(problem);
  } catch (const std::invalid_argument& error) {
    throw InputError(fmt::format("standard output: {}", error.what()));
  }
}

}  // namespace perp
