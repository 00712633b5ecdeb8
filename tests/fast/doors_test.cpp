// Solvers that misbehave within the process: each fault has a row of its own.
#include "support.hpp"

#include <unistd.h>
#include <filesystem>
#include <fstream>
#include <functional>
#include <map>
#include <nlohmann/json.hpp>
#include <perp/bench/harness/runner.hpp>
#include <perp/bench/harness/solvers.hpp>
#include <perp/bench/processes/process.hpp>

namespace perp::test {
namespace {

namespace fs = std::filesystem;

// Does what it is told to in place of a solve.
class Faulty final : public Solver {
 public:
  explicit Faulty(std::function<void(Result&)> act) : act_(std::move(act)) {}
  const SolverTraits& traits() const override {
    static const SolverTraits traits{"faulty", "has a fault", "", {"lcp"}};
    return traits;
  }
  void visit_settings(SettingVisitor&) override {}

 private:
  void do_prepare(const Problem&) override {}
  void do_solve(const Start&, Observer*, Result& result) override { act_(result); }
  std::function<void(Result&)> act_;
};

// The outcomes of a solver with this fault on two problems.
std::vector<std::string> outcomes(const std::function<void(Result&)>& act, double time_limit,
                                  double memory_limit_mb) {
  BenchRequest request;
  for (int i = 0; i < 2; ++i) {
    Instance instance;
    instance.suite = "doors";
    instance.name = instance.hash = "problem " + std::to_string(i);
    auto problem = std::make_shared<Problem>(problem_of(Lcp{matrix(1, 1, {1.0}), vector({-1.0})}));
    instance.made = std::move(problem);
    request.instances.push_back(std::move(instance));
  }
  request.solvers = {"lemke"};  // by this name
  request.repeats = 1;
  request.time_limit = time_limit;
  request.grace = 1.0;
  request.memory_limit_mb = memory_limit_mb;
  const fs::path folder = fs::temp_directory_path() / ("perp-doors-" + std::to_string(getpid()));
  request.folder = folder.string();
  request.overwrite = true;
  request.make = [&](std::string_view) { return std::make_unique<Faulty>(act); };
  run_benchmark(request, {});
  std::vector<std::string> found;
  std::ifstream records(folder / "records.jsonl");
  for (std::string line; std::getline(records, line);)
    found.push_back(nlohmann::json::parse(line)["outcome"]);
  fs::remove_all(folder);
  return found;
}

using Outcomes = std::vector<std::string>;

TEST(Doors, ACrash) {
  EXPECT_EQ(outcomes([](Result&) { std::abort(); }, 5, 4096), (Outcomes{"crashed", "crashed"}));
}

TEST(Doors, ALie) {
  const auto lie = [](Result& r) {
    r.status = Status::kSolved;
    r.z = vector({0.0});
  };
  EXPECT_EQ(outcomes(lie, 5, 4096), (Outcomes{"wrong", "wrong"}));
}

TEST(Doors, Nan) {
  const auto nan = [](Result& r) {
    r.status = Status::kSolved;
    r.z = vector({std::nan("")});
  };
  EXPECT_EQ(outcomes(nan, 5, 4096), (Outcomes{"numerical_error", "numerical_error"}));
}

TEST(Doors, ALoopThatKnowsNoTime) {
  const auto loop = [](Result&) {
    for (volatile bool forever = true; forever;) {
    }
  };
  // Both the watch and the processor's own limit leave a solver some time to end by itself.
  const Outcomes found = outcomes(loop, 0.01, 4096);
  EXPECT_EQ(found, (Outcomes{"timed_out", "timed_out"}));
}

#if !defined(__SANITIZE_ADDRESS__)
TEST(Doors, MemoryWithoutEnd) {
  const auto eat = [](Result&) {
    std::vector<std::unique_ptr<std::vector<char>>> parts;
    while (true) parts.push_back(std::make_unique<std::vector<char>>(1 << 20, 'x'));
  };
  EXPECT_EQ(outcomes(eat, 20, 200), (Outcomes{"out_of_memory", "out_of_memory"}));
  const auto at_once = [](Result&) { Vector v(1'000'000'000); };
  EXPECT_EQ(outcomes(at_once, 20, 200), (Outcomes{"out_of_memory", "out_of_memory"}));
}
#endif

}  // namespace
}  // namespace perp::test
