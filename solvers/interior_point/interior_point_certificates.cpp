// Proofs that a conic_qp has no feasible point, or none of its dual.
#include <perp/solvers/interior_point/interior_point.hpp>

#include <algorithm>
#include <cmath>

namespace perp {

namespace {

constexpr double kFirstRadius = 1e3, kRadiusGrowth = 30.0;  // of certificates worth a refinement
constexpr int kRefinements = 4;
constexpr double kInside = 4e-16;  // what rounding may take a point out of a cone, relative

double largest(const Vector& v) { return v.size() > 0 ? v.cwiseAbs().maxCoeff() : 0.0; }

// How far away a feasible point is at least, where slope and violation are those of a certificate.
double radius(double slope, double violation) { return slope / std::max(violation, 1e-300); }

}  // namespace

// Ends with a proof; keeps what excludes solutions up to a radius, in case nothing better follows.
template <class Check>
std::optional<Status> InteriorPoint::take_certificate(const Check& check, Vector v,
                                                      Result& result) {
  if (!check.holds && !check.excludes) return {};
  Certificate certificate = certificate_of(check, std::move(v));
  if (check.holds) {
    result.certificate = std::move(certificate);
    result.message = message_of(check);
    return status_of(check);
  }
  if (!exclusion_ || check.radius > exclusion_->radius) {
    exclusion_ = std::move(certificate);
    exclusion_message_ = message_of(check);
  }
  return {};
}

// As tau vanishes, z tends to a y in K* with A'y = 0, b'y < 0.
std::optional<Status> InteriorPoint::certify_infeasible(Result& result) {
  if (!(bz_ < 0) || tau_ > kappa_) return {};
  data_.multiply_at(z_, right_x_);
  const double reached = radius(-bz_, largest(right_x_));
  if (reached < std::max(kFirstRadius, kRadiusGrowth * primal_radius_)) return {};
  primal_radius_ = reached;
  without_gain_ = 0;
  scaled_z_ = z_ / -bz_;
  for (int k = 0;; ++k) {
    Vector y = scaled_z_.cwiseProduct(data_.row_scale);
    for (const auto& b : data_.cones.second_order()) y[b.offset] *= 1.0 + kInside;
    const FarkasCheck check = check_farkas(posed_, y);
    if (const auto end = take_certificate(check, std::move(y), result)) return end;
    if (k == kRefinements || (k == 0 && !kkt_.factor(squared_, 0.0, settings.regularisation)))
      return {};
    refine_farkas();
  }
}

// The smallest change of y in the norm of W that brings A'y to zero.
void InteriorPoint::refine_farkas() {
  data_.multiply_at(scaled_z_, right_x_);
  right_x_ = -right_x_;
  right_z_.setZero();
  kkt_.solve(right_x_, right_z_, affine_.x, affine_.z, settings.refinements);
  scaled_z_ += affine_.z;
  data_.cones.project(scaled_z_, false);
}

// Or x tends to a direction with Px = 0, -Ax in K, c'x < 0.
std::optional<Status> InteriorPoint::certify_unbounded(Result& result) {
  if (!(cx_ < 0) || tau_ > kappa_) return {};
  right_z_ = res_z_ + tau_ * data_.b;  // Ax + s
  const double reached = radius(-cx_, std::max(largest(px_), largest(right_z_)));
  if (reached < std::max(kFirstRadius, kRadiusGrowth * dual_radius_)) return {};
  dual_radius_ = reached;
  without_gain_ = 0;
  scaled_x_ = x_ / -cx_;
  for (int k = 0;; ++k) {
    Vector x = scaled_x_.cwiseProduct(data_.column_scale);
    const UnboundedCheck check = check_unbounded(posed_, x);
    if (const auto end = take_certificate(check, std::move(x), result)) return end;
    if (k == kRefinements || (k == 0 && !factor_rays())) return {};
    refine_ray();
  }
}

// The rays' equations Px = 0, Ax + s = 0 as rows of one matrix, with the scaling of s here.
bool InteriorPoint::factor_rays() {
  const int n = data_.variables();
  if (ray_data_.variables() != n) {
    ConicQp rays;
    std::vector<Triplet> entries;
    for (int j = 0; j < n; ++j) {
      const auto add = [&](int i, double value) { entries.emplace_back(i, j, value); };
      if (data_.dense_p()) {
        for (int i = 0; i < n; ++i) add(i, data_.full_p(i, j));
      } else {
        for (SparseMatrix::InnerIterator it(data_.sparse_p, j); it; ++it)
          add(static_cast<int>(it.row()), it.value());
      }
      for (SparseMatrix::InnerIterator it(data_.a, j); it; ++it)
        add(n + static_cast<int>(it.row()), it.value());
    }
    rays.P = Matrix::from_triplets(n, n, {});
    rays.c = Vector::Zero(n);
    rays.A = Matrix::from_triplets(n + data_.rows(), n, entries);
    rays.b = Vector::Zero(n + data_.rows());
    rays.cones.push_back({ConeType::kZero, n});
    rays.cones.insert(rays.cones.end(), posed_.cones.begin(), posed_.cones.end());
    ray_data_.build(rays, false);
    ray_kkt_.prepare(ray_data_, settings.linear_algebra);
    ray_weights_.resize(ray_data_.cones);
  }
  ray_weights_.diagonal.tail(data_.rows()) = squared_.diagonal;
  ray_weights_.axis.tail(data_.rows()) = squared_.axis;
  ray_weights_.spectrum = squared_.spectrum;
  return ray_kkt_.factor(ray_weights_, 1.0, settings.regularisation);
}

// s := 0 in the cones where z / ||z|| outweighs s / ||s||: there it is 0 in the limit.
void InteriorPoint::drop_vanishing(Vector& s) const {
  const double ratio = s_.norm() / std::max(z_.norm(), 1e-300);
  const int n = data_.variables();
  for (int i : data_.cones.linear()) {
    if (squared_.diagonal[i] < ratio) s[n + i] = 0.0;
  }
  for (std::size_t k = 0; k < squared_.spectrum.size(); ++k) {
    const auto& block = data_.cones.second_order()[k];
    if (squared_.spectrum[k].plus < ratio) s.segment(n + block.offset, block.size).setZero();
  }
}

// The smallest change of s in the norm of W^-1 that satisfies them, from the point of K next to
// -Ax.
void InteriorPoint::refine_ray() {
  const Vector none = Vector::Zero(ray_data_.rows());
  Vector px, stationarity, violation, dx, dz;
  ray_data_.evaluate_extended(scaled_x_, none, 0.0, px, stationarity, violation);
  Vector s = violation;
  ray_data_.cones.project(s, true);
  drop_vanishing(s);
  violation -= s;
  ray_kkt_.solve(Vector::Zero(data_.variables()), violation, dx, dz, settings.refinements);
  scaled_x_ += dx;
}

}  // namespace perp
