#include <perp/solvers/linear_algebra/sparse_lu.hpp>

#include <klu.h>

namespace perp {

struct SparseLu::Handle {
  klu_common common;
  klu_symbolic* symbolic = nullptr;
  klu_numeric* numeric = nullptr;

  Handle() { klu_defaults(&common); }
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
