#include <perp/bench/processes/command.hpp>

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/resource.h>
#include <unistd.h>
#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <perp/bench/processes/interrupt.hpp>
#include <perp/bench/processes/pipes.hpp>
#include <perp/bench/processes/watchdog.hpp>
#include <stdexcept>

namespace perp {

namespace {

constexpr std::size_t kErrorTail = 4096;  // bytes of standard error that are kept
constexpr int kReadsAtOnce = 64;          // reads of standard error before limits are checked again
constexpr int kWait = 20;                 // ms to wait before limits are checked again
constexpr double kFarewell = 1.0;         // s that a command has to end by itself

// Lifts the limit on address space of this process for a program, whose resident memory is watched.
void free_address_space() {
  rlimit limit{};
  if (getrlimit(RLIMIT_AS, &limit) != 0) return;
  limit.rlim_cur = limit.rlim_max;
  setrlimit(RLIMIT_AS, &limit);
}

double most_memory = 0.0;  // MB, largest of all commands

// Makes writing to a program that does not read an error instead of a deadly signal.
class NoBrokenPipe {
 public:
  NoBrokenPipe() : previous_(signal(SIGPIPE, SIG_IGN)) {}
  NoBrokenPipe(const NoBrokenPipe&) = delete;
  NoBrokenPipe& operator=(const NoBrokenPipe&) = delete;
  ~NoBrokenPipe() { signal(SIGPIPE, previous_); }

 private:
  void (*previous_)(int);
};

}  // namespace

// Standard input and standard error of a command, used without blocking.
class Command::Streams {
 public:
  Streams() {
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

  // Called in the child.
  void become_standard() const {
    dup2(in_[0], STDIN_FILENO);
    dup2(errors_[1], STDERR_FILENO);
  }

  // Called in the parent after the fork.
  void keep_own_ends() {
    shut(in_[0]);
    shut(errors_[1]);
    do_not_block(in_[1]);
    do_not_block(errors_[0]);
  }

  // @param last whether no more input follows
  void give(std::string_view input, bool last) {
    input_ = input;
    last_ = last;
  }

  // Waits until one of the pipes is ready, at most kWait.
  void wait(int output) const {
    std::array<pollfd, 3> fds = {pollfd{output, POLLIN, 0}, pollfd{errors_[0], POLLIN, 0},
                                 pollfd{in_[1], POLLOUT, 0}};
    // Without input to write, the pipe for input is left out: it would be ready all the time.
    const std::size_t count = input_.empty() ? 2 : 3;
    ::poll(fds.data(), count, output < 0 ? 1 : kWait);
  }

  void serve() {
    feed();
    read_errors();
  }

  void read_errors() {
    for (int k = 0; k < kReadsAtOnce && pass_errors(); ++k) {
    }
  }

  std::string last_errors() { return std::exchange(tail_, {}); }

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
      if (put < 0 && errno != EAGAIN && errno != EINTR)
        input_ = {};  // the program does not read; that is no error
    }
    if (input_.empty() && last_) shut(in_[1]);
  }

  // @return whether there may be more to read at once
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
  bool last_ = false;
  int in_[2], errors_[2];
  std::string tail_;
};

std::string shell_word(std::string_view text) {
  std::string out(1, '\'');
  for (const char c : text) {
    if (c == '\'') {
      out.append("'\\''");
    } else {
      out.push_back(c);
    }
  }
  out.push_back('\'');
  return out;
}

double memory_of_commands() { return most_memory; }

Command::Command(const std::string& command, const Environment& environment)
    : streams_(std::make_unique<Streams>()) {
  Watchdog::start();
  child_ = Child::fork_and_run(
      [&](int write_fd) {
        Watchdog::watch_this_group();
        streams_->become_standard();
        dup2(write_fd, STDOUT_FILENO);
        free_address_space();
        for (const int s : {SIGINT, SIGPIPE, SIGXFSZ}) signal(s, SIG_DFL);
        for (const auto& [name, value] : environment) setenv(name.c_str(), value.c_str(), 1);
        execl("/bin/sh", "sh", "-c", command.c_str(), static_cast<char*>(nullptr));
        return 127;
      },
      0.0, 0.0);
  group_ = child_.pid();
  child_.watch_family(memory_limit_mb());
  streams_->keep_own_ends();
}

Command::~Command() { leave(); }

// @return whether the command has ended
bool Command::step() {
  streams_->wait(child_.output());
  streams_->serve();
  const bool ended = child_.poll(0.0);
  most_memory = std::max(most_memory, child_.peak_memory_mb());
  if (ended) {
    leave();
    return true;
  }
  if (!interrupted_ && interrupted()) {
    interrupted_ = true;
    child_.kill();
  }
  return false;
}

// Kills all processes of the group, after the command has ended or to end it.
void Command::leave() {
  if (group_ < 0) return;
  ::kill(-group_, SIGKILL);
  Watchdog::forget(group_);
  group_ = -1;
  streams_->read_errors();  // and nothing is written, because nobody reads
}

ChildReport Command::run(std::string_view input, double wall_limit) {
  const NoBrokenPipe guard;
  child_.next_part(wall_limit);
  streams_->give(input, true);
  streams_->serve();
  while (group_ >= 0 && !step()) {
  }
  return report();
}

std::optional<std::string> Command::ask(std::string_view line, double wall_limit) {
  const NoBrokenPipe guard;
  input_.assign(line);
  input_ += '\n';
  child_.next_part(wall_limit);
  streams_->give(input_, false);
  for (std::size_t from = 0; true;) {
    const bool ended = group_ < 0 || step();
    written_ += child_.take_output();
    const std::size_t end = written_.find('\n', from);
    if (end != std::string::npos) {
      std::string answer = written_.substr(0, end);
      written_.erase(0, end + 1);
      return answer;
    }
    from = written_.size();
    if (ended) return {};
  }
}

bool Command::alive() {
  if (group_ < 0) return false;
  child_.next_part(0.0);  // no limit while the program has no task
  if (child_.poll(0.0)) {
    leave();
  } else {
    written_ += child_.take_output();
  }
  return group_ >= 0;
}

ChildReport Command::report() {
  ChildReport report = child_.report();
  report.last_errors = streams_->last_errors();
  if (!written_.empty()) report.output = written_;
  if (interrupted_) report.end = ChildReport::End::kInterrupted;
  return report;
}

void Command::end() {
  if (group_ < 0) return;
  run({}, kFarewell);
}

}  // namespace perp
