#include <perp/formulations/mechanics/cone_step.hpp>

#include <perp/formulations/mechanics/options.hpp>

#include <fmt/format.h>

namespace perp {

namespace {

constexpr double kRedundant = 1e-11;  // relative size of the pivots of joint rows that depend

}  // namespace

ConeSettings read_cone_settings(const std::string& options) {
  ConeSettings settings;
  for (const auto& [key, value] : split_options(options)) {
    if (key == "velocities" && (value == "kept" || value == "eliminated")) {
      settings.keep_velocities = value == "kept";
    } else if (key == "rest_speed") {
      settings.rest_speed = read_speed_option(key, value);
    } else if (!read_gap_option(key, value, settings.gap)) {
      refuse_option(key, value, "velocities=kept|eliminated, rest_speed=V, " + gap_options());
    }
  }
  return settings;
}

std::optional<std::string> ConeStep::refusal_of_law(const Scene& scene) const {
  const auto field =
      find_contact_properties(scene, [](const ContactProperties& p) { return p.e_r > 0; });
  if (field) {
    return fmt::format("field \"{}.e_r\": {} has no friction against turning about the normal",
                       *field, name());
  }
  return {};
}

std::vector<ContactStep::Direction> ConeStep::friction_directions(int c) const {
  const ContactFrame& f = frames_[c];
  const ContactProperties& k = active_[c].properties;
  std::vector<Direction> axes = {{k.e_t * f.t, Vector3d::Zero()}};
  if (scene_->dimension == 3) axes.push_back({k.e_o * f.o, Vector3d::Zero()});
  return axes;
}

void ConeStep::order_rows() {
  const int d = dimension(), n = d * contacts();
  std::vector<Triplet> entries;
  for (int c = 0; c < contacts(); ++c) {
    entries.emplace_back(d * c, c, 1.0);
    for (int i = 1; i < d; ++i)
      entries.emplace_back(d * c + i, contacts() + friction_begin(c) + i - 1, 1.0);
  }
  contact_rows_.resize(n, jacobian_.rows());
  contact_rows_.setFromTriplets(entries.begin(), entries.end());
  local_ = contact_rows_ * jacobian_;
  joint_rows_ = SparseMatrix(jacobian_.bottomRows(joint_count()));
}

Vector ConeStep::wanted_local() const {
  Vector wanted = Vector::Zero(dimension() * contacts());
  for (int c = 0; c < contacts(); ++c) {
    wanted[dimension() * c] =
        bounces(c) ? -active_[c].properties.restitution * approach_[c] : wanted_velocity(c);
  }
  return wanted;
}

// The joint impulses are  (G M^-1 G')^+ (w - G v_free) - joint_response_ p.
void ConeStep::eliminate_joints() {
  if (joint_count() == 0) {
    base_ = free_;
    return;
  }
  const SparseMatrix spread = joint_rows_ * inverse_mass_;
  joints_.setThreshold(kRedundant);
  joints_.compute(DenseMatrix(spread * SparseMatrix(joint_rows_.transpose())));
  joint_response_ = DenseMatrix::Zero(joint_count(), local_.rows());
  if (contacts() > 0)
    joint_response_ = joints_.solve(DenseMatrix(spread * SparseMatrix(local_.transpose())));
  free_of_drift();
}

// Velocities and joint impulses without contact, for the stabilisation as it is.
void ConeStep::free_of_drift() {
  if (joint_count() == 0) return;
  joint_base_ = joints_.solve(wanted_joint_velocities() - joint_rows_ * free_);
  base_ = free_ + inverse_mass_ * (joint_rows_.transpose() * joint_base_);
}

Matrix ConeStep::scaled_delassus(double scale) const { return scaled_block(scale, {}); }

Matrix ConeStep::scaled_normal_block(double scale) const {
  std::vector<Triplet> entries;
  for (int c = 0; c < contacts(); ++c) entries.emplace_back(c, dimension() * c, 1.0);
  SparseMatrix normals(contacts(), local_.rows());
  normals.setFromTriplets(entries.begin(), entries.end());
  return scaled_block(scale, normals);
}

Matrix ConeStep::scaled_block(double scale, const std::optional<SparseMatrix>& chosen) const {
  const SparseMatrix rows = chosen ? SparseMatrix(*chosen * local_) : local_;
  SparseMatrix w = scale * delassus(rows);
  if (joint_count() > 0) {
    const DenseMatrix response =
        chosen ? DenseMatrix(joint_response_ * chosen->transpose()) : joint_response_;
    const DenseMatrix taken =
        scale * DenseMatrix(rows * inverse_mass_ * SparseMatrix(joint_rows_.transpose())) *
        response;
    w -= SparseMatrix(taken.sparseView());
  }
  w = 0.5 * (w + SparseMatrix(w.transpose()));  // symmetric to the last bit
  w.prune(0.0, 0.0);
  return Matrix(std::move(w));
}

// Impulses of all rows of J from those of the contacts in local order.
Vector ConeStep::all_impulses(const Vector& p) const {
  Vector all = Vector::Zero(jacobian_.rows());
  if (contacts() > 0) all = contact_rows_.transpose() * p;
  if (joint_count() == 0) return all;
  all.tail(joint_count()) = joint_base_;
  if (contacts() > 0) all.tail(joint_count()) -= joint_response_ * p;
  return all;
}

Vector ConeStep::velocity_after(const Vector& p) const {
  Vector wrench = local_.transpose() * p;
  if (joint_count() > 0) wrench -= joint_rows_.transpose() * (joint_response_ * p);
  return base_ + inverse_mass_ * wrench;
}

std::vector<std::string> ConeStep::impulse_names() const {
  std::vector<std::string> names;
  for (int c = 0; c < contacts(); ++c) {
    names.push_back(contact_name(c) + ".normal");
    for (int i = 1; i < dimension(); ++i)
      names.push_back(fmt::format("{}.friction{}", contact_name(c), i - 1));
  }
  return names;
}

std::vector<std::uint64_t> ConeStep::impulse_keys() const {
  std::vector<std::uint64_t> keys;
  for (int c = 0; c < contacts(); ++c) {
    for (int i = 0; i < dimension(); ++i)
      keys.push_back(active_[c].key() * 64 + static_cast<std::uint64_t>(i));
  }
  return keys;
}

}  // namespace perp
