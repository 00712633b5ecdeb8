#include <perp/solvers/linear_algebra/sparse_lu.hpp>

#include <SuiteSparse_config.h>
#include <klu.h>
#include <algorithm>
#include <perp/problems/limits/current_deadline.hpp>

namespace perp {

namespace {

// KLU asks nobody whether it should go on, and a factorisation can take minutes. But whenever its
// factors outgrow their memory it asks for more, and ends cleanly if it gets none. So, while it
// factorises, its allocator refuses if the time is up.
thread_local bool refuses_late = false;
void* (*reallocate)(void*, std::size_t) = nullptr;

void* reallocate_in_time(void* old, std::size_t size) {
  return refuses_late && CurrentDeadline::passed() ? nullptr : reallocate(old, size);
}

void install_allocator() {
  static const bool installed = [] {
#if SUITESPARSE_VERSION >= SUITESPARSE_VER_CODE(6, 0)
    reallocate = SuiteSparse_config_realloc_func_get();
    SuiteSparse_config_realloc_func_set(reallocate_in_time);
#else
    reallocate = SuiteSparse_config.realloc_func;
    SuiteSparse_config.realloc_func = reallocate_in_time;
#endif
    return true;
  }();
  static_cast<void>(installed);
}

// Factorisations of more operations begin with little memory and ask for more often; those of fewer
// take less than a second.
constexpr double kLong = 1e8;
constexpr double kOftenGrowth = 1.1;  // memory for the next tenth of the factors
constexpr double kNoEstimate = -1.0;  // of the size of factors: they begin with that of the matrix

struct AllocatorRefusesLate {
  AllocatorRefusesLate() { refuses_late = true; }
  ~AllocatorRefusesLate() { refuses_late = false; }
};

}  // namespace

struct SparseLu::Handle {
  klu_common common;
  klu_symbolic* symbolic = nullptr;
  klu_numeric* numeric = nullptr;
  double growth = 0.0;  // KLU's default

  Handle() {
    install_allocator();
    klu_defaults(&common);
    growth = common.memgrow;
  }
  ~Handle() { release(); }
  Handle(const Handle&) = delete;
  Handle& operator=(const Handle&) = delete;
  void release_numeric() {
    if (numeric) klu_free_numeric(&numeric, &common);
  }
  void release() {
    release_numeric();
    if (symbolic) klu_free_symbolic(&symbolic, &common);
  }
};

SparseLu::SparseLu() : klu_(std::make_unique<Handle>()) {}
SparseLu::~SparseLu() = default;
SparseLu::SparseLu(SparseLu&&) noexcept = default;
SparseLu& SparseLu::operator=(SparseLu&&) noexcept = default;

bool SparseLu::analyse() {
  klu_->release_numeric();
  if (a_.size == 0) return true;
  klu_->common.halt_if_singular = 1;
  // True partial pivoting unless asked otherwise: KLU's default favours the diagonal and lets
  // entries grow.
  klu_->common.tol = pivot_tolerance_;
  if (!klu_->symbolic || a_.starts != ordered_starts_ || a_.rows != ordered_rows_) {
    klu_->release();
    klu_->symbolic = klu_analyze(a_.size, a_.starts.data(), a_.rows.data(), &klu_->common);
    if (!klu_->symbolic) return false;
    ordered_starts_ = a_.starts;
    ordered_rows_ = a_.rows;
  }
  return true;
}

bool SparseLu::factor() {
  if (!analyse()) return false;
  if (a_.size == 0) return true;
  const bool is_long = estimated_operations() > kLong;
  klu_->common.memgrow = is_long ? kOftenGrowth : klu_->growth;
  if (is_long) std::fill_n(klu_->symbolic->Lnz, klu_->symbolic->nblocks, kNoEstimate);
  const AllocatorRefusesLate late;
  klu_->numeric =
      klu_factor(a_.starts.data(), a_.rows.data(), a_.values.data(), klu_->symbolic, &klu_->common);
  return klu_->numeric && klu_->common.status == KLU_OK;
}

double SparseLu::estimated_operations() const {
  return klu_->symbolic ? klu_->symbolic->est_flops : -1.0;
}

double SparseLu::pivot_ratio() const {
  if (a_.size == 0) return 1.0;
  klu_rcond(klu_->symbolic, klu_->numeric, &klu_->common);
  return klu_->common.rcond;
}

void SparseLu::solve(double* x) const {
  if (a_.size > 0) klu_solve(klu_->symbolic, klu_->numeric, a_.size, 1, x, &klu_->common);
}

void SparseLu::solve_transposed(double* x) const {
  if (a_.size > 0) klu_tsolve(klu_->symbolic, klu_->numeric, a_.size, 1, x, &klu_->common);
}

}  // namespace perp
