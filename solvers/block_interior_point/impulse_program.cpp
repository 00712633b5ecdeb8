#include <perp/solvers/block_interior_point/impulse_program.hpp>

#include <fmt/format.h>
#include <algorithm>
#include <cmath>

namespace perp {

namespace {

constexpr double kDust = 1e-15;  // relative size of entries that come from rounding

// Impulses are the duals of the cones' rows.
bool of_velocities_alone(const Partition& partition) {
  const auto& [velocities, contacts, held, bounds, total] = partition;
  return velocities.rows.empty() && contacts.unknowns.empty() && held.unknowns.empty() &&
         bounds.empty() && total < 0;
}

}  // namespace

std::optional<std::string> ImpulseProgram::refusal(const ConicQp& qp) {
  if (!qp.partition)
    return "partition: missing, and nothing else says what is a velocity and what an impulse";
  const auto& [velocities, contacts, held, bounds, total] = *qp.partition;
  if (contacts.rows.empty()) return "partition.contacts.rows: no impulses";
  const bool velocities_alone = of_velocities_alone(*qp.partition);
  if (!velocities_alone) {
    if (velocities.rows.empty()) return "partition.velocities.rows: no momentum is stated";
    if (contacts.unknowns.empty()) return "partition.contacts.unknowns: no impulses";
  }
  for (std::size_t i = 0; i < contacts.sizes.size(); ++i) {
    if (contacts.sizes[i] > 3) {
      return fmt::format("partition.contacts.sizes[{}]: {} impulses, more than 3", i,
                         contacts.sizes[i]);
    }
  }
  const std::size_t unknowns =
      velocities.unknowns.size() + contacts.unknowns.size() + held.unknowns.size();
  const std::size_t rows = velocities.rows.size() + contacts.rows.size() + held.rows.size() +
                           bounds.size() + (total >= 0 ? 1 : 0);
  if (static_cast<int>(unknowns) < qp.size()) {
    return fmt::format("partition: {} unknowns are neither velocities nor impulses",
                       qp.size() - static_cast<int>(unknowns));
  }
  if (static_cast<Eigen::Index>(rows) < qp.b.size()) {
    return fmt::format("partition: {} rows are neither momentum, bounds, cones nor the total",
                       qp.b.size() - static_cast<Eigen::Index>(rows));
  }
  for (const std::vector<int>* list : {&contacts.rows, &held.rows}) {
    for (const int row : *list) {
      if (!velocities_alone && qp.b[row] != 0.0)
        return fmt::format("b[{}]: a cone of impulses has its apex at 0", row);
    }
  }
  if (total >= 0 && !(qp.b[total] > 0))
    return fmt::format("b[{}]: the bound of all impulses is not positive", total);
  for (const std::vector<int>* list : {&contacts.unknowns, &held.unknowns}) {
    for (const int j : *list) {
      bool squared = false;
      qp.P.for_column(j, [&](int, double value) { squared = squared || value != 0.0; });
      if (squared) return fmt::format("P: the objective squares impulse {}", j);
    }
  }
  return MassBlocks::refusal(qp.P, velocities.unknowns, velocities.blocks);
}

void ImpulseProgram::read(const ConicQp& qp) {
  partition_ = qp.partition;
  velocities_alone_ = of_velocities_alone(*partition_);
  const auto& velocities = partition_->velocities;
  mass.set(qp.P, velocities.unknowns, velocities.blocks);
  const auto nv = static_cast<Eigen::Index>(velocities.unknowns.size());
  cost_v.resize(nv);
  f.resize(nv);
  for (Eigen::Index i = 0; i < nv; ++i) {
    cost_v[i] = velocities_alone_ ? 0.0 : qp.c[velocities.unknowns[i]];
    f[i] = velocities_alone_ ? -qp.c[velocities.unknowns[i]] : qp.b[velocities.rows[i]];
  }
  assign_roles(qp);
  velocities_alone_ ? read_dual_impulses(qp) : read_impulses(qp);
  read_bounds(qp);
  read_held(qp);
}

bool ImpulseProgram::has_structure_of(const ImpulseProgram& other) const {
  const auto same = [](const RowMatrix& a, const RowMatrix& b) {
    return a.starts == b.starts && a.columns == b.columns;
  };
  return velocities_alone_ == other.velocities_alone_ && velocity_of_ == other.velocity_of_ &&
         role_ == other.role_ &&
         partition_->velocities.blocks == other.partition_->velocities.blocks &&
         partition_->contacts == other.partition_->contacts && same(J, other.J) &&
         same(G, other.G) && has_total() == other.has_total();
}

void ImpulseProgram::assign_roles(const ConicQp& qp) {
  const auto& [velocities, contacts, held, bounds, total] = *partition_;
  velocity_of_.assign(static_cast<std::size_t>(qp.size()), -1);
  role_.assign(static_cast<std::size_t>(qp.b.size()), -1);
  for (std::size_t i = 0; i < velocities.unknowns.size(); ++i)
    velocity_of_[velocities.unknowns[i]] = static_cast<int>(i);
  for (std::size_t i = 0; i < velocities.rows.size(); ++i)
    role_[velocities.rows[i]] = static_cast<int>(i);
  const std::vector<int>& listed = velocities_alone_ ? contacts.rows : bounds;
  for (std::size_t i = 0; i < listed.size(); ++i) role_[listed[i]] = -2 - static_cast<int>(i);
}

// The same of a program of velocities alone: J and c_p are -A and b.
void ImpulseProgram::read_dual_impulses(const ConicQp& qp) {
  const auto& [unknowns, sizes, rows] = partition_->contacts;
  cones.clear();
  impulse_scale_.clear();
  cost_p.resize(static_cast<Eigen::Index>(rows.size()));
  e.resize(0);
  kappa = 0.0;
  int k = 0;
  for (const int size : sizes) {
    cones.push_back({k, size, size > 1 ? 1.0 : 0.0});
    k += size;
  }
  for (std::size_t i = 0; i < rows.size(); ++i) cost_p[i] = qp.b[rows[i]];
  gather_rows(qp, static_cast<int>(rows.size()), J);
}

// Reads J, the cones and the row of the total, all of them from the columns of the impulses.
void ImpulseProgram::read_impulses(const ConicQp& qp) {
  const auto& [unknowns, sizes, rows] = partition_->contacts;
  const int total = partition_->total;
  const auto np = static_cast<Eigen::Index>(unknowns.size());
  cones.clear();
  impulse_scale_.clear();
  J.clear();
  cost_p.resize(np);
  e.setZero(total >= 0 ? np : 0);
  kappa = total >= 0 ? qp.b[total] : 0.0;
  int k = 0;
  for (const int size : sizes) {
    cones.push_back({k, size, 0.0});
    for (int i = 0; i < size; ++i, ++k) {
      const double factor = -qp.A.coefficient(rows[k], unknowns[k]);
      if (i == 0 && size > 1) cones.back().mu = factor;
      const double scale = i == 0 && size > 1 ? 1.0 : factor;
      impulse_scale_.push_back(scale);
      cost_p[k] = qp.c[unknowns[k]] / scale;
      qp.A.for_column(unknowns[k], [&](int row, double value) {
        if (role_[row] >= 0) J.put(role_[row], -value / scale);
        if (row == total) e[k] = value / scale;
      });
      J.end_row();
    }
  }
}

void ImpulseProgram::read_bounds(const ConicQp& qp) {
  const auto& bounds = partition_->bounds;
  const auto nb = static_cast<Eigen::Index>(bounds.size());
  w.resize(nb);
  for (Eigen::Index i = 0; i < nb; ++i) w[i] = -qp.b[bounds[i]];
  if (velocities_alone_) {
    G.clear();
  } else {
    gather_rows(qp, static_cast<int>(nb), G);
  }
}

// Reads the rows with the roles -2 - i, i < count, with the sign of slacks: -A.
void ImpulseProgram::gather_rows(const ConicQp& qp, int count, RowMatrix& to) {
  const auto for_entries = [&](const auto& take) {  // by columns
    for (const int j : partition_->velocities.unknowns) {
      qp.A.for_column(j, [&](int row, double value) {
        if (role_[row] <= -2 && std::abs(value) > kDust * largest_[-2 - role_[row]])
          take(-2 - role_[row], velocity_of_[j], -value);
      });
    }
  };
  largest_.setZero(count);
  for (const int j : partition_->velocities.unknowns) {
    qp.A.for_column(j, [&](int row, double value) {
      if (role_[row] <= -2)
        largest_[-2 - role_[row]] = std::max(largest_[-2 - role_[row]], std::abs(value));
    });
  }
  to.starts.assign(count + 1, 0);
  for_entries([&](int row, int, double) { ++to.starts[row + 1]; });
  for (int i = 0; i < count; ++i) to.starts[i + 1] += to.starts[i];
  next_.assign(to.starts.begin(), to.starts.end());
  to.columns.resize(to.starts.back());
  to.values.resize(to.starts.back());
  for_entries([&](int row, int column, double value) {
    to.columns[next_[row]] = column;
    to.values[next_[row]++] = value;
  });
}

void ImpulseProgram::read_held(const ConicQp& qp) {
  const auto& [unknowns, rows] = partition_->held;
  const auto count = static_cast<Eigen::Index>(unknowns.size());
  held_.J.clear();
  for (Vector* x : {&held_.cost, &held_.total, &held_.factor}) x->setZero(count);
  for (Eigen::Index i = 0; i < count; ++i) {
    held_.cost[i] = qp.c[unknowns[i]];
    qp.A.for_column(unknowns[i], [&, &rows = rows](int row, double value) {
      if (role_[row] >= 0) held_.J.put(role_[row], -value);
      if (row == rows[i]) held_.factor[i] = value;
      if (row == partition_->total) held_.total[i] = value;
    });
    held_.J.end_row();
  }
}

double ImpulseProgram::stiffness(const RowMatrix& rows, int i) const {
  double sum = 0.0;
  for (int k = rows.starts[i]; k < rows.starts[i + 1]; ++k) {
    for (int l = rows.starts[i]; l < rows.starts[i + 1]; ++l) {
      const int a = rows.columns[k], b = rows.columns[l];
      if (mass.block_of(a) == mass.block_of(b))
        sum += rows.values[k] * rows.values[l] * mass.inverse(a, b);
    }
  }
  return sum;
}

void ImpulseProgram::pull_total(const ImpulseCone& cone, const Eigen::Matrix3d& block,
                                Vector& pull) const {
  Eigen::Vector3d part = Eigen::Vector3d::Zero();
  for (int i = 0; i < cone.size; ++i) part[i] = e[cone.first + i];
  const Eigen::Vector3d product = block * part;
  for (int i = 0; i < cone.size; ++i) {
    if (product[i] != 0.0) J.add(cone.first + i, product[i], pull.data());
  }
}

double ImpulseProgram::curvature_of_total(const std::vector<Eigen::Matrix3d>& blocks,
                                          const Vector& weights, const Vector& v,
                                          const Vector& m) const {
  double sum = 0.0;
  for (std::size_t c = 0; c < cones.size(); ++c) {
    const ImpulseCone& cone = cones[c];
    Eigen::Vector3d s = Eigen::Vector3d::Zero();
    for (int i = 0; i < cone.size; ++i) s[i] = J.dot(cone.first + i, m.data()) + e[cone.first + i];
    sum += s.dot(blocks[c] * s);
  }
  for (int i = 0; i < bounds(); ++i) {
    const double rate = G.dot(i, v.data());
    sum += weights[i] * rate * rate;
  }
  return sum + mass.square(v);
}

void ImpulseProgram::complete(ImpulsePoint& x) const {
  x.v = f;
  for (int i = 0; i < impulses(); ++i) J.add(i, x.p[i], x.v.data());
  mass.solve(x.v);
  x.m = cost_v;
  for (int i = 0; i < bounds(); ++i) G.add(i, -x.lambda[i], x.m.data());
  mass.solve(x.m);
  x.m += x.v;
  x.s.resize(impulses());
  for (int i = 0; i < impulses(); ++i)
    x.s[i] = J.dot(i, x.m.data()) + cost_p[i] + (has_total() ? x.nu * e[i] : 0.0);
}

double ImpulseProgram::measure_of_cone(const ImpulseCone& cone, const double* p, const double* s) {
  // y = (s_1 / mu, s_2, s_3) of the cone |y_t| <= y_1.
  const int size = cone.size;
  const double normal = cone.mu > 0 ? s[0] / cone.mu : s[0], t = tangential_norm(size, s);
  double outside = 0.0;
  if (t > normal) {
    outside =
        size == 1 || t <= -normal ? std::max(-normal, t) : 0.5 * (t - normal);  // of both entries
  }
  // As in the verifier, of the projection: the part of s outside could cancel the rest.
  double inside[3] = {normal, size > 1 ? s[1] : 0.0, size > 2 ? s[2] : 0.0};
  project_on_cone(1.0, size, inside);
  double product = p[0] * (cone.mu > 0 ? cone.mu * inside[0] : inside[0]);
  for (int i = 1; i < size; ++i) product += p[i] * inside[i];
  return std::max(std::abs(product), outside);
}

double ImpulseProgram::measure(const ImpulsePoint& x) const {
  const bool finite = x.v.allFinite() && x.p.allFinite() && x.s.allFinite() &&
                      x.lambda.allFinite() && std::isfinite(x.nu);
  if (!finite) return INFINITY;  // max() would pass over NaN
  double worst = 0.0;
  for (int i = 0; i < bounds(); ++i) {
    const double slack = G.dot(i, x.v.data()) - w[i];
    worst = std::max(worst, -slack);
    worst = std::max(worst, std::abs(x.lambda[i] * slack));
  }
  for (const ImpulseCone& cone : cones) {
    worst =
        std::max(worst, measure_of_cone(cone, x.p.data() + cone.first, x.s.data() + cone.first));
  }
  if (has_total()) {
    const double rest = kappa - e.dot(x.p);
    worst = std::max(worst, -rest);
    worst = std::max(worst, std::abs(x.nu * rest));
  }
  return worst;
}

void ImpulseProgram::write(const ImpulsePoint& point, Vector& x, Vector& dual) const {
  const auto& [velocities, contacts, held, bounds, total] = *partition_;
  x.setZero(unknowns());
  dual.setZero(rows());
  if (velocities_alone_) {
    for (int i = 0; i < this->velocities(); ++i) x[velocities.unknowns[i]] = point.v[i];
    for (int i = 0; i < impulses(); ++i) dual[contacts.rows[i]] = point.p[i];
    return;
  }
  for (int i = 0; i < this->velocities(); ++i) {
    x[velocities.unknowns[i]] = point.v[i];
    dual[velocities.rows[i]] = -point.m[i];
  }
  for (const ImpulseCone& cone : cones) {
    for (int i = cone.first; i < cone.first + cone.size; ++i) {
      x[contacts.unknowns[i]] = point.p[i] / impulse_scale_[i];
      dual[contacts.rows[i]] = point.s[i];
    }
    if (cone.mu > 0) dual[contacts.rows[cone.first]] /= cone.mu;
  }
  for (std::size_t i = 0; i < bounds.size(); ++i) dual[bounds[i]] = point.lambda[i];
  if (total >= 0) dual[total] = point.nu;
  for (int i = 0; i < held_.J.rows(); ++i) {
    const double rest = held_.J.dot(i, point.m.data()) + held_.cost[i] + held_.total[i] * point.nu;
    dual[held.rows[i]] = -rest / held_.factor[i];
  }
}

void ImpulseProgram::read_start(const Vector& x, Vector& p) const {
  if (velocities_alone_) return;
  for (int i = 0; i < impulses(); ++i)
    p[i] = x[partition_->contacts.unknowns[i]] * impulse_scale_[i];
}

void ImpulseProgram::read_dual(const Vector& dual, ImpulsePoint& point) const {
  if (velocities_alone_) {
    for (int i = 0; i < impulses(); ++i) point.p[i] = dual[partition_->contacts.rows[i]];
    return;
  }
  for (int i = 0; i < bounds(); ++i) point.lambda[i] = dual[partition_->bounds[i]];
  point.nu = has_total() ? dual[partition_->total] : 0.0;
}

}  // namespace perp
