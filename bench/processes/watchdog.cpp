#include <perp/bench/processes/watchdog.hpp>

#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>
#include <algorithm>
#include <array>
#include <cerrno>

namespace perp {

namespace {

pid_t owner = -1, watchdog = -1;
int to_watchdog = -1;

// Runs in the watchdog. A negative number removes a group from the list.
[[noreturn]] void keep_watch(int from_owner) {
  std::array<pid_t, 64> groups{};
  pid_t told = 0;
  while (true) {
    const ssize_t got = read(from_owner, &told, sizeof told);
    if (got < 0 && errno == EINTR) continue;
    if (got != sizeof told) break;
    const auto place = std::find(groups.begin(), groups.end(), told > 0 ? 0 : -told);
    if (place != groups.end()) *place = told > 0 ? told : 0;
  }
  for (const pid_t group : groups) {
    if (group > 0) kill(-group, SIGKILL);
  }
  _exit(0);
}

void tell(pid_t number) {
  if (to_watchdog < 0) return;
  while (write(to_watchdog, &number, sizeof number) < 0 && errno == EINTR) {
  }
}

// Stops the watchdog at a normal end of the program.
struct AtExit {
  ~AtExit() { Watchdog::stop(); }
};

}  // namespace

void Watchdog::start() {
  if (owner == getpid()) return;
  static const AtExit at_exit;
  if (to_watchdog >= 0) close(to_watchdog);  // that of the process from which this one was forked
  to_watchdog = -1;
  int fds[2];
  if (pipe2(fds, O_CLOEXEC) != 0) return;
  const pid_t pid = fork();
  if (pid == 0) {
    setpgid(0, 0);
    for (const int s : {SIGINT, SIGTERM, SIGHUP, SIGPIPE}) signal(s, SIG_IGN);
    // The watchdog must not keep inherited files open.
    if (fds[0] > 0) close_range(0, static_cast<unsigned>(fds[0]) - 1, 0);
    close_range(static_cast<unsigned>(fds[0]) + 1, ~0U, 0);
    keep_watch(fds[0]);
  }
  close(fds[0]);
  if (pid < 0) {
    close(fds[1]);
    return;
  }
  owner = getpid();
  watchdog = pid;
  to_watchdog = fds[1];
}

void Watchdog::watch_this_group() {
  if (owner == getppid()) tell(getpgrp());
}

void Watchdog::forget(pid_t group) {
  if (owner == getpid()) tell(-group);
}

void Watchdog::stop() {
  if (owner != getpid()) return;
  close(to_watchdog);
  while (waitpid(watchdog, nullptr, 0) < 0 && errno == EINTR) {
  }
  owner = watchdog = to_watchdog = -1;
}

}  // namespace perp
