#include <perp/solvers/friction/cone_problem.hpp>

#include <perp/problems/matrix/congruence.hpp>
#include <perp/problems/standard/friction_cone.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

namespace perp {

namespace {

// M^-1 with its blocks.
SparseMatrix inverse_of(const MassBlocks& mass) {
  std::vector<Triplet> entries;
  for (int b = 0; b < mass.blocks(); ++b) {
    for (int j = mass.begin(b); j < mass.begin(b + 1); ++j) {
      for (int i = mass.begin(b); i < mass.begin(b + 1); ++i)
        entries.emplace_back(i, j, mass.inverse(i, j));
    }
  }
  SparseMatrix m(mass.size(), mass.size());
  m.setFromTriplets(entries.begin(), entries.end());
  return m;
}

// The rows of J, three for each cone.
SparseMatrix padded_rows(const ImpulseProgram& program) {
  std::vector<Triplet> entries;
  for (std::size_t c = 0; c < program.cones.size(); ++c) {
    const ImpulseCone& cone = program.cones[c];
    for (int i = 0; i < cone.size; ++i) {
      const int row = cone.first + i;
      for (int k = program.J.starts[row]; k < program.J.starts[row + 1]; ++k)
        entries.emplace_back(3 * static_cast<int>(c) + i, program.J.columns[k],
                             program.J.values[k]);
    }
  }
  SparseMatrix j(3 * static_cast<int>(program.cones.size()), program.velocities());
  j.setFromTriplets(entries.begin(), entries.end());
  return j;
}

}  // namespace

std::optional<std::string> ConeProblem::refusal(const Problem& problem) {
  const auto& qp = std::get<ConicQp>(problem.data);
  if (qp.partition && !qp.partition->bounds.empty())
    return "partition.bounds: bounds of velocities are not taken";
  if (qp.partition && qp.partition->total >= 0)
    return "partition.total: a bound of all impulses is not taken";
  return ImpulseProgram::refusal(qp);
}

void ConeProblem::build(const Problem& problem, ContactScaling scaling) {
  program_.read(std::get<ConicQp>(problem.data));
  const int nc = static_cast<int>(program_.cones.size());
  const SparseMatrix w = congruence(padded_rows(program_), inverse_of(program_.mass));
  // At p = 0, s is q.
  point_.p.setZero(program_.impulses());
  point_.lambda.resize(0);
  program_.complete(point_);
  mu_.resize(nc);
  q_.setZero(3 * nc);
  for (int c = 0; c < nc; ++c) {
    const ImpulseCone& cone = program_.cones[c];
    mu_[c] = cone.mu;
    for (int i = 0; i < cone.size; ++i) q_[3 * c + i] = point_.s[cone.first + i];
  }
  build_blocks(3, mu_, q_, scaling, [&](int j, auto&& entry) {
    if (j % 3 >= program_.cones[j / 3].size) entry(j, 1.0);
    for (SparseMatrix::InnerIterator it(w, j); it; ++it)
      entry(static_cast<int>(it.row()), it.value());
  });
}

double ConeProblem::measure(const Vector& r, const Vector& u) const {
  double worst = 0.0;
  for (int c = 0; c < contacts(); ++c) {
    const int size = program_.cones[c].size;
    double impulse[3] = {}, slack[3] = {}, sum = 0.0;
    for (int i = 0; i < size; ++i) {
      impulse[i] = impulse_scale(c) * r[3 * c + i];
      slack[i] = velocity_scale(c) * u[3 * c + i];
      sum += impulse[i] + slack[i];
    }
    double inside[3] = {impulse[0], size > 1 ? impulse[1] : 0.0, size > 2 ? impulse[2] : 0.0};
    project_on_cone(mu_[c], size, inside);
    double here = ImpulseProgram::measure_of_cone(program_.cones[c], inside, slack);
    for (int i = 0; i < size; ++i) here = std::max(here, std::abs(impulse[i] - inside[i]));
    if (!std::isfinite(sum)) return std::numeric_limits<double>::infinity();
    worst = std::max(worst, here);
  }
  return worst;
}

double ConeProblem::measure(const Vector& r) const {
  complete(r);
  const double found = program_.measure(point_);
  return std::isfinite(found) ? found : std::numeric_limits<double>::infinity();
}

void ConeProblem::from_start(const Start& start, Vector& r) const {
  point_.p.setZero(program_.impulses());
  if (start.z) program_.read_start(*start.z, point_.p);
  if (start.dual) program_.read_dual(*start.dual, point_);
  r.setZero(size());
  for (int c = 0; c < contacts(); ++c) {
    const ImpulseCone& cone = program_.cones[c];
    for (int i = 0; i < cone.size; ++i) r[3 * c + i] = point_.p[cone.first + i] / impulse_scale(c);
  }
}

void ConeProblem::write(const Vector& r, Vector& x, Vector& dual) const {
  complete(r);
  program_.write(point_, x, dual);
}

// Sets the point with the impulses of r, projected on the cones.
void ConeProblem::complete(const Vector& r) const {
  for (int c = 0; c < contacts(); ++c) {
    const ImpulseCone& cone = program_.cones[c];
    double* const p = point_.p.data() + cone.first;
    for (int i = 0; i < cone.size; ++i) p[i] = impulse_scale(c) * r[3 * c + i];
    project_on_cone(cone.mu, cone.size, p);
  }
  program_.complete(point_);
}

}  // namespace perp
