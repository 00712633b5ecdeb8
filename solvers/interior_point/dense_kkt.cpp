#include <perp/solvers/interior_point/kkt_system.hpp>
#include <perp/solvers/linear_algebra/dense_cholesky.hpp>

#include <algorithm>
#include <cmath>

namespace perp {

namespace {

using RowIterator = Eigen::SparseMatrix<double, Eigen::RowMajor, int>::InnerIterator;

constexpr int kChunk = 96;  // rows of H^-1/2 A that are multiplied at once, if there are so many
// Time of adding one entry to the sum by itself, over that of one entry in a product of matrices.
constexpr double kScatterCost = 6.0;

bool is_scattered(const ConicData& data, int row) {
  const double n = data.variables();
  const double entries = data.a_by_rows.row(row).nonZeros();
  return data.cones.kind(row) == ConeProduct::Row::kHalfLine &&
         kScatterCost * entries * entries <= n * n;
}

// With the zero rows E below: S = w P + delta I + A_c' (H + delta I)^-1 A_c = L L', with the rows
// Y = E L^-T below L, and the Schur complement Y Y' + delta I. Unknowns that an active bound fixes
// (a row with one entry and H = 0) and that are in no other rows are left out of S. Their
// contribution to the other unknowns is of the order of delta; refinement corrects for it.
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
      } else if (kind == ConeProduct::Row::kHalfLine) {
        full_.push_back(i);
      }
    }
    int widest = 1;
    for (const auto& block : data.cones.second_order()) widest = std::max(widest, block.size);
    chunk_.resize(static_cast<std::size_t>(n) * std::min(kChunk - 1 + widest, m));
    right_.resize(static_cast<int>(equations_.size()));
    weighted_.resize(m);
    along_.resize(n);
    head_.resize(n);
    packed_.resize(n);
    fixed_.resize(n);
    place_.resize(n);
    free_.reserve(n);
    only_bounds_.assign(n, 1);
    for (int j = 0; j < n; ++j) {
      for (SparseMatrix::InnerIterator it(data.a, j); it; ++it) {
        const auto row = it.row();
        if (data.cones.kind(static_cast<int>(row)) != ConeProduct::Row::kHalfLine ||
            data.a_by_rows.row(row).nonZeros() > 1)
          only_bounds_[j] = 0;
      }
    }
    sum_.reserve(n, static_cast<int>(equations_.size()));
    reduced_.reserve(static_cast<int>(equations_.size()));
  }

  bool factor(const ConeMatrix& h, double p_weight, double delta) override {
    weights_ = h;
    for (int i : data_.cones.linear()) weights_.diagonal[i] += delta;
    for (auto& e : weights_.spectrum) {
      e.plus += delta;
      e.tangent += delta;
      e.minus += delta;
    }
    weight_ = p_weight;
    choose_free(h, p_weight, delta);
    double* const s = sum_.matrix(size(), count());
    start(s, p_weight, delta);
    for (int i : scattered_) scatter(i, s);
    for (int row : full_) add_full_row(row);
    for (std::size_t k = 0; k < h.spectrum.size(); ++k) add_cone(k);
    add_chunk();
    add_equations(s);
    return sum_.factor(0.0) && factor_equations(delta);
  }

  // (S, E'; E, -delta) (x, z_E) = (a + A_c' (H + delta)^-1 b_c, b_E), then z_c from A_c x - b_c.
  void solve(Vector& x, Vector& z) override {
    weights_.divide(data_.cones, z, weighted_);
    for (int j = 0; j < data_.variables(); ++j) {
      double sum = 0.0;
      for (SparseMatrix::InnerIterator it(data_.a, j); it; ++it)
        sum += it.value() * weighted_[it.row()];
      x[j] += sum;
    }
    for (int k = 0; k < size(); ++k) packed_[k] = x[free_[k]];
    sum_.solve_lower(packed_.data());
    if (count() > 0) {
      const double* const y = sum_.values() + size();
      for (int k = 0; k < count(); ++k) right_[k] = z[equations_[k]];
      dense_kernels().subtract_product(count(), size(), y, stride(), packed_.data(), right_.data());
      right_ = -right_;
      reduced_.solve(right_.data());
      dense_kernels().subtract_transposed(count(), size(), y, stride(), right_.data(),
                                          packed_.data());
    }
    sum_.solve_lower_transposed(packed_.data());
    for (int k = 0; k < size(); ++k) x[free_[k]] = packed_[k];
    for (int j = 0; j < data_.variables(); ++j) {
      if (place_[j] < 0) x[j] = (x[j] - weight_ * coupling(j, x)) / fixed_[j];
    }
    weighted_ = -z;
    for (int j = 0; j < data_.variables(); ++j) {
      for (SparseMatrix::InnerIterator it(data_.a, j); it; ++it)
        weighted_[it.row()] += it.value() * x[j];
    }
    weights_.divide(data_.cones, weighted_, z);
    for (int k = 0; k < count(); ++k) z[equations_[k]] = right_[k];
  }

  double operations() const override { return dense_kkt_operations(data_); }

 private:
  int size() const { return static_cast<int>(free_.size()); }
  int count() const { return static_cast<int>(equations_.size()); }
  // Rows of the buffer of sum_, that is S and the equations.
  int stride() const { return size() + count(); }
  // Row k after those that wait in the chunk.
  Eigen::Map<Vector> row_of_chunk(int k) {
    return {chunk_.data() + static_cast<std::size_t>(waiting_ + k) * size(), size()};
  }
  // The rows written last wait, until there are kChunk.
  void keep_in_chunk(int rows) {
    waiting_ += rows;
    if (waiting_ >= kChunk) add_chunk();
  }
  void add_chunk() {
    if (waiting_ > 0) sum_.add_products(chunk_.data(), waiting_, size());
    waiting_ = 0;
  }

  // P_jF x_F.
  double coupling(int j, const Vector& x) const {
    double sum = 0.0;
    if (data_.dense_p()) {
      for (int i : free_) sum += data_.full_p(i, j) * x[i];
      return sum;
    }
    for (SparseMatrix::InnerIterator it(data_.sparse_p, j); it; ++it) {
      if (place_[it.row()] >= 0) sum += it.value() * x[it.row()];
    }
    return sum;
  }

  void choose_free(const ConeMatrix& h, double weight, double delta) {
    fixed_.setZero();
    for (int i : scattered_) {
      const RowIterator it(data_.a_by_rows, i);
      if (!it || h.diagonal[i] > 0.0 || !only_bounds_[it.col()]) continue;
      fixed_[it.col()] += it.value() * it.value() / weights_.diagonal[i];
    }
    free_.clear();
    for (int j = 0; j < data_.variables(); ++j) {
      place_[j] = fixed_[j] > 0.0 ? -1 : size();
      if (place_[j] >= 0) free_.push_back(j);
      const double diagonal = data_.dense_p() ? data_.full_p(j, j) : 0.0;
      if (place_[j] < 0) fixed_[j] += weight * diagonal + delta;
    }
  }

  void start(double* s, double weight, double delta) const {
    const int k = size();
    Eigen::Map<DenseMatrix, 0, Eigen::OuterStride<>> sum(s, k, k, Eigen::OuterStride<>(stride()));
    if (data_.dense_p() && k == data_.variables()) {
      for (int j = 0; j < k; ++j) sum.col(j).tail(k - j) = weight * data_.full_p.col(j).tail(k - j);
    } else if (data_.dense_p()) {
      for (int j = 0; j < k; ++j) {
        for (int i = j; i < k; ++i) sum(i, j) = weight * data_.full_p(free_[i], free_[j]);
      }
    } else {
      for (int j = 0; j < k; ++j) sum.col(j).tail(k - j).setZero();
      for (int j = 0; j < k; ++j) {
        for (SparseMatrix::InnerIterator it(data_.sparse_p, free_[j]); it; ++it) {
          if (place_[it.row()] >= j) sum(place_[it.row()], j) += weight * it.value();
        }
      }
    }
    sum.diagonal().array() += delta;
  }

  void scatter(int row, double* s) const {
    const double weight = 1.0 / weights_.diagonal[row];
    for (RowIterator column(data_.a_by_rows, row); column; ++column) {
      const double value = weight * column.value();
      const int j = place_[column.col()];
      if (j < 0) continue;
      double* const target = s + static_cast<std::size_t>(j) * stride();
      for (RowIterator it = column; it; ++it) {
        if (place_[it.col()] >= 0) target[place_[it.col()]] += value * it.value();
      }
    }
  }

  void put_row(int row, Eigen::Map<Vector> column) const {
    column.setZero();
    for (RowIterator it(data_.a_by_rows, row); it; ++it) {
      if (place_[it.col()] >= 0) column[place_[it.col()]] = it.value();
    }
  }

  void add_full_row(int row) {
    put_row(row, row_of_chunk(0));
    row_of_chunk(0) /= std::sqrt(weights_.diagonal[row]);
    keep_in_chunk(1);
  }

  // Rows of H^-1/2 A for one second-order cone.
  void add_cone(std::size_t k) {
    const auto& block = data_.cones.second_order()[k];
    const auto& e = weights_.spectrum[k];
    const double plus = 1.0 / std::sqrt(e.plus), minus = 1.0 / std::sqrt(e.minus);
    const double tangent = 1.0 / std::sqrt(e.tangent);
    auto along = along_.head(size()), head = head_.head(size());
    along.setZero();
    for (int r = 0; r < block.size; ++r) {
      put_row(block.offset + r, row_of_chunk(r));
      if (r > 0) along += weights_.axis[block.offset + r] * row_of_chunk(r);
    }
    head = row_of_chunk(0);
    row_of_chunk(0) = 0.5 * plus * (head + along) + 0.5 * minus * (head - along);
    head = 0.5 * plus * (head + along) - 0.5 * minus * (head - along);
    for (int r = 1; r < block.size; ++r) {
      const double axis = weights_.axis[block.offset + r];
      row_of_chunk(r) = tangent * (row_of_chunk(r) - axis * along) + axis * head;
    }
    keep_in_chunk(block.size);
  }

  // Writes the equations below S.
  void add_equations(double* s) const {
    for (int e = 0; e < count(); ++e) {
      double* const row = s + size() + e;
      for (int j = 0; j < size(); ++j) row[static_cast<std::size_t>(j) * stride()] = 0.0;
      for (RowIterator it(data_.a_by_rows, equations_[e]); it; ++it) {
        const int j = place_[it.col()];
        if (j >= 0) row[static_cast<std::size_t>(j) * stride()] = it.value();
      }
    }
  }

  // The Schur complement Y Y' + delta I, factorised.
  bool factor_equations(double delta) {
    if (count() == 0) return true;
    Eigen::Map<DenseMatrix> schur(reduced_.matrix(count()), count(), count());
    schur.setZero();
    schur.diagonal().setConstant(delta);
    reduced_.add_products(sum_.values() + size(), size(), stride());
    return reduced_.factor(0.0);
  }

  const ConicData& data_;
  double weight_ = 1.0;                            // of P
  std::vector<int> equations_, scattered_, full_;  // rows
  std::vector<char> only_bounds_;                  // unknowns that are in no other rows
  std::vector<int> free_, place_;  // unknowns of S; place of each unknown there, or -1
  ConeMatrix weights_;             // H + delta I
  std::vector<double> chunk_;      // rows of (H + delta I)^-1/2 A_c that wait for their product
  int waiting_ = 0;
  Vector right_, weighted_, along_, head_, packed_, fixed_;
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
