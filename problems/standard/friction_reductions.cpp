// Exact friction as complementarity problems and as a convex program.
#include <perp/problems/standard/convex_relaxation.hpp>
#include <perp/problems/standard/delassus.hpp>
#include <perp/problems/standard/friction_pyramid.hpp>
#include <perp/problems/standard/reductions.hpp>

#include <fmt/format.h>
#include <Eigen/Cholesky>
#include <Eigen/SparseCholesky>
#include <algorithm>
#include <cmath>
#include <memory>
#include <numbers>
#include <perp/problems/matrix/infinity.hpp>
#include <stdexcept>

namespace perp {

namespace {

// Factor on the tolerance of conditions whose residuals are products (those of Fritz John and of
// cones): a product of an error and an impulse is small if the impulse is small, even if the error
// is not.
constexpr double kSquared = 1e-5;

// The verifier divides residuals of friction_contact by ||q||; those of other kinds are absolute.
double tolerance_factor(double size) { return size > 0 ? std::min(1.0, size) : 1.0; }

SparseMatrix diagonal(const Vector& values) {
  SparseMatrix d(values.size(), values.size());
  for (int i = 0; i < values.size(); ++i) d.insert(i, i) = values[i];
  return d;
}

// W with its compliance; with J and M it is multiplied out.
SparseMatrix compliant_delassus(const FrictionContact& p) {
  SparseMatrix w = p.is_operator() ? delassus(p.J, p.M) : p.W.to_sparse();
  if (p.compliance.size() > 0) w += diagonal(p.compliance);
  return w;
}

bool positive_semidefinite(const Matrix& w) {
  const double shift = 1e-12 * std::max(1, w.rows()) * w.max_abs();
  if (!(shift > 0)) return true;
  if (!w.is_sparse()) {
    const Eigen::LLT<DenseMatrix> factors(w.dense() +
                                          shift * DenseMatrix::Identity(w.rows(), w.rows()));
    return factors.info() == Eigen::Success;
  }
  Eigen::SimplicialLLT<SparseMatrix> factors;
  factors.setShift(shift);
  factors.compute(w.sparse());
  return factors.info() == Eigen::Success;
}

// Velocities that follow from impulses, in double: a start need not be exact. The problem must
// outlive the object.
class Velocities {
 public:
  explicit Velocities(const FrictionContact& p) : p_(&p) {
    if (p.is_operator()) mass_.compute(p.M.to_sparse());
  }

  /// M^-1 J'r. Operator form only.
  Vector change(const Vector& r) const { return mass_.solve(p_->J.multiply_transposed(r)); }

  /// u = Wr + q.
  Vector of(const Vector& r) const {
    Vector u = p_->is_operator() ? p_->J.multiply(change(r)) : p_->W.multiply(r);
    if (p_->compliance.size() > 0) u += p_->compliance.cwiseProduct(r);
    return u + p_->q;
  }

 private:
  const FrictionContact* p_;
  Eigen::SimplicialLDLT<SparseMatrix> mass_;
};

Reduction conic_in_impulses(const FrictionContact& p) {
  Matrix w = p.compliance.size() > 0 ? Matrix(compliant_delassus(p)) : p.W;
  if (!w.is_symmetric_by_entry(1e-12)) throw std::invalid_argument("W: not symmetric");
  if (!positive_semidefinite(w)) throw std::invalid_argument("W: not positive semidefinite");
  ConvexRelaxation r = relaxation_in_impulses(std::move(w), p.q, p.mu, p.dimension);
  // s = D r and D'y = u, D diagonal.
  const Vector scales = r.cones.diagonal();
  return {std::move(r.problem), "friction_contact as conic_qp", is_frictionless(p),
          [](const Answer& a) {
            return Answer{a.z, {}};
          },
          [scales, posed = std::make_shared<const FrictionContact>(p)](const Answer& a) {
            return Answer{a.z, Velocities(*posed).of(a.z).cwiseQuotient(scales)};
          }};
}

// With changes of velocity as unknowns.
Reduction conic_in_velocities(const FrictionContact& p) {
  ConvexRelaxation r =
      relaxation_in_velocities({p.M.to_sparse(), p.J.to_sparse(), Vector::Zero(p.J.cols()), p.q,
                                p.compliance, p.mu, p.dimension});
  const auto columns = static_cast<int>(r.problem.c.size());
  return {std::move(r.problem), "friction_contact as conic_qp", is_frictionless(p),
          [cones = r.cones](const Answer& a) {
            return Answer{cones.transpose() * a.dual, {}};
          },
          [cones = r.cones, columns,
           posed = std::make_shared<const FrictionContact>(p)](const Answer& a) {
            Answer start{Vector::Zero(columns), Vector::Zero(cones.rows())};
            const Vector change = Velocities(*posed).change(a.z);
            start.z.head(change.size()) = change;
            int compliant = static_cast<int>(change.size());
            for (int i = 0; i < posed->compliance.size(); ++i) {
              if (posed->compliance[i] > 0) start.z[compliant++] = a.z[i];
            }
            for (int i = 0; i < cones.cols(); ++i) {  // no row or column has two entries
              for (SparseMatrix::InnerIterator it(cones, i); it; ++it)
                start.dual[it.row()] = a.z[i] / it.value();
            }
            return start;
          }};
}

// F and F' of the Fritz John conditions. They consist of rows that are linear in the unknowns
// (tangential rows times mu r_n) and a few other entries.
class FritzJohn {
 public:
  explicit FritzJohn(const FrictionContact& p) : dimension_(p.dimension), q_(p.q) {
    velocities_ = p.is_operator() ? p.J.cols() : 0;
    size_ = velocities_;
    for (int c = 0; c < p.contacts(); ++c) {
      first_.push_back(size_);
      mu_.push_back(p.mu[c]);
      size_ += p.mu[c] > 0 ? dimension_ + 1 : 1;
    }
    make_linear_rows(p);
  }

