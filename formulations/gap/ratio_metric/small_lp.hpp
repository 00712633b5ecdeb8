// Linear programs with few unknowns.
#pragma once

#include <array>
#include <perp/problems/matrix/matrix.hpp>
#include <vector>

namespace perp {

/// min c'x subject to A x <= b and lower <= x <= upper, with up to kMostUnknowns unknowns. The
/// bounds must be finite. If the solution lies on a bound, the program may have no solution without
/// this bound.
struct SmallLp {
  static constexpr int kMostUnknowns = 6;

  int unknowns = 0;
  std::vector<double> rows;  ///< rows of A, one after the other; they may have any length (norm)
  std::vector<double> b;     ///< one for each row
  std::array<double, kMostUnknowns> c{}, lower{}, upper{};
};

/// A vertex that solves it.
struct SmallLpSolution {
  bool feasible = false;
  double value = 0.0;                              ///< c'x
  std::array<double, SmallLp::kMostUnknowns> x{};  ///< the rows of the basis hold with equality
  /// As many constraints as unknowns. Row i of A has the number i; the lower bounds, then the upper
  /// bounds, have the numbers after the rows.
  std::array<int, SmallLp::kMostUnknowns> basis{};
  /// y >= 0 with c + sum of y_k a_k = 0 over the basis. The row a_k of a lower bound is -e_k.
  std::array<double, SmallLp::kMostUnknowns> multipliers{};
};

/// Seidel's algorithm [Seidel1991]. Rows are added one by one in a random order. If the solution so
/// far violates the new row, the next solution lies on that row, and is found by a program with one
/// unknown less. The expected time is linear in the number of rows (and proportional to d! for d
/// unknowns). The random generator has a fixed seed: equal programs have equal solutions. If
/// several points are solutions, the result is a vertex of the set of solutions. If more
/// constraints than unknowns meet in it, the basis has some of them, with multipliers that are not
/// negative. A row counts as violated if it is violated by more than 1e-13 of the largest numbers
/// in it. The work space is kept from call to call.
class SmallLpSolver {
 public:
  const SmallLpSolution& solve(const SmallLp& program);

 private:
  static constexpr int kWidth = SmallLp::kMostUnknowns;

  struct Row {
    std::array<double, kWidth> a;
    double b;
    double size;  // size of the numbers that b was computed from
    int index;
  };
  /// A program with fewer unknowns, in the planes of some rows.
  struct Level {
    std::vector<Row> rows;
    std::array<int, kWidth> unknowns{};  // their indices in the whole program
    std::array<double, kWidth> c{}, x{};
    std::array<int, kWidth> basis{};
  };

  bool solve_level(int unknowns);
  bool solve_line();
  static double excess(int unknowns, const Level& level, const Row& row);
  void reduce(int unknowns, const Row& plane, int count, int pivot);
  void lift(int unknowns, const Row& plane, int pivot);
  void finish();

  const SmallLp* program_ = nullptr;      // the present program
  std::array<Level, kWidth + 1> levels_;  // by number of unknowns
  SmallLpSolution solution_;
};

}  // namespace perp
