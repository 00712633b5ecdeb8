// The Newton matrix of compliant contact.
#pragma once

#include <perp/solvers/friction/compliant_contacts.hpp>
#include <perp/solvers/linear_algebra/supernodal_ldl.hpp>
#include <vector>

namespace perp {

/// H = A + sum J_c' S_c J_c with a 3 x 3 matrix S_c for each contact. H is symmetric positive
/// definite; its pattern follows from A and the blocks of J. Unknowns that take part in the same
/// contacts (a body's velocities) are ordered as a group. factor() allocates nothing.
class SapMatrix {
 public:
  /// Keeps references to both. A new order is found only if the pattern has changed; else only
  /// larger sizes allocate. @param threads of the factorisations
  void build(const Matrix& a, const CompliantContacts& contacts, int threads = 1);

  /// y := A x.
  void multiply(const Vector& x, Vector& y) const;

  /// @param stiffness S of each contact, by columns
  /// @return false if an entry is not finite
  bool factor(const std::vector<Eigen::Matrix3d>& stiffness);
  /// x := H^-1 x.
  void solve(Vector& x) const { ldl_.solve(x.data()); }

 private:
  void find_pattern();
  void find_groups();
  int place(int row, int column) const;

  const CompliantContacts* contacts_ = nullptr;
  const Matrix* a_ = nullptr;
  std::vector<int> starts_, rows_;                    // upper triangle by columns
  std::vector<int> analysed_starts_, analysed_rows_;  // of ldl_
  std::vector<int> groups_, analysed_groups_;
  int analysed_threads_ = 0;
  std::vector<int> contact_starts_, contact_lists_;  // of each column
  std::vector<double> fixed_, values_;               // of A alone; of H
  std::vector<int> places_;                          // for each contact and pair of its columns
  std::vector<int> seen_, next_;                     // of find_pattern(): by column
  SupernodalLdl ldl_;
};

}  // namespace perp
