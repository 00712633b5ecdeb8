#include <perp/solvers/interior_point/kkt_system.hpp>
#include <perp/solvers/linear_algebra/quasidefinite_ldl.hpp>

#include <algorithm>
#include <cmath>
#include <optional>

namespace perp {

namespace {

constexpr int kLargestFullBlock = 4;  // rows of a second-order cone that is kept as one full block
constexpr double kLeastKktPivot = 1e-14, kSmallestPivot = 1e-25;

// Unknowns: x, z, then two for every larger second-order cone. These make its block
//   H = t (I + p u+ u+' - q u- u-'),  p >= 0, 0 <= q < 1,
// sparse: if the two are eliminated, -H remains from
//   [-t I, sqrt(t p / (1 + p)) u+, sqrt(t q) u-;  1 / (1 + p);  -1].
// This matrix is also quasi-definite. Its entries are bounded by those of t, even if H is nearly
// singular.
class SparseKkt final : public KktFactor {
 public:
  explicit SparseKkt(const ConicData& data) : data_(data) {
    const int n = data.variables(), m = data.rows();
    int extra = 0;
    for (const auto& block : data.cones.second_order()) extra += block.size > kLargestFullBlock;
    size_ = n + m + 2 * extra;
    block_of_.assign(m, -1);
    for (std::size_t k = 0; k < data.cones.second_order().size(); ++k) {
      const auto& block = data.cones.second_order()[k];
      std::fill_n(block_of_.begin() + block.offset, block.size, static_cast<int>(k));
    }
    signs_.assign(size_, -1);
    std::fill_n(signs_.begin(), n, 1);
    for (int k = 0; k < extra; ++k) signs_[n + m + 2 * k] = 1;
    ConeMatrix one;
    one.set_identity(data.cones);
    rows_.emplace();
    starts_.push_back(0);
    fill(one, 1.0, 0.0);
    ldl_.analyse_by_rows(size_, starts_, *rows_, signs_);
    work_.resize(size_);
  }

  void finish_analysis(int threads) override {
    ldl_.choose(starts_, *rows_, signs_, threads);
    rows_.reset();
  }

  bool factor(const ConeMatrix& h, double p_weight, double delta) override {
    fill(h, p_weight, delta);
    return ldl_.factor(values_, kSmallestPivot, std::max(delta, kLeastKktPivot));
  }

  void solve(Vector& x, Vector& z) override {
    const int n = data_.variables(), m = data_.rows();
    work_.head(n) = x;
    work_.segment(n, m) = z;
    work_.tail(size_ - n - m).setZero();
    ldl_.solve(work_.data());
    x = work_.head(n);
    z = work_.segment(n, m);
  }

  double operations() const override { return ldl_.operations(); }

 private:
  void put(int row, double value) {
    if (rows_) rows_->push_back(row);
    values_.push_back(value);
  }
  void end_column() {
    if (rows_) starts_.push_back(static_cast<int>(values_.size()));
  }

  // Writes the upper triangle by columns; the first time also the pattern.
  void fill(const ConeMatrix& h, double p_weight, double delta) {
    values_.clear();
    for (int j = 0; j < data_.variables(); ++j) fill_unknown(j, p_weight, delta);
    for (int i = 0; i < data_.rows(); ++i) fill_row(i, h, delta);
    for (std::size_t k = 0; k < h.spectrum.size(); ++k) {
      if (data_.cones.second_order()[k].size > kLargestFullBlock) fill_extra(k, h, delta);
    }
  }

  void fill_unknown(int j, double weight, double delta) {
    double diagonal = delta;
    if (data_.dense_p()) {
      for (int i = 0; i < j; ++i) put(i, weight * data_.full_p(i, j));
      diagonal += weight * data_.full_p(j, j);
    } else {
      for (SparseMatrix::InnerIterator it(data_.sparse_p, j); it && it.row() <= j; ++it) {
        if (it.row() < j) put(it.row(), weight * it.value());
        if (it.row() == j) diagonal += weight * it.value();
      }
    }
    put(j, diagonal);
    end_column();
  }

  void fill_row(int i, const ConeMatrix& h, double delta) {
    const int n = data_.variables();
    for (decltype(data_.a_by_rows)::InnerIterator it(data_.a_by_rows, i); it; ++it)
      put(static_cast<int>(it.col()), it.value());
    const int k = block_of_[i];
    if (k < 0) {
      put(n + i, -h.diagonal[i] - delta);
      return end_column();
    }
    const auto& block = data_.cones.second_order()[k];
    const auto& e = h.spectrum[k];
    if (block.size > kLargestFullBlock) {
      put(n + i, -e.tangent - delta);
      return end_column();
    }
    const double even = 0.5 * (e.plus + e.minus), odd = 0.5 * (e.plus - e.minus);
    const auto axis = [&](int row) { return h.axis[row]; };
    for (int r = block.offset; r <= i; ++r) {
      double value = 0.0;
      if (i == block.offset) {
        value = even;
      } else if (r == block.offset) {
        value = odd * axis(i);
      } else {
        value = (even - e.tangent) * axis(r) * axis(i) + (r == i ? e.tangent : 0.0);
      }
      put(n + r, -value - (r == i ? delta : 0.0));
    }
    end_column();
  }

  void fill_extra(std::size_t k, const ConeMatrix& h, double delta) {
    const auto& block = data_.cones.second_order()[k];
    const auto& e = h.spectrum[k];
    const int first = data_.variables() + block.offset;
    const double t = e.tangent + delta;
    const double p = std::max((e.plus - e.tangent) / t, 0.0);
    const double q = std::clamp((e.tangent - e.minus) / t, 0.0, 1.0);
    const double half = std::sqrt(0.5 * t);
    const double coefficients[] = {half * std::sqrt(p / (1.0 + p)), half * std::sqrt(q)};
    const double pivots[] = {1.0 / (1.0 + p), -1.0 - kLeastKktPivot};
    for (int c = 0; c < 2; ++c) {
      put(first, coefficients[c]);
      const double sign = c == 0 ? 1.0 : -1.0;
      for (int r = 1; r < block.size; ++r)
        put(first + r, sign * coefficients[c] * h.axis[block.offset + r]);
      put(data_.variables() + data_.rows() + extra_index(k) + c, pivots[c]);
      end_column();
    }
  }

  int extra_index(std::size_t k) const {
    int index = 0;
    for (std::size_t i = 0; i < k; ++i)
      index += data_.cones.second_order()[i].size > kLargestFullBlock ? 2 : 0;
    return index;
  }

  const ConicData& data_;
  int size_ = 0;
  std::vector<int> block_of_, starts_;
  std::optional<std::vector<int>> rows_;  // only until the pattern is analysed
  std::vector<signed char> signs_;
  std::vector<double> values_;
  Vector work_;
  QuasidefiniteLdl ldl_;
};

}  // namespace

std::unique_ptr<KktFactor> make_sparse_kkt(const ConicData& data) {
  return std::make_unique<SparseKkt>(data);
}

}  // namespace perp
