// The central path of the homogeneous embedding, and Newton steps along it.
#pragma once

#include <perp/solvers/interior_point/embedding_system.hpp>

namespace perp {

/// (x, z, s, tau, kappa): a point of the embedding, or a direction there.
struct EmbeddingVector {
  Vector x, z, s;
  double tau = 1.0, kappa = 1.0;

  void resize(const ConicData& data);
  bool all_finite() const { return x.allFinite() && z.allFinite() && s.allFinite(); }
};

/// Residuals of the equations of the embedding at a point, and terms that occur in them.
struct EmbeddingResidual {
  Vector x;      ///< Px + A'z + c tau
  Vector z;      ///< Ax + s - b tau
  double tau;    ///< x'Px / tau + c'x + b'z + kappa
  Vector px;     ///< Px
  Vector slack;  ///< b tau - Ax
  double xpx = 0.0, cx = 0.0, bz = 0.0;
  bool extended = false;  ///< whether products with P and A were summed in extended precision
};

/// Settings of the steps of a path.
struct PathRules {
  double regularisation = 1e-8;  ///< delta of the linear systems, on scaled data [-]
  int refinements = 8;           ///< of one linear solve at most
  double step_fraction = 0.99;   ///< share of the step to the boundary [-]
};

/// Follows the central path of the homogeneous embedding [AndersenYe1999; GoulartChen2024] with the
/// predictor and corrector of [Mehrotra1992] and the scaling of [NesterovTodd1997].
///
/// The point is inside the cones, and tau and kappa are positive. residual() and mu() belong to the
/// point from evaluate() until the next advance().
class CentralPath {
 public:
  /// Keeps references to both.
  void prepare(const ConicData& data, KktSystem& kkt);

  /// Begins at the least-squares point of primal and dual feasibility, moved into the cones.
  /// @return false if that is not finite
  bool begin(const PathRules& rules);
  /// Computes residual() and mu(). @param extended sum in extended precision
  void evaluate(bool extended);
  /// One step. @param gap the sum of all s_i z_i, as posed, need not fall below this
  /// @return false if no step can be made
  bool advance(double gap);

  const EmbeddingVector& point() const { return point_; }
  const EmbeddingResidual& residual() const { return residual_; }
  /// W^2 of the last step.
  const ConeMatrix& squared_scaling() const { return squared_; }
  /// (s'z + tau kappa) / (degree + 1)
  double mu() const { return mu_; }
  /// Length of the last step.
  double step() const { return step_; }

 private:
  bool factor(double delta);
  bool find_affine(double gap);
  double find_combined(double gap);
  double find_direction(double sigma, double gap, const EmbeddingVector* affine, int refinements,
                        EmbeddingVector& d);
  double refined_residual() const;
  double poor_residual() const;
  double rounding_of_products() const;
  double largest_step(const EmbeddingVector& d) const;

  const ConicData* data_ = nullptr;
  KktSystem* kkt_ = nullptr;
  PathRules rules_;
  EmbeddingSystem system_;
  ConeMatrix scaling_, squared_;  // W, W^2
  EmbeddingVector point_, affine_, combined_;
  EmbeddingResidual residual_;
  Vector lambda_;  // W z = W^-1 s
  Vector right_x_, right_z_, jordan_, scratch_;
  double mu_ = 1.0, step_ = 1.0;
  double regularisation_ = 0.0;  // present delta
  double least_regularisation_ = 0.0, most_regularisation_ = 0.0;
};

}  // namespace perp
