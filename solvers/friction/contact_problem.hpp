// Exact Coulomb friction as the friction solvers see it: scaled 3 x 3 blocks, row by row.
#pragma once

#include <perp/problems/standard/friction_measure.hpp>
#include <string_view>
#include <vector>

namespace perp {

/// Factors between the problem as posed and the one that is solved.
enum class ContactScaling {
  kNone,
  kGlobal,   ///< one factor for W, one for q
  kContact,  ///< a factor for every contact as well, so that all diagonal blocks are of order 1
};

/// The scaling of a name that the setting may have: none, global or contact.
ContactScaling contact_scaling(std::string_view name);

/// The verifier's measure of a problem as posed, at impulses r and velocities u of it.
class PosedMeasure {
 public:
  void prepare(const FrictionContact& problem);

  /// The two arguments of evaluate(), to be filled.
  Vector r, u;
  /// Infinite where it is not finite.
  double evaluate();

  /// Those of evaluate_with_slack().
  ExtendedVector exact_r, exact_u;
  void clear_slack() { slack_.setZero(); }
  /// Counts what rounding may have done to u of a contact.
  void add_slack(int contact, double size) {
    slack_[measure_.part_of(contact)] += static_cast<Extended>(size) * size;
  }
  /// The measure and what the slack may add to it.
  double evaluate_with_slack();

 private:
  FrictionMeasure measure_;
  Extended norm_ = 0;           // of q
  ExtendedVector part_scales_;  // max(||q_p||, min(1, ||q||)) of the parts of the measure
  ExtendedVector slack_;        // squares, of every part
};

/// A copy of a FrictionContact as rows of 3 x 3 blocks, dense and sparse alike. A contact in 2D
/// gets a third direction of its own (W = w I there, q = 0), in which every solution has r = 0, so
/// that there is one code for both dimensions. Where J and M are given, W = J M^-1 J' is formed:
/// all solvers here need its diagonal blocks, and for rigid bodies (M block diagonal) its rows have
/// few blocks. compliance is added to the diagonal.
///
/// Contact c has r = a_c r', u = b_c u' with powers of two a_c, b_c, so that scaling rounds
/// nothing; cones and de Saxce's correction are the same in the scaled unknowns, and a symmetric W
/// stays symmetric (a_c b_c is the same for all c). All vectors but those of the problem as posed
/// are scaled and have 3 values a contact.
class ContactProblem {
 public:
  /// Allocates only if sizes or the blocks are others than before, or J and M are given.
  /// @throws std::invalid_argument naming M if it cannot be factorised.
  void build(const FrictionContact& problem, ContactScaling scaling);
  /// Whether the last build() found dimension and blocks where the one before had them.
  bool has_kept_pattern() const { return kept_pattern_; }

  int contacts() const { return static_cast<int>(mu_.size()); }
  int size() const { return 3 * contacts(); }
  int dimension() const { return dimension_; }
  int posed_size() const { return dimension_ * contacts(); }
  double mu(int c) const { return mu_[c]; }
  const Vector& q() const { return q_; }

  /// Blocks of row c: row_begin(c) <= k < row_begin(c + 1), columns ascending.
  int row_begin(int c) const { return W_.starts[c]; }
  int column(int k) const { return W_.columns[k]; }
  /// Nine values, by columns.
  const double* block(int k) const { return &W_.values[9 * static_cast<std::size_t>(k)]; }
  const double* diagonal(int c) const { return block(W_.diagonals[c]); }
  long blocks() const { return static_cast<long>(W_.columns.size()); }
  /// Largest |W - W'| over the largest |W|, scaled.
  double asymmetry() const { return asymmetry_; }

  /// u := (W r + q)_c, three values.
  void velocity(int c, const Vector& r, double* u) const;
  /// u := W r + q.
  void velocity(const Vector& r, Vector& u) const;
  /// y := W x.
  void multiply(const Vector& x, Vector& y) const;

  /// The verifier's measure (FrictionMeasure) of the posed problem at (r, u). Infinite where it is
  /// not finite.
  double measure(const Vector& r, const Vector& u) const;
  /// The same with u = W r + q summed in extended precision, as the verifier does, and what
  /// rounding may add to it in the problem as posed: where this is within the tolerance, a claim
  /// holds.
  double measure(const Vector& r) const;

  /// Between the unknowns as posed and the scaled ones.
  void to_scaled(const Vector& posed, Vector& r) const;
  void to_posed(const Vector& r, Vector& posed) const;
  double impulse_scale(int c) const { return impulse_scale_[c]; }
  double velocity_scale(int c) const { return velocity_scale_[c]; }

 private:
  /// W by rows of blocks, columns ascending; diagonals: places of the diagonal blocks.
  struct Blocks {
    std::vector<int> starts, columns, diagonals;
    std::vector<double> values;
  };
  /// The same as they come, by columns, and where to put the next one.
  struct Gathering {
    std::vector<int> rows, columns, seen, slot, next;
    std::vector<double> values;
    Vector sizes;  // of the diagonal blocks
  };

  void gather(const FrictionContact& problem);
  void sort_by_rows();
  void scale(ContactScaling scaling);
  void find_asymmetry();
  void to_posed_pair(int c, const double* r, const double* u) const;

  int dimension_ = 3;
  bool kept_pattern_ = false;
  Blocks W_;
  Gathering gathering_;  // work space
  Vector q_, mu_, impulse_scale_, velocity_scale_;
  mutable PosedMeasure measure_;
  double asymmetry_ = 0.0;
};

}  // namespace perp
