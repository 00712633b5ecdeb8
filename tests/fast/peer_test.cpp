// What the programs of the peers share: clocks, limits, answers that are not lost, starts.
#include "support.hpp"

#include <perp/bench/peers/nonnegative_form.hpp>
#include <perp/bench/peers/peer.hpp>
#include <perp/bench/processes/process.hpp>
#include <perp/problems/io/problem_json.hpp>
#include <perp/problems/json/json.hpp>

#include <fcntl.h>
#include <unistd.h>
#include <chrono>
#include <cstdlib>
#include <functional>
#include <sstream>
#include <thread>

namespace perp::test {
namespace {

void sleep_ms(int ms) { std::this_thread::sleep_for(std::chrono::milliseconds(ms)); }

// A library whose k-th solve, from 0, does as told.
class Library final : public peer::Solver {
 public:
  Library(const peer::Request& request, int call, std::function<void(int)> solves)
      : request_(request), call_(call), solves_(std::move(solves)) {}
  peer::Answer solve() override {
    solves_(call_);
    peer::Answer answer;
    answer.z = request_.problem.start.value_or(Vector::Zero(request_.problem.size()));
    answer.iterations = call_;
    return answer;
  }

 private:
  const peer::Request& request_;
  int call_;
  std::function<void(int)> solves_;
};

// The lines that the program of such a library writes.
std::vector<std::string> lines_of(const Problem& problem, const std::string& limit,
                                  const std::function<void(int)>& makes,
                                  const std::function<void(int)>& solves) {
  Child child = Child::fork_and_run(
      [&](int fd) {
        int input[2];
        if (pipe(input) != 0) return 1;
        const std::string text = problem_to_text(problem);
        if (write(input[1], text.data(), text.size()) < 0) return 1;
        close(input[1]);
        dup2(input[0], STDIN_FILENO);
        dup2(fd, STDOUT_FILENO);
        setenv("PERP_TIME_LIMIT", limit.c_str(), 1);
        std::string program = "peer", name = "library";
        char* arguments[] = {program.data(), name.data()};
        int call = 0;
        return peer::run(2, arguments, [&](const peer::Request& request) {
          makes(call);
          return std::make_unique<Library>(request, call++, solves);
        });
      },
      20.0, 0.0);
  while (!child.poll(0.1)) {
  }
  std::istringstream stream(child.report().output);
  std::vector<std::string> lines;
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

std::vector<json::Value> results_of(const Problem& problem, const std::string& limit,
                                    const std::function<void(int)>& makes,
                                    const std::function<void(int)>& solves) {
  std::vector<json::Value> results;
  for (const std::string& line : lines_of(problem, limit, makes, solves))
    results.push_back(json::parse(line, "the peer's line"));
  return results;
}

std::string status_of(const json::Value& result) {
  return *result.find("status")->get_if<std::string>();
}

double time_of(const json::Value& result, const char* name) {
  return *result.find("times")->find(name)->get_if<double>();
}

const auto kNothing = [](int) {};
const Problem& small() {
  static const Problem problem = problem_of(Lcp{matrix(1, 1, {2}), vector({1})});
  return problem;
}

TEST(Peer, BringingTheProblemIntoItsFormIsOnTheClockEveryTime) {
  const auto results = results_of(
      small(), "0", [](int) { sleep_ms(20); }, kNothing);
  ASSERT_EQ(results.size(), 3u);
  for (const json::Value& result : results) {
    EXPECT_GE(time_of(result, "setup"), 0.02);
    EXPECT_LT(time_of(result, "solve"), 0.02);
    EXPECT_EQ(*result.find("iterations")->get_if<std::int64_t>(), 0);  // the first answer
  }
}

TEST(Peer, AnAnswerIsNotLostToARepeat) {
  const auto late = [](int call) { sleep_ms(call == 0 ? 0 : 5000); };
  const auto results = results_of(small(), "0.3", kNothing, late);
  ASSERT_EQ(results.size(), 1u);
  EXPECT_EQ(status_of(results[0]), "solved");
  const auto thrown = results_of(small(), "0", kNothing, [](int call) {
    if (call == 1) throw std::runtime_error("the library failed");
  });
  ASSERT_EQ(thrown.size(), 1u);
  EXPECT_EQ(status_of(thrown[0]), "solved");
  const auto crashed = results_of(small(), "0", kNothing, [](int call) {
    if (call == 1) _exit(9);
  });
  ASSERT_EQ(crashed.size(), 1u);
}

TEST(Peer, TheLimitIsThatOfEachRun) {
  // Three runs of 150 ms: each within the limit, together beyond it.
  const auto slow = [](int) { sleep_ms(150); };
  EXPECT_EQ(results_of(small(), "0.4", kNothing, slow).size(), 3u);
  const auto late = results_of(small(), "0.03", kNothing, slow);
  ASSERT_EQ(late.size(), 1u);
  EXPECT_EQ(status_of(late[0]), "time_limit");
  // Setup counts, too.
  EXPECT_EQ(status_of(results_of(small(), "0.03", slow, kNothing).at(0)), "time_limit");
}

TEST(Peer, GetsTheStart) {
  Problem problem = small();
  problem.start = vector({0.25});
  const json::Value result = results_of(problem, "0", kNothing, kNothing).at(0);
  EXPECT_EQ(result.find("z")->get_if<json::Numbers>()->values, std::vector<double>{0.25});
}

TEST(Peer, StartsInTheNonnegativeForm) {
  Random random(5);
  for (int k = 0; k < 200; ++k) {
    const Mlcp p = random_box_problem(random);
    const peer::NonnegativeForm form(p);
    Vector z(p.size());
    for (int i = 0; i < p.size(); ++i) {
      const double low = std::max(p.lower[i], -3.0), high = std::min(p.upper[i], low + 3.0);
      z[i] = p.lower[i] == p.upper[i] ? p.lower[i] : random.uniform(std::min(low, high), high);
    }
    const Vector x = form.map_forward(z);
    ASSERT_EQ(x.size(), form.q.size());
    EXPECT_LT((form.map_back(x) - z).cwiseAbs().maxCoeff(), 1e-12);
    EXPECT_TRUE((x.tail(x.size() - form.free).array() >= 0.0).all());
  }
}

}  // namespace
}  // namespace perp::test
