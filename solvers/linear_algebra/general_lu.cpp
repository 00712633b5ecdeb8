#include <perp/solvers/linear_algebra/general_lu.hpp>

#include <perp/problems/limits/current_deadline.hpp>

namespace perp {

namespace {

// Operations of a factorisation by columns; below, the analysis of blocks costs more than they
// save.
constexpr double kBlocksPay = 2e7;

}  // namespace

bool GeneralLu::factor_by_columns() {
  by_blocks_ = false;
  return columns_.analyse() && columns_.factor();
}

bool GeneralLu::factor() {
  by_blocks_ = false;
  if (!columns_.analyse()) return false;
  const bool pays = columns_.estimated_operations() >= kBlocksPay;
  if (pays && factor_by_blocks()) return true;
  if (pays && CurrentDeadline::passed()) return false;
  return columns_.factor();
}

}  // namespace perp
