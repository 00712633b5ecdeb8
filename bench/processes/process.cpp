#include <perp/bench/processes/interrupt.hpp>
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
#include <new>
#include <stdexcept>
#include <thread>
#include <utility>

namespace perp {

namespace {

constexpr double kGrace = 0.2;                  // s that a killed child's pipe may stay open
constexpr std::size_t kMostOutput = 1U << 30U;  // bytes
constexpr std::size_t kErrorTail = 4096;        // bytes
constexpr int kReadsAtOnce = 64;                // of standard error; limits are looked at between

// Address space in use, from /proc/self/statm; the limit is set on top of it.
double mapped_mb() {
  long pages = 0;
  if (std::FILE* file = std::fopen("/proc/self/statm", "r")) {
    if (std::fscanf(file, "%ld", &pages) != 1) pages = 0;
    std::fclose(file);
  }
  return static_cast<double>(pages) * static_cast<double>(sysconf(_SC_PAGESIZE)) / 1048576.0;
}

void limit_memory(double megabytes) {
  if (megabytes <= 0) return;
  const rlim_t bytes = static_cast<rlim_t>((megabytes + mapped_mb()) * 1048576.0);
  const rlimit limit{bytes, bytes};
  setrlimit(RLIMIT_AS, &limit);
}

void limit_cpu(double seconds) {
  if (seconds <= 0) return;
  const rlim_t whole = static_cast<rlim_t>(seconds) + 2;
  const rlimit limit{whole, whole + 1};
  setrlimit(RLIMIT_CPU, &limit);
}

void make_pipe(int fds[2]) {
  if (pipe2(fds, O_CLOEXEC) != 0) throw std::runtime_error("cannot create a pipe");
}

void do_not_block(int fd) { fcntl(fd, F_SETFL, O_NONBLOCK); }

}  // namespace

double now_seconds() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

Child::Child(Child&& other) noexcept { *this = std::move(other); }

Child& Child::operator=(Child&& other) noexcept {
  std::swap(pid_, other.pid_);
  std::swap(fd_, other.fd_);
  std::swap(started_, other.started_);
  std::swap(part_started_, other.part_started_);
  std::swap(wall_limit_, other.wall_limit_);
  std::swap(killed_at_, other.killed_at_);
  std::swap(limit_hit_, other.limit_hit_);
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

Child Child::fork_and_run(const std::function<int(int)>& work, double wall_limit,
                          double memory_limit_mb, int parts) {
  int fds[2];
  make_pipe(fds);
  std::fflush(nullptr);
  const pid_t parent = getpid();
  const pid_t pid = fork();
  if (pid < 0) throw std::runtime_error("cannot start a process");
  if (pid == 0) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent) _exit(1);  // it died in between
    setpgid(0, 0);
    signal(SIGINT, SIG_IGN);
    for (const int s : {SIGTERM, SIGHUP}) signal(s, SIG_DFL);
    close(fds[0]);
    limit_memory(memory_limit_mb);
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
  setpgid(pid, pid);  // as in the child, whoever comes first
  close(fds[1]);
  do_not_block(fds[0]);
  Child child;
  child.pid_ = pid;
  child.fd_ = fds[0];
  child.started_ = child.part_started_ = now_seconds();
  child.wall_limit_ = wall_limit;
  return child;
}

void Child::kill() {
  if (pid_ <= 0) return;
  ::kill(-pid_, SIGKILL);
  ::kill(pid_, SIGKILL);
  if (killed_at_ <= 0) killed_at_ = now_seconds();
}

void Child::next_part() { part_started_ = now_seconds(); }

void Child::kill_if_late() {
  if (wall_limit_ <= 0 || now_seconds() - part_started_ <= wall_limit_) return;
  limit_hit_ = true;
  kill();
}

// @return false once the pipe has come to its end
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

bool Child::poll(double seconds) {
  if (pid_ <= 0) return true;
  kill_if_late();
  if (fd_ >= 0) {
    pollfd wait{fd_, POLLIN, 0};
    const bool ready = ::poll(&wait, 1, static_cast<int>(seconds * 1000)) > 0;
    const bool open = !ready || read_output();
    // What has left the process group may hold the pipe of a child that was killed.
    const bool given_up = killed_at_ > 0 && now_seconds() - killed_at_ > kGrace;
    if (open && !given_up) return false;
    close(fd_);
    fd_ = -1;
  }
  return reap(seconds);
}

// The pipe is closed; a child that lingers is still bound to its limit.
bool Child::reap(double seconds) {
  int status = 0;
  rusage usage{};
  if (wait4(pid_, &status, WNOHANG, &usage) == 0) {
    std::this_thread::sleep_for(std::chrono::duration<double>(std::min(seconds, 1e-3)));
    return false;
  }
  report_.wall = now_seconds() - started_;
  report_.peak_memory_mb = static_cast<double>(usage.ru_maxrss) / 1024.0;
  const bool signalled = WIFSIGNALED(status);
  report_.code = signalled ? WTERMSIG(status) : WEXITSTATUS(status);
  const bool cpu_limit = signalled && report_.code == SIGXCPU;
  report_.end = limit_hit_ || cpu_limit ? ChildReport::End::kKilledByLimit
                : signalled             ? ChildReport::End::kSignalled
                                        : ChildReport::End::kExited;
  pid_ = -1;
  return true;
}

namespace {

// What a command reads and writes besides its standard output, without ever waiting for it.
class Streams {
 public:
  explicit Streams(std::string_view input) : input_(input) {
    make_pipe(in_);
    make_pipe(errors_);
  }
  Streams(const Streams&) = delete;
  Streams& operator=(const Streams&) = delete;
  ~Streams() {
    for (const int fd : {in_[0], in_[1], errors_[0], errors_[1]}) {
      if (fd >= 0) close(fd);
    }
  }

