// Where a solve begins, and how far it may go.
#pragma once

#include <perp/problems/matrix/matrix.hpp>
#include <vector>

namespace perp {

/// Where an unknown of an lcp or mlcp stands in a complementary basis.
enum class PairStatus : unsigned char { kAtLower, kAtUpper, kBasic };

/// What is known before a solve; any of it may be missing. The pointers must live while solve()
/// runs. A method uses what it can, and SolverTraits::uses_start tells whether that is anything.
struct Start {
  const Vector* z = nullptr;                       ///< unknowns
  const Vector* dual = nullptr;                    ///< conic_qp: y of the rows
  const std::vector<PairStatus>* basis = nullptr;  ///< lcp, mlcp: of every unknown

  Start() = default;
  Start(std::nullptr_t) {}
  Start(const Vector* unknowns, const Vector* duals = nullptr,
        const std::vector<PairStatus>* statuses = nullptr)
      : z(unknowns), dual(duals), basis(statuses) {}
};

/// What every solver obeys.
struct Limits {
  double tolerance = 1e-8;  ///< the verifier's measure that is aimed at
  int max_iterations = 0;   ///< 0: the solver's own default
  double time_limit = 0.0;  ///< seconds a solve may take; 0: none
};

}  // namespace perp
