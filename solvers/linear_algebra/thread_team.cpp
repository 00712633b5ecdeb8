#include <perp/solvers/linear_algebra/thread_team.hpp>

#include <perp/problems/limits/call_context.hpp>
#include <system_error>

namespace perp {

namespace {

constexpr int kLooks = 300;  // before a thread sleeps

// Waits until the value is another one.
template <class T>
void wait_for_change(const std::atomic<T>& value, T old) {
  for (int k = 0; k < kLooks; ++k) {
    if (value.load(std::memory_order_acquire) != old) return;
    std::this_thread::yield();
  }
  value.wait(old, std::memory_order_acquire);
}

}  // namespace

ThreadTeam::ThreadTeam(int threads) {
  others_.reserve(static_cast<std::size_t>(threads - 1));
  try {
    for (int k = 1; k < threads; ++k) others_.emplace_back([this, k] { work(k); });
  } catch (const std::system_error&) {  // the system starts no more
  }
}

ThreadTeam::~ThreadTeam() {
  ended_ = true;
  round_.fetch_add(1, std::memory_order_release);
  round_.notify_all();
}

void ThreadTeam::run_shares(Call call, const void* share) {
  if (others_.empty()) return call(share, 0);
  call_ = call;
  share_ = share;
  context_ = call_context();
  busy_.store(static_cast<int>(others_.size()), std::memory_order_relaxed);
  round_.fetch_add(1, std::memory_order_release);
  round_.notify_all();
  call(share, 0);
  for (int left = busy_.load(std::memory_order_acquire); left > 0;
       left = busy_.load(std::memory_order_acquire))
    wait_for_change(busy_, left);
}

void ThreadTeam::work(int k) {
  for (unsigned round = 0;; ++round) {
    wait_for_change(round_, round);
    if (ended_) return;
    {
      const CallContext of_the_caller(context_);
      call_(share_, k);
    }
    if (busy_.fetch_sub(1, std::memory_order_acq_rel) == 1) busy_.notify_one();
  }
}

}  // namespace perp
