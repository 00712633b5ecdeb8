#include <perp/bench/harness/process.hpp>

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
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
  const pid_t pid = fork();
  if (pid < 0) throw std::runtime_error("cannot start a process");
  if (pid == 0) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    setpgid(0, 0);
    signal(SIGINT, SIG_IGN);
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
    _exit(code);
  }
  close(fds[1]);
  fcntl(fds[0], F_SETFL, O_NONBLOCK);
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
}

void Child::next_part() { part_started_ = now_seconds(); }

void Child::kill_if_late() {
  if (wall_limit_ <= 0 || now_seconds() - part_started_ <= wall_limit_) return;
  limit_hit_ = true;
  kill();
}

bool Child::poll(double seconds) {
  if (pid_ <= 0) return true;
  kill_if_late();
  pollfd wait{fd_, POLLIN, 0};
  if (::poll(&wait, 1, static_cast<int>(seconds * 1000)) <= 0) return false;
  char buffer[1 << 16];
  const ssize_t got = read(fd_, buffer, sizeof buffer);
  if (got > 0) {
    report_.output.append(buffer, static_cast<std::size_t>(got));
    return false;
  }
  if (got < 0 && (errno == EAGAIN || errno == EINTR)) return false;
  finish();
  return true;
}

void Child::finish() {
  int status = 0;
  rusage usage{};
  // The pipe is closed; a child that lingers is still bound to its limit.
  while (wait4(pid_, &status, WNOHANG, &usage) == 0) {
    kill_if_late();
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  report_.wall = now_seconds() - started_;
  report_.peak_memory_mb = static_cast<double>(usage.ru_maxrss) / 1024.0;
  const bool signalled = WIFSIGNALED(status);
  report_.code = signalled ? WTERMSIG(status) : WEXITSTATUS(status);
  const bool cpu_limit = signalled && report_.code == SIGXCPU;
  report_.end = limit_hit_ || cpu_limit ? ChildReport::End::kKilledByLimit
                : signalled             ? ChildReport::End::kSignalled
                                        : ChildReport::End::kExited;
  close(fd_);
  pid_ = fd_ = -1;
}

ChildReport run_command(const std::string& command, const std::string& input, double wall_limit,
                        const std::vector<std::pair<std::string, std::string>>& environment) {
  int to_child[2];
  make_pipe(to_child);
  Child child = Child::fork_and_run(
      [&](int write_fd) {
        dup2(to_child[0], STDIN_FILENO);
        dup2(write_fd, STDOUT_FILENO);
        close(to_child[1]);
        for (const auto& [name, value] : environment) setenv(name.c_str(), value.c_str(), 1);
        execl("/bin/sh", "sh", "-c", command.c_str(), static_cast<char*>(nullptr));
        return 127;
      },
      wall_limit, 0.0);
  close(to_child[0]);
  fcntl(to_child[1], F_SETFL, O_NONBLOCK);
  const auto previous = signal(SIGPIPE, SIG_IGN);
  std::size_t sent = 0;
  bool open = true;
  while (true) {
    if (open && sent < input.size()) {
      const ssize_t put = write(to_child[1], input.data() + sent, input.size() - sent);
      if (put > 0) sent += static_cast<std::size_t>(put);
      if (put < 0 && errno != EAGAIN && errno != EINTR)
        sent = input.size();  // it does not read: so be it
    }
    if (open && sent >= input.size()) {
      close(to_child[1]);
      open = false;
    }
    if (child.poll(open ? 0.001 : 0.02)) break;
  }
  if (open) close(to_child[1]);
  signal(SIGPIPE, previous);
  return child.report();
}

}  // namespace perp
