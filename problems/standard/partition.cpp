#include <perp/problems/standard/partition.hpp>

#include <fmt/format.h>
#include <cmath>
#include <perp/problems/matrix/sparse_copies.hpp>
#include <perp/problems/standard/conic_qp.hpp>
#include <span>
#include <stdexcept>

namespace perp {

namespace {

constexpr double kSameMass = 1e-12;  // relative difference between the M of P and that of the rows

// Its memory is kept from one call to the next.
class Check {
 public:
  void run(const Partition& partition, const ConicQp& qp) {
    partition_ = &partition;
    qp_ = &qp;
    copy_nonzeros(qp.A, a_);
    transpose(a_, by_row_);
    unknowns_.assign(static_cast<std::size_t>(qp.size()), kOther);
    named_rows_.assign(static_cast<std::size_t>(qp.b.size()), 0);
    row_cones_.clear();
    for (const Cone& cone : qp.cones) {
      for (int i = 0; i < cone.size; ++i) row_cones_.push_back({cone, i});
    }
    lists();
    mass();
    momentum();
    contacts();
    for (std::size_t i = 0; i < partition_->held.rows.size(); ++i) {
      const int row = partition_->held.rows[i];
      expect_cone("held.rows", i, row, ConeType::kZero);
      if (!is_single(row, partition_->held.unknowns[i]))
        fail("held.rows", i, "not an equation of its impulse alone");
    }
    for (std::size_t i = 0; i < partition_->bounds.size(); ++i) {
      expect_cone("bounds", i, partition_->bounds[i], ConeType::kNonnegative);
      for_row(partition_->bounds[i], [&](int column, double) {
        if (!partition_->velocities.unknowns.empty() && unknowns_[column] != kVelocity)
          fail("bounds", i, fmt::format("unknown {} is no velocity", column));
      });
    }
    if (partition_->total >= 0) total();
  }

 private:
  enum Kind : char { kOther, kVelocity, kImpulse };
  struct Place {
    Cone cone;
    int within;
  };

  [[noreturn]] static void fail(const std::string& field, const std::string& what) {
    throw std::invalid_argument(fmt::format("partition.{}: {}", field, what));
  }
  [[noreturn]] static void fail(const std::string& field, std::size_t i, const std::string& what) {
    fail(fmt::format("{}[{}]", field, i), what);
  }

  template <class F>
  void for_row(int row, F&& f) const {
    for (SparseMatrix::InnerIterator it(by_row_, row); it; ++it) {
      if (it.value() != 0.0) f(static_cast<int>(it.row()), it.value());
    }
  }

  bool is_single(int row, int column) const {
    int others = 0, found = 0;
    for_row(row, [&](int j, double) { ++(j == column ? found : others); });
    return found == 1 && others == 0;
  }

  void expect_cone(const char* field, std::size_t i, int row, ConeType type) const {
    if (row_cones_[row].cone.type != type)
      fail(field, i, fmt::format("row {} is not in a {} cone", row, to_string(type)));
  }

  void name_unknowns(const char* field, const std::vector<int>& list, Kind kind) {
    for (std::size_t i = 0; i < list.size(); ++i) {
      if (list[i] < 0 || list[i] >= qp_->size())
        fail(field, i, fmt::format("{} is not in 0..{}", list[i], qp_->size() - 1));
      if (unknowns_[list[i]] != kOther)
        fail(field, i, fmt::format("unknown {} is listed twice", list[i]));
      unknowns_[list[i]] = kind;
    }
  }

  void name_rows(const char* field, std::span<const int> list) {
    for (std::size_t i = 0; i < list.size(); ++i) {
      if (list[i] < 0 || list[i] >= qp_->b.size())
        fail(field, i, fmt::format("{} is not in 0..{}", list[i], qp_->b.size() - 1));
      if (named_rows_[list[i]]++ > 0)
        fail(field, i, fmt::format("row {} is listed twice", list[i]));
    }
  }

  static void expect_sum(const char* field, const std::vector<int>& sizes, std::size_t expected) {
    long sum = 0;
    for (std::size_t i = 0; i < sizes.size(); ++i) {
      if (sizes[i] < 1) fail(field, i, fmt::format("{} is below 1", sizes[i]));
      sum += sizes[i];
    }
    if (sum != static_cast<long>(expected))
      fail(field, fmt::format("sizes add up to {}, expected {}", sum, expected));
  }

  static void expect_length(const char* field, std::size_t length, std::size_t expected) {
    if (length != expected) fail(field, fmt::format("length is {}, expected {}", length, expected));
  }

