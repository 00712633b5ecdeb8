// Certificates of problems with some hundred unknowns.
#include "support.hpp"

#include <perp/solvers/router.hpp>

namespace perp::test {
namespace {

VerifiedResult by_interior_point(std::string_view family, int size, std::uint64_t seed,
                                 const std::map<std::string, double>& parameters = {}) {
  SolveRequest request;
  request.solver = "interior-point";
  return solve_verified(generate(find_family(family), size, seed, parameters), request);
}

// The planted certificate is the only one, up to a factor. It is found in exact arithmetic.
TEST(LargeCertificates, ProveThatThereIsNoFeasiblePoint) {
  for (std::uint64_t seed = 1; seed <= 3; ++seed) {
    const VerifiedResult r = by_interior_point("socp-infeasible", 500, seed);
    EXPECT_EQ(r.status, Status::kInfeasible) << seed << ": " << r.message;
  }
  const VerifiedResult r = by_interior_point("socp-infeasible", 500, 3, {{"boundary", 1.0}});
  EXPECT_EQ(r.status, Status::kInfeasible) << r.message;
}

// Planted directions have others beside them, whose exact numbers have thousands of digits.
TEST(LargeCertificates, ProveThatTheObjectiveFallsWithoutEnd) {
  for (int size : {300, 500}) {
    for (std::uint64_t seed = 1; seed <= 3; ++seed) {
      const VerifiedResult r = by_interior_point("socp-unbounded", size, seed);
      EXPECT_EQ(r.status, Status::kRay) << size << " " << seed << ": " << r.message;
    }
  }
}

}  // namespace
}  // namespace perp::test
