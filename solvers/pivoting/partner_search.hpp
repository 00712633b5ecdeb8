// Partners among the bounded pairs for free ones.
#pragma once

#include <perp/problems/limits/deadline.hpp>
#include <perp/solvers/pivoting/basis.hpp>

namespace perp {

/// A start in which all free unknowns are basic though M_FF is singular: each pair that it leaves
/// over is made basic together with as few bounded pairs as can be, its partners, so that the
/// principal pivot on them is nonsingular.
///
/// They are found as a shortest chain of nonzero entries of B^-1 M, breadth first from row i to
/// column i through pairs whose w is basic; along a shortest chain no exchange spoils a later one.
///
/// Invariant: the basis is nonsingular, and in it all free x but those without partners are basic.
class PartnerSearch {
 public:
  /// @param first_left the free pairs from here on are those left over; @param start what has been
  /// chosen before; the partners become basic in it.
  /// @throws DeadlinePassed
  void run(const CanonicalProblem& problem, int first_left, const Deadline& deadline,
           std::vector<PairStatus>& start);
  /// Pairs for which there were none.
  const std::vector<int>& without() const { return waiting_; }
  int partners() const { return partners_; }

 private:
  bool pivot_in(int i, const Deadline& deadline, std::vector<PairStatus>& start);
  int find_chain(int i, const Deadline& deadline);

  const CanonicalProblem* problem_ = nullptr;
  int first_left_ = 0, partners_ = 0;
  Basis basis_;
  std::vector<int> head_, waiting_;
  std::vector<int> parent_, chain_;  // of the search: the pair that a pair was reached from
  std::vector<int> level_, next_;    // pairs as many links away from i, and one more
  std::vector<double> strength_;     // the largest entry that leads to a pair
  std::vector<char> visited_;
  Vector row_;
};

}  // namespace perp
