// Exact Coulomb friction in the form that friction solvers use: scaled 3 x 3 blocks, row by row.
#pragma once

#include <perp/problems/standard/friction_measure.hpp>
#include <string_view>
#include <utility>
#include <vector>

namespace perp {

/// Factors between the problem as posed and the one that is solved.
enum class ContactScaling {
  kNone,
  kGlobal,   ///< one factor for W, one for q
  kContact,  ///< also a factor for every contact, so that all diagonal blocks are of order 1
};

/// The scaling that a setting names: none, global or contact.
ContactScaling contact_scaling(std::string_view name);

/// The verifier's measure of a problem as posed, at impulses r and velocities u.
class PosedMeasure {
 public:
  void prepare(const FrictionContact& problem);

  /// The arguments of evaluate(), to be filled by the caller; `dimension` values per contact.
  Vector r, u;
  /// @return the measure; infinity if it is not finite
  double evaluate();

  /// The arguments of evaluate_with_slack(), to be filled by the caller.
  ExtendedVector exact_r, exact_u;
  void clear_slack() { slack_.setZero(); }
  /// Adds a bound on the rounding error in u of a contact.
  void add_slack(int contact, double size) {
    slack_[measure_.part_of(contact)] += static_cast<Extended>(size) * size;
  }
  /// @return the measure plus what the slack may add to it
  double evaluate_with_slack();

 private:
  FrictionMeasure measure_;
  Extended norm_ = 0;           // of q
  ExtendedVector part_scales_;  // max(||q_p||, min(1, ||q||)) of the parts of the measure
  ExtendedVector slack_;        // sums of squares, for every part
};

/// A copy of a FrictionContact as rows of 3 x 3 blocks, for dense and sparse problems. A contact in
/// 2D gets a third direction (with W = w I and q = 0), in which every solution has r = 0. So the
/// same code serves both dimensions. If J and M are given, W = J M^-1 J' is formed: all solvers
/// here need its diagonal blocks, and for rigid bodies (M block diagonal) its rows have few blocks.
/// The compliance is added to the diagonal.
///
/// Contact c has r = a_c r', u = b_c u' with powers of two a_c and b_c, so scaling rounds nothing.
/// Cones and de Saxce's correction are the same in the scaled unknowns. A symmetric W stays
/// symmetric (a_c b_c is the same for all c). All vectors except those of the problem as posed are
/// scaled and have 3 values per contact, the normal one first.
class ContactProblem {
 public:
  ContactProblem() = default;
  ContactProblem(const ContactProblem&) = delete;
  ContactProblem& operator=(const ContactProblem&) = delete;
  virtual ~ContactProblem() = default;

  /// Allocates only if sizes or blocks differ from those before, or if J and M are given. If the
  /// matrices are shared with those of the problem before (Matrix::share()), only q and mu are
  /// taken.
  /// @throws std::invalid_argument if M cannot be factorised; the text names M.
  void build(const FrictionContact& problem, ContactScaling scaling);
  /// A number that changes if build() finds another dimension, or other places of blocks, than the
  /// build() before.
  long pattern() const { return pattern_; }

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

  /// The verifier's measure (FrictionMeasure) of the problem as posed at (r, u); infinity if it is
  /// not finite.
  virtual double measure(const Vector& r, const Vector& u) const;
  /// The same with u = W r + q summed in extended precision, as the verifier does, plus what
  /// rounding may add to it in the problem as posed. If this is within the tolerance, a claim that
  /// r is a solution holds.
  virtual double measure(const Vector& r) const;

  /// Change from the unknowns as posed to the scaled ones, and back.
  void to_scaled(const Vector& posed, Vector& r) const;
  void to_posed(const Vector& r, Vector& posed) const;
  double impulse_scale(int c) const { return impulse_scale_[c]; }
  double velocity_scale(int c) const { return velocity_scale_[c]; }

 protected:
  /// What the blocks of W follow from.
  struct Source {
    Matrix matrix, other;
    Vector compliance;
    ContactScaling scaling = ContactScaling::kNone;
  };
  /// If the source is shared and that of the blocks: takes q and mu, and keeps the blocks.
  /// @return false if it is not
  bool keep_blocks(const Source& source, int dimension, const Vector& mu, const Vector& q);
  /// After build_blocks(): the blocks follow from it.
  void set_source(Source source) { source_ = std::move(source); }

  /// build() from columns of W, without the verifier's measure, for classes with another one.
  /// @param for_column for_column(j, f) calls f(i, w_ij) for the entries of column j
  template <class ForColumn>
  void build_blocks(int dimension, const Vector& mu, const Vector& q, ContactScaling scaling,
                    ForColumn&& for_column) {
    source_ = {};
    begin(dimension, mu, q);
    dimension == 3 ? gather<3>(for_column) : gather<2>(for_column);
    end(scaling);
  }

 private:
  /// W by rows of blocks, columns ascending; `diagonals` are the places of the diagonal blocks.
  struct Blocks {
    std::vector<int> starts, columns, diagonals;
    std::vector<double> values;
  };
  /// The blocks in the order in which they are found, by columns, and the next place in each row.
  struct Gathering {
    std::vector<int> rows, columns, seen, slot, next;
    std::vector<double> values;
  };

  void begin(int dimension, const Vector& mu, const Vector& q);
  void take_q(const Vector& q);
  void end(ContactScaling scaling);
  /// The entries of all columns, for a dimension that the compiler knows: rows are divided by it.
  template <int D, class ForColumn>
  void gather(ForColumn&& for_column) {
    for (int e = 0; e < contacts(); ++e) {
      add_block(e, e);
      for (int k = 0; k < D; ++k) {
        for_column(D * e + k, [&, e, k](int row, double value) {
          const int c = row / D;
          if (gathering_.seen[c] != e) add_block(c, e);
          gathering_.values[9 * static_cast<std::size_t>(gathering_.slot[c]) +
                            static_cast<std::size_t>(3 * k + row - D * c)] += value;
        });
      }
    }
  }
  void add_block(int row, int column) {
    Gathering& g = gathering_;
    g.seen[row] = column;
    g.slot[row] = static_cast<int>(g.rows.size());
    g.rows.push_back(row);
    g.columns.push_back(column);
    g.values.resize(g.values.size() + 9, 0.0);
  }
  void fill_third_direction();
  void sort_by_rows();
  void find_sizes(ContactScaling scaling);
  void scale_q();
  void scale_blocks();
  void find_asymmetry();
  void to_posed_pair(int c, const double* r, const double* u) const;

  int dimension_ = 3;
  long pattern_ = 0;
  Blocks W_;
  Gathering gathering_;  // work space
  Source source_;
  Vector q_, mu_, impulse_scale_, velocity_scale_;
  Vector sizes_;  // powers of two, one over the roots of the sizes of the diagonal blocks; or empty
  mutable PosedMeasure measure_;
  double asymmetry_ = 0.0;
};

}  // namespace perp
