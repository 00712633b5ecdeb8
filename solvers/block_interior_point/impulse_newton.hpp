// The linear systems of the augmented Lagrangian of an ImpulseProgram.
#pragma once

#include <perp/solvers/block_interior_point/impulse_program.hpp>
#include <perp/solvers/linear_algebra/supernodal_ldl.hpp>

namespace perp {

/// Solves
///   [M + G'D G, -M; -M, -J'B J] (dv, dm) = (a, b)
/// for D >= 0 diagonal and B >= 0 block diagonal, one block for every cone. The matrix is
/// quasi-definite [Vanderbei1995] where B spans enough, and its graph is that of the bodies: rows
/// of G and cones without weight take no part. Where no row of G meets a block of M, dv = dm + M^-1
/// a leaves the system, and M joins J'B J.
class ImpulseNewton {
 public:
  void prepare(const ImpulseProgram& program);

  /// Symmetric 3 x 3 blocks, of smaller cones the upper left part.
  using ConeBlock = Eigen::Matrix3d;
  /// @param weights of the rows of G, 0: takes no part. @return false where it breaks down
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
  void analyse();
  void number_unknowns();

  const ImpulseProgram* program_ = nullptr;
  std::vector<Touched> touched_;          // by each cone
  std::vector<char> cone_in_, bound_in_;  // the pattern
  std::vector<int> v_index_, m_index_;    // of each velocity, or -1
  std::vector<int> groups_;
  std::vector<signed char> signs_;
  std::vector<int> starts_, rows_, targets_;
  std::vector<double> values_;
  Vector work_;
  SupernodalLdl ldl_;
};

}  // namespace perp
