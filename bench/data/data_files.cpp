#include <perp/bench/data/data_files.hpp>

#include <cstdlib>

namespace perp {

namespace {

std::filesystem::path& said_root() {
  static std::filesystem::path root;
  return root;
}

}  // namespace

void set_data_root(const std::filesystem::path& folder) { said_root() = folder; }

std::filesystem::path data_root() {
  namespace fs = std::filesystem;
  if (const char* given = std::getenv("PERP_DATA")) return given;
  if (!said_root().empty()) return said_root();
  std::error_code error;
  const fs::path program = fs::read_symlink("/proc/self/exe", error);
  const fs::path installed = program.parent_path().parent_path() / "share" / "perp";
  if (!error && fs::exists(installed / "problems" / "suites")) return installed;
  return PERP_SOURCE_DATA;
}

}  // namespace perp
