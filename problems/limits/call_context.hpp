// What threads hand on to the threads that work for them.
#pragma once

namespace perp {

/// A pointer of this thread, null at first. Threads that perp starts have that of the thread that
/// they work for, so long as they do. perp itself makes no use of it: a binding to another language
/// finds its call by it, on whatever thread a callback runs.
void*& call_context();

/// Sets the pointer, and puts the former one back at its end.
class CallContext {
 public:
  explicit CallContext(void* context) : before_(call_context()) { call_context() = context; }
  CallContext(const CallContext&) = delete;
  CallContext& operator=(const CallContext&) = delete;
  ~CallContext() { call_context() = before_; }

 private:
  void* before_;
};

}  // namespace perp
