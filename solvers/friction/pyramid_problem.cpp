#include <perp/solvers/friction/pyramid_problem.hpp>

#include <algorithm>
#include <cmath>
#include <perp/problems/matrix/sparse_copies.hpp>
#include <stdexcept>

namespace perp {

namespace {

constexpr double kOpposite = 1e-12;  // of the largest entry of M or q: sums that should be 0

// Finds the contacts by the columns and rows of their slips: these are the only ones with an empty
// diagonal whose other entries are 1 in the column, -1 and one mu in the row.
class PyramidFinder {
 public:
  // Whether the contacts of a problem are those of another one with the same M, the last found.
  bool fits(const Vector& q) const {
    const double bound = kOpposite * q.lpNorm<Eigen::Infinity>();
    return std::all_of(contacts_.begin(), contacts_.end(),
                       [&](const PyramidContact& c) { return c.slip < 0 || q[c.slip] == 0; }) &&
           std::all_of(pairs_.begin(), pairs_.end(), [&](const auto& edges) {
             return std::abs(q[edges[0]] + q[edges[1]]) <= bound;
           });
  }

  bool find(const Lcp& problem) {
    lcp_ = &problem;
    n_ = problem.size();
    largest_ = 0.0;
    contacts_.clear();
    pairs_.clear();
    find_slips();
    if (contacts_.empty() || !place_edges()) return false;
    pair_edges();
    return read_rows() && columns_cancel() && place_normals();
  }
  const std::vector<PyramidContact>& contacts() const { return contacts_; }

 private:
  void find_slips() {
    owner_.assign(n_, -1);
    for (int j = 0; j < n_; ++j) {
      if (lcp_->q[j] != 0 || !is_column_of_slip(j)) continue;
      owner_[j] = static_cast<int>(contacts_.size());
      contacts_.emplace_back().slip = j;
    }
  }

  bool is_column_of_slip(int j) const {
    if (lcp_->M.is_sparse()) {  // most columns have another first entry
      const SparseMatrix& m = lcp_->M.sparse();
      const int first = m.outerIndexPtr()[j];
      if (first == m.outerIndexPtr()[j + 1] || m.valuePtr()[first] != 1.0) return false;
    }
    int ones = 0, others = 0;
    lcp_->M.for_column(j, [&](int i, double value) {
      if (value != 0) ++(value == 1.0 && i != j ? ones : others);
    });
    return others == 0 && (ones == 2 || ones == 4);
  }

  // Edges are the rows of the slip's column.
  bool place_edges() {
    edge_of_.assign(n_, -1);
    edges_.assign(contacts_.size(), {});
    bool valid = true;
    for (std::size_t c = 0; c < contacts_.size(); ++c) {
      lcp_->M.for_column(contacts_[c].slip, [&](int i, double value) {
        if (value == 0) return;
        valid = valid && edge_of_[i] < 0 && owner_[i] < 0;
        edge_of_[i] = static_cast<int>(c);
        edges_[c].push(i);
      });
    }
    return valid;
  }

  // The row of a slip has -1 for its edges and mu for the normal. The rows of opposite edges
  // cancel.
  bool read_rows() {
    opposed_.assign(contacts_.size(), 0);
    single_.assign(pairs_.size(), 0.0);
    const double bound = kOpposite * largest_;
    bool valid = true;
    for (int j = 0; j < n_; ++j) {
      if (owner_[j] >= 0) continue;
      int singles = 0;  // pairs of which the column has had one entry so far
      lcp_->M.for_column(j, [&](int i, double value) {
        if (pair_of_[i] >= 0) {
          double& other = single_[pair_of_[i]];
          singles += other == 0 ? 1 : -1;
          valid = valid && (other == 0 || std::abs(other + value) <= bound);
          other = other == 0 ? value : 0.0;
          return;
        }
        if (owner_[i] < 0) return;
        PyramidContact& contact = contacts_[owner_[i]];
        if (value == -1.0 && edge_of_[j] == owner_[i]) {
          ++opposed_[owner_[i]];
        } else if (contact.normal < 0 && value > 0 && edge_of_[j] < 0) {
          contact.normal = j;
          contact.mu = value;
        } else {
          valid = false;
        }
      });
      if (singles == 0) continue;
      lcp_->M.for_column(j, [&](int i, double) {
        if (pair_of_[i] < 0) return;
        valid = valid && std::abs(single_[pair_of_[i]]) <= bound;
        single_[pair_of_[i]] = 0.0;
      });
    }
    for (std::size_t c = 0; c < contacts_.size(); ++c)
      valid = valid && opposed_[c] == edges_[c].count && contacts_[c].normal >= 0;
    return valid;
  }

