// Finds partners among the bounded pairs for free ones.
#pragma once

#include <perp/problems/limits/deadline.hpp>
#include <perp/solvers/pivoting/basis.hpp>

namespace perp {

/// Finds a start in which all free unknowns are basic even if M_FF is singular. Each pair that M_FF
/// leaves over becomes basic together with as few bounded pairs as possible, its partners, so that
/// the principal pivot on them is nonsingular.
///
/// The partners are a shortest chain of nonzero entries of B^-1 M, found breadth first, from row i
/// to column i through pairs whose w is basic. In a shortest chain no exchange makes the pivot of a
/// later one zero.
///
/// Invariant: the basis is nonsingular, and all free x are basic in it except those without
/// partners.
class PartnerSearch {
 public:
  /// @param first_left first of the free pairs that M_FF leaves over
  /// @param start status of every pair; the partners become basic in it
  /// @throws DeadlinePassed
  void run(const CanonicalProblem& problem, int first_left, const Deadline& deadline,
           std::vector<PairStatus>& start);
  /// Pairs without partners.
  const std::vector<int>& without() const { return waiting_; }
  int partners() const { return partners_; }

 private:
  bool pivot_in(int i, const Deadline& deadline, std::vector<PairStatus>& start);
  int find_chain(int i, const Deadline& deadline);

  const CanonicalProblem* problem_ = nullptr;
  int first_left_ = 0, partners_ = 0;
  Basis basis_;
  std::vector<int> head_, waiting_;
  std::vector<int> parent_, chain_;  // parent_: the pair from which the search reached a pair
  std::vector<int> level_, next_;    // pairs at the present distance from i, and at the next one
  std::vector<double> strength_;     // the largest entry that leads to a pair
  std::vector<char> visited_;
  Vector row_;
};

}  // namespace perp
