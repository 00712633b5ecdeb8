#include <perp/bench/processes/interrupt.hpp>
#include <perp/bench/processes/pipes.hpp>
#include <perp/bench/processes/process.hpp>
#include <perp/bench/processes/watchdog.hpp>

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <new>
#include <stdexcept>
#include <thread>
#include <utility>

namespace perp {

namespace {

constexpr double kGrace = 0.2;                  // s that a killed child's pipe may stay open
constexpr std::size_t kMostOutput = 1U << 30U;  // bytes; a child that writes more is killed

// What exit_without_memory() was told last.
struct WithoutMemory {
  int code = 0;
  std::string_view line;
  std::terminate_handler otherwise = std::abort;
} without_memory;

void end_without_memory() {
  try {
    if (const std::exception_ptr thrown = std::current_exception()) std::rethrow_exception(thrown);
  } catch (const std::bad_alloc&) {
    const ssize_t written =
        write(STDERR_FILENO, without_memory.line.data(), without_memory.line.size());
    static_cast<void>(written);  // there is nobody left to tell
    _exit(without_memory.code);
  } catch (...) {
  }
  without_memory.otherwise();
}

// Limits the address space to twice the memory limit. This stops allocations that are too fast for
// the checks of MemoryWatch. Programs that the child starts have no such limit, because some
// reserve more than they use.
void limit_address_space(double megabytes) {
  if (megabytes <= 0) return;
  rlimit limit{};
  getrlimit(RLIMIT_AS, &limit);
  limit.rlim_cur = std::min(
      limit.rlim_max, static_cast<rlim_t>((2.0 * megabytes + memory_use(0).mapped) * 1048576.0));
  setrlimit(RLIMIT_AS, &limit);
}

double own_memory_limit = 0.0;  // MB; 0: none

void limit_cpu(double seconds) {
  if (seconds <= 0) return;
  // The clock stops what takes too long. This is for what nobody watches any more, and may have
  // threads on all cores.
  const double cores = std::max(1u, std::thread::hardware_concurrency());
  const rlim_t whole = static_cast<rlim_t>(seconds * cores) + 2;
  const rlimit limit{whole, whole + 1};
  setrlimit(RLIMIT_CPU, &limit);
}

}  // namespace

double memory_limit_mb() { return own_memory_limit; }

Child::Child(Child&& other) noexcept { *this = std::move(other); }

Child& Child::operator=(Child&& other) noexcept {
  std::swap(pid_, other.pid_);
  std::swap(fd_, other.fd_);
  std::swap(started_, other.started_);
  std::swap(part_started_, other.part_started_);
  std::swap(wall_limit_, other.wall_limit_);
  std::swap(killed_at_, other.killed_at_);
  std::swap(limit_hit_, other.limit_hit_);
  std::swap(memory_, other.memory_);
  std::swap(report_, other.report_);
  return *this;
}

Child::~Child() {
  if (pid_ > 0) {
    kill();
    while (!poll(0.1)) {
    }
  }
}

void exit_without_memory(int code, std::string_view line) {
  without_memory.code = code;
  without_memory.line = line;
  const std::terminate_handler before = std::set_terminate(end_without_memory);
  if (before != end_without_memory) without_memory.otherwise = before;
}

Child Child::fork_and_run(const std::function<int(int)>& work, double wall_limit,
                          double most_memory_mb, int parts) {
  int fds[2];
  make_pipe(fds);
  std::fflush(nullptr);
  const pid_t parent = getpid();
  const double before = memory_use(0).resident;
  const pid_t pid = fork();
  if (pid < 0) throw std::runtime_error("cannot start a process");
  if (pid == 0) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent) _exit(1);  // the parent died in the meantime
    setpgid(0, 0);
    signal(SIGINT, SIG_IGN);
    for (const int s : {SIGTERM, SIGHUP}) signal(s, SIG_DFL);
    close(fds[0]);
    own_memory_limit = most_memory_mb;
    exit_without_memory(kOutOfMemoryExit, "");
    limit_address_space(most_memory_mb);
    limit_cpu(wall_limit * parts);
    int code = 1;
    try {
      code = work(fds[1]);
    } catch (const std::bad_alloc&) {
      code = kOutOfMemoryExit;
    } catch (...) {
      code = 1;
    }
    Watchdog::stop();
    _exit(code);
  }
  setpgid(pid, pid);  // the child does the same; the first of the two takes effect
  close(fds[1]);
  do_not_block(fds[0]);
  Child child;
  child.pid_ = pid;
  child.fd_ = fds[0];
  child.started_ = child.part_started_ = now_seconds();
  child.wall_limit_ = wall_limit;
  child.memory_ = MemoryWatch(pid, false, most_memory_mb, before);
  return child;
}