  int size() const { return size_; }
  const SparseMatrix& pattern() const { return linear_; }

  void evaluate(const Vector& z, Vector& f) const {
    f.noalias() = linear_ * z;
    for (int c = 0; c < static_cast<int>(mu_.size()); ++c) {
      const int at = first_[c];
      f[at] += q_[dimension_ * c];
      if (!(mu_[c] > 0)) continue;
      const int slip = at + dimension_;
      const double radius = mu_[c] * z[at];
      f[slip] = radius * radius;
      for (int i = 1; i < dimension_; ++i) {
        const double u = f[at + i] + q_[dimension_ * c + i];
        f[at + i] = radius * u + z[slip] * z[at + i];
        f[slip] -= z[at + i] * z[at + i];
      }
    }
  }

  void jacobian(const Vector& z, double* values) const {
    Vector scale = Vector::Ones(size_);
    const Vector u = linear_ * z;
    for (int c = 0; c < static_cast<int>(mu_.size()); ++c) {
      if (mu_[c] > 0)
        scale.segment(first_[c] + 1, dimension_ - 1).setConstant(mu_[c] * z[first_[c]]);
    }
    for (int k = 0; k < linear_.nonZeros(); ++k)
      values[k] = linear_.valuePtr()[k] * scale[linear_.innerIndexPtr()[k]];
    for (const Extra& e : extras_) {
      const int at = first_[e.contact], slip = at + dimension_, row = at + e.component;
      const double mu = mu_[e.contact];
      switch (e.what) {
        case Extra::kByNormal:
          values[e.place] += mu * (u[row] + q_[dimension_ * e.contact + e.component]);
          break;
        case Extra::kByTangential:
          values[e.place] += z[slip];
          break;
        case Extra::kBySlip:
          values[e.place] += z[row];
          break;
        case Extra::kBoundByNormal:
          values[e.place] = 2 * mu * mu * z[at];
          break;
        default:
          values[e.place] = -2 * z[row];
      }
    }
  }

 private:
  struct Extra {
    enum What { kByNormal, kByTangential, kBySlip, kBoundByNormal, kBoundByTangential } what;
    int contact, component;
    int row, column;
    int place = 0;  // among the stored entries
  };

  // Unknown of a local row, -1 for a tangential one without friction.
  int unknown(int local) const {
    const int c = local / dimension_, i = local % dimension_;
    return i == 0 || mu_[c] > 0 ? first_[c] + i : -1;
  }

  void make_linear_rows(const FrictionContact& p) {
    std::vector<Triplet> entries;
    if (velocities_ > 0) {
      for (int j = 0; j < velocities_; ++j) {
        p.M.for_column(j, [&](int i, double value) { entries.emplace_back(i, j, value); });
        p.J.for_column(j, [&](int i, double value) {
          if (unknown(i) < 0) return;
          entries.emplace_back(j, unknown(i), -value);
          entries.emplace_back(unknown(i), j, value);
        });
      }
    } else {
      for (int j = 0; j < p.size(); ++j) {
        if (unknown(j) < 0) continue;
        p.W.for_column(j, [&](int i, double value) {
          if (unknown(i) >= 0) entries.emplace_back(unknown(i), unknown(j), value);
        });
      }
    }
    for (int i = 0; i < p.compliance.size(); ++i) {
      if (unknown(i) >= 0) entries.emplace_back(unknown(i), unknown(i), p.compliance[i]);
    }
    list_extras();
    for (const Extra& e : extras_) entries.emplace_back(e.row, e.column, 0.0);
    linear_.resize(size_, size_);
    linear_.setFromTriplets(entries.begin(), entries.end());
    for (Extra& e : extras_) {
      const int* rows = linear_.innerIndexPtr();
      const int *begin = rows + linear_.outerIndexPtr()[e.column],
                *end = rows + linear_.outerIndexPtr()[e.column + 1];
      e.place = static_cast<int>(std::lower_bound(begin, end, e.row) - rows);
    }
  }

