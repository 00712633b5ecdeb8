#include <perp/solvers/interior_point/kkt_system.hpp>
#include <perp/solvers/linear_algebra/dense_cholesky.hpp>

#include <algorithm>
#include <cmath>

namespace perp {

namespace {

using RowIterator = Eigen::SparseMatrix<double, Eigen::RowMajor, int>::InnerIterator;

constexpr int kChunk = 96;  // rows of H^-1/2 A multiplied at once
// An entry of the sum added on its own takes as long as this many of a product of matrices.
constexpr double kScatterCost = 6.0;

bool is_scattered(const ConicData& data, int row) {
  const double n = data.variables();
  const double entries = data.a_by_rows.row(row).nonZeros();
  return data.cones.kind(row) == ConeProduct::Row::kNonnegative &&
         kScatterCost * entries * entries <= n * n;
}

// With the zero rows E apart: S = w P + delta I + A_c' (H + delta I)^-1 A_c = L L', then
// E S^-1 E' + delta I = Y'Y + delta I with L Y = E'.
class DenseKkt final : public KktFactor {
 public:
  explicit DenseKkt(const ConicData& data) : data_(data) {
    const int n = data.variables(), m = data.rows();
    for (int i = 0; i < m; ++i) {
      const auto kind = data.cones.kind(i);
      if (kind == ConeProduct::Row::kZero) {
        equations_.push_back(i);
      } else if (is_scattered(data, i)) {
        scattered_.push_back(i);
      } else if (kind == ConeProduct::Row::kNonnegative) {
        full_.push_back(i);
      }
    }
    int widest = kChunk;
    for (const auto& block : data.cones.second_order()) widest = std::max(widest, block.size);
    chunk_.resize(n, widest);
    y_.resize(n, static_cast<int>(equations_.size()));
    right_.resize(static_cast<int>(equations_.size()));
    weighted_.resize(m);
    along_.resize(n);
    head_.resize(n);
    sum_.reserve(n);
    reduced_.reserve(static_cast<int>(equations_.size()));
  }

  bool factor(const ConeMatrix& h, double p_weight, double delta) override {
    const int n = data_.variables();
    weights_ = h;
    for (int i : data_.cones.linear()) weights_.diagonal[i] += delta;
    for (auto& e : weights_.spectrum) {
      e.plus += delta;
      e.tangent += delta;
      e.minus += delta;
    }
    double* const s = sum_.matrix(n);
    start(s, p_weight, delta);
    for (int i : scattered_) scatter(i, s);
    add_full_rows();
    for (std::size_t k = 0; k < h.spectrum.size(); ++k) add_cone(k);
    return sum_.factor(0.0) && factor_equations(delta);
  }

  // (S, E'; E, -delta) (x, z_E) = (a + A_c' (H + delta)^-1 b_c, b_E), then z_c from A_c x - b_c.
  void solve(Vector& x, Vector& z) override {
    const int count = static_cast<int>(equations_.size());
    weights_.divide(data_.cones, z, weighted_);
    for (int j = 0; j < data_.variables(); ++j) {
      double sum = 0.0;
      for (SparseMatrix::InnerIterator it(data_.a, j); it; ++it)
        sum += it.value() * weighted_[it.row()];
      x[j] += sum;
    }
    sum_.solve_lower(x.data());
    for (int k = 0; k < count; ++k) right_[k] = y_.col(k).dot(x) - z[equations_[k]];
    reduced_.solve(right_.data());
    for (int k = 0; k < count; ++k) x -= right_[k] * y_.col(k);
    sum_.solve_lower_transposed(x.data());
    weighted_ = -z;
    for (int j = 0; j < data_.variables(); ++j) {
      for (SparseMatrix::InnerIterator it(data_.a, j); it; ++it)
        weighted_[it.row()] += it.value() * x[j];
    }
    weights_.divide(data_.cones, weighted_, z);
    for (int k = 0; k < count; ++k) z[equations_[k]] = right_[k];
  }

  double operations() const override { return dense_kkt_operations(data_); }

