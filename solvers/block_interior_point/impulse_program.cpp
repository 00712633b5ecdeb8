#include <perp/solvers/block_interior_point/impulse_program.hpp>

#include <fmt/format.h>
#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>

namespace perp {

namespace {

constexpr int kLargestMassBlock = 12;
constexpr double kDust = 1e-15;      // relative: entries that rounding left
constexpr double kSameMass = 1e-12;  // relative: the M of the objective and of the momentum

}  // namespace

std::optional<std::string> ImpulseProgram::read(const ConicQp& qp) {
  unknowns_ = qp.size();
  rows_ = static_cast<int>(qp.b.size());
  by_row_ = qp.A.to_sparse().transpose();
  if (auto reason = read_columns(qp)) return reason;
  if (auto reason = read_rows(qp)) return reason;
  if (auto reason = read_momentum(qp)) return reason;
  return {};
}

// Velocities are the unknowns that the objective squares.
std::optional<std::string> ImpulseProgram::read_columns(const ConicQp& qp) {
  const SparseMatrix p = qp.P.to_sparse();
  velocity_of_.assign(unknowns_, -1);
  impulse_of_.assign(unknowns_, -1);
  velocity_.clear();
  for (int j = 0; j < unknowns_; ++j) {
    if (!(qp.P.coefficient(j, j) > 0)) continue;
    velocity_of_[j] = static_cast<int>(velocity_.size());
    velocity_.push_back(j);
  }
  const int nv = static_cast<int>(velocity_.size());
  if (nv == 0) return "P: no unknown has a positive entry on the diagonal, so none is a velocity";
  std::vector<Triplet> entries;
  for (int j = 0; j < unknowns_; ++j) {
    for (SparseMatrix::InnerIterator it(p, j); it; ++it) {
      const double size =
          std::sqrt(qp.P.coefficient(static_cast<int>(it.row()), static_cast<int>(it.row())) *
                    qp.P.coefficient(j, j));
      if (it.value() != 0.0 && !(std::abs(it.value()) <= kDust * size))
        entries.emplace_back(velocity_of_[it.row()], velocity_of_[j], it.value());
    }
  }
  for (const Triplet& t : entries) {
    if (t.row() < 0 || t.col() < 0) return "P: not positive semidefinite";
  }
  M.resize(nv, nv);
  M.setFromTriplets(entries.begin(), entries.end());
  read_mass_blocks();
  inverse_masses.clear();
  for (const std::vector<int>& block : mass_blocks) {
    const int n = static_cast<int>(block.size());
    if (n > kLargestMassBlock) {
      return fmt::format("P: blocks of at most {} coupled velocities are taken, not of {}",
                         kLargestMassBlock, n);
    }
    DenseMatrix dense(n, n);
    for (int i = 0; i < n; ++i) {
      for (int j = 0; j < n; ++j) dense(i, j) = M.coeff(block[i], block[j]);
    }
    const Eigen::LLT<DenseMatrix> llt(dense);
    if (llt.info() != Eigen::Success) return "P: not positive semidefinite";
    inverse_masses.push_back(llt.solve(DenseMatrix::Identity(n, n)));
  }
  cost_v.resize(nv);
  for (int i = 0; i < nv; ++i) cost_v[i] = qp.c[velocity_[i]];
  return {};
}

// Connected components of M.
void ImpulseProgram::read_mass_blocks() {
  const int nv = static_cast<int>(M.rows());
  mass_block.assign(nv, -1);
  mass_place.assign(nv, 0);
  mass_blocks.clear();
  for (int i = 0; i < nv; ++i) {
    if (mass_block[i] >= 0) continue;
    const int b = static_cast<int>(mass_blocks.size());
    mass_blocks.push_back({i});
    mass_block[i] = b;
    for (std::size_t k = 0; k < mass_blocks[b].size(); ++k) {
      for (SparseMatrix::InnerIterator it(M, mass_blocks[b][k]); it; ++it) {
        const int j = static_cast<int>(it.row());
        if (mass_block[j] >= 0) continue;
        mass_block[j] = b;
        mass_blocks[b].push_back(j);
      }
    }
    std::sort(mass_blocks[b].begin(), mass_blocks[b].end());
    for (std::size_t k = 0; k < mass_blocks[b].size(); ++k)
      mass_place[mass_blocks[b][k]] = static_cast<int>(k);
  }
}

std::optional<std::string> ImpulseProgram::read_rows(const ConicQp& qp) {
  G.clear();
  J.clear();
  cones.clear();
  momentum_row_.clear();
  impulse_.clear();
  cone_row_.clear();
  impulse_scale_.clear();
  bound_row_.clear();
  held_row_.clear();
  held_.clear();
  total_row_ = -1;
  int row = 0;
  for (const Cone& cone : qp.cones) {
    if (cone.type == ConeType::kSecondOrder) {
      for (int i = row; i < row + cone.size; ++i) {
        if (qp.b[i] != 0.0) return fmt::format("b[{}]: a cone of impulses has its apex at 0", i);
      }
      if (auto reason = read_cone(row, cone.size)) return reason;
    } else {
      for (int i = row; i < row + cone.size; ++i) {
        if (auto reason = read_linear_row(qp, i, cone.type == ConeType::kZero)) return reason;
      }
    }
    row += cone.size;
  }
  w.resize(bounds());
  for (int i = 0; i < bounds(); ++i) w[i] = -qp.b[bound_row_[i]];
  for (int j = 0; j < unknowns_; ++j) {
    if (velocity_of_[j] < 0 && impulse_of_[j] == -1)
      return fmt::format("unknown {} is neither a velocity nor an impulse within a cone", j);
  }
  return {};
}

std::optional<std::string> ImpulseProgram::read_linear_row(const ConicQp& qp, int row,
                                                           bool equation) {
  int velocities = 0, impulses = 0, last = -1;
  double least = INFINITY, value = 0.0;
  for (SparseMatrix::InnerIterator it(by_row_, row); it; ++it) {
    if (it.value() == 0.0) continue;
    const int j = static_cast<int>(it.row());
    ++(velocity_of_[j] >= 0 ? velocities : impulses);
    least = std::min(least, it.value());
    last = j;
    value = it.value();
  }
  if (equation && velocities > 0) {
    momentum_row_.push_back(row);
    return {};
  }
  if (velocities > 0 && impulses > 0)
    return fmt::format("row {}: an inequality between velocities and impulses", row);
  if (velocities > 0) {
    double largest = 0.0;
    for (SparseMatrix::InnerIterator it(by_row_, row); it; ++it)
      largest = std::max(largest, std::abs(it.value()));
    bound_row_.push_back(row);
    for (SparseMatrix::InnerIterator it(by_row_, row); it; ++it) {
      if (std::abs(it.value()) <= kDust * largest) continue;
      G.columns.push_back(velocity_of_[it.row()]);
      G.values.push_back(-it.value());
    }
    G.starts.push_back(static_cast<int>(G.columns.size()));
    return {};
  }
  if (impulses == 1 && equation && qp.b[row] == 0.0 && impulse_of_[last] == -1) {
    impulse_of_[last] = -2 - static_cast<int>(held_.size());
    held_row_.push_back(row);
    held_.push_back(last);
    return {};
  }
  if (impulses == 1 && !equation && qp.b[row] == 0.0 && value < 0 && impulse_of_[last] == -1) {
    add_cone(row, 1, {last}, {-value}, 0.0);
    return {};
  }
  if (impulses >= 1 && !equation && least > 0 && qp.b[row] > 0 && total_row_ < 0) {
    total_row_ = row;
    return {};
  }
  return fmt::format(
      "row {}: not momentum, a bound of velocities, the cone of one contact or the one bound of "
      "impulses together",
      row);
}

std::optional<std::string> ImpulseProgram::read_cone(int row, int size) {
  if (size < 2 || size > 3)
    return fmt::format("row {}: a cone of {} impulses, not 2 or 3", row, size);
  std::vector<int> unknowns;
  std::vector<double> scales;
  double mu = 0.0;
  for (int i = 0; i < size; ++i) {
    int count = 0;
    for (SparseMatrix::InnerIterator it(by_row_, row + i); it; ++it) {
      if (it.value() == 0.0) continue;
      ++count;
      unknowns.push_back(static_cast<int>(it.row()));
      scales.push_back(i == 0 ? 1.0 : -it.value());
      if (i == 0) mu = -it.value();
    }
    const bool good = count == 1 && velocity_of_[unknowns.back()] < 0 &&
                      impulse_of_[unknowns.back()] == -1 && (i > 0 || mu > 0);
    if (!good) return fmt::format("row {}: not one impulse of a cone of its own", row + i);
    if (std::count(unknowns.begin(), unknowns.end(), unknowns.back()) > 1)
      return fmt::format("row {}: an impulse that the cone has already", row + i);
  }
  add_cone(row, size, unknowns, scales, mu);
  return {};
}

void ImpulseProgram::add_cone(int row, int size, const std::vector<int>& unknowns,
                              const std::vector<double>& scales, double mu) {
  cones.push_back({static_cast<int>(impulse_.size()), size, mu});
  for (int i = 0; i < size; ++i) {
    impulse_of_[unknowns[i]] = static_cast<int>(impulse_.size());
    impulse_.push_back(unknowns[i]);
    impulse_scale_.push_back(scales[i]);
    cone_row_.push_back(row + i);
  }
}

// The equations that velocities are in must be M v - J'p = f, in the order of the velocities.
std::optional<std::string> ImpulseProgram::read_momentum(const ConicQp& qp) {
  const int nv = static_cast<int>(velocity_.size()), np = static_cast<int>(impulse_.size());
  const std::string wrong = "not M v - J'p = f with the M of the objective";
  if (static_cast<int>(momentum_row_.size()) != nv) {
    return fmt::format("{} equations of velocities for {} of them: {}", momentum_row_.size(), nv,
                       wrong);
  }
  f.resize(nv);
  std::vector<Triplet> impulse_entries, held_entries;
  const double size = kSameMass * qp.P.max_abs();
  Vector expected = Vector::Zero(nv);
  for (int i = 0; i < nv; ++i) {
    const int row = momentum_row_[i];
    f[i] = qp.b[row];
    for (SparseMatrix::InnerIterator it(M, i); it; ++it) expected[it.row()] = it.value();
    for (SparseMatrix::InnerIterator it(by_row_, row); it; ++it) {
      const int j = static_cast<int>(it.row());
      if (velocity_of_[j] >= 0) {
        expected[velocity_of_[j]] -= it.value();
        if (std::abs(expected[velocity_of_[j]]) > size)
          return fmt::format("row {}: {}", row, wrong);
      } else if (impulse_of_[j] >= 0) {
        impulse_entries.emplace_back(i, impulse_of_[j], -it.value());
      } else {
        held_entries.emplace_back(i, -2 - impulse_of_[j], -it.value());
      }
    }
    for (SparseMatrix::InnerIterator it(M, i); it; ++it) {
      if (std::abs(expected[it.row()]) > size) return fmt::format("row {}: {}", row, wrong);
      expected[it.row()] = 0.0;
    }
  }
  const auto by_columns = [nv](int cols, const std::vector<Triplet>& entries, RowMatrix& into,
                               const std::vector<double>& scales) {
    SparseMatrix a(nv, cols);
    a.setFromTriplets(entries.begin(), entries.end());
    into.clear();
    for (int j = 0; j < cols; ++j) {
      for (SparseMatrix::InnerIterator it(a, j); it; ++it) {
        into.columns.push_back(static_cast<int>(it.row()));
        into.values.push_back(scales.empty() ? it.value() : it.value() / scales[j]);
      }
      into.starts.push_back(static_cast<int>(into.columns.size()));
    }
  };
  by_columns(np, impulse_entries, J, impulse_scale_);
  by_columns(static_cast<int>(held_.size()), held_entries, held_rows_, {});
  cost_p.resize(np);
  e.resize(0);
  kappa = 0.0;
  for (int i = 0; i < np; ++i) cost_p[i] = qp.c[impulse_[i]] / impulse_scale_[i];
  held_cost_.resize(static_cast<Eigen::Index>(held_.size()));
  for (std::size_t i = 0; i < held_.size(); ++i)
    held_cost_[static_cast<Eigen::Index>(i)] = qp.c[held_[i]];
  held_total_.setZero(static_cast<Eigen::Index>(held_.size()));
  if (total_row_ < 0) return {};
  kappa = qp.b[total_row_];
  e = Vector::Zero(np);
  for (SparseMatrix::InnerIterator it(by_row_, total_row_); it; ++it) {
    const int k = impulse_of_[it.row()];
    if (k >= 0) e[k] = it.value() / impulse_scale_[k];
    if (k < -1) held_total_[-2 - k] = it.value();
  }
  return {};
}

double ImpulseProgram::stiffness(const RowMatrix& rows, int i) const {
  double sum = 0.0;
  for (int k = rows.starts[i]; k < rows.starts[i + 1]; ++k) {
    const int a = rows.columns[k];
    for (int l = rows.starts[i]; l < rows.starts[i + 1]; ++l) {
      const int b = rows.columns[l];
      if (mass_block[a] == mass_block[b])
        sum += rows.values[k] * rows.values[l] *
               inverse_masses[mass_block[a]](mass_place[a], mass_place[b]);
    }
  }
  return sum;
}

void ImpulseProgram::solve_mass(Vector& x) const {
  for (std::size_t b = 0; b < mass_blocks.size(); ++b) {
    const std::vector<int>& block = mass_blocks[b];
    if (block.size() == 1) {
      x[block[0]] *= inverse_masses[b](0, 0);
      continue;
    }
    double in[kLargestMassBlock];
    for (std::size_t i = 0; i < block.size(); ++i) in[i] = x[block[i]];
    for (std::size_t i = 0; i < block.size(); ++i) {
      double sum = 0.0;
      for (std::size_t j = 0; j < block.size(); ++j)
        sum += inverse_masses[b](static_cast<int>(i), static_cast<int>(j)) * in[j];
      x[block[i]] = sum;
    }
  }
}

double ImpulseProgram::pull_total(const ImpulseCone& cone, const Eigen::Matrix3d& block,
                                  const Vector& total, Vector& pull) const {
  Eigen::Vector3d part = Eigen::Vector3d::Zero();
  for (int i = 0; i < cone.size; ++i) part[i] = total[cone.first + i];
  const Eigen::Vector3d product = block * part;
  for (int i = 0; i < cone.size; ++i) {
    if (product[i] != 0.0) J.add(cone.first + i, product[i], pull.data());
  }
  return part.dot(product);
}

void ImpulseProgram::complete(ImpulsePoint& x) const {
  x.v = f;
  for (int i = 0; i < impulses(); ++i) J.add(i, x.p[i], x.v.data());
  solve_mass(x.v);
  x.m = cost_v;
  for (int i = 0; i < bounds(); ++i) G.add(i, -x.lambda[i], x.m.data());
  solve_mass(x.m);
  x.m += x.v;
  x.s.resize(impulses());
  for (int i = 0; i < impulses(); ++i)
    x.s[i] = J.dot(i, x.m.data()) + cost_p[i] + (e.size() > 0 ? x.nu * e[i] : 0.0);
}

double ImpulseProgram::measure(const ImpulsePoint& x) const {
  double worst = 0.0;
  for (int i = 0; i < bounds(); ++i) {
    const double slack = G.dot(i, x.v.data()) - w[i];
    worst = std::max(worst, -slack);
    worst = std::max(worst, std::abs(x.lambda[i] * slack));
  }
  for (const ImpulseCone& cone : cones) {
    // y = (s_1 / mu, s_2, s_3) of the cone |y_t| <= y_1.
    const double* s = x.s.data() + cone.first;
    const double normal = cone.mu > 0 ? s[0] / cone.mu : s[0], t = tangential(cone, s);
    if (t > normal) {
      const double outside = cone.size == 1 || t <= -normal
                                 ? std::max(-normal, t)
                                 : 0.5 * (t - normal);  // of both entries
      worst = std::max(worst, outside);
    }
    double product = 0.0;
    for (int i = 0; i < cone.size; ++i) product += x.p[cone.first + i] * s[i];
    worst = std::max(worst, std::abs(product));
  }
  if (e.size() > 0) {
    const double rest = kappa - e.dot(x.p);
    worst = std::max(worst, -rest);
    worst = std::max(worst, std::abs(x.nu * rest));
  }
  return worst;
}

void ImpulseProgram::write(const ImpulsePoint& point, Vector& x, Vector& dual) const {
  x.setZero(unknowns_);
  dual.setZero(rows_);
  for (int i = 0; i < velocities(); ++i) {
    x[velocity_[i]] = point.v[i];
    dual[momentum_row_[i]] = -point.m[i];
  }
  for (int i = 0; i < impulses(); ++i) x[impulse_[i]] = point.p[i] / impulse_scale_[i];
  for (int i = 0; i < bounds(); ++i) dual[bound_row_[i]] = point.lambda[i];
  if (total_row_ >= 0) dual[total_row_] = point.nu;
  for (const ImpulseCone& cone : cones) {
    for (int i = cone.first; i < cone.first + cone.size; ++i) dual[cone_row_[i]] = point.s[i];
    if (cone.mu > 0) dual[cone_row_[cone.first]] /= cone.mu;
  }
  for (std::size_t i = 0; i < held_.size(); ++i) {
    const int k = static_cast<int>(i);
    const double rest =
        held_rows_.dot(k, point.m.data()) + held_cost_[k] + held_total_[k] * point.nu;
    dual[held_row_[i]] = -rest / by_row_.coeff(held_[i], held_row_[i]);
  }
}

void ImpulseProgram::read_start(const Vector& x, Vector& p) const {
  for (int i = 0; i < impulses(); ++i) p[i] = x[impulse_[i]] * impulse_scale_[i];
}

void ImpulseProgram::read_dual(const Vector& dual, Vector& lambda, double& nu) const {
  for (int i = 0; i < bounds(); ++i) lambda[i] = dual[bound_row_[i]];
  nu = total_row_ >= 0 ? dual[total_row_] : 0.0;
}

}  // namespace perp