  // In the child.
  void become_standard() const {
    dup2(in_[0], STDIN_FILENO);
    dup2(errors_[1], STDERR_FILENO);
  }

  // In the parent, once there is a child.
  void keep_own_ends() {
    shut(in_[0]);
    shut(errors_[1]);
    do_not_block(in_[1]);
    do_not_block(errors_[0]);
  }

  // Waits until there is something to do for the child or for its output.
  void wait(int output) const {
    std::array<pollfd, 3> fds = {pollfd{output, POLLIN, 0}, pollfd{errors_[0], POLLIN, 0},
                                 pollfd{in_[1], POLLOUT, 0}};
    ::poll(fds.data(), fds.size(), output < 0 ? 1 : 50);
  }

  void serve() {
    feed();
    for (int k = 0; k < kReadsAtOnce && pass_errors(); ++k) {
    }
  }

  std::string last_errors() { return std::move(tail_); }

 private:
  static void shut(int& fd) {
    close(fd);
    fd = -1;
  }

  void feed() {
    if (in_[1] < 0) return;
    if (!input_.empty()) {
      const ssize_t put = write(in_[1], input_.data(), input_.size());
      if (put > 0) input_.remove_prefix(static_cast<std::size_t>(put));
      if (put < 0 && errno != EAGAIN && errno != EINTR) input_ = {};  // it does not read: so be it
    }
    if (input_.empty()) shut(in_[1]);
  }

  // @return whether there may be more at once
  bool pass_errors() {
    if (errors_[0] < 0) return false;
    std::array<char, 4096> buffer;
    const ssize_t got = read(errors_[0], buffer.data(), buffer.size());
    if (got < 0) return errno == EINTR;
    if (got == 0) {
      shut(errors_[0]);
      return false;
    }
    const std::string_view text(buffer.data(), static_cast<std::size_t>(got));
    std::fwrite(text.data(), 1, text.size(), stderr);
    tail_ += text;
    if (tail_.size() > kErrorTail) tail_.erase(0, tail_.size() - kErrorTail);
    return true;
  }

  std::string_view input_;
  int in_[2], errors_[2];
  std::string tail_;
};

}  // namespace

ChildReport run_command(const std::string& command, const std::string& input, double wall_limit,
                        const std::vector<std::pair<std::string, std::string>>& environment) {
  Watchdog::start();
  const auto previous = signal(SIGPIPE, SIG_IGN);
  Streams streams(input);
  Child child = Child::fork_and_run(
      [&](int write_fd) {
        streams.become_standard();
        dup2(write_fd, STDOUT_FILENO);
        for (const int s : {SIGINT, SIGPIPE, SIGXFSZ}) signal(s, SIG_DFL);
        for (const auto& [name, value] : environment) setenv(name.c_str(), value.c_str(), 1);
        execl("/bin/sh", "sh", "-c", command.c_str(), static_cast<char*>(nullptr));
        return 127;
      },
      wall_limit, 0.0);
  const pid_t group = child.pid();
  Watchdog::watch(group);
  streams.keep_own_ends();
  bool interrupted = false;
  while (true) {
    streams.wait(child.output());
    streams.serve();
    if (child.poll(0.0)) break;
    if (interrupt_signal() != 0 && !interrupted) {
      interrupted = true;
      child.kill();
    }
  }
  ::kill(-group, SIGKILL);  // what it left behind
  Watchdog::forget(group);
  streams.serve();
  signal(SIGPIPE, previous);
  ChildReport report = child.report();
  report.last_errors = streams.last_errors();
  if (interrupted) report.end = ChildReport::End::kInterrupted;
  return report;
}

}  // namespace perp
