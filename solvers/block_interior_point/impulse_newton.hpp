// The linear systems of methods for an ImpulseProgram.
#pragma once

#include <initializer_list>
#include <perp/solvers/block_interior_point/impulse_program.hpp>
#include <perp/solvers/linear_algebra/supernodal_ldl.hpp>
#include <utility>

namespace perp {

/// Solves
///   [M + G'D G, -M; -M, -J'B J] (dv, dm) = (a, b)
/// with diagonal D >= 0 and block diagonal B >= 0, one block for every cone. The matrix is
/// quasi-definite [Vanderbei1995] if B has enough rank. Its graph is that of the bodies. Rows of G
/// and cones that have had weight 0 so far are not in its pattern. If no row of G has an entry in
/// the velocities of a block of M, dv = dm + M^-1 a is eliminated there, and M is added to J'B J.
class ImpulseNewton {
 public:
  /// Keeps a reference to the program.
  void prepare(const ImpulseProgram& program);
  /// To be called if the program has new values with the same structure.
  void update();

  /// Symmetric 3 x 3 blocks; smaller cones use the upper left part.
  using ConeBlock = Eigen::Matrix3d;
  /// @param blocks B, one per cone @param weights D, one per row of G
  /// @return false if the factorisation breaks down
  bool factor(const std::vector<ConeBlock>& blocks, const Vector& weights);
  /// A right-hand side, and the vectors of its solution: one value per velocity in each.
  struct Side {
    const Vector &a, &b;
    Vector &dv, &dm;
  };
  /// Solves for (dv, dm) of each side. Two together take little longer than one.
  void solve(std::initializer_list<Side> sides);

  /// Begins a solve. Cones and rows that have no weight in its first factorisation are out of the
  /// pattern, as if there had been no solve before: the order of elimination, and with it the last
  /// bits, depend on the pattern. @param threads of the factorisations
  void begin(int threads = 1) {
    first_ = true;
    analysed_ &= threads == threads_;
    threads_ = threads;
    factorisations = analyses = linear_solves = 0;
  }
  int factorisations = 0, analyses = 0, linear_solves = 0;

 private:
  struct Touched {
    std::vector<int> velocities;
    Eigen::Matrix<double, 3, Eigen::Dynamic> rows;
  };
  /// The upper triangle by columns. `targets` are the places of all contributions: first those of
  /// M, then of the cones, then of the rows of G.
  struct Pattern {
    std::vector<int> starts, rows, targets;
  };
  void find_touched();
  void number_unknowns();
  std::vector<int> find_bodies() const;
  bool let_in(const std::vector<ConeBlock>& blocks, const Vector& weights);
  void analyse();
  std::vector<std::pair<int, int>> list_places() const;
  void put_side(const Side& side, double* x) const;
  void take_solution(const double* x, const Side& side) const;

  const ImpulseProgram* program_ = nullptr;
  std::vector<Touched> touched_;          // the velocities in the rows of each cone
  std::vector<char> cone_in_, bound_in_;  // whether it takes part in the pattern
  bool first_ = true;                     // nothing was factorised in this solve yet
  bool analysed_ = false;                 // the analysis is that of the pattern and of threads_
  int threads_ = 1;
  std::vector<int> v_index_, m_index_;  // of each velocity, or -1
  std::vector<int> groups_;
  std::vector<signed char> signs_;
  Pattern pattern_;
  std::vector<double> values_;
  Vector work_;
  SupernodalLdl ldl_;
};

}  // namespace perp
