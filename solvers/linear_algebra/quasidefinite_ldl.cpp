#include <perp/solvers/linear_algebra/quasidefinite_ldl.hpp>

namespace perp {

namespace {

// Multiplications of a factorisation by rows, in all, per entry of L and per entry that blocks pass
// on. Blocks are slower if any of them is smaller (bench/micro/ldl_micro.cpp).
constexpr double kManyOperations = 2e5, kPerEntry = 12, kPerPassedOn = 3;

}  // namespace

void QuasidefiniteLdl::analyse(int size, const std::vector<int>& starts,
                               const std::vector<int>& rows, const std::vector<signed char>& signs,
                               int threads) {
  analyse_by_rows(size, starts, rows, signs);
  choose(starts, rows, signs, threads);
}

void QuasidefiniteLdl::analyse_by_rows(int size, const std::vector<int>& starts,
                                       const std::vector<int>& rows,
                                       const std::vector<signed char>& signs) {
  SparseLdl& by_rows = ldl_.emplace<SparseLdl>();
  by_rows.analyse(size, starts, rows, signs);
  factor_entries_ = by_rows.factor_entries();
  operations_ = by_rows.operations();
}

void QuasidefiniteLdl::choose(const std::vector<int>& starts, const std::vector<int>& rows,
                              const std::vector<signed char>& signs, int threads) {
  const auto& by_rows = std::get<SparseLdl>(ldl_);
  if (operations_ < kManyOperations ||
      operations_ < kPerEntry * static_cast<double>(factor_entries_) ||
      operations_ < kPerPassedOn * by_rows.passed_on())
    return;
  const std::vector<int> order = by_rows.order();
  ldl_.emplace<SupernodalLdl>().analyse(static_cast<int>(order.size()), starts, rows, signs, {},
                                        order, threads);
}

}  // namespace perp
