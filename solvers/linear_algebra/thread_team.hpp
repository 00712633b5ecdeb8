// Threads that do one piece of work together.
#pragma once

#include <atomic>
#include <thread>
#include <vector>

namespace perp {

/// Threads for work that is cut into shares again and again. Between two pieces of work they watch
/// for the next one for a short time before they sleep: a share may take only microseconds.
class ThreadTeam {
 public:
  /// @param threads at least 1; the caller's is one of them. If the system starts fewer, the team
  /// is smaller.
  explicit ThreadTeam(int threads);
  ThreadTeam(const ThreadTeam&) = delete;
  ThreadTeam& operator=(const ThreadTeam&) = delete;
  ~ThreadTeam();

  int size() const { return 1 + static_cast<int>(others_.size()); }

  /// Calls share(k) for each k from 0 to size() - 1, on a thread of its own, and returns after the
  /// last one has ended. The caller's thread has k = 0. @param share must not throw
  template <class F>
  void run(const F& share) {
    run_shares([](const void* f, int k) { (*static_cast<const F*>(f))(k); }, &share);
  }

 private:
  using Call = void (*)(const void*, int);
  void run_shares(Call call, const void* share);
  void work(int k);

  Call call_ = nullptr;
  const void* share_ = nullptr;
  void* context_ = nullptr;          // of the thread that calls run()
  std::atomic<unsigned> round_ = 0;  // counts the calls of run()
  std::atomic<int> busy_ = 0;        // threads that have not ended their shares
  bool ended_ = false;
  std::vector<std::jthread> others_;
};

}  // namespace perp
