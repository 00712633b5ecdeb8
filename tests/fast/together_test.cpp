// The strategy together: parts at the same time on several threads, with the result of one.
#include "support.hpp"

#include <perp/problems/families/family.hpp>
#include <perp/solvers/router.hpp>
#include <perp/solvers/strategies/strategy.hpp>

#include <atomic>
#include <chrono>
#include <memory>
#include <stdexcept>
#include <thread>

namespace perp::test {
namespace {

// What parts on several threads tell one another.
struct Board {
  std::atomic<int> begun = 0;          // parts
  std::atomic<bool> ended = false;     // "quick"
  std::atomic<bool> patience = false;  // somebody waited in vain
};

template <class F>
void wait_for(Board& board, const F& event) {
  const auto last = std::chrono::steady_clock::now() + std::chrono::seconds(60);
  while (!event()) {
    if (std::chrono::steady_clock::now() > last) {
      board.patience = true;
      return;
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
}

// Solvers that do as their names say, on an LCP whose solution is known: "quick" solves it, "late"
// solves it after quick has, "meet" stalls after another part has begun, "solve" solves it after
// that, "endless" goes on until its observer stops it, "near" misses the solution, "fault" throws.
class Part final : public Solver {
 public:
  Part(std::string name, Board& board) : name_(std::move(name)), board_(board) {
    traits_ = {name_, "scripted", "", {"lcp"}};
  }
  const SolverTraits& traits() const override { return traits_; }
  void visit_settings(SettingVisitor&) override {}

 private:
  void do_prepare(const Problem&) override {}
  void do_solve(const Start& start, Observer* observer, Result& result) override {
    const int before = board_.begun++;
    result.status = Status::kStalled;
    result.z = Vector{{1.0, 2.0}};
    if (name_ == "fault") throw std::runtime_error("no luck");
    if (name_ == "meet" || name_ == "solve")
      wait_for(board_, [&] { return board_.begun > before + (before == 0 ? 1 : 0); });
    if (name_ == "late") wait_for(board_, [&] { return board_.ended.load(); });
    if (name_ == "endless") {
      wait_for(board_, [&] { return !observer->on_iteration({}); });
      result.status = Status::kInterrupted;
      result.z.setConstant(7.0);
    } else if (name_ == "quick" || name_ == "late" || name_ == "solve") {
      result.status = Status::kSolved;
    } else {
      result.z.array() += start.z ? 2e-6 : 1e-6;  // "near" tells whether it had a start
    }
    if (name_ == "quick") board_.ended = true;
  }

  std::string name_;
  Board& board_;
  SolverTraits traits_;
};

class Together : public testing::Test {
 protected:
  Together() {
    DenseMatrix M(2, 2);
    M << 2, 1, 1, 2;
    problem_.data = Lcp{M, Vector{{-4.0, -5.0}}};  // z = (1, 2), w = 0
    request_.make = [this](std::string_view name) {
      return std::make_unique<Part>(std::string(name), board_);
    };
  }

  VerifiedResult solve(const std::string& solver, int threads, Observer* observer = nullptr) {
    board_.begun = 0;
    board_.ended = false;
    request_.solver = solver;
    request_.limits.threads = threads;
    return solve_verified(problem_, request_, observer);
  }

  static std::string route(const VerifiedResult& r) {
    std::string list;
    for (const RouteStep& step : r.route) list += step.solver.str() + " ";
    return list;
  }

  Board board_;
  Problem problem_;
  SolveRequest request_;
};

TEST_F(Together, OnOneThreadPartsRunInTurn) {
  for (const char* solver : {"together(near, quick, near)", "together(quick)"}) {
    const VerifiedResult r = solve(solver, 1);
    EXPECT_EQ(r.status, Status::kSolved);
    EXPECT_EQ(board_.begun, static_cast<int>(r.route.size()));
  }
  EXPECT_EQ(route(solve("together(near, quick, near)", 1)), "near quick ");
}

TEST_F(Together, PartsRunAtTheSameTime) {
  const VerifiedResult r = solve("together(meet, solve)", 2);
  EXPECT_FALSE(board_.patience);
  EXPECT_EQ(r.status, Status::kSolved);
  EXPECT_EQ(route(r), "meet solve ");
}

// "near" would tell if it had started at the answer of another part.
TEST_F(Together, PartsSeeWhatCameBeforeButNotOneAnother) {
  for (const int threads : {1, 3}) {
    VerifiedResult r = solve("together(near, try(near, from=best), try(near, from=best))", threads);
    EXPECT_NEAR(r.answer.z[0], 1.0 + 1e-6, 1e-12) << threads;
    ASSERT_EQ(r.route.size(), 3u);
    EXPECT_EQ(r.route[1].measure, r.route[0].measure) << threads;
    r = solve("first(near, together(try(near, from=best), try(near, from=best)))", threads);
    ASSERT_EQ(r.route.size(), 3u);
    EXPECT_GT(r.route[1].measure, 1.5 * r.route[0].measure) << threads;
    EXPECT_EQ(r.route[2].measure, r.route[1].measure) << threads;
  }
}

TEST_F(Together, AnEarlierPartGoesFirstEvenIfItEndsLater) {
  const VerifiedResult r = solve("together(late, quick)", 2);
  EXPECT_FALSE(board_.patience);
  EXPECT_EQ(r.status, Status::kSolved);
  EXPECT_EQ(route(r), "late ");
}

TEST_F(Together, LaterPartsAreStopped) {
  const VerifiedResult r = solve("together(solve, endless, endless)", 3);
  EXPECT_FALSE(board_.patience);
  EXPECT_EQ(r.status, Status::kSolved);
  EXPECT_EQ(route(r), "solve ");
}

TEST_F(Together, AFaultIsPassedOnUnlessAnEarlierPartSolvesIt) {
  for (const int threads : {1, 2}) {
    EXPECT_THROW(solve("together(near, fault)", threads), std::runtime_error) << threads;
    EXPECT_EQ(solve("together(quick, fault)", threads).status, Status::kSolved) << threads;
  }
}

TEST_F(Together, TheCallerStopsAllParts) {
  struct Stop final : Observer {
    bool on_iteration(const IterationRecord&) override {
      if (inside.exchange(true)) overlap = true;
      const bool more = ++calls < 20;
      inside = false;
      return more;
    }
    std::atomic<int> calls = 0;
    std::atomic<bool> inside = false, overlap = false;
  } stop;
  const VerifiedResult r = solve("together(endless, endless)", 2, &stop);
  EXPECT_EQ(r.status, Status::kInterrupted);
  EXPECT_FALSE(board_.patience);
  EXPECT_FALSE(stop.overlap);
}

TEST_F(Together, TimesAreThoseOfTheClock) {
  const auto began = std::chrono::steady_clock::now();
  const VerifiedResult r = solve("together(meet, meet, solve)", 3);
  const std::chrono::duration<double> passed = std::chrono::steady_clock::now() - began;
  EXPECT_LE(r.setup_time + r.solve_time + r.verification_time, 1.01 * passed.count());
}

TEST(TogetherOfMethods, ThreadsGiveTheBitsOfOne) {
  const Problem problem = generate(find_family("friction-granular"), 40, 1);
  SolveRequest request;
  request.solver =
      "first(nsgs:max_iterations=5, together(try(smoothing-continuation:slip_smoothing=1, cap=3), "
      "try(smoothing-continuation:slip_smoothing=0.3), "
      "try(smoothing-continuation:slip_smoothing=0.1)))";
  const VerifiedResult one = solve_verified(problem, request);
  EXPECT_EQ(one.status, Status::kSolved);
  EXPECT_EQ(one.route.size(), 3u);
  for (const int threads : {2, 3, 8}) {
    request.limits.threads = threads;
    const VerifiedResult r = solve_verified(problem, request);
    EXPECT_EQ(r.status, one.status);
    EXPECT_EQ(r.iterations, one.iterations);
    EXPECT_EQ(r.answer.z, one.answer.z);
    ASSERT_EQ(r.route.size(), one.route.size());
    for (std::size_t k = 0; k < r.route.size(); ++k) {
      EXPECT_EQ(r.route[k].solver.str(), one.route[k].solver.str());
      EXPECT_EQ(r.route[k].measure, one.route[k].measure);
    }
  }
}

}  // namespace
}  // namespace perp::test
