#include <perp/bench/peers/peer.hpp>

#include <unistd.h>
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <iterator>
#include <limits>
#include <nlohmann/json.hpp>
#include <perp/problems/io/problem_json.hpp>
#include <stdexcept>

namespace perp::peer {

namespace {

using Json = nlohmann::ordered_json;
using Clock = std::chrono::steady_clock;

constexpr int kRepeats = 3;
constexpr double kRepeatFor = 1.0;  // seconds

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

double number_from(const char* variable, double otherwise) {
  const char* text = std::getenv(variable);
  return text ? std::atof(text) : otherwise;
}

Json solve(const Request& request, const Factory& make) {
  const auto setup_start = Clock::now();
  const std::unique_ptr<Solver> solver = make(request);
  const double setup = seconds_since(setup_start);
  std::vector<double> times;
  Answer answer;
  do {
    solver->restore();
    const auto solve_start = Clock::now();
    answer = solver->solve();
    times.push_back(seconds_since(solve_start));
  } while (times.size() < kRepeats && seconds_since(setup_start) < kRepeatFor);
  std::sort(times.begin(), times.end());
  return {{"z", std::vector<double>(answer.z.begin(), answer.z.end())},
          {"status", answer.status},
          {"iterations", answer.iterations},
          {"message", answer.message},
          {"times", {{"setup", setup}, {"solve", times[times.size() / 2]}}}};
}

}  // namespace

int run(int argc, char** argv, const Factory& make) {
  if (argc != 2) {
    std::cerr << "usage: " << argv[0] << " SOLVER < problem.json > result.json\n"
              << "The environment may set PERP_TOLERANCE and PERP_MAX_ITERATIONS.\n";
    return 2;
  }
  std::FILE* out = fdopen(dup(STDOUT_FILENO), "w");
  dup2(STDERR_FILENO, STDOUT_FILENO);
  Json result;
  try {
    const std::string input{std::istreambuf_iterator<char>(std::cin), {}};
    const Request request{argv[1], problem_from_text(input, "standard input"),
                          number_from("PERP_TOLERANCE", 1e-8),
                          static_cast<int>(number_from("PERP_MAX_ITERATIONS", 0))};
    result = solve(request, make);
  } catch (const InputError& error) {
    std::cerr << error.what() << '\n';
    return 2;
  } catch (const std::invalid_argument& error) {
    result = {{"status", "unsupported"}, {"message", error.what()}};
  } catch (const std::runtime_error& error) {
    result = {{"status", "numerical_error"}, {"message", error.what()}};
  }
  const std::string text = result.dump() + "\n";  // null for what is not finite
  const bool written = std::fwrite(text.data(), 1, text.size(), out) == text.size();
  return std::fclose(out) == 0 && written ? 0 : 1;
}

Mlcp as_mlcp(const Problem& problem) {
  if (const auto* mlcp = std::get_if<Mlcp>(&problem.data)) return *mlcp;
  const auto* lcp = std::get_if<Lcp>(&problem.data);
  if (!lcp) throw std::invalid_argument("takes lcp and mlcp, not " + std::string(problem.kind()));
  return {lcp->M, lcp->q, Vector::Zero(lcp->size()),
          Vector::Constant(lcp->size(), std::numeric_limits<double>::infinity())};
}

}  // namespace perp::peer
