#include <perp/solvers/projection/progress.hpp>

#include <fmt/format.h>

namespace perp {

bool ends_here(const IterationEnd& end, Observer* observer, Result& result) {
  if (observer && !observer->on_iteration(end.record)) {
    result.status = Status::kInterrupted;
  } else if (result.status == Status::kSolved) {
    return true;
  } else if (end.progress.diverged || end.broken) {
    result.status = Status::kNumericalError;
    result.message = fmt::format("the {} diverge", end.what);
  } else if (end.progress.stalled) {
    result.status = Status::kStalled;
    result.message = fmt::format("the residual stays at {:.1e}", end.residual);
  } else if (end.deadline.passed()) {
    result.status = Status::kTimeLimit;
  } else {
    return false;
  }
  return true;
}

}  // namespace perp
