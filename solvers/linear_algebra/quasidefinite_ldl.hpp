// LDL' factorisation of a sparse quasi-definite matrix by the method that suits its pattern.
#pragma once

#include <perp/solvers/linear_algebra/sparse_ldl.hpp>
#include <perp/solvers/linear_algebra/supernodal_ldl.hpp>
#include <variant>
#include <vector>

namespace perp {

/// K = L D L' by rows (SparseLdl) if that takes few operations, else by dense blocks
/// (SupernodalLdl): these take longer to analyse but do each operation several times faster. All
/// functions are as in these classes.
class QuasidefiniteLdl {
 public:
  /// @param signs of the pivots, +1 or -1 @param threads of factor() by blocks
  void analyse(int size, const std::vector<int>& starts, const std::vector<int>& rows,
               const std::vector<signed char>& signs, int threads = 1);
  /// analyse() in two steps. After the first operations() are known, which may be all that is asked
  /// for; the second chooses between rows and blocks, and takes the same pattern.
  void analyse_by_rows(int size, const std::vector<int>& starts, const std::vector<int>& rows,
                       const std::vector<signed char>& signs);
  void choose(const std::vector<int>& starts, const std::vector<int>& rows,
              const std::vector<signed char>& signs, int threads = 1);

  bool factor(const std::vector<double>& values, double least, double substitute) {
    return std::visit([&](auto& ldl) { return ldl.factor(values, least, substitute); }, ldl_);
  }
  void solve(double* x) const {
    std::visit([&](const auto& ldl) { ldl.solve(x); }, ldl_);
  }

  int substituted() const {
    return std::visit([](const auto& ldl) { return ldl.substituted(); }, ldl_);
  }
  double first_substituted() const {
    return std::visit([](const auto& ldl) { return ldl.first_substituted(); }, ldl_);
  }
  int first_substituted_row() const {
    return std::visit([](const auto& ldl) { return ldl.first_substituted_row(); }, ldl_);
  }
  /// Entries of L below the diagonal and multiplications of a factorisation, after analyse(). The
  /// zeros that blocks store do not count.
  long factor_entries() const { return factor_entries_; }
  double operations() const { return operations_; }
  /// Whether it works by dense blocks.
  bool by_blocks() const { return std::holds_alternative<SupernodalLdl>(ldl_); }

 private:
  std::variant<SparseLdl, SupernodalLdl> ldl_;
  long factor_entries_ = 0;
  double operations_ = 0.0;
};

}  // namespace perp
