// The few functions of the standard problems that are more than data.
#include <perp/problems/standard/friction_cone.hpp>
#include <perp/problems/standard/mass_inverse.hpp>
#include <perp/problems/standard/problem.hpp>

#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace perp {

std::string_view to_string(ConeType type) {
  switch (type) {
    case ConeType::kZero:
      return "zero";
    case ConeType::kNonnegative:
      return "nonnegative";
    default:
      return "second_order";
  }
}

Vector Mcp::evaluate(const Vector& z) const {
  if (graph) return graph->evaluate(z, parameters);
  Vector f(size());
  callback(z, f);
  return f;
}

void Mcp::evaluate_extended(const Vector& z, ExtendedWorkspace& work, ExtendedVector& f) const {
  if (graph) return graph->evaluate_extended(z, parameters, work.graph, f);
  work.f.resize(size());
  callback(z, work.f);
  f = work.f.cast<Extended>();
}

void FrictionContact::extended_velocity(const Vector& r, SumWorkspace& work, AffineSum& u) const {
  const AffineTerm compliant =
      compliance.size() > 0 ? AffineTerm::scaled(compliance, r) : AffineTerm{};
  if (!is_operator())
    return sum_of({AffineTerm::vector(q), AffineTerm::product(W, r), compliant}, size(), work, u);
  const MassInverse mass(M);
  if (!mass.positive_definite()) throw std::invalid_argument("M: not positive definite");
  const ExtendedVector impulses =
      mass.solve(sum_of({AffineTerm::transposed_product(J, r)}, J.cols()).values);
  sum_of({AffineTerm::vector(q), AffineTerm::product(J, impulses), compliant}, size(), work, u);
}

Vector FrictionContact::relative_velocity(const Vector& r) const {
  SumWorkspace work;
  AffineSum u;
  extended_velocity(r, work, u);
  return u.values.cast<double>();
}

void ConvexContact::extended_impulses(const Vector& v, SumWorkspace& work, AffineSum& minus_ry,
                                      ExtendedVector& gamma) const {
  sum_of({AffineTerm::product(J, v), AffineTerm::vector(bias, -1)}, 3 * contacts(), work, minus_ry);
  gamma = -minus_ry.values.cwiseQuotient(R.cast<Extended>());
  for (int c = 0; c < contacts(); ++c) {
    // Projection on the cone in the norm of R [CastroPermenterHan2022, Sec. IV].
    const Extended friction = mu[c];
    project_on_cone(friction, friction * R[3 * c + 1] / R[3 * c], 3, &gamma[3 * c]);
  }
}

Vector ConvexContact::impulses(const Vector& v) const {
  SumWorkspace work;
  AffineSum minus_ry;
  ExtendedVector gamma;
  extended_impulses(v, work, minus_ry, gamma);
  return gamma.cast<double>();
}

}  // namespace perp
