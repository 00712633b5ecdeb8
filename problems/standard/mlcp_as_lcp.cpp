// An mlcp as an lcp: unknowns are counted from their bounds, flipped or split.
#include <algorithm>
#include <cmath>
#include <memory>
#include <perp/problems/matrix/infinity.hpp>
#include <perp/problems/standard/reductions.hpp>
#include <utility>

namespace perp {

namespace {

// The nonnegative unknowns of an mlcp. Number i < n belongs to z_i:
//   l_i finite:               z_i = l_i + y_i, and its row is F_i;
//   only u_i finite:          z_i = u_i - y_i, and its row is -F_i;
//   none finite:              z_i = y_i - y_k, and the rows are F_i and -F_i, so that F_i = 0.
// If both are finite, y_k is the multiplier of z_i <= u_i: the rows are F_i + y_k and
// u_i - l_i - y_i. Each k >= n belongs to one such i, in ascending order.
class NonnegativeForm {
 public:
  explicit NonnegativeForm(const Mlcp& p)
      : lower_(p.lower), upper_(p.upper), second_(static_cast<std::size_t>(p.size()), -1) {
    size_ = p.size();
    for (int i = 0; i < p.size(); ++i) {
      if (is_free(i) || is_boxed(i)) second_[static_cast<std::size_t>(i)] = size_++;
      has_boxes_ = has_boxes_ || is_boxed(i);
    }
  }

  int size() const { return size_; }
  bool has_boxes() const { return has_boxes_; }

  Lcp lcp_of(const Mlcp& p) const {
    return {p.M.is_sparse() ? sparse_matrix(p.M) : dense_matrix(p.M), constants(p)};
  }

  // What z >= l and z <= u ask of y holds of z exactly, whatever the rounding.
  Vector to_mlcp(const Vector& y) const {
    Vector z(lower_.size());
    for (int i = 0; i < z.size(); ++i) {
      z[i] = origin(i) + sign(i) * y[i];
      if (is_free(i)) z[i] -= y[second(i)];
      if (is_boxed(i)) z[i] = y[i] >= upper_[i] - lower_[i] ? upper_[i] : std::min(z[i], upper_[i]);
    }
    return z;
  }

  // @param F M z + q; used only for unknowns with two bounds
  Vector to_lcp(const Vector& z, const Vector& F) const {
    Vector y = Vector::Zero(size_);
    for (int i = 0; i < z.size(); ++i) {
      y[i] = sign(i) * (z[i] - origin(i));
      if (is_free(i)) y[second(i)] = std::max(-z[i], 0.0);
      if (is_free(i)) y[i] = std::max(z[i], 0.0);
      if (is_boxed(i)) y[second(i)] = std::max(-F[i], 0.0);
    }
    return y;
  }

 private:
  bool is_free(int i) const { return std::isinf(lower_[i]) && std::isinf(upper_[i]); }
  bool is_boxed(int i) const { return std::isfinite(lower_[i]) && std::isfinite(upper_[i]); }
  double sign(int i) const { return std::isinf(lower_[i]) && !is_free(i) ? -1.0 : 1.0; }
  int second(int i) const { return second_[static_cast<std::size_t>(i)]; }
  double origin(int i) const {
    return std::isfinite(lower_[i]) ? lower_[i] : is_free(i) ? 0.0 : upper_[i];
  }

  template <class Put>
  void put_entries(const Matrix& M, const Put& put) const {
    for (int j = 0; j < M.cols(); ++j) {
      M.for_column(j, [&](int i, double value) {
        put(i, j, sign(i) * sign(j) * value);
        if (is_free(i)) put(second(i), j, -sign(j) * value);
        if (is_free(j)) put(i, second(j), -sign(i) * value);
        if (is_free(i) && is_free(j)) put(second(i), second(j), value);
      });
      if (is_boxed(j)) put(second(j), j, -1.0);
      if (is_boxed(j)) put(j, second(j), 1.0);
    }
  }

  Matrix sparse_matrix(const Matrix& M) const {
    std::vector<Triplet> entries;
    entries.reserve(static_cast<std::size_t>(M.stored()));
    put_entries(M, [&](int i, int j, double value) { entries.emplace_back(i, j, value); });
    return Matrix::from_triplets(size_, size_, entries);
  }

  Matrix dense_matrix(const Matrix& M) const {
    DenseMatrix dense = DenseMatrix::Zero(size_, size_);
    put_entries(M, [&](int i, int j, double value) { dense(i, j) = value; });
    return dense;
  }

  // F at the origin, and the distance between two bounds.
  Vector constants(const Mlcp& p) const {
    Vector at(p.size()), q(size_);
    for (int i = 0; i < p.size(); ++i) at[i] = origin(i);
    Vector F = p.q;
    if (max_abs(at) > 0.0) F += p.M.multiply(at);
    for (int i = 0; i < p.size(); ++i) {
      q[i] = sign(i) * F[i];
      if (is_free(i)) q[second(i)] = -F[i];
      if (is_boxed(i)) q[second(i)] = upper_[i] - lower_[i];
    }
    return q;
  }

  Vector lower_, upper_;
  std::vector<int> second_;  // the unknown k of z_i, or -1
  int size_ = 0;
  bool has_boxes_ = false;
};

}  // namespace

Reduction reduce_to_lcp(const Mlcp& p) {
  const auto form = std::make_shared<const NonnegativeForm>(p);
  std::shared_ptr<const Mlcp> posed;  // for F; only multipliers need it
  if (form->has_boxes()) posed = std::make_shared<const Mlcp>(p);
  Reduction reduction{form->lcp_of(p), "mlcp as lcp", true,
                      [form](const Answer& a) {
                        return Answer{form->to_mlcp(a.z), {}};
                      },
                      [form, posed](const Answer& a) {
                        Vector F;
                        if (posed) F = posed->M.multiply(a.z) + posed->q;
                        return Answer{form->to_lcp(a.z, F), {}};
                      }};
  reduction.copies = (p.lower.array() == 0.0).all() && (p.upper.array() == kInfinity).all();
  return reduction;
}

}  // namespace perp
