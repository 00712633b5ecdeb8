// Processes that perp starts.
#include <perp/bench/processes/process.hpp>

#include <gtest/gtest.h>
#include <functional>
#include <new>

namespace perp {
namespace {

// A destructor must not throw: an exception that leaves it cannot be caught.
struct AtEnd {
  std::function<void()> action;
  ~AtEnd() { action(); }
};

ChildReport report_of(const std::function<void()>& action) {
  Child child = Child::fork_and_run(
      [&](int) {
        const AtEnd at_end{action};
        return 0;
      },
      20.0, 0.0);
  while (!child.poll(0.1)) {
  }
  return child.report();
}

TEST(Process, ThatCannotBeSavedFromBadAllocSaysThatItRanOutOfMemory) {
  const ChildReport ended = report_of([] { throw std::bad_alloc(); });
  EXPECT_EQ(ended.end, ChildReport::End::kExited);
  EXPECT_EQ(ended.code, kOutOfMemoryExit);
  EXPECT_EQ(report_of([] { throw 1; }).end, ChildReport::End::kSignalled);
  EXPECT_EQ(report_of([] {}).code, 0);
}

}  // namespace
}  // namespace perp