  // The first edge is opposite to that with which it has the least entry.
  void pair_edges() {
    pair_of_.assign(n_, -1);
    for (std::size_t c = 0; c < contacts_.size(); ++c) {
      const Edges& e = edges_[c];
      int opposite = 1;
      double least = 0.0;
      lcp_->M.for_column(e.list[0], [&](int i, double value) {
        if (edge_of_[i] != static_cast<int>(c)) return;
        largest_ = std::max(largest_, std::abs(value));
        if (value >= least) return;
        least = value;
        opposite = static_cast<int>(std::find(e.list.begin(), e.list.end(), i) - e.list.begin());
      });
      add_pair(contacts_[c].edges[0], e.list[0], e.list[opposite]);
      if (e.count == 2) continue;
      const int third = opposite == 1 ? 2 : 1, fourth = opposite == 3 ? 2 : 3;
      add_pair(contacts_[c].edges[1], e.list[third], e.list[fourth]);
    }
  }

  void add_pair(std::array<int, 2>& edges, int forth, int back) {
    edges = {forth, back};
    pair_of_[forth] = pair_of_[back] = static_cast<int>(pairs_.size());
    pairs_.push_back(edges);
  }

  // All other unknowns are normals, each of one contact.
  bool place_normals() {
    taken_.assign(n_, 0);
    for (const PyramidContact& c : contacts_) {
      if (taken_[c.normal]) return false;
      taken_[c.normal] = 1;
    }
    for (int i = 0; i < n_; ++i) {
      if (taken_[i] || edge_of_[i] >= 0 || owner_[i] >= 0) continue;
      if (!is_plain(i)) return false;
      contacts_.emplace_back().normal = i;
    }
    std::sort(contacts_.begin(), contacts_.end(),
              [](const auto& a, const auto& b) { return a.normal < b.normal; });
    return true;
  }

  // Whether an unknown may be the normal impulse of a contact without friction: its row is its
  // column, with a positive diagonal.
  bool is_plain(int i) const {
    const double bound = kOpposite * largest_;
    bool plain = lcp_->M.coefficient(i, i) > 0;
    lcp_->M.for_column(i, [&](int j, double value) {
      plain = plain && std::abs(lcp_->M.coefficient(i, j) - value) <= bound;
    });
    return plain;
  }

  // Whether columns and q of opposite edges cancel, apart from the slip's row.
  bool columns_cancel() {
    const double bound = kOpposite * largest_,
                 bound_q = kOpposite * lcp_->q.lpNorm<Eigen::Infinity>();
    sums_.assign(n_, 0.0);
    return std::all_of(pairs_.begin(), pairs_.end(), [&](const auto& edges) {
      return columns_cancel(edges, bound) &&
             std::abs(lcp_->q[edges[0]] + lcp_->q[edges[1]]) <= bound_q;
    });
  }

  bool columns_cancel(const std::array<int, 2>& edges, double bound) {
    bool cancel = true;
    if (lcp_->M.is_sparse()) {  // mostly both have entries in the same rows
      const SparseColumns m = lcp_->M.columns();
      const int first = m.start[edges[0]], other = m.start[edges[1]];
      const int count = m.start[edges[0] + 1] - first;
      if (count == m.start[edges[1] + 1] - other &&
          std::equal(m.row + first, m.row + first + count, m.row + other)) {
        for (int k = 0; k < count && cancel; ++k)
          cancel = owner_[m.row[first + k]] >= 0 ||
                   std::abs(m.value[first + k] + m.value[other + k]) <= bound;
        return cancel;
      }
    }
    for (const int j : edges)
      lcp_->M.for_column(j, [&](int i, double value) { sums_[i] += value; });
    for (const int j : edges) {
      lcp_->M.for_column(j, [&](int i, double) {
        cancel = cancel && (owner_[i] >= 0 || std::abs(sums_[i]) <= bound);
        sums_[i] = 0.0;
      });
    }
    return cancel;
  }

