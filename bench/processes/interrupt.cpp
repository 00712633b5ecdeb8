#include <perp/bench/processes/interrupt.hpp>

#include <perp/bench/processes/watchdog.hpp>

#include <signal.h>
#include <time.h>
#include <unistd.h>
#include <array>
#include <csignal>
#include <cstdlib>
#include <perp/problems/limits/current_deadline.hpp>

namespace perp {

namespace {

constexpr std::array<int, 3> kSignals = {SIGINT, SIGTERM, SIGHUP};
// s; a second signal before that is ignored, because `timeout` sends its signal twice
constexpr double kPatience = 0.5;

volatile std::sig_atomic_t noted = 0;
timespec noted_at{};
std::array<struct sigaction, kSignals.size()> previous;
int guards = 0;
bool (*probe)() = nullptr;
pid_t probe_owner = -1;

void on_signal(int signal) {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  if (noted == 0) {
    noted_at = now;
    noted = signal;
    return;
  }
  const double waited = static_cast<double>(now.tv_sec - noted_at.tv_sec) +
                        1e-9 * static_cast<double>(now.tv_nsec - noted_at.tv_nsec);
  if (waited < kPatience) return;
  ::signal(signal, SIG_DFL);
  raise(signal);
}

}  // namespace

InterruptGuard::InterruptGuard() {
  if (guards++ > 0) return;
  noted = 0;
  struct sigaction action {};
  action.sa_handler = on_signal;
  sigemptyset(&action.sa_mask);
  for (std::size_t k = 0; k < kSignals.size(); ++k) {
    sigaction(kSignals[k], nullptr, &previous[k]);
    if (previous[k].sa_handler != SIG_IGN) sigaction(kSignals[k], &action, nullptr);
  }
  CurrentDeadline::set_probe([] { return noted != 0; });
}

InterruptGuard::~InterruptGuard() {
  if (--guards > 0) return;
  CurrentDeadline::set_probe(nullptr);
  for (std::size_t k = 0; k < kSignals.size(); ++k) sigaction(kSignals[k], &previous[k], nullptr);
}

int interrupt_signal() { return noted; }

void set_interrupt_probe(bool (*asked)()) {
  probe = asked;
  probe_owner = getpid();
}

bool interrupted() { return noted != 0 || (probe && probe_owner == getpid() && probe()); }

void end_by_signal(int signal) {
  Watchdog::stop();
  ::signal(signal, SIG_DFL);
  sigset_t open;
  sigemptyset(&open);
  sigaddset(&open, signal);
  sigprocmask(SIG_UNBLOCK, &open, nullptr);
  raise(signal);
  _exit(128 + signal);
}

}  // namespace perp
