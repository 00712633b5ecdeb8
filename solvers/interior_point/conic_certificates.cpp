#include <perp/solvers/interior_point/conic_certificates.hpp>

#include <algorithm>
#include <cmath>

namespace perp {

namespace {

// Least first radius of a certificate that is worth a refinement, and least growth of later ones.
constexpr double kFirstRadius = 1e3, kRadiusGrowth = 30.0;
constexpr int kCertificateRefinements = 4;
constexpr double kInsideCone = 4e-16;  // relative distance out of a cone that rounding may cause

// The least distance of a feasible point, from slope and violation of a certificate.
double radius(double slope, double violation) { return slope / std::max(violation, 1e-300); }

}  // namespace

// The equations of rays, Px = 0 and Ax + s = 0, as rows of one matrix.
struct ConicCertificates::Ray {
  ConicData data;
  KktSystem kkt;
  ConeMatrix weights;
  Vector none, px, stationarity, violation, s;
};

ConicCertificates::ConicCertificates() = default;
ConicCertificates::~ConicCertificates() = default;

void ConicCertificates::prepare(const ConicQp& posed, const ConicData& data, KktSystem& kkt) {
  posed_ = &posed;
  data_ = &data;
  kkt_ = &kkt;
  ray_.reset();
  for (Vector* v : {&x_, &right_x_, &dx_}) v->setZero(data.variables());
  for (Vector* v : {&y_, &right_z_, &dz_}) v->setZero(data.rows());
}

void ConicCertificates::begin(double regularisation, int refinements,
                              std::string_view linear_algebra) {
  regularisation_ = regularisation;
  refinements_ = refinements;
  linear_algebra_ = linear_algebra;
  primal_radius_ = dual_radius_ = 0.0;
  exclusion_.reset();
}

std::optional<Status> ConicCertificates::look(const CentralPath& path, Result& result) {
  came_closer_ = false;
  if (path.point().tau > path.point().kappa) return {};
  if (const auto end = look_for_farkas(path, result)) return end;
  return look_for_ray(path, result);
}

bool ConicCertificates::exclude(Result& result) {
  if (!exclusion_) return false;
  result.status = Status::kExcluded;
  result.certificate = exclusion_;
  result.message = exclusion_message_;
  return true;
}

// Ends with a proof. Keeps a certificate that excludes solutions up to a radius, in case nothing
// better follows.
template <class Check>
std::optional<Status> ConicCertificates::take(const Check& check, Result& result) {
  if (!check.holds && !check.excludes) return {};
  Certificate certificate = certificate_of(check, posed_point_);
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

std::optional<Status> ConicCertificates::look_for_farkas(const CentralPath& path, Result& result) {
  const double slope = -path.residual().bz;
  if (!(slope > 0)) return {};
  data_->multiply_at(path.point().z, right_x_);
  const double reached = radius(slope, max_abs(right_x_));
  if (reached < std::max(kFirstRadius, kRadiusGrowth * primal_radius_)) return {};
  primal_radius_ = reached;
  came_closer_ = true;
  y_ = path.point().z / slope;
  for (int k = 0;; ++k) {
    posed_point_ = y_.cwiseProduct(data_->row_scale);
    for (const auto& b : data_->cones.second_order()) posed_point_[b.offset] *= 1.0 + kInsideCone;
    if (const auto end = take(check_farkas(*posed_, posed_point_), result)) return end;
    if (k == kCertificateRefinements) return {};
    if (k == 0 && !kkt_->factor(path.squared_scaling(), 0.0, regularisation_)) return {};
    refine_farkas();
  }
}

// The smallest change of y in the norm of W that brings A'y to zero.
void ConicCertificates::refine_farkas() {
  data_->multiply_at(y_, right_x_);
  right_x_ = -right_x_;
  right_z_.setZero();
  kkt_->solve(right_x_, right_z_, dx_, dz_, {refinements_});
  y_ += dz_;
  data_->cones.project(y_, false);
}

std::optional<Status> ConicCertificates::look_for_ray(const CentralPath& path, Result& result) {
  const EmbeddingResidual& residual = path.residual();
  const double slope = -residual.cx;
  if (!(slope > 0)) return {};
  right_z_ = residual.z + path.point().tau * data_->b;  // Ax + s
  const double reached = radius(slope, std::max(max_abs(residual.px), max_abs(right_z_)));
  if (reached < std::max(kFirstRadius, kRadiusGrowth * dual_radius_)) return {};
  dual_radius_ = reached;
  came_closer_ = true;
  x_ = path.point().x / slope;
  for (int k = 0;; ++k) {
    posed_point_ = x_.cwiseProduct(data_->column_scale);
    if (const auto end = take(check_unbounded(*posed_, posed_point_), result)) return end;
    if (k == kCertificateRefinements || (k == 0 && !factor_rays(path))) return {};
    refine_ray(path);
  }
}

void ConicCertificates::build_rays() {
  const int n = data_->variables();
  ConicQp rays;
  std::vector<Triplet> entries;
  for (int j = 0; j < n; ++j) {
    const auto add = [&](int i, double value) { entries.emplace_back(i, j, value); };
    if (data_->dense_p()) {
      for (int i = 0; i < n; ++i) add(i, data_->full_p(i, j));
    } else {
      for (SparseMatrix::InnerIterator it(data_->sparse_p, j); it; ++it)
        add(static_cast<int>(it.row()), it.value());
    }
    for (SparseMatrix::InnerIterator it(data_->a, j); it; ++it)
      add(n + static_cast<int>(it.row()), it.value());
  }
  rays.P = Matrix::from_triplets(n, n, {});
  rays.c = Vector::Zero(n);
  rays.A = Matrix::from_triplets(n + data_->rows(), n, entries);
  rays.b = Vector::Zero(n + data_->rows());
  rays.cones.push_back({ConeType::kZero, n});
  rays.cones.insert(rays.cones.end(), posed_->cones.begin(), posed_->cones.end());
  ray_ = std::make_unique<Ray>();
  ray_->data.build(rays, false);
  ray_->kkt.prepare(ray_->data, linear_algebra_);
  ray_->weights.resize(ray_->data.cones);
  ray_->none.setZero(ray_->data.rows());
}

// Factorises the equations of rays with the scaling of s at the point of the path.
bool ConicCertificates::factor_rays(const CentralPath& path) {
  if (!ray_) build_rays();
  const ConeMatrix& squared = path.squared_scaling();
  ray_->weights.diagonal.tail(data_->rows()) = squared.diagonal;
  ray_->weights.axis.tail(data_->rows()) = squared.axis;
  ray_->weights.spectrum = squared.spectrum;
  return ray_->kkt.factor(ray_->weights, 1.0, regularisation_);
}

// s := 0 in the cones with z / ||z|| larger than s / ||s||: there s is 0 in the limit.
void ConicCertificates::drop_vanishing(const CentralPath& path, Vector& s) const {
  const double ratio = path.point().s.norm() / std::max(path.point().z.norm(), 1e-300);
  const ConeMatrix& squared = path.squared_scaling();
  const int n = data_->variables();
  for (int i : data_->cones.linear()) {
    if (squared.diagonal[i] < ratio) s[n + i] = 0.0;
  }
  for (std::size_t k = 0; k < squared.spectrum.size(); ++k) {
    const auto& block = data_->cones.second_order()[k];
    if (squared.spectrum[k].plus < ratio) s.segment(n + block.offset, block.size).setZero();
  }
}

// The smallest change of s in the norm of W^-1 that satisfies the equations of rays, from the point
// of K nearest to -Ax.
void ConicCertificates::refine_ray(const CentralPath& path) {
  Ray& r = *ray_;
  r.data.evaluate_extended(x_, r.none, 0.0, r.px, r.stationarity, r.violation);
  r.s = r.violation;
  r.data.cones.project(r.s, true);
  drop_vanishing(path, r.s);
  r.violation -= r.s;
  right_x_.setZero();
  r.kkt.solve(right_x_, r.violation, dx_, r.s, {refinements_});
  x_ += dx_;
}

}  // namespace perp
