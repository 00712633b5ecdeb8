#include <perp/bench/processes/memory_watch.hpp>

#include <fmt/format.h>
#include <unistd.h>
#include <algorithm>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <string>

namespace perp {

namespace fs = std::filesystem;

double now_seconds() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

MemoryUse memory_use(pid_t process) {
  std::ifstream file(process > 0 ? fmt::format("/proc/{}/statm", process) : "/proc/self/statm");
  long mapped = 0, resident = 0;
  if (!(file >> mapped >> resident)) return {};
  const double megabytes = static_cast<double>(sysconf(_SC_PAGESIZE)) / 1048576.0;
  return {megabytes * static_cast<double>(mapped), megabytes * static_cast<double>(resident)};
}

double resident_with_descendants(pid_t process) {
  double sum = memory_use(process).resident;
  std::error_code error;
  for (fs::directory_iterator thread(fmt::format("/proc/{}/task", process), error), end;
       !error && thread != end; thread.increment(error)) {
    std::ifstream children(thread->path() / "children");
    for (pid_t child = 0; children >> child;) sum += resident_with_descendants(child);
  }
  return sum;
}

// See proc(5): 5 in clear_refs sets VmHWM to the present resident memory.
bool PeakMemory::reset() {
  return static_cast<bool>(std::ofstream("/proc/self/clear_refs") << 5 << std::flush);
}

double PeakMemory::mb() {
  std::ifstream file("/proc/self/status");
  for (std::string word; file >> word;) {
    double kilobytes = 0.0;
    if (word == "VmHWM:") return file >> kilobytes ? kilobytes / 1024.0 : 0.0;
  }
  return 0.0;
}

MemoryWatch::MemoryWatch(pid_t process, bool with_descendants, double limit_mb, double before_mb)
    : process_(process),
      with_descendants_(with_descendants),
      limit_mb_(limit_mb),
      before_mb_(before_mb) {}

bool MemoryWatch::exceeded() {
  const double now = now_seconds();
  if (!watches() || exceeded_ || now - looked_ < kInterval) return exceeded_;
  looked_ = now;
  const double used =
      with_descendants_ ? resident_with_descendants(process_) : memory_use(process_).resident;
  peak_mb_ = std::max(peak_mb_, used);
  exceeded_ = used - before_mb_ > limit_mb_;
  return exceeded_;
}

}  // namespace perp
