#include <perp/formulations/law/cone_rows.hpp>

#include <algorithm>
#include <utility>
#include <vector>

namespace perp {

namespace {

constexpr double kRedundant = 1e-11;  // relative size of the pivots of dependent joint rows

// Rows of a matrix: S A, if each row and each column of S has at most one entry, 1.
SparseMatrix picked(const SparseMatrix& s, const SparseMatrix& a) {
  std::vector<int> to(static_cast<std::size_t>(s.cols()), -1);
  for (int j = 0; j < s.cols(); ++j) {
    for (SparseMatrix::InnerIterator it(s, j); it; ++it) to[j] = static_cast<int>(it.row());
  }
  SparseMatrix result(s.rows(), a.cols());
  result.reserve(a.nonZeros());
  std::vector<std::pair<int, double>> column;
  for (int j = 0; j < a.cols(); ++j) {
    column.clear();
    for (SparseMatrix::InnerIterator it(a, j); it; ++it) {
      if (to[it.row()] >= 0) column.emplace_back(to[it.row()], it.value());
    }
    std::sort(column.begin(), column.end());
    result.startVec(j);
    for (const auto& [row, value] : column) result.insertBack(row, j) = value;
  }
  result.finalize();
  return result;
}

}  // namespace

std::vector<FrictionDirection> ellipse_axes(const ContactPoint3& contact, const ContactFrame& frame,
                                            int dimension) {
  const ContactProperties& k = contact.properties;
  std::vector<FrictionDirection> axes = {{k.e_t * frame.t, Vector3d::Zero()}};
  if (dimension == 3) axes.push_back({k.e_o * frame.o, Vector3d::Zero()});
  return axes;
}

ConeRows::ConeRows(const ContactSystem& system) : system_(&system) {
  const int d = dimension(), n = d * (contacts() + rates());
  std::vector<Triplet> entries;
  for (int c = 0; c < contacts(); ++c) {
    entries.emplace_back(d * c, c, 1.0);
    for (int i = 1; i < d; ++i)
      entries.emplace_back(d * c + i, contacts() + system.friction_begin(c) + i - 1, 1.0);
  }
  for (int k = 0; k < rates(); ++k)
    entries.emplace_back(normal(contacts() + k) + 1, system.rate_first() + k, 1.0);
  contact_rows_.resize(n, system.rows());
  contact_rows_.setFromTriplets(entries.begin(), entries.end());
  local_ = picked(contact_rows_, system.jacobian());
  joint_rows_ =
      SparseMatrix(system.jacobian().middleRows(system.joint_first(), system.joint_count()));
}

Vector ConeRows::wanted() const {
  Vector wanted = Vector::Zero(size());
  for (int c = 0; c < contacts(); ++c) wanted[normal(c)] = system_->wanted_velocity(c);
  return wanted;
}

Vector ConeRows::wanted_with_restitution() const {
  Vector wanted = this->wanted();
  for (int c = 0; c < contacts(); ++c) {
    if (system_->bounces(c))
      wanted[normal(c)] = -system_->contact(c).properties.restitution * system_->approach(c);
  }
  return wanted;
}

Vector ConeRows::normal_part(const Vector& local) const {
  Vector n(contacts());
  for (int c = 0; c < contacts(); ++c) n[c] = local[normal(c)];
  return n;
}

// The joint impulses are  (G M^-1 G')^+ (w - G v_free) - joint_response_ p  for contact impulses p.
void ConeRows::eliminate_joints() {
  if (system_->joint_count() == 0) {
    base_ = system_->free_velocity();
    return;
  }
  const SparseMatrix spread = joint_rows_ * system_->inverse_mass();
  joints_.setThreshold(kRedundant);
  joints_.compute(DenseMatrix(spread * SparseMatrix(joint_rows_.transpose())));
  joint_response_ = DenseMatrix::Zero(system_->joint_count(), local_.rows());
  if (size() > 0)
    joint_response_ = joints_.solve(DenseMatrix(spread * SparseMatrix(local_.transpose())));
  free_of_drift();
}

// Velocities and joint impulses without contact impulses, with the present stabilisation.
void ConeRows::free_of_drift() {
  if (system_->joint_count() == 0) return;
  joint_base_ =
      joints_.solve(system_->wanted_joint_velocities() - joint_rows_ * system_->free_velocity());
  base_ =
      system_->free_velocity() + system_->inverse_mass() * (joint_rows_.transpose() * joint_base_);
}

SparseMatrix ConeRows::scaled_normal_block(double scale) const {
  std::vector<Triplet> entries;
  for (int c = 0; c < contacts(); ++c) entries.emplace_back(c, dimension() * c, 1.0);
  SparseMatrix normals(contacts(), local_.rows());
  normals.setFromTriplets(entries.begin(), entries.end());
  return scaled_block(scale, normals);
}

SparseMatrix ConeRows::scaled_block(double scale, const std::optional<SparseMatrix>& chosen) const {
  const SparseMatrix picked = chosen ? SparseMatrix(*chosen * local_) : SparseMatrix();
  const SparseMatrix& rows = chosen ? picked : local_;
  SparseMatrix w = system_->delassus(rows);
  w *= scale;
  if (system_->joint_count() == 0) return w;
  const DenseMatrix response =
      chosen ? DenseMatrix(joint_response_ * chosen->transpose()) : joint_response_;
  const DenseMatrix taken =
      scale * DenseMatrix(rows * system_->inverse_mass() * SparseMatrix(joint_rows_.transpose())) *
      response;
  w -= SparseMatrix(taken.sparseView());
  w = 0.5 * (w + SparseMatrix(w.transpose()));  // symmetric to the last bit
  w.prune(0.0, 0.0);
  return w;
}

// Impulses of all rows of J from those of the contacts in local order.
Vector ConeRows::all_impulses(const Vector& p) const {
  Vector all = Vector::Zero(system_->rows());
  if (size() > 0) all = contact_rows_.transpose() * p;
  if (system_->joint_count() == 0) return all;
  auto joints = all.segment(system_->joint_first(), system_->joint_count());
  joints = joint_base_;
  if (size() > 0) joints -= joint_response_ * p;
  return all;
}

Vector ConeRows::velocity_after(const Vector& p) const {
  Vector wrench = local_.transpose() * p;
  if (system_->joint_count() > 0) wrench -= joint_rows_.transpose() * (joint_response_ * p);
  return base_ + system_->inverse_mass() * wrench;
}

}  // namespace perp