  void lists() {
    const auto& [velocities, contacts, held, bounds, total] = *partition_;
    name_unknowns("velocities.unknowns", velocities.unknowns, kVelocity);
    name_unknowns("contacts.unknowns", contacts.unknowns, kImpulse);
    name_unknowns("held.unknowns", held.unknowns, kImpulse);
    name_rows("velocities.rows", velocities.rows);
    name_rows("contacts.rows", contacts.rows);
    name_rows("held.rows", held.rows);
    name_rows("bounds", bounds);
    if (total != -1) name_rows("total", {&total, 1});
    expect_sum("velocities.blocks", velocities.blocks, velocities.unknowns.size());
    expect_sum("contacts.sizes", contacts.sizes, contacts.rows.size());
    if (!velocities.rows.empty())
      expect_length("velocities.rows", velocities.rows.size(), velocities.unknowns.size());
    if (!contacts.unknowns.empty())
      expect_length("contacts.unknowns", contacts.unknowns.size(), contacts.rows.size());
    expect_length("held.rows", held.rows.size(), held.unknowns.size());
  }

  void mass() {
    const auto& v = partition_->velocities;
    block_of_.assign(static_cast<std::size_t>(qp_->size()), -1);
    std::size_t at = 0;
    for (std::size_t b = 0; b < v.blocks.size(); ++b) {
      for (int k = 0; k < v.blocks[b]; ++k) block_of_[v.unknowns[at++]] = static_cast<int>(b);
    }
    for (std::size_t i = 0; i < v.unknowns.size(); ++i) {
      qp_->P.for_column(v.unknowns[i], [&](int j, double value) {
        if (value != 0.0 && block_of_[j] != block_of_[v.unknowns[i]])
          fail("velocities.unknowns", i, fmt::format("P couples it with unknown {}", j));
      });
    }
  }

  void momentum() {
    const auto& v = partition_->velocities;
    const double size = kSameMass * qp_->P.max_abs();
    Vector& expected = expected_;
    expected.setZero(qp_->size());
    for (std::size_t i = 0; i < v.rows.size(); ++i) {
      expect_cone("velocities.rows", i, v.rows[i], ConeType::kZero);
      const auto compare = [&](int j) {
        if (block_of_[j] >= 0 && std::abs(expected[j]) > size)
          fail("velocities.rows", i, "not M v - J'p = f with the M of the objective");
      };
      qp_->P.for_column(v.unknowns[i], [&](int j, double value) { expected[j] = value; });
      for_row(v.rows[i], [&](int j, double value) {
        expected[j] -= value;
        compare(j);
      });
      qp_->P.for_column(v.unknowns[i], [&](int j, double) {
        compare(j);
        expected[j] = 0.0;
      });
      for_row(v.rows[i], [&](int j, double) { expected[j] = 0.0; });
    }
  }

  void contacts() const {
    const auto& c = partition_->contacts;
    std::size_t at = 0;
    for (std::size_t k = 0; k < c.sizes.size(); ++k) {
      const Place& first = row_cones_[c.rows[at]];
      const bool alone = c.sizes[k] == 1 && first.cone.type == ConeType::kNonnegative;
      const bool cone = first.cone.type == ConeType::kSecondOrder &&
                        first.cone.size == c.sizes[k] && first.within == 0;
      if (!alone && !cone)
        fail("contacts.rows", at, fmt::format("row {} begins no cone of its contact", c.rows[at]));
      for (int i = 0; i < c.sizes[k]; ++i, ++at) {
        if (c.rows[at] != c.rows[at - static_cast<std::size_t>(i)] + i)
          fail("contacts.rows", at, "not the next row of its cone");
        if (c.unknowns.empty()) continue;
        if (!is_single(c.rows[at], c.unknowns[at]) ||
            qp_->A.coefficient(c.rows[at], c.unknowns[at]) >= 0)
          fail("contacts.rows", at, "not its impulse alone, times a negative number");
      }
    }
  }

  void total() const {
    if (row_cones_[partition_->total].cone.type != ConeType::kNonnegative)
      fail("total", fmt::format("row {} is not in a nonnegative cone", partition_->total));
    for_row(partition_->total, [&](int j, double value) {
      if (unknowns_[j] == kVelocity || value < 0)
        fail("total", fmt::format("unknown {} is no impulse times a positive number", j));
    });
  }

  const Partition* partition_ = nullptr;
  const ConicQp* qp_ = nullptr;
  SparseMatrix a_, by_row_;  // A and A', whose columns are rows of A
  std::vector<Kind> unknowns_;
  std::vector<int> named_rows_, block_of_;
  std::vector<Place> row_cones_;  // of each row
  Vector expected_;
};

}  // namespace

void validate(const Partition& partition, const ConicQp& problem) {
  static thread_local Check check;  // keeps its memory: every step of a sequence needs the same
  check.run(partition, problem);
}

}  // namespace perp
