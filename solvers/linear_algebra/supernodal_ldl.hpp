// LDL' factorisation of a sparse quasi-definite matrix in dense blocks.
#pragma once

#include <perp/solvers/linear_algebra/assembly_tree.hpp>
#include <perp/solvers/linear_algebra/dense_product.hpp>
#include <perp/solvers/linear_algebra/thread_team.hpp>
#include <vector>

namespace perp {

/// K = L D L' of a symmetric matrix whose pivots have known signs, as SparseLdl, for matrices whose
/// factor is large or has dense blocks. Multifrontal [DuffReid1983] with relaxed supernodes, so
/// that products of dense matrices (DenseProduct) do most of the work. Unknowns that belong
/// together (a body's velocities) may be given as a group. Then the groups are ordered (AMD
/// [AmestoyDavisDuff1996]), which takes less time and keeps their blocks together. On several
/// threads, subtrees are eliminated at the same time, then the products of each front above them
/// are cut into shares; the bits are those of one thread. On one thread, factor() and solve()
/// allocate nothing.
class SupernodalLdl {
 public:
  /// Takes the pattern of the upper triangle by columns: the rows of column j are
  /// rows[starts[j] .. starts[j + 1]), the diagonal included, no entry twice.
  /// @param signs of the pivots, +1 or -1, one per unknown
  /// @param groups for each unknown its group, 0 to the number of groups - 1; empty: each unknown
  /// is a group of its own
  /// @param order of the groups, new -> old; empty: by find_minimum_degree_order()
  /// @param threads of factor(), at least 1; small matrices are factorised on one
  void analyse(int size, const std::vector<int>& starts, const std::vector<int>& rows,
               const std::vector<signed char>& signs, const std::vector<int>& groups = {},
               const std::vector<int>& order = {}, int threads = 1);

  /// @param values in the order of the pattern
  /// @param least, substitute a pivot with the wrong sign, or of absolute value below `least`, is
  /// replaced by `substitute` with the right sign
  /// @return false if an entry is not finite
  bool factor(const std::vector<double>& values, double least, double substitute);

  /// x := K^-1 x for `count` right-hand sides of `size` values, one after the other. Two together
  /// take little longer than one: L comes from memory only once. Only larger counts allocate.
  void solve(double* x, int count = 1) const;

  /// Number of pivots that factor() replaced.
  int substituted() const { return substituted_.count; }
  /// The value of the first of them in the order of elimination before that, and its row.
  double first_substituted() const { return substituted_.first; }
  int first_substituted_row() const { return substituted_.row; }
  /// Entries of L (zeros of its blocks included) and multiplications of a factorisation, after
  /// analyse().
  long factor_entries() const { return tree_.panel_size; }
  double operations() const { return tree_.operations; }

 private:
  /// Entries of the pattern by the front that assembles them.
  struct Entries {
    std::vector<int> starts, of_pattern;
    std::vector<long> places;  // in the panels
  };
  /// The least size of a pivot, and its value if it is smaller or has the wrong sign.
  struct Floor {
    double least, substitute;
  };
  /// Of one thread, or of all; `place` is that of the first one in the new order.
  struct Substituted {
    int count = 0, place = 0, row = -1;
    double first = 0.0;
    void add(const Substituted& others);
  };
  /// What a thread needs for itself. The team takes part in products, if there is one.
  struct Worker {
    DenseProduct product;
    Substituted substituted;
    ThreadTeam* team = nullptr;
  };

  void place_entries(const std::vector<int>& starts, const std::vector<int>& rows);
  double* column_of(const Front& front, int column);
  /// The columns begin .. end - 1 of a front.
  struct Columns {
    int begin, end;
  };
  void clear_columns(const Front& front, const Columns& columns);
  void assign_child(int c, const Front& front, const Columns& some);
  void add_child(int c, const Front& front, const Columns& some);
  void assemble(int f, const std::vector<double>& values, const Worker& worker);
  bool factor_by_threads(const std::vector<double>& values, const Floor& floor);
  bool eliminate(int f, const std::vector<double>& values, const Floor& floor, Worker& worker);
  bool factor_columns(const Front& front, int begin, int end, const Floor& floor, Worker& worker);
  bool factor_narrow(const Front& front, int begin, int end, const Floor& floor, Worker& worker);
  double kept_pivot(int k, double pivot, const Floor& floor, Substituted& substituted) const;
  void leave_update(const Front& front, Worker& worker);
  void subtract_product(const DensePart& l, int columns, int inner, const double* d, double* c,
                        int stride, Worker& worker);
  template <class F>
  bool visit_subtrees(ThreadTeam& team, bool upwards, const F& visit) const;
  double* values_of(const Front& front, int side) const;
  void solve_forward(int f, int count) const;
  void solve_backward(int f, int count) const;

  AssemblyTree tree_;
  Entries entries_;
  AssemblyRuns runs_;
  std::vector<signed char> signs_;
  std::vector<double> panels_, pivots_;  // L of the fronts, and D
  std::vector<double> updates_;          // of fronts, until their parents take them
  std::vector<Worker> workers_;          // one per thread
  Substituted substituted_;
  // Of solve(): all unknowns in the new order; for each front the values of its rows.
  mutable std::vector<double> work_, values_;
};

}  // namespace perp
