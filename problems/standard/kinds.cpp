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

ExtendedVector Mcp::evaluate_extended(const Vector& z) const {
  if (graph) return graph->evaluate_extended(z, parameters);
  Vector f(size());
  callback(z, f);
  return f.cast<Extended>();
}

AffineSum FrictionContact::extended_velocity(const Vector& r) const {
  std::vector<AffineTerm> terms = {AffineTerm::vector(q)};
  if (is_operator()) {
    const MassInverse mass(M);
    if (!mass.positive_definite()) throw std::invalid_argument("M: not positive definite");
    const int columns = J.cols();
    terms.push_back(AffineTerm::product(
        J, mass.solve(sum_of({AffineTerm::transposed_product(J, r)}, columns).values)));
  } else {
    terms.push_back(AffineTerm::product(W, r));
  }
  if (compliance.size() > 0) terms.push_back(AffineTerm::scaled(compliance, r));
  return sum_of(terms, size());
}

Vector FrictionContact::relative_velocity(const Vector& r) const {
  return extended_velocity(r).values.cast<double>();
}

ExtendedVector ConvexContact::extended_impulses(const Vector& v) const {
  const ExtendedVector minus_ry =
      sum_of({AffineTerm::product(J, v), AffineTerm::vector(bias, -1)}, 3 * contacts()).values;
  ExtendedVector gamma = -minus_ry.cwiseQuotient(R.cast<Extended>());
  for (int c = 0; c < contacts(); ++c) {
    // Projection on the cone in the norm of R [CastroPermenterHan2022, Sec. IV].
    const Extended friction = mu[c];
    project_on_cone(friction, friction * R[3 * c + 1] / R[3 * c], 3, &gamma[3 * c]);
  }
  return gamma;
}

Vector ConvexContact::impulses(const Vector& v) const {
  return extended_impulses(v).cast<double>();
}

}  // namespace perp
