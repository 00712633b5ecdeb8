#include <perp/bench/data/data_files.hpp>

#include <cstdlib>

namespace perp {

std::filesystem::path data_root() {
  namespace fs = std::filesystem;
  if (const char* given = std::getenv("PERP_DATA")) return given;
  std::error_code error;
  const fs::path program = fs::read_symlink("/proc/self/exe", error);
  const fs::path installed = program.parent_path().parent_path() / "share" / "perp";
  if (!error && fs::exists(installed / "problems" / "suites")) return installed;
  return PERP_SOURCE_DATA;
}

}  // namespace perp
