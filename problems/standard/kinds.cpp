// The few functions of the standard problems that are more than data.
#include <perp/problems/standard/problem.hpp>

#include <Eigen/SparseCholesky>
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

Vector FrictionContact::relative_velocity(const Vector& r) const {
  Vector u;
  if (is_operator()) {
    Eigen::SimplicialLDLT<SparseMatrix> mass(M.to_sparse());
    if (mass.info() != Eigen::Success) throw std::invalid_argument("M: cannot be factorised");
    u = J.multiply(mass.solve(J.multiply_transposed(r))) + q;
  } else {
    u = W.multiply(r) + q;
  }
  if (compliance.size() > 0) u += compliance.cwiseProduct(r);
  return u;
}

Vector ConvexContact::impulses(const Vector& v) const {
  const Vector y = -(J.multiply(v) - bias).cwiseQuotient(R);
  Vector gamma(y.size());
  for (int c = 0; c < contacts(); ++c) {
    // Projection on the cone in the norm of R: stick, slide, open [CastroPermenterHan2022, Sec.
    // IV].
    const double y_n = y[3 * c];
    const double y_r = std::hypot(y[3 * c + 1], y[3 * c + 2]);
    const double ratio = R[3 * c + 1] / R[3 * c], mu_hat = mu[c] * ratio;
    if (y_n <= -mu_hat * y_r) {
      gamma.segment<3>(3 * c).setZero();
    } else if (y_r <= mu[c] * y_n) {
      gamma.segment<3>(3 * c) = y.segment<3>(3 * c);
    } else {
      const double gamma_n = (y_n + mu_hat * y_r) / (1.0 + mu[c] * mu_hat);
      gamma[3 * c] = gamma_n;
      gamma.segment<2>(3 * c + 1) = mu[c] * gamma_n / y_r * y.segment<2>(3 * c + 1);
    }
  }
  return gamma;
}

}  // namespace perp
