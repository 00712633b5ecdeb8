#include <perp/formulations/gap/ratio_metric/ratio.hpp>

#include <Eigen/LU>
#include <algorithm>
#include <cmath>
#include <limits>
#include <set>
#include <utility>

namespace perp {

namespace {

constexpr double kEnlarged = 1e-10;  // of offsets in the search, over the size of the pair
constexpr std::size_t kMostCombinations = 4096;
constexpr double kSamePlace = 1e-7;  // over the size of the pair
constexpr double kSameNormal = 1e-6;
constexpr double kParallelDirection = 1e-12;

using RatioMatrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, 0, 4, 4>;
using RatioVector = Eigen::Matrix<double, Eigen::Dynamic, 1, 0, 4, 1>;

// A pseudorandom number in [1/2, 1) for a face, the same on every machine.
double share_of(std::uint64_t face) {
  std::uint64_t k = (face + 1) * 0x9e3779b97f4a7c15u;
  k ^= k >> 31;
  k *= 0xbf58476d1ce4e5b9u;
  k ^= k >> 29;
  return 0.5 + 0.5 * static_cast<double>(k >> 11) * 0x1p-53;
}

// Sorts the first `count`.
template <class Combination>
void put_in_order(Combination& faces, int count) {
  for (int i = 1; i < count; ++i) {
    for (int k = i; k > 0 && faces[k] < faces[k - 1]; --k) std::swap(faces[k], faces[k - 1]);
  }
}

// The rows of d + 1 faces.
RatioMatrix rows_of(const SmallLp& program, const std::array<int, 4>& faces, int d) {
  RatioMatrix m(d + 1, d + 1);
  for (int k = 0; k <= d; ++k) {
    for (int i = 0; i <= d; ++i)
      m(k, i) = program.rows[static_cast<std::size_t>(faces[k]) * (d + 1) + i];
  }
  return m;
}

}  // namespace

double FacedSolid::inner() const { return *std::min_element(offsets.begin(), offsets.end()); }

FacedSolid faced_solid(const Shape& shape, const Vector3d& position, const Matrix3d& axes) {
  FacedSolid solid;
  solid.centre = position;
  for (const HalfSpace& face : half_spaces_of(shape)) {
    solid.normals.push_back(axes * face.normal);
    solid.offsets.push_back(face.offset);
  }
  solid.reach = bounding_radius(shape);
  return solid;
}

// The program in the unknowns (x - c_a, t).
void RatioMetric::state_program(const FacedSolid& a, const FacedSolid& b) {
  const int d = dimension_;
  const Vector3d apart = b.centre - a.centre;
  program_.unknowns = d + 1;
  program_.rows.clear();
  program_.b.clear();
  program_.c.fill(0.0);
  program_.c[d] = 1.0;
  const auto add = [&](const FacedSolid& solid, const Vector3d& from) {
    for (std::size_t k = 0; k < solid.normals.size(); ++k) {
      for (int i = 0; i < d; ++i) program_.rows.push_back(solid.normals[k][i]);
      program_.rows.push_back(-solid.offsets[k]);
      program_.b.push_back(solid.normals[k].dot(from));
    }
  };
  add(a, Vector3d::Zero());
  add(b, apart);
  true_b_ = program_.b;
  // Balls inside the solids meet below half of this t, so the upper bound is never active.
  const double most = 2 * apart.norm() / (a.inner() + b.inner()) + 1;
  program_.lower.fill(-most * a.reach);
  program_.upper.fill(most * a.reach);
  program_.lower[d] = 0.0;
  program_.upper[d] = most;
}

RatioEvent RatioMetric::event_of(const FacedSolid& a, const Combination& faces) const {
  const int d = dimension_;
  const RatioMatrix m = rows_of(program_, faces, d);
  RatioVector b(d + 1);
  for (int k = 0; k <= d; ++k) b[k] = true_b_[faces[k]];
  RatioEvent event;
  const Eigen::FullPivLU<RatioMatrix> lu(m);
  RatioVector z = lu.solve(b);
  z += lu.solve(RatioVector(b - m * z));
  RatioVector c = RatioVector::Zero(d + 1);
  c[d] = -1.0;
  const RatioVector y = Eigen::FullPivLU<RatioMatrix>(m.transpose()).solve(c);
  event.point = a.centre;
  event.gradient.setZero();
  for (int i = 0; i < d; ++i) event.point[i] += z[i];
  event.t = z[d];
  event.rho = (event.t - 1) / event.t;
  std::uint64_t hash = 0;
  for (int k = 0; k <= d; ++k) {
    if (faces[k] < static_cast<int>(a.normals.size())) event.gradient -= y[k] * a.normals[faces[k]];
    hash = (hash + static_cast<std::uint64_t>(faces[k]) + 1) * 0x9e3779b97f4a7c15u;
    hash ^= hash >> 29;
  }
  event.features = static_cast<unsigned>(hash >> 34);
  return event;
}

RatioEvent RatioMetric::measure(const FacedSolid& a, const FacedSolid& b,
                                std::vector<double>* face_multipliers) {
  state_program(a, b);
  const SmallLpSolution& found = solver_.solve(program_);
  const int d = dimension_, faces = static_cast<int>(program_.b.size());
  if (face_multipliers) face_multipliers->assign(faces, 0.0);
  RatioEvent event;
  event.point = a.centre;
  event.gradient.setZero();
  event.rho = -std::numeric_limits<double>::infinity();
  if (!found.feasible) return event;  // some numbers are not finite
  for (int i = 0; i < d; ++i) event.point[i] += found.x[i];
  event.t = found.x[d];
  if (!(event.t > 0)) return event;
  event.rho = (event.t - 1) / event.t;
  for (int k = 0; k <= d; ++k) {
    const int face = found.basis[k];
    if (face >= faces) continue;
    if (face < static_cast<int>(a.normals.size()))
      event.gradient -= found.multipliers[k] * a.normals[face];
    if (face_multipliers) (*face_multipliers)[face] = found.multipliers[k];
  }
  return event;
}

// The other ends of the edges of the feasible set at a vertex, up to a limit on t.
std::vector<RatioMetric::Combination> RatioMetric::neighbours(const Combination& at,
                                                              double limit) const {
  const int d = dimension_, faces = static_cast<int>(program_.b.size());
  const auto row = [&](int face) {
    return Eigen::Map<const RatioVector>(&program_.rows[static_cast<std::size_t>(face) * (d + 1)],
                                         d + 1);
  };
  RatioVector side(d + 1);
  for (int k = 0; k <= d; ++k) side[k] = program_.b[at[k]];
  const Eigen::FullPivLU<RatioMatrix> lu(rows_of(program_, at, d));
  if (!lu.isInvertible()) return {};
  const RatioVector z = lu.solve(side);
  std::vector<Combination> ends;
  for (int leaving = 0; leaving <= d; ++leaving) {
    // Along this edge the other faces still meet, but not this one.
    const RatioVector along = lu.solve(RatioVector(-RatioVector::Unit(d + 1, leaving)));
    double step = std::numeric_limits<double>::infinity();
    int entering = -1;
    for (int k = 0; k < faces; ++k) {
      if (std::find(at.begin(), at.begin() + d + 1, k) != at.begin() + d + 1) continue;
      const double closing = row(k).dot(along), left = program_.b[k] - row(k).dot(z);
      if (closing <= kParallelDirection * along.norm() || left >= step * closing) continue;
      step = std::max(0.0, left / closing);
      entering = k;
    }
    if (entering < 0 || z[d] + step * along[d] > limit) continue;
    Combination to = at;
    to[leaving] = entering;
    put_in_order(to, d + 1);
    ends.push_back(to);
  }
  return ends;
}

std::vector<RatioEvent> RatioMetric::events(const FacedSolid& a, const FacedSolid& b,
                                            double limit) {
  state_program(a, b);
  const int d = dimension_, faces = static_cast<int>(program_.b.size());
  const double size = a.reach + b.reach;
  for (int k = 0; k < faces; ++k)
    program_.b[k] += kEnlarged * size * share_of(static_cast<std::uint64_t>(k));
  const SmallLpSolution& found = solver_.solve(program_);
  if (!found.feasible || !(found.value > kEnlarged)) return {};
  Combination first{};
  for (int k = 0; k <= d; ++k) {
    if (found.basis[k] >= faces) return {};
    first[k] = found.basis[k];
  }
  limit = std::max(limit, found.value * (1 + 1e3 * kEnlarged));
  put_in_order(first, d + 1);
  std::set<Combination> seen = {first};
  std::vector<Combination> waiting = {first};
  std::vector<RatioEvent> events;
  const auto keep = [&](const RatioEvent& e) {
    const double length = e.gradient.norm();
    if (!(length > 0) || !std::isfinite(length) || !(e.t > 0)) return;
    for (const RatioEvent& other : events) {
      if ((e.point - other.point).norm() <= kSamePlace * size &&
          (e.gradient / length - other.gradient.normalized()).norm() <= kSameNormal)
        return;
    }
    events.push_back(e);
  };
  for (std::size_t next = 0; next < waiting.size(); ++next) {
    const Combination at = waiting[next];
    keep(event_of(a, at));
    for (const Combination& to : neighbours(at, limit)) {
      if (waiting.size() < kMostCombinations && seen.insert(to).second) waiting.push_back(to);
    }
  }
  return events;
}

}  // namespace perp
