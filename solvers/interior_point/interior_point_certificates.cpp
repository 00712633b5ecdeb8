// Proofs that a conic_qp has no feasible point, or none of its dual.
#include <perp/solvers/interior_point/interior_point.hpp>

#include <algorithm>
#include <cmath>

namespace perp {

namespace {

constexpr double kFirstRadius = 1e3, kRadiusGrowth = 30.0;  // of certificates worth a refinement
constexpr int kRefinements = 4;
constexpr double kInside = 4e-16;  // what rounding may take a point out of a cone, relative
constexpr double kWeight = 1e6;    // of Pd = 0 in the refinement of a ray

double largest(const Vector& v) { return v.size() > 0 ? v.cwiseAbs().maxCoeff() : 0.0; }

// How far away a feasible point is at least, where slope and violation are those of a certificate.
double radius(double slope, double violation) { return slope / std::max(violation, 1e-300); }

}  // namespace

// As tau vanishes, z tends to a y in K* with A'y = 0, b'y < 0.
bool InteriorPoint::certify_infeasible(Result& result) {
  if (!(bz_ < 0) || tau_ > kappa_) return false;
  data_.multiply_at(z_, right_x_);
  const double reached = radius(-bz_, largest(right_x_));
  if (reached < std::max(kFirstRadius, kRadiusGrowth * primal_radius_)) return false;
  primal_radius_ = reached;
  scaled_z_ = z_ / -bz_;
  for (int k = 0;; ++k) {
    Vector y = scaled_z_.cwiseProduct(data_.row_scale);
    for (const auto& b : data_.cones.second_order()) y[b.offset] *= 1.0 + kInside;
    const FarkasCheck check = check_farkas(posed_, y);
    if (check.holds) {
      result.certificate = Certificate{"farkas", std::move(y), {}, 0.0, true, check.radius};
      result.message = "the constraints have no feasible point";
      return true;
    }
    if (k == kRefinements || (k == 0 && !kkt_.factor(squared_, 0.0, settings.regularisation)))
      return false;
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
bool InteriorPoint::certify_unbounded(Result& result) {
  if (!(cx_ < 0) || tau_ > kappa_) return false;
  right_z_ = res_z_ + tau_ * data_.b;  // Ax + s
  const double reached = radius(-cx_, std::max(largest(px_), largest(right_z_)));
  if (reached < std::max(kFirstRadius, kRadiusGrowth * dual_radius_)) return false;
  dual_radius_ = reached;
  scaled_x_ = x_ / -cx_;
  scaled_s_ = s_ / -cx_;
  for (int k = 0;; ++k) {
    Vector x = scaled_x_.cwiseProduct(data_.column_scale);
    const UnboundedCheck check = check_unbounded(posed_, x);
    if (check.holds) {
      result.certificate = Certificate{"unbounded", {}, std::move(x), 0.0, true, check.radius};
      result.message = "the objective falls without end along a direction of the constraints";
      return true;
    }
    if (k == kRefinements || (k == 0 && !kkt_.factor(squared_, kWeight, settings.regularisation)))
      return false;
    refine_ray();
  }
}

// The smallest change of s in the norm of W^-1 that brings Ax + s, and nearly Px, to zero.
void InteriorPoint::refine_ray() {
  data_.multiply_p(scaled_x_, right_x_);
  right_x_ *= -kWeight;
  data_.multiply_a(scaled_x_, right_z_);
  right_z_ = -right_z_ - scaled_s_;
  kkt_.solve(right_x_, right_z_, affine_.x, affine_.z, settings.refinements);
  scaled_x_ += affine_.x;
  data_.multiply_a(scaled_x_, scaled_s_);
  scaled_s_ = -scaled_s_;
  data_.cones.project(scaled_s_, true);
}

}  // namespace perp