 private:
  void start(double* s, double weight, double delta) const {
    const int n = data_.variables();
    Eigen::Map<DenseMatrix> sum(s, n, n);
    if (data_.dense_p()) {
      for (int j = 0; j < n; ++j) sum.col(j).tail(n - j) = weight * data_.full_p.col(j).tail(n - j);
    } else {
      for (int j = 0; j < n; ++j) sum.col(j).tail(n - j).setZero();
      for (int j = 0; j < n; ++j) {
        for (SparseMatrix::InnerIterator it(data_.sparse_p, j); it; ++it) {
          if (it.row() >= j) sum(it.row(), j) += weight * it.value();
        }
      }
    }
    sum.diagonal().array() += delta;
  }

  void scatter(int row, double* s) const {
    const auto n = static_cast<std::size_t>(data_.variables());
    const double weight = 1.0 / weights_.diagonal[row];
    for (RowIterator column(data_.a_by_rows, row); column; ++column) {
      const double value = weight * column.value();
      for (RowIterator it = column; it; ++it) s[column.col() * n + it.col()] += value * it.value();
    }
  }

  // Column `place` of the chunk := row of A.
  void put_row(int row, int place) {
    auto column = chunk_.col(place);
    column.setZero();
    for (RowIterator it(data_.a_by_rows, row); it; ++it) column[it.col()] = it.value();
  }

  void add_full_rows() {
    int used = 0;
    for (int row : full_) {
      put_row(row, used);
      chunk_.col(used) /= std::sqrt(weights_.diagonal[row]);
      if (++used < kChunk) continue;
      sum_.add_products(chunk_.data(), used);
      used = 0;
    }
    sum_.add_products(chunk_.data(), used);
  }

  // Rows of H^-1/2 A for one second-order cone.
  void add_cone(std::size_t k) {
    const auto& block = data_.cones.second_order()[k];
    const auto& e = weights_.spectrum[k];
    const double plus = 1.0 / std::sqrt(e.plus), minus = 1.0 / std::sqrt(e.minus);
    const double tangent = 1.0 / std::sqrt(e.tangent);
    along_.setZero();
    for (int r = 0; r < block.size; ++r) {
      put_row(block.offset + r, r);
      if (r > 0) along_ += weights_.axis[block.offset + r] * chunk_.col(r);
    }
    head_ = chunk_.col(0);
    chunk_.col(0) = 0.5 * plus * (head_ + along_) + 0.5 * minus * (head_ - along_);
    head_ = 0.5 * plus * (head_ + along_) - 0.5 * minus * (head_ - along_);
    for (int r = 1; r < block.size; ++r) {
      const double axis = weights_.axis[block.offset + r];
      chunk_.col(r) = tangent * (chunk_.col(r) - axis * along_) + axis * head_;
    }
    sum_.add_products(chunk_.data(), block.size);
  }

  bool factor_equations(double delta) {
    const int count = static_cast<int>(equations_.size());
    y_.setZero();
    double* const s = reduced_.matrix(count);
    for (int k = 0; k < count; ++k) {
      for (RowIterator it(data_.a_by_rows, equations_[k]); it; ++it) y_(it.col(), k) = it.value();
      sum_.solve_lower(y_.col(k).data());
    }
    Eigen::Map<DenseMatrix> schur(s, count, count);
    for (int k = 0; k < count; ++k) {
      for (int i = k; i < count; ++i) schur(i, k) = y_.col(i).dot(y_.col(k));
      schur(k, k) += delta;
    }
    return count == 0 || reduced_.factor(0.0);
  }

  const ConicData& data_;
  std::vector<int> equations_, scattered_, full_;
  ConeMatrix weights_;  // H + delta I
  DenseMatrix chunk_, y_;
  Vector right_, weighted_, along_, head_;
  DenseCholesky sum_, reduced_;
};

}  // namespace

double dense_kkt_operations(const ConicData& data) {
  const double n = data.variables();
  double equations = 0, operations = n * n * n / 6;
  for (int i = 0; i < data.rows(); ++i) {
    const double entries = data.a_by_rows.row(i).nonZeros();
    if (data.cones.kind(i) == ConeProduct::Row::kZero) {
      ++equations;
    } else {
      operations += is_scattered(data, i) ? 0.5 * kScatterCost * entries * entries : 0.5 * n * n;
    }
  }
  return operations + 0.5 * equations * n * (n + equations) + equations * equations * equations / 6;
}

std::unique_ptr<KktFactor> make_dense_kkt(const ConicData& data) {
  return std::make_unique<DenseKkt>(data);
}

}  // namespace perp