  struct Edges {
    std::array<int, 4> list = {-1, -1, -1, -1};
    int count = 0;
    void push(int i) {
      if (count < 4) list[count++] = i;
    }
  };

  const Lcp* lcp_ = nullptr;
  int n_ = 0;
  double largest_ = 0.0;                   // |M_ij| of edges of one contact
  std::vector<int> owner_;                 // the contact whose slip an unknown is, or -1
  std::vector<int> edge_of_;               // the contact whose edge it is, or -1
  std::vector<Edges> edges_;               // of the contacts
  std::vector<std::array<int, 2>> pairs_;  // of opposite edges
  std::vector<int> pair_of_;               // the pair of an edge, or -1
  std::vector<int> opposed_;               // work space, like those below
  std::vector<double> single_, sums_;
  std::vector<char> taken_;
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

const std::vector<PyramidContact>* find_pyramid_contacts(const Lcp& problem) {
  static thread_local PyramidFinder finder;  // every step of a sequence needs the same memory
  // A plan, a refusal and a preparation ask for the contacts of one problem, one after another.
  static thread_local Lcp last;
  static thread_local bool found = false;  // in `last`
  if (found && problem.M.shares(last.M) && finder.fits(problem.q)) return &finder.contacts();
  if (found && problem.q.size() == last.q.size() && problem.q == last.q &&
      same_entries(problem.M, last.M))
    return &finder.contacts();
  found = finder.find(problem);
  if (!found) return nullptr;
  if (problem.M.is_borrowed()) {
    last.M = Matrix(problem.M.sparse());  // the owner may change it
  } else {
    last.M = problem.M;
  }
  last.q = problem.q;
  return &finder.contacts();
}

std::optional<std::string> PyramidProblem::refusal(const Problem& problem) {
  if (find_pyramid_contacts(std::get<Lcp>(problem.data))) return {};
  return "M is not that of contacts with friction pyramids of four edges (2D: two)";
}

void PyramidProblem::build(const Problem& problem, ContactScaling scaling) {
  const auto& lcp = std::get<Lcp>(problem.data);
  const std::vector<PyramidContact>* found = find_pyramid_contacts(lcp);
  if (!found) throw std::invalid_argument("M: no contacts with friction pyramids");
  contacts_ = *found;
  lcp_.build(problem);
  const int nc = static_cast<int>(contacts_.size());
  place_.assign(lcp.size(), -1);
  unknown_.swap(former_);
  unknown_.assign(3 * static_cast<std::size_t>(nc), -1);
  former_.reserve(unknown_.size());
  mu_.resize(nc);
  q_.setZero(3 * nc);
  const auto put = [&](int r, int z) {
    if (z < 0) return;
    place_[z] = r;
    unknown_[r] = z;
    q_[r] = lcp.q[z];
  };
  for (int c = 0; c < nc; ++c) {
    mu_[c] = contacts_[c].mu;
    put(3 * c, contacts_[c].normal);
    for (int k = 0; k < 2; ++k) put(3 * c + 1 + k, contacts_[c].edges[k][0]);
  }
  const Source source{lcp.M.is_shared() ? lcp.M : Matrix(), {}, {}, scaling};
  if (unknown_ != former_ || !keep_blocks(source, 3, mu_, q_)) {
    build_blocks(3, mu_, q_, scaling, [&](int j, auto&& entry) {
      if (unknown_[j] < 0) return entry(j, 1.0);
      lcp.M.for_column(unknown_[j], [&](int i, double value) {
        if (place_[i] >= 0 && value != 0) entry(place_[i], value);
      });
    });
    set_source(source);
  }
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