void Child::kill() {
  if (pid_ <= 0) return;
  ::kill(-pid_, SIGKILL);
  ::kill(pid_, SIGKILL);
  if (killed_at_ <= 0) killed_at_ = now_seconds();
}

void Child::next_part() { part_started_ = now_seconds(); }

void Child::next_part(double wall_limit) {
  wall_limit_ = wall_limit;
  next_part();
}

void Child::watch_family(double most_memory_mb) {
  memory_ = MemoryWatch(pid_, true, most_memory_mb);
}

std::string Child::take_output() { return std::exchange(report_.output, {}); }

void Child::kill_if_beyond_limits() {
  if (killed_at_ > 0) return;
  limit_hit_ = wall_limit_ > 0 && now_seconds() - part_started_ > wall_limit_;
  if (limit_hit_ || memory_.exceeded()) kill();
}

// @return false once the pipe has ended
bool Child::read_output() {
  std::array<char, 1 << 16> buffer;
  const ssize_t got = read(fd_, buffer.data(), buffer.size());
  if (got < 0) return errno == EAGAIN || errno == EINTR;
  report_.output.append(buffer.data(), static_cast<std::size_t>(got));
  if (report_.output.size() > kMostOutput) {
    report_.too_much = true;
    kill();
  }
  return got > 0;
}

bool Child::has_exited() const {
  siginfo_t info{};
  return waitid(P_PID, static_cast<id_t>(pid_), &info, WEXITED | WNOHANG | WNOWAIT) == 0 &&
         info.si_pid == pid_;
}

// Takes what a child that has ended has left in the pipe. Processes that it left behind may keep
// the pipe open; they are killed, unless they have left its group.
void Child::drain() {
  ::kill(-pid_, SIGKILL);
  for (std::size_t before = report_.output.size() + 1; before != report_.output.size();) {
    before = report_.output.size();
    if (!read_output() || report_.too_much) return;
  }
}

bool Child::poll(double seconds) {
  if (pid_ <= 0) return true;
  kill_if_beyond_limits();
  if (memory_.watches()) seconds = std::min(seconds, MemoryWatch::kInterval);
  if (fd_ >= 0) {
    pollfd wait{fd_, POLLIN, 0};
    const bool ready = ::poll(&wait, 1, static_cast<int>(seconds * 1000)) > 0;
    bool open = !ready || read_output();
    if (open && has_exited()) {
      drain();
      open = false;
    }
    // A process that left the group may keep the pipe of a killed child open.
    const bool given_up = killed_at_ > 0 && now_seconds() - killed_at_ > kGrace;
    if (open && !given_up) return false;
    close(fd_);
    fd_ = -1;
  }
  return reap(seconds);
}

// The pipe is closed. A child that does not end is still subject to its limits.
bool Child::reap(double seconds) {
  int status = 0;
  rusage usage{};
  if (wait4(pid_, &status, WNOHANG, &usage) == 0) {
    std::this_thread::sleep_for(std::chrono::duration<double>(std::min(seconds, 1e-3)));
    return false;
  }
  report_.wall = now_seconds() - started_;
  const double largest = std::max(memory_.peak_mb(), static_cast<double>(usage.ru_maxrss) / 1024.0);
  report_.peak_memory_mb = std::max(0.0, largest - memory_.before_mb());
  const bool signalled = WIFSIGNALED(status);
  report_.code = signalled ? WTERMSIG(status) : WEXITSTATUS(status);
  const bool cpu_limit = signalled && report_.code == SIGXCPU;
  const bool out_of_memory = memory_.exceeded();
  report_.end = limit_hit_ || cpu_limit ? ChildReport::End::kKilledByLimit
                : out_of_memory         ? ChildReport::End::kOutOfMemory
                : signalled             ? ChildReport::End::kSignalled
                                        : ChildReport::End::kExited;
  pid_ = -1;
  return true;
}

}  // namespace perp
