// Linear programs of few variables.
#pragma once

#include <array>
#include <perp/problems/matrix/matrix.hpp>
#include <vector>

namespace perp {

/// min c'x subject to A x <= b and lower <= x <= upper, with up to kMostUnknowns unknowns. The
/// bounds are finite; a program whose solution lies at one of them may have none without it.
struct SmallLp {
  static constexpr int kMostUnknowns = 6;

  int unknowns = 0;
  std::vector<double> rows;  ///< of A, one after the other; their length is of no importance
  std::vector<double> b;     ///< one for each row
  std::array<double, kMostUnknowns> c{}, lower{}, upper{};
};

/// A vertex that solves it.
struct SmallLpSolution {
  bool feasible = false;
  double value = 0.0;                              ///< c'x
  std::array<double, SmallLp::kMostUnknowns> x{};  ///< with A x = b in the rows of the basis
  /// As many as unknowns: rows of A, then (from their number on) lower bounds, then upper ones.
  std::array<int, SmallLp::kMostUnknowns> basis{};
  /// y >= 0 with c + sum of y_k a_k = 0 over the basis, where the row of a lower bound is -e_k.
  std::array<double, SmallLp::kMostUnknowns> multipliers{};
};

/// Seidel's algorithm [Seidel1991]: rows are added one by one in a random order; where the solution
/// so far violates one, the next lies on it, and is that of a program with an unknown less. The
/// expected time is linear in the rows (and d! in the unknowns). The order is that of a generator
/// with a fixed seed: equal programs have equal solutions. Where several points are solutions it is
/// a vertex of theirs, and where more rows than unknowns meet the basis has some of them, with
/// multipliers that are not negative. A row is violated if it is by more than 1e-13 of the
/// largest numbers in it.
/// Its work space is kept from call to call.
class SmallLpSolver {
 public:
  const SmallLpSolution& solve(const SmallLp& program);

 private:
  static constexpr int kWidth = SmallLp::kMostUnknowns;

  struct Row {
    std::array<double, kWidth> a;
    double b;
    double size;  // of the numbers that b was computed from
    int index;
  };
  /// A program of fewer unknowns: in the planes of some rows.
  struct Level {
    std::vector<Row> rows;
    std::array<int, kWidth> unknowns{};  // of the whole program
    std::array<double, kWidth> c{}, x{};
    std::array<int, kWidth> basis{};
  };

  bool solve_level(int unknowns);
  bool solve_line();
  static double excess(int unknowns, const Level& level, const Row& row);
  void reduce(int unknowns, const Row& plane, int count, int pivot);
  void lift(int unknowns, const Row& plane, int pivot);
  void finish();

  const SmallLp* program_ = nullptr;      // the program at hand
  std::array<Level, kWidth + 1> levels_;  // by their unknowns
  SmallLpSolution solution_;
};

}  // namespace perp