  void list_extras() {
    for (int c = 0; c < static_cast<int>(mu_.size()); ++c) {
      if (!(mu_[c] > 0)) continue;
      const int at = first_[c], slip = at + dimension_;
      extras_.push_back({Extra::kBoundByNormal, c, 0, slip, at});
      for (int i = 1; i < dimension_; ++i) {
        extras_.push_back({Extra::kByNormal, c, i, at + i, at});
        extras_.push_back({Extra::kByTangential, c, i, at + i, at + i});
        extras_.push_back({Extra::kBySlip, c, i, at + i, slip});
        extras_.push_back({Extra::kBoundByTangential, c, i, slip, at + i});
      }
    }
  }

  int dimension_, velocities_ = 0, size_ = 0;
  Vector q_;
  std::vector<double> mu_;
  std::vector<int> first_;  // index of r_n of every contact
  std::vector<Extra> extras_;
  SparseMatrix linear_;  // u and Mv - J'r by the unknowns, with the extra entries as zeros
};

}  // namespace

namespace {

// (r_n, beta, lambda) from impulses r: r_t is a combination of the two edges next to it, lambda is
// the speed of the slip.
// @param generators B of r = B (r_n, beta), k edges for each contact
// @param n number of unknowns
Vector on_pyramids(const FrictionContact& p, int k, const SparseMatrix& generators, int n,
                   const Vector& r) {
  const int d = p.dimension, nc = p.contacts();
  Vector z = Vector::Zero(n);
  const Vector u = Velocities(p).of(r), along = generators.transpose() * u;
  int beta = nc, slip = static_cast<int>(generators.cols());
  for (int c = 0; c < nc; ++c) {
    z[c] = r[d * c];
    if (!(p.mu[c] > 0)) continue;
    if (d == 2) {
      z[beta + (r[d * c + 1] < 0 ? 1 : 0)] = std::abs(r[d * c + 1]);
    } else {
      const double x = r[d * c + 1], y = r[d * c + 2], turn = 2 * std::numbers::pi / k;
      const double angle = std::atan2(y, x) + (std::atan2(y, x) < 0 ? 2 * std::numbers::pi : 0);
      const int e = static_cast<int>(angle / turn) % k;
      const double rest = angle - e * turn, size = std::hypot(x, y) / std::sin(turn);
      z[beta + e] = std::max(0.0, size * std::sin(turn - rest));
      z[beta + (e + 1) % k] += std::max(0.0, size * std::sin(rest));
    }
    z[slip++] = std::max(0.0, -along.segment(beta, k).minCoeff());
    beta += k;
  }
  return z;
}

}  // namespace

bool is_frictionless(const FrictionContact& problem) { return !(problem.mu.array() > 0.0).any(); }

void check_edges(int edges) {
  constexpr int kLeast = 4, kMost = 360;  // with more, one edge a degree, only memory is filled
  if (edges < kLeast || edges > kMost || edges % 2 != 0)
    throw std::invalid_argument(
        fmt::format("edges: {} is not an even number from {} to {}", edges, kLeast, kMost));
}

Reduction reduce_to_pyramid_lcp(const FrictionContact& p, int edges) {
  check_edges(edges);
  const int d = p.dimension, nc = p.contacts(), k = d == 2 ? 2 : edges;
  FrictionPyramids pyramids{p.mu, {0}};
  std::vector<Triplet> generators;  // r = B (r_n, beta)
  for (int c = 0; c < nc; ++c) {
    generators.emplace_back(d * c, c, 1.0);
    const int first = pyramids.first.back(), end = first + (p.mu[c] > 0 ? k : 0);
    for (int e = first; e < end; ++e) {
      const Eigen::Vector2d edge = pyramid_edge(e - first, k);
      generators.emplace_back(d * c + 1, nc + e, d == 2 ? 1.0 - 2.0 * (e - first) : edge[0]);
      if (d == 3) generators.emplace_back(d * c + 2, nc + e, edge[1]);
    }
    pyramids.first.push_back(end);
  }
  const int slips = nc + pyramids.edges(), n = slips + pyramids.slips();
  SparseMatrix b(p.size(), slips);
  b.setFromTriplets(generators.begin(), generators.end());
  const SparseMatrix w = SparseMatrix(b.transpose()) * compliant_delassus(p) * b;
  const bool exact = d == 2 || is_frictionless(p);
  return {pyramid_lcp(w, b.transpose() * p.q, pyramids),
          exact ? "friction_contact as lcp" : fmt::format("friction_contact as pyramid:{}", k),
          exact,
          [b, slips](const Answer& a) {
            return Answer{b * a.z.head(slips), {}};
          },
          [n, k, b, posed = std::make_shared<const FrictionContact>(p)](const Answer& a) {
            return Answer{on_pyramids(*posed, k, b, n, a.z), {}};
          },
          tolerance_factor(p.q.norm())};
}

Reduction reduce_to_conic_qp(const FrictionContact& p) {
  Reduction reduction = p.is_operator() ? conic_in_velocities(p) : conic_in_impulses(p);
  reduction.tolerance_factor = tolerance_factor(p.q.norm());
  return reduction;
}

Reduction reduce_to_conic_qp(const ConvexContact& p) {
  validate(p);
  const SparseMatrix mass = p.A.to_sparse();
  ConvexRelaxation r = relaxation_in_velocities(
      {mass, p.J.to_sparse(), -p.A.multiply(p.v_star), -p.bias, p.R, p.mu, 3});
  return {std::move(r.problem),
          "convex_contact as conic_qp",
          true,
          [n = p.size()](const Answer& a) {
            return Answer{a.z.head(n), {}};
          },
          [cones = r.cones, posed = std::make_shared<const ConvexContact>(p)](const Answer& a) {
            const Vector gamma = posed->impulses(a.z);
            Answer start{Vector(a.z.size() + gamma.size()), Vector::Zero(cones.rows())};
            start.z << a.z, gamma;
            for (int i = 0; i < cones.cols(); ++i) {
              for (SparseMatrix::InnerIterator it(cones, i); it; ++it)
                start.dual[it.row()] = gamma[i] / it.value();
            }
            return start;
          },
          0.1 * kSquared};
}

namespace {

// (v, r, lambda) from impulses r, with lambda = mu r_n |u_t| / |r_t| if r_t is opposite to u_t.
// @param from index of every component of r among the n unknowns, -1 for none
Vector with_multipliers(const FrictionContact& p, const std::vector<int>& from, int n,
                        const Vector& r) {
  const int d = p.dimension;
  Vector z = Vector::Zero(n);
  const Velocities velocities(p);
  const Vector u = velocities.of(r);
  if (p.is_operator()) z.head(p.J.cols()) = velocities.change(r);
  for (int i = 0; i < r.size(); ++i) {
    if (from[i] >= 0) z[from[i]] = r[i];
  }
  for (int c = 0; c < p.contacts(); ++c) {
    if (!(p.mu[c] > 0)) continue;
    const auto r_t = r.segment(d * c + 1, d - 1), u_t = u.segment(d * c + 1, d - 1);
    const double square = r_t.squaredNorm();
    if (square > 0) z[from[d * c] + d] = std::max(0.0, -p.mu[c] * r[d * c] * r_t.dot(u_t) / square);
  }
  return z;
}

}  // namespace

Reduction reduce_to_mcp(const FrictionContact& p) {
  const auto conditions = std::make_shared<const FritzJohn>(p);
  const int n = conditions->size(), d = p.dimension;
  Mcp mcp;
  mcp.callback = [conditions](const Vector& z, Vector& f) { conditions->evaluate(z, f); };
  mcp.jacobian = [conditions](const Vector& z, double* values) { conditions->jacobian(z, values); };
  mcp.pattern = conditions->pattern();
  mcp.lower = Vector::Constant(n, -kInfinity);
  mcp.upper = Vector::Constant(n, kInfinity);
  std::vector<int> from;  // index of every component of r among the unknowns, -1 for none
  int at = p.is_operator() ? p.J.cols() : 0;
  for (int c = 0; c < p.contacts(); ++c) {
    mcp.lower[at] = 0.0;
    for (int i = 0; i < d; ++i) from.push_back(i == 0 || p.mu[c] > 0 ? at + i : -1);
    if (p.mu[c] > 0) mcp.lower[at + d] = 0.0;
    at += p.mu[c] > 0 ? d + 1 : 1;
  }
  return {std::move(mcp),
          "friction_contact as mcp",
          true,
          [from](const Answer& a) {
            Vector r(static_cast<int>(from.size()));
            for (int i = 0; i < r.size(); ++i) r[i] = from[i] < 0 ? 0.0 : a.z[from[i]];
            return Answer{std::move(r), {}};
          },
          [from, n, posed = std::make_shared<const FrictionContact>(p)](const Answer& a) {
            return Answer{with_multipliers(*posed, from, n, a.z), {}};
          },
          kSquared * tolerance_factor(p.q.squaredNorm())};
}

}  // namespace perp
