// A sparse LCP of a million unknowns is read in the memory of about its file, and without quadratic
// work.
#include "support.hpp"

#include <perp/bench/processes/process.hpp>
#include <perp/problems/io/files.hpp>
#include <perp/problems/io/problem_file.hpp>

#include <unistd.h>
#include <filesystem>

namespace perp::test {
namespace {

// Seconds of CPU and peak memory of reading a file in a process of its own.
struct Cost {
  double seconds, peak_mb, file_mb;
  bool good;
};

Cost cost_of_reading(int grid) {
  namespace fs = std::filesystem;
  const fs::path path =
      fs::temp_directory_path() / ("perp-large-" + std::to_string(getpid()) + ".json");
  Child writer = Child::fork_and_run(
      [&](int) {
        write_problem(generate(find_family("obstacle"), grid, 1), path.string());
        return 0;
      },
      300, 0);
  while (!writer.poll(0.1)) {
  }
  Child reader = Child::fork_and_run(
      [&](int) { return read_problem(path.string()).size() == grid * grid ? 0 : 1; }, 300, 0);
  while (!reader.poll(0.1)) {
  }
  const Cost cost{reader.report().wall, reader.report().peak_memory_mb,
                  static_cast<double>(fs::file_size(path)) / 1048576.0,
                  reader.report().end == ChildReport::End::kExited && reader.report().code == 0};
  fs::remove(path);
  return cost;
}

TEST(LargeFile, MillionUnknownsAreReadInProportionateTimeAndMemory) {
  const Cost quarter = cost_of_reading(500), whole = cost_of_reading(1000);
  ASSERT_TRUE(quarter.good && whole.good);
  EXPECT_LT(whole.peak_mb, 6.0 * whole.file_mb + 100.0) << "file " << whole.file_mb << " MB";
  EXPECT_LT(whole.seconds / quarter.seconds, 12.0) << "four times the file";
  RecordProperty("seconds", std::to_string(whole.seconds));
  RecordProperty("peak_mb", std::to_string(whole.peak_mb));
  RecordProperty("file_mb", std::to_string(whole.file_mb));
}

}  // namespace
}  // namespace perp::test
