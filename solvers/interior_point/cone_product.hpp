// The product of cones of a conic_qp: its algebra, and block matrices that scale it.
#pragma once

#include <perp/problems/standard/conic_qp.hpp>
#include <vector>

namespace perp {

/// Rows of a product of cones. A second-order cone of one row is the half-line. All vectors have
/// rows() values.
class ConeProduct {
 public:
  /// Consecutive rows of one second-order cone.
  struct Block {
    int offset, size;
    bool operator==(const Block&) const = default;
  };
  enum class Row : char { kZero, kHalfLine, kSecondOrder };

  void build(const std::vector<Cone>& cones);
  bool operator==(const ConeProduct&) const = default;

  int rows() const { return static_cast<int>(kind_.size()); }
  Row kind(int row) const { return kind_[row]; }
  const std::vector<Block>& second_order() const { return blocks_; }
  const std::vector<int>& linear() const { return linear_; }
  /// Barrier parameter: the number of nonnegative rows and second-order cones.
  int degree() const { return static_cast<int>(linear_.size() + blocks_.size()); }

  /// Smallest eigenvalue of v over all cones (v_i; v_0 - ||v_1||); infinity if there are none.
  double smallest_eigenvalue(const Vector& v) const;
  /// v += alpha e, e the identity of the algebra; zero rows stay the same.
  void add_identity(double alpha, Vector& v) const;
  /// Largest alpha <= limit with v + alpha d in the cones, for v in their interior.
  double step_to_boundary(const Vector& v, const Vector& d, double limit) const;
  /// r := a o b, the Jordan product; zero in zero rows.
  void product(const Vector& a, const Vector& b, Vector& r) const;
  /// r := x with a o x = d, for a in the interior. r may be d.
  void divide(const Vector& a, const Vector& d, Vector& r) const;
  /// a'b without the zero rows.
  double dot(const Vector& a, const Vector& b) const;
  /// v := its projection on the dual cone K*, in which zero rows stay the same; with `primal` on K,
  /// in which they become zero.
  void project(Vector& v, bool primal) const;

 private:
  std::vector<Row> kind_;
  std::vector<int> linear_;  // nonnegative rows
  std::vector<Block> blocks_;
};

/// A symmetric positive semidefinite matrix, block-diagonal over the cones: a number for a linear
/// row, and for a second-order cone
///   plus u+ u+' + minus u- u-' + tangent (I - u+ u+' - u- u-'),  u+- = (1, +-axis) / sqrt 2.
/// The scaling of Nesterov and Todd and the derivatives of projections have this form.
struct ConeMatrix {
  /// The eigenvalues of the block of one second-order cone.
  struct Spectrum {
    double plus, tangent, minus;
  };
  Vector diagonal;                 ///< m values; used in linear rows only
  Vector axis;                     ///< m values; unit vector in rows 1.. of every second-order cone
  std::vector<Spectrum> spectrum;  ///< of every second-order cone

  void resize(const ConeProduct& cones);
  /// 1 in rows of the cones, 0 in zero rows.
  void set_identity(const ConeProduct& cones);
  /// The scaling of Nesterov and Todd, W z = W^-1 s. @return false if s or z is not interior.
  bool set_scaling(const ConeProduct& cones, const Vector& s, const Vector& z);
  /// this := square of other
  void set_square(const ConeProduct& cones, const ConeMatrix& other);
  /// r := this x, and r := this^-1 x, with zero in zero rows. r may be x.
  void multiply(const ConeProduct& cones, const Vector& x, Vector& r) const;
  void divide(const ConeProduct& cones, const Vector& x, Vector& r) const;
};

}  // namespace perp
