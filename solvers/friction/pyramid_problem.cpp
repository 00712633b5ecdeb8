#include <perp/solvers/friction/pyramid_problem.hpp>

#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace perp {

namespace {

constexpr double kOpposite = 1e-12;  // of the largest entry of M or q: sums that should be 0

struct Entry {
  int index;
  double value;
};

// Finds the contacts by the columns and rows of their slips: these are the only ones with an empty
// diagonal whose other entries are 1 in the column, -1 and one mu in the row.
class PyramidFinder {
 public:
  explicit PyramidFinder(const Lcp& problem) : lcp_(problem), n_(problem.size()) {}

  bool find() {
    find_slips();
    return collect_rows() && place_edges() && place_normals() && are_opposite();
  }
  std::vector<PyramidContact> take() { return std::move(contacts_); }

 private:
  void find_slips() {
    owner_.assign(n_, -1);
    for (int j = 0; j < n_; ++j) {
      int ones = 0, others = 0;
      lcp_.M.for_column(j, [&](int i, double value) {
        if (value != 0) ++(value == 1.0 && i != j ? ones : others);
        largest_ = std::max(largest_, std::abs(value));
      });
      if (others > 0 || (ones != 2 && ones != 4) || lcp_.q[j] != 0) continue;
      owner_[j] = static_cast<int>(contacts_.size());
      contacts_.emplace_back().slip = j;
    }
  }

  // The entries of the rows of slips.
  bool collect_rows() {
    rows_.resize(contacts_.size());
    for (int j = 0; j < n_; ++j) {
      lcp_.M.for_column(j, [&](int i, double value) {
        if (owner_[i] >= 0 && value != 0) rows_[owner_[i]].push_back({j, value});
      });
    }
    return true;
  }

  // Edges are the rows of the slip's column and the columns of -1 in its row.
  bool place_edges() {
    edge_of_.assign(n_, -1);
    for (std::size_t c = 0; c < contacts_.size(); ++c) {
      std::vector<int> edges;
      lcp_.M.for_column(contacts_[c].slip, [&](int i, double value) {
        if (value != 0) edges.push_back(i);
      });
      for (const int e : edges) {
        if (edge_of_[e] >= 0 || owner_[e] >= 0) return false;
        edge_of_[e] = static_cast<int>(c);
      }
      if (!place_row(static_cast<int>(c), edges.size()) || !pair_edges(contacts_[c], edges))
        return false;
    }
    return true;
  }

  bool place_row(int c, std::size_t edges) {
    std::size_t opposed = 0;
    for (const auto& [column, value] : rows_[c]) {
      if (value == -1.0 && edge_of_[column] == c) {
        ++opposed;
      } else if (contacts_[c].normal < 0 && value > 0 && owner_[column] < 0) {
        contacts_[c].normal = column;
        contacts_[c].mu = value;
      } else {
        return false;
      }
    }
    return opposed == edges && contacts_[c].normal >= 0;
  }

  // The first edge is opposite to that with which it has the least entry.
  bool pair_edges(PyramidContact& contact, const std::vector<int>& edges) const {
    std::size_t opposite = 1;
    double least = 0.0;
    for (std::size_t k = 1; k < edges.size(); ++k) {
      const double value = lcp_.M.coefficient(edges[k], edges[0]);
      if (value >= least) continue;
      least = value;
      opposite = k;
    }
    contact.edges[0] = {edges[0], edges[opposite]};
    if (edges.size() == 2) return true;
    std::vector<int> rest;
    for (std::size_t k = 1; k < edges.size(); ++k) {
      if (k != opposite) rest.push_back(edges[k]);
    }
    contact.edges[1] = {rest[0], rest[1]};
    return true;
  }

  // All other unknowns are normals, each of one contact.
  bool place_normals() {
    std::vector<char> taken(n_, 0);
    for (const PyramidContact& c : contacts_) {
      if (edge_of_[c.normal] >= 0 || taken[c.normal]) return false;
      taken[c.normal] = 1;
    }
    if (contacts_.empty()) return false;
    for (int i = 0; i < n_; ++i) {
      if (!taken[i] && edge_of_[i] < 0 && owner_[i] < 0) contacts_.emplace_back().normal = i;
    }
    std::sort(contacts_.begin(), contacts_.end(),
              [](const auto& a, const auto& b) { return a.normal < b.normal; });
    return true;
  }

