// The central path of the homogeneous embedding, and Newton's steps along it.
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

/// How far a point is from the equations of the embedding, and what occurs in them.
struct EmbeddingResidual {
  Vector x;      ///< Px + A'z + c tau
  Vector z;      ///< Ax + s - b tau
  double tau;    ///< x'Px / tau + c'x + b'z + kappa
  Vector px;     ///< Px
  Vector slack;  ///< b tau - Ax
  double xpx = 0.0, cx = 0.0, bz = 0.0;
};

/// How the steps of a path are made.
struct PathRules {
  double regularisation = 1e-8;
  int refinements = 8;
  double step_fraction = 0.99;
};

/// Follows the central path of the homogeneous embedding [AndersenYe1999; GoulartChen2024] with the
/// predictor and corrector of [Mehrotra1992] and the scaling of [NesterovTodd1997].
///
/// The point is inside the cones, tau and kappa are positive, and residual() and mu() are those of
/// the point, from evaluate() until the next advance().
class CentralPath {
 public:
  /// For data and linear systems that must stay alive.
  void prepare(const ConicData& data, KktSystem& kkt);

  /// To the least-squares point of both feasibilities, moved into the cones.
  /// @return false if that is no number
  bool begin(const PathRules& rules);
  void evaluate(bool extended);
  /// One step. @param gap what the sum of all s_i z_i, as posed, need not fall below
  /// @return false if none can be made
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
  bool find_affine(double gap);
  double find_direction(double sigma, double gap, const EmbeddingVector* affine,
                        EmbeddingVector& d);
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
  double regularisation_ = 0.0, least_regularisation_ = 0.0;  // of the systems here
};

}  // namespace perp
