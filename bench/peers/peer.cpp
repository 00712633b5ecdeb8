#include <perp/bench/peers/peer.hpp>

#include <sys/time.h>
#include <unistd.h>
#include <algorithm>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <iostream>
#include <iterator>
#include <limits>
#include <nlohmann/json.hpp>
#include <perp/problems/io/problem_json.hpp>
#include <stdexcept>
#include <vector>

namespace perp::peer {

namespace {

using Json = nlohmann::ordered_json;
using Clock = std::chrono::steady_clock;

constexpr int kRepeats = 3;
constexpr double kRepeatFor = 1.0;  // s; no repeats after that

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

double number_from(const char* variable, double otherwise) {
  const char* text = std::getenv(variable);
  return text ? std::atof(text) : otherwise;
}

int result_fd = STDOUT_FILENO;
volatile std::sig_atomic_t answered = 0;

void write_all(const char* text, std::size_t size) {
  for (std::size_t sent = 0; sent < size;) {
    const ssize_t put = write(result_fd, text + sent, size - sent);
    if (put < 0 && errno == EINTR) continue;
    if (put <= 0) _exit(1);
    sent += static_cast<std::size_t>(put);
  }
}

// Called at the time limit. If a first answer was written, it stays the result.
void on_alarm(int) {
  static constexpr char kLate[] = "{\"status\":\"time_limit\"}\n";
  if (!answered) write_all(kLate, sizeof kLate - 1);
  _exit(0);
}

// 0 switches the alarm off.
void set_alarm(double seconds) {
  itimerval timer{};
  timer.it_value.tv_sec = static_cast<time_t>(seconds);
  timer.it_value.tv_usec =
      static_cast<suseconds_t>(1e6 * (seconds - static_cast<double>(timer.it_value.tv_sec)));
  setitimer(ITIMER_REAL, &timer, nullptr);
}

void tell(const Json& result) {
  const std::string text = result.dump() + "\n";  // numbers that are not finite become null
  write_all(text.data(), text.size());
}

double middle(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

void solve(const Request& request, const Factory& make, double limit) {
  const auto began = Clock::now();
  std::vector<double> setups, solves;
  Answer first;
  do {
    set_alarm(limit);
    const auto setup_start = Clock::now();
    const std::unique_ptr<Solver> solver = make(request);
    setups.push_back(seconds_since(setup_start));
    const auto solve_start = Clock::now();
    Answer answer = solver->solve();
    solves.push_back(seconds_since(solve_start));
    set_alarm(0.0);
    if (!answered) first = std::move(answer);
    Json result = {{"z", std::vector<double>(first.z.begin(), first.z.end())},
                   {"status", first.status},
                   {"iterations", first.iterations},
                   {"message", first.message},
                   {"times", {{"setup", middle(setups)}, {"solve", middle(solves)}}}};
    if (first.dual.size() > 0)
      result["dual"] = std::vector<double>(first.dual.begin(), first.dual.end());
    tell(result);
    answered = 1;
  } while (solves.size() < kRepeats && seconds_since(began) < kRepeatFor);
}

}  // namespace

int run(int argc, char** argv, const Factory& make) {
  if (argc != 2) {
    std::cerr << "usage: " << argv[0] << " SOLVER < problem.json > result.json\n"
              << "Optional environment variables: PERP_TOLERANCE, PERP_TIME_LIMIT, "
                 "PERP_MAX_ITERATIONS.\n";
    return 2;
  }
  result_fd = dup(STDOUT_FILENO);
  dup2(STDERR_FILENO, STDOUT_FILENO);
  std::signal(SIGALRM, on_alarm);
  try {
    const std::string input{std::istreambuf_iterator<char>(std::cin), {}};
    const Request request{argv[1], problem_from_text(input, "standard input"),
                          number_from("PERP_TOLERANCE", 1e-8),
                          static_cast<int>(number_from("PERP_MAX_ITERATIONS", 0))};
    solve(request, make, number_from("PERP_TIME_LIMIT", 0.0));
  } catch (const InputError& error) {
    std::cerr << error.what() << '\n';
    return 2;
  } catch (const std::invalid_argument& error) {
    if (!answered) tell({{"status", "unsupported"}, {"message", error.what()}});
  } catch (const std::runtime_error& error) {
    if (!answered) tell({{"status", "numerical_error"}, {"message", error.what()}});
  }
  set_alarm(0.0);
  return 0;
}

Mlcp as_mlcp(const Problem& problem) {
  if (const auto* mlcp = std::get_if<Mlcp>(&problem.data)) return *mlcp;
  const auto* lcp = std::get_if<Lcp>(&problem.data);
  if (!lcp) throw std::invalid_argument("takes lcp and mlcp, not " + std::string(problem.kind()));
  return {lcp->M, lcp->q, Vector::Zero(lcp->size()),
          Vector::Constant(lcp->size(), std::numeric_limits<double>::infinity())};
}

}  // namespace perp::peer