  // Whether rows, columns and q of the edges of every pair cancel, apart from the slip's.
  bool are_opposite() {
    std::vector<int> pair(n_, -1);
    std::vector<std::array<int, 2>> pairs;
    for (const PyramidContact& c : contacts_) {
      for (const auto& edges : c.edges) {
        if (edges[0] < 0) continue;
        for (const int e : edges) pair[e] = static_cast<int>(pairs.size());
        pairs.push_back(edges);
      }
    }
    const double bound = kOpposite * largest_,
                 bound_q = kOpposite * lcp_.q.lpNorm<Eigen::Infinity>();
    std::vector<double> sums(pairs.size(), 0.0), column(n_, 0.0);
    std::vector<int> seen;
    bool opposite = true;
    for (int j = 0; j < n_; ++j) {
      if (owner_[j] >= 0) continue;
      seen.clear();
      lcp_.M.for_column(j, [&](int i, double value) {
        if (pair[i] < 0) return;
        sums[pair[i]] += value;
        seen.push_back(pair[i]);
      });
      for (const int p : seen) {
        opposite = opposite && std::abs(sums[p]) <= bound;
        sums[p] = 0.0;
      }
    }
    for (const auto& edges : pairs) {
      const auto add = [&](int j) {
        lcp_.M.for_column(j, [&](int i, double value) { column[i] += value; });
      };
      add(edges[0]);
      add(edges[1]);
      const auto check = [&](int i, double) {
        opposite = opposite && (owner_[i] >= 0 || std::abs(column[i]) <= bound);
      };
      for (const int j : edges) lcp_.M.for_column(j, check);
      for (const int j : edges) lcp_.M.for_column(j, [&](int i, double) { column[i] = 0.0; });
      opposite = opposite && std::abs(lcp_.q[edges[0]] + lcp_.q[edges[1]]) <= bound_q;
    }
    return opposite;
  }

  const Lcp& lcp_;
  int n_;
  double largest_ = 0.0;      // |M_ij|
  std::vector<int> owner_;    // the contact whose slip an unknown is, or -1
  std::vector<int> edge_of_;  // the contact whose edge it is, or -1
  std::vector<std::vector<Entry>> rows_;
  std::vector<PyramidContact> contacts_;
};

// The largest |min(z, w)| of the edges and the slip of one contact.
double friction_residual(const PyramidContact& contact, const double* r, const double* u,
                         double slip) {
  double largest = 0.0, used = 0.0;
  for (int k = 0; k < 2; ++k) {
    if (!contact.has(k)) continue;
    const double x = r[1 + k];
    used += std::abs(x);
    for (const double sign : {1.0, -1.0})
      largest =
          std::max(largest, std::abs(std::min(std::max(sign * x, 0.0), sign * u[1 + k] + slip)));
  }
  return std::max(largest, std::abs(std::min(slip, contact.mu * r[0] - used)));
}

// 0 if the contact sticks, else its largest speed: what gives the smaller residual.
double slip_of(const PyramidContact& contact, const double* r, const double* u) {
  double speed = 0.0;
  for (int k = 0; k < 2; ++k) {
    if (contact.has(k)) speed = std::max(speed, std::abs(u[1 + k]));
  }
  const bool slides =
      friction_residual(contact, r, u, speed) < friction_residual(contact, r, u, 0.0);
  return slides ? speed : 0.0;
}

}  // namespace

std::optional<std::vector<PyramidContact>> find_pyramid_contacts(const Lcp& problem) {
  PyramidFinder finder(problem);
  if (!finder.find()) return {};
  return finder.take();
}

std::optional<std::string> PyramidProblem::refusal(const Problem& problem) {
  if (find_pyramid_contacts(std::get<Lcp>(problem.data))) return {};
  return "M is not that of contacts with friction pyramids of four edges (2D: two)";
}

