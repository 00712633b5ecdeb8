// Proofs that a conic_qp, or its dual, has no feasible point.
#pragma once

#include <memory>
#include <optional>
#include <perp/solvers/core/solver.hpp>
#include <perp/solvers/interior_point/central_path.hpp>
#include <string>

namespace perp {

/// Looks for proofs along the path of the homogeneous embedding. As tau vanishes, z tends to a y in
/// K* with A'y = 0, b'y < 0, or x to a direction with Px = 0, -Ax in K, c'x < 0. The point of the
/// path is corrected by weighted least squares and checked against the problem as posed.
///
/// A certificate that proves nothing may still exclude solutions up to a radius. The one with the
/// largest radius is kept. A point is only tried if it is much closer to a proof than the last one
/// that was tried.
class ConicCertificates {
 public:
  ConicCertificates();
  ~ConicCertificates();

  /// Keeps references to the problem, its data and the linear systems.
  void prepare(const ConicQp& posed, const ConicData& data, KktSystem& kkt);
  void begin(double regularisation, int refinements, std::string_view linear_algebra);

  /// Looks for a proof at the point of the path. @return if there is one, the status with which the
  /// solve ends; certificate and message are then in `result`
  std::optional<Status> look(const CentralPath& path, Result& result);
  /// Whether the last look() tried a point that is closer to a proof than all before.
  bool came_closer() const { return came_closer_; }
  /// Ends with the exclusion of largest radius. @return false if there is none
  bool exclude(Result& result);

 private:
  struct Ray;

  std::optional<Status> look_for_farkas(const CentralPath& path, Result& result);
  std::optional<Status> look_for_ray(const CentralPath& path, Result& result);
  template <class Check>
  std::optional<Status> take(const Check& check, Result& result);
  void refine_farkas();
  bool factor_rays(const CentralPath& path);
  void build_rays();
  void drop_vanishing(const CentralPath& path, Vector& s) const;
  void refine_ray(const CentralPath& path);

  const ConicQp* posed_ = nullptr;
  const ConicData* data_ = nullptr;
  KktSystem* kkt_ = nullptr;
  double regularisation_ = 0.0;
  int refinements_ = 0;
  std::string_view linear_algebra_;
  std::optional<Certificate> exclusion_;
  std::string exclusion_message_;
  double primal_radius_ = 0.0, dual_radius_ = 0.0;  // of the last points that were tried
  bool came_closer_ = false;
  Vector x_, y_;        // candidates, scaled
  Vector posed_point_;  // one of them as posed
  Vector right_x_, right_z_, dx_, dz_;
  std::unique_ptr<Ray> ray_;  // made when the first ray is tried
};

}  // namespace perp
