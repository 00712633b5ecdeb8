// The start of a solve, and its limits.
#pragma once

#include <perp/problems/matrix/matrix.hpp>
#include <vector>

namespace perp {

/// Where an unknown of an lcp or mlcp stands in a complementary basis.
enum class PairStatus : unsigned char { kAtLower, kAtUpper, kBasic };

/// What is known before a solve; any of it may be missing. What the pointers point to must live
/// while solve() runs. A method uses what it can; SolverTraits::uses_start tells if it uses any.
struct Start {
  const Vector* z = nullptr;                       ///< unknowns
  const Vector* dual = nullptr;                    ///< conic_qp: y, one per row
  const std::vector<PairStatus>* basis = nullptr;  ///< lcp, mlcp: one per unknown

  Start() = default;
  Start(std::nullptr_t) {}
  Start(const Vector* unknowns, const Vector* duals = nullptr,
        const std::vector<PairStatus>* statuses = nullptr)
      : z(unknowns), dual(duals), basis(statuses) {}
};

/// Limits that every solver keeps.
struct Limits {
  double tolerance = 1e-8;  ///< largest measure of the verifier that counts as solved
  int max_iterations = 0;   ///< 0: the solver's own default
  double time_limit = 0.0;  ///< seconds a solve may take; 0: none
  /// Threads that a solve may use, at least 1. Factorisations by dense blocks (SupernodalLdl) and
  /// `together` use several; the answer has the same bits whatever their number.
  int threads = 1;
};

}  // namespace perp
