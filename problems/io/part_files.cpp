#include <perp/problems/io/part_files.hpp>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <algorithm>
#include <filesystem>
#include <perp/problems/io/csv_matrix.hpp>
#include <perp/problems/io/files.hpp>
#include <perp/problems/io/matrix_market.hpp>
#include <perp/problems/io/problem_parts.hpp>
#include <perp/problems/json/text.hpp>

namespace perp {

namespace {

constexpr std::string_view kMtx = ".mtx", kCsv = ".csv", kPacked = ".gz";

// What the name of a file says: BEFORE FIELD ENDING, with "FOLDER/" or "FOLDER/NAME." before.
struct PartName {
  std::string before, field, ending;
};

std::string_view packed_ending(std::string_view path) {
  return path.ends_with(kPacked) ? kPacked : std::string_view();
}

// The path without .gz and without the ending, or else the extension, that is behind it.
std::string without_ending(const std::string& path, std::string_view ending) {
  std::string_view rest = path;
  rest.remove_suffix(packed_ending(rest).size());
  if (rest.ends_with(ending)) {
    rest.remove_suffix(ending.size());
  } else {
    const std::size_t extension = std::filesystem::path(rest).extension().native().size();
    rest.remove_suffix(extension);
  }
  return std::string(rest);
}

PartName take_apart(const std::string& path, std::string_view ending) {
  PartName name;
  name.before = without_ending(path, ending);
  name.ending = path.substr(name.before.size());
  name.ending.resize(name.ending.size() - packed_ending(name.ending).size());
  const std::size_t cut = name.before.find_last_of("/.");
  const std::size_t first = cut == std::string::npos ? 0 : cut + 1;
  name.field = name.before.substr(first);
  name.before.resize(first);
  return name;
}

std::string shown_file(const std::string& path) { return path == "-" ? "standard input" : path; }

bool is_file(const std::string& path) {
  std::error_code unknown;
  return std::filesystem::is_regular_file(path, unknown);
}
bool is_folder(const std::string& path) {
  std::error_code unknown;
  return std::filesystem::is_directory(path, unknown);
}

// The file of a field, packed or not; "" if there is none.
std::string find_part(const std::string& before, std::string_view field, std::string_view ending) {
  const std::string plain = fmt::format("{}{}{}", before, field, ending);
  const std::string packed = plain + std::string(kPacked);
  if (!is_file(packed)) return is_file(plain) ? plain : "";
  if (is_file(plain))
    throw InputError(fmt::format("{}: is there twice, packed and not; take one away", plain));
  return packed;
}

PartFiles find_parts(const std::string& before, std::string_view ending) {
  PartFiles files;
  for (const std::string_view field : part_fields()) {
    if (std::string file = find_part(before, field, ending); !file.empty())
      files.emplace(field, std::move(file));
  }
  return files;
}

std::set<std::string, std::less<>> fields_of(const PartFiles& files) {
  std::set<std::string, std::less<>> fields;
  for (const auto& [field, file] : files) fields.insert(field);
  return fields;
}

// Before anything is read: the files that are missing by their names.
void expect_complete(const std::string& path, const PartFiles& files, const PartName& name) {
  const KindOfParts found = kind_of_parts(fields_of(files));
  if (found.kind.empty()) {
    throw InputError(fmt::format(
        "{}: the files {}{{{}}}{} make no problem together; take some away, or name those that "
        "belong to M by --q, --lower, --upper",
        path, name.before, fmt::join(fields_of(files), ","), name.ending));
  }
  if (found.missing.empty()) return;
  const std::string_view field = found.missing[0];
  throw InputError(
      fmt::format("{}: field \"{}\": is missing: {} has it, and there is no file {}{}{}", path,
                  field, found.kind, name.before, field, name.ending));
}

std::string name_of_problem(const std::string& before) {
  namespace fs = std::filesystem;
  if (before.ends_with('.'))
    return fs::path(before.substr(0, before.size() - 1)).filename().string();
  std::error_code unknown;
  const fs::path folder = fs::absolute(before.empty() ? "." : before, unknown).lexically_normal();
  return (folder.has_filename() ? folder : folder.parent_path()).filename().string();
}

// Where the parts stand that a path means.
PartName place_of_parts(const std::string& path, std::string_view ending) {
  if (is_folder(path)) return {path.ends_with('/') ? path : path + "/", "", std::string(ending)};
  PartName name = take_apart(path, ending);
  if (is_file(path) && is_part_field(name.field)) return name;
  const std::string stem = without_ending(path, ending) + ".";
  std::error_code unknown;
  if (path != "-" && !std::filesystem::exists(path, unknown)) {
    if (find_parts(stem, ending).empty()) throw InputError(fmt::format("{}: no such file", path));
    return {stem, "", std::string(ending)};
  }
  throw InputError(fmt::format(
      "{}: is a matrix alone: name the file of q by --q, or call the files NAME.M{} and NAME.q{}",
      shown_file(path), ending, ending));
}

std::string_view ending_of_file(std::string_view path, std::string_view otherwise) {
  path.remove_suffix(packed_ending(path).size());
  return path.ends_with(kMtx) ? kMtx : path.ends_with(kCsv) ? kCsv : otherwise;
}

ProblemPart read_part(const std::string& path, std::string_view field, std::string_view ending) {
  ProblemPart part;
  part.file = shown_file(path);
  const std::string text = read_text_file(path);
  const auto infinities = may_be_infinite(field) ? Infinities::kAllowed : Infinities::kRefused;
  if (ending_of_file(path, ending) == kCsv) {
    part.matrix = Matrix(matrix_from_csv(text, part.file, infinities));
  } else {
    part.matrix = matrix_from_market(text, part.file, infinities);
  }
  return part;
}

}  // namespace

bool leads_parts(const std::string& path) {
  const std::string_view ending = ending_of_file(path, "");
  if (ending.empty()) return false;
  const PartName name = take_apart(path, ending);
  if (name.field == "A") return find_part(name.before, "P", ending).empty();
  return name.field == "M" || name.field == "H" || name.field == "P" || name.field == "W";
}

std::optional<std::string_view> ending_of_parts(const std::string& folder) {
  std::optional<std::string_view> found;
  std::string first;
  for (const std::string_view ending : {kMtx, kCsv}) {
    const PartFiles files = find_parts(folder.ends_with('/') ? folder : folder + "/", ending);
    if (files.empty()) continue;
    if (found) {
      throw InputError(fmt::format("{}: holds problems in .mtx and in .csv; name a file: {} or {}",
                                   folder, first, files.begin()->second));
    }
    found = ending;
    first = files.begin()->second;
  }
  return found;
}

std::vector<std::string> files_of_parts(const std::string& path, std::string_view ending,
                                        const PartFiles& given) {
  std::vector<std::string> files;
  if (!given.empty()) files.push_back(path);
  for (const auto& [field, file] :
       given.empty() ? find_parts(place_of_parts(path, ending).before, ending) : given)
    files.push_back(file);
  return files;
}

Problem read_parts(const std::string& path, std::string_view ending, const PartFiles& given) {
  PartFiles files = given;
  std::string name;
  if (given.empty()) {
    const PartName place = place_of_parts(path, ending);
    files = find_parts(place.before, place.ending);
    expect_complete(path, files, place);
    name = name_of_problem(place.before);
  } else {
    files.emplace("M", path);
    name = std::filesystem::path(without_ending(path, ending)).filename().string();
  }
  std::map<std::string, ProblemPart, std::less<>> parts;
  for (const auto& [field, file] : files) parts.emplace(field, read_part(file, field, ending));
  Problem problem = problem_from_parts(std::move(parts), shown_file(path));
  problem.name = to_utf8(name);
  return problem;
}

}  // namespace perp
