#include <perp/solvers/friction/compliant_contacts.hpp>

#include <perp/problems/standard/friction_cone.hpp>

#include <algorithm>

namespace perp {

void CompliantContacts::build(const ConvexContact& p) {
  const int contacts = p.contacts();
  columns_ = p.size();
  r_ = p.R;
  bias_ = p.bias;
  mu_.assign(p.mu.begin(), p.mu.end());
  mu_hat_.resize(mu_.size());
  for (int c = 0; c < contacts; ++c) mu_hat_[c] = mu_[c] * r_[3 * c + 1] / r_[3 * c];

  // The columns of each contact are counted, then filled column by column: so they are in order.
  starts_.assign(contacts + 1, 0);
  last_.assign(contacts, -1);
  for (int j = 0; j < columns_; ++j) {
    p.J.for_column(j, [&](int i, double) {
      if (last_[i / 3] == j) return;
      last_[i / 3] = j;
      ++starts_[i / 3 + 1];
    });
  }
  for (int c = 0; c < contacts; ++c) starts_[c + 1] += starts_[c];
  places_.resize(starts_[contacts]);
  blocks_.assign(3 * places_.size(), 0.0);
  next_.assign(starts_.begin(), starts_.end() - 1);
  std::fill(last_.begin(), last_.end(), -1);
  for (int j = 0; j < columns_; ++j) {
    p.J.for_column(j, [&](int i, double value) {
      const int c = i / 3;
      if (last_[c] != j) {
        last_[c] = j;
        places_[next_[c]++] = j;
      }
      blocks_[3 * static_cast<std::size_t>(next_[c] - 1) + i % 3] = value;
    });
  }
}

void CompliantContacts::multiply(const Vector& v, Vector& u) const {
  for (int c = 0; c < size(); ++c) {
    const auto j = block(c);
    Eigen::Vector3d sum = Eigen::Vector3d::Zero();
    for (int k = 0; k < count(c); ++k) sum += j.col(k) * v[places(c)[k]];
    u.segment<3>(3 * c) = sum;
  }
}

void CompliantContacts::subtract_transposed(const Vector& gamma, Vector& g) const {
  for (int c = 0; c < size(); ++c) {
    const auto j = block(c);
    const Eigen::Vector3d impulse = gamma.segment<3>(3 * c);
    for (int k = 0; k < count(c); ++k) g[places(c)[k]] -= j.col(k).dot(impulse);
  }
}

Eigen::Vector3d CompliantContacts::free_impulse(int c, const double* u) const {
  return {-u[0] / r_[3 * c], -u[1] / r_[3 * c + 1], -u[2] / r_[3 * c + 2]};
}

Eigen::Vector3d CompliantContacts::impulse(int c, const double* u) const {
  Eigen::Vector3d y = free_impulse(c, u);
  project_on_cone(mu_[c], mu_hat_[c], 3, y.data());
  return y;
}

void CompliantContacts::impulses(const Vector& u, Vector& gamma) const {
  for (int c = 0; c < size(); ++c) gamma.segment<3>(3 * c) = impulse(c, &u[3 * c]);
}

Eigen::Matrix3d CompliantContacts::stiffness(int c, const double* u) const {
  const Eigen::Vector3d y = free_impulse(c, u);
  const Eigen::Matrix3d d = cone_projection_derivative(mu_[c], mu_hat_[c], 3, y.data()) *
                            r_.segment<3>(3 * c).cwiseInverse().asDiagonal();
  return 0.5 * (d + d.transpose());  // d is symmetric up to rounding
}

}  // namespace perp
