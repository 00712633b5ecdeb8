// The few functions of the standard problems that are more than data.
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
  const ExtendedVector y = -minus_ry.cwiseQuotient(R.cast<Extended>());
  ExtendedVector gamma(y.size());
  for (int c = 0; c < contacts(); ++c) {
    // Projection on the cone in the norm of R: stick, slide, open [CastroPermenterHan2022, Sec.
    // IV].
    const Extended y_n = y[3 * c], friction = mu[c];
    const Extended y_r = std::hypot(y[3 * c + 1], y[3 * c + 2]);
    const Extended mu_hat = friction * R[3 * c + 1] / R[3 * c];
    if (y_n <= -mu_hat * y_r) {
      gamma.segment<3>(3 * c).setZero();
    } else if (y_r <= friction * y_n) {
      gamma.segment<3>(3 * c) = y.segment<3>(3 * c);
    } else {
      const Extended gamma_n = (y_n + mu_hat * y_r) / (1 + friction * mu_hat);
      gamma[3 * c] = gamma_n;
      gamma.segment<2>(3 * c + 1) = friction * gamma_n / y_r * y.segment<2>(3 * c + 1);
    }
  }
  return gamma;
}

Vector ConvexContact::impulses(const Vector& v) const {
  return extended_impulses(v).cast<double>();
}

}  // namespace perp
