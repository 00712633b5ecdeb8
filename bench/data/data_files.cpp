#include <perp/bench/data/data_files.hpp>

#include <fmt/format.h>
#include <cstdlib>
#include <perp/problems/json/json.hpp>
#include <perp/problems/json/text.hpp>

namespace perp {

namespace {

std::filesystem::path& said_root() {
  static std::filesystem::path root;
  return root;
}

std::filesystem::path& said_program() {
  static std::filesystem::path program;
  return program;
}

}  // namespace

void set_data_root(const std::filesystem::path& folder) { said_root() = folder; }

std::filesystem::path data_root() {
  namespace fs = std::filesystem;
  if (const char* given = std::getenv("PERP_DATA")) {
    std::error_code unknown;
    if (*given != '\0' && !fs::is_directory(given, unknown))
      throw InputError(fmt::format("PERP_DATA: {}: no such folder", shown(given)));
    return given;
  }
  if (!said_root().empty()) return said_root();
  const fs::path program = program_file();
  std::error_code error;
  const fs::path installed = program.parent_path().parent_path() / "share" / "perp";
  if (!program.empty() && fs::exists(installed / "problems" / "suites", error)) return installed;
  return PERP_SOURCE_DATA;
}

std::filesystem::path program_file() {
  if (!said_program().empty()) return said_program();
  std::error_code error;
  return std::filesystem::read_symlink("/proc/self/exe", error);
}

void set_program_file(const std::filesystem::path& file) { said_program() = file; }

}  // namespace perp