void PyramidProblem::build(const Problem& problem, ContactScaling scaling) {
  const auto& lcp = std::get<Lcp>(problem.data);
  auto found = find_pyramid_contacts(lcp);
  if (!found) throw std::invalid_argument("M: no contacts with friction pyramids");
  contacts_ = std::move(*found);
  lcp_.build(problem);
  const int nc = static_cast<int>(contacts_.size());
  std::vector<int> place(lcp.size(), -1);  // among the impulses r
  FrictionContact blocks;
  blocks.q.setZero(3 * nc);
  blocks.mu.setZero(nc);
  std::vector<Eigen::Triplet<double>> entries;
  for (int c = 0; c < nc; ++c) {
    blocks.mu[c] = contacts_[c].mu;
    place[contacts_[c].normal] = 3 * c;
    for (int k = 0; k < 2; ++k) {
      if (contacts_[c].has(k)) {
        place[contacts_[c].edges[k][0]] = 3 * c + 1 + k;
      } else {
        entries.emplace_back(3 * c + 1 + k, 3 * c + 1 + k, 1.0);
      }
    }
  }
  for (int j = 0; j < lcp.size(); ++j) {
    if (place[j] < 0) continue;
    blocks.q[place[j]] = lcp.q[j];
    lcp.M.for_column(j, [&](int i, double value) {
      if (place[i] >= 0 && value != 0) entries.emplace_back(place[i], place[j], value);
    });
  }
  SparseMatrix w(3 * nc, 3 * nc);
  w.setFromTriplets(entries.begin(), entries.end());
  blocks.W = Matrix(std::move(w));
  build_blocks(blocks, scaling);
  u_.setZero(3 * nc);
  z_.setZero(lcp.size());
}

double PyramidProblem::measure(const Vector& r, const Vector& u) const {
  double largest = 0.0;
  for (int c = 0; c < contacts(); ++c) {
    double impulse[3], speed[3];
    for (int k = 0; k < 3; ++k) {
      impulse[k] = impulse_scale(c) * r[3 * c + k];
      speed[k] = velocity_scale(c) * u[3 * c + k];
    }
    const double normal = std::abs(std::min(impulse[0], speed[0]));
    const double friction = contacts_[c].slip < 0
                                ? 0.0
                                : friction_residual(contacts_[c], impulse, speed,
                                                    slip_of(contacts_[c], impulse, speed));
    const double here = std::max(normal, friction);
    largest = std::isnan(here) ? std::numeric_limits<double>::infinity() : std::max(largest, here);
  }
  return largest;
}

double PyramidProblem::measure(const Vector& r) const {
  to_lcp(r, z_);
  return lcp_.natural_residual(z_);
}

void PyramidProblem::from_lcp(const Vector& z, Vector& r) const {
  r.setZero(size());
  for (int c = 0; c < contacts(); ++c) {
    r[3 * c] = z[contacts_[c].normal] / impulse_scale(c);
    for (int k = 0; k < 2; ++k) {
      const auto& [forth, back] = contacts_[c].edges[k];
      if (contacts_[c].has(k)) r[3 * c + 1 + k] = (z[forth] - z[back]) / impulse_scale(c);
    }
  }
}

void PyramidProblem::to_lcp(const Vector& r, Vector& z) const {
  z.setZero(lcp_size());
  velocity(r, u_);
  for (int c = 0; c < contacts(); ++c) {
    double impulse[3], speed[3];
    for (int k = 0; k < 3; ++k) {
      impulse[k] = impulse_scale(c) * r[3 * c + k];
      speed[k] = velocity_scale(c) * u_[3 * c + k];
    }
    z[contacts_[c].normal] = std::max(impulse[0], 0.0);
    for (int k = 0; k < 2; ++k) {
      if (!contacts_[c].has(k)) continue;
      const auto& [forth, back] = contacts_[c].edges[k];
      z[forth] = std::max(impulse[1 + k], 0.0);
      z[back] = std::max(-impulse[1 + k], 0.0);
    }
    if (contacts_[c].slip >= 0) z[contacts_[c].slip] = slip_of(contacts_[c], impulse, speed);
  }
}

}  // namespace perp
