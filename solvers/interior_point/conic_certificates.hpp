// Proofs that a conic_qp has no feasible point, or none of its dual.
#pragma once

#include <memory>
#include <optional>
#include <perp/solvers/core/solver.hpp>
#include <perp/solvers/interior_point/central_path.hpp>
#include <string>

namespace perp {

/// Looks for proofs where the path of the homogeneous embedding leads: as tau vanishes, z tends to
/// a y in K* with A'y = 0, b'y < 0, or x to a direction with Px = 0, -Ax in K, c'x < 0. What the
/// path has is corrected by weighted least squares and checked against the problem as posed.
///
/// Of what is no proof but excludes solutions up to a radius the widest is kept, and a try is made
/// only if the path has come closer to a proof than at the last one.
class ConicCertificates {
 public:
  ConicCertificates();
  ~ConicCertificates();

  /// For a problem, its data, and linear systems that must stay alive.
  void prepare(const ConicQp& posed, const ConicData& data, KktSystem& kkt);
  void begin(double regularisation, int refinements, std::string_view linear_algebra);

  /// @return how the solve ends, with certificate and message in `result`, if there is a proof
  std::optional<Status> look(const CentralPath& path, Result& result);
  /// Whether the last look has tried a point that is closer to a proof than all before.
  bool came_closer() const { return came_closer_; }
  /// Ends with the widest exclusion, if there is one. @return false if not
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
  std::unique_ptr<Ray> ray_;  // made when a ray is first met
};

}  // namespace perp
