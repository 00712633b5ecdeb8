// The linear systems of the augmented Lagrangian of an ImpulseProgram.
#pragma once

#include <perp/solvers/block_interior_point/impulse_program.hpp>
#include <perp/solvers/linear_algebra/supernodal_ldl.hpp>
#include <utility>

namespace perp {

/// Solves
///   [M + G'D G, -M; -M, -J'B J] (dv, dm) = (a, b)
/// for D >= 0 diagonal and B >= 0 block diagonal, one block for every cone. The matrix is
/// quasi-definite [Vanderbei1995] where B spans enough, and its graph is that of the bodies: rows
/// of G and cones without weight take no part. Where no row of G meets a block of M, dv = dm + M^-1
/// a leaves the system, and M joins J'B J.
class ImpulseNewton {
 public:
  /// Keeps a reference to the program.
  void prepare(const ImpulseProgram& program);
  /// Takes other values of it, of the same structure.
  void update();

  /// Symmetric 3 x 3 blocks, of smaller cones the upper left part.
  using ConeBlock = Eigen::Matrix3d;
  /// @param weights of the rows of G, 0: takes no part. @return false if it breaks down
  bool factor(const std::vector<ConeBlock>& blocks, const Vector& weights);
  /// (dv, dm) from (a, b).
  void solve(const Vector& a, const Vector& b, Vector& dv, Vector& dm);

  void clear_counts() { factorisations = analyses = linear_solves = 0; }
  int factorisations = 0, analyses = 0, linear_solves = 0;

 private:
  struct Touched {
    std::vector<int> velocities;
    Eigen::Matrix<double, 3, Eigen::Dynamic> rows;
  };
  /// The upper triangle by columns; targets: where every contribution goes, those of M, then of the
  /// cones, then of the rows of G.
  struct Pattern {
    std::vector<int> starts, rows, targets;
  };
  void find_touched();
  void number_unknowns();
  std::vector<int> find_bodies() const;
  bool let_in(const std::vector<ConeBlock>& blocks, const Vector& weights);
  void analyse();
  std::vector<std::pair<int, int>> list_places() const;

  const ImpulseProgram* program_ = nullptr;
  std::vector<Touched> touched_;          // by each cone
  std::vector<char> cone_in_, bound_in_;  // whether it takes part in the pattern
  std::vector<int> v_index_, m_index_;    // of each velocity, or -1
  std::vector<int> groups_;
  std::vector<signed char> signs_;
  Pattern pattern_;
  std::vector<double> values_;
  Vector work_;
  SupernodalLdl ldl_;
};

}  // namespace perp
