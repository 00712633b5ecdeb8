#include <perp/problems/standard/reductions.hpp>

#include <perp/problems/expression/builder.hpp>
#include <perp/problems/matrix/infinity.hpp>

namespace perp {

namespace {

// The rows of reduce_to_mcp, node by node.
class FritzJohnGraph {
 public:
  explicit FritzJohnGraph(const FrictionContact& p) : p_(p) {
    velocities_ = p.is_operator() ? p.J.cols() : 0;
    size_ = velocities_;
    for (int c = 0; c < p.contacts(); ++c) {
      first_.push_back(size_);
      size_ += p.mu[c] > 0 ? p.dimension + 1 : 1;
    }
    rows_.assign(size_, builder_.constant(0.0));
    lower_ = Vector::Constant(size_, -kInfinity);
  }

  Mcp build() {
    if (p_.is_operator()) {
      add_operator();
    } else {
      for (int j = 0; j < p_.size(); ++j) {
        if (unknown(j) >= 0)
          p_.W.for_column(j, [&](int i, double w) { add_to_velocity(i, w, unknown(j)); });
      }
    }
    for (int i = 0; i < p_.compliance.size(); ++i) {
      if (unknown(i) >= 0) add_to_velocity(i, p_.compliance[i], unknown(i));
    }
    for (int c = 0; c < p_.contacts(); ++c) add_contact(c);
    Mcp mcp;
    mcp.graph = std::make_shared<const ExpressionGraph>(builder_.extract(rows_));
    mcp.lower = std::move(lower_);
    mcp.upper = Vector::Constant(size_, kInfinity);
    return mcp;
  }

 private:
  // Unknown of a local row, -1 for a tangential one without friction.
  int unknown(int local) const {
    const int c = local / p_.dimension, i = local % p_.dimension;
    return i == 0 || p_.mu[c] > 0 ? first_[c] + i : -1;
  }

  int plus(int a, int b) { return builder_.apply(Operation::kAdd, a, b); }
  int minus(int a, int b) { return builder_.apply(Operation::kSubtract, a, b); }
  int times(int a, int b) { return builder_.apply(Operation::kMultiply, a, b); }
  int term(double factor, int unknown) {
    return times(builder_.constant(factor), builder_.variable(unknown));
  }

  // Rows that stand for u: what is linear in the unknowns, and q.
  void add_to_velocity(int local, double factor, int of) {
    const int row = unknown(local);
    if (row >= 0) rows_[row] = plus(rows_[row], term(factor, of));
  }

  // M v - J'r, and J v of u.
  void add_operator() {
    for (int j = 0; j < velocities_; ++j) {
      p_.M.for_column(j, [&](int i, double m) { rows_[i] = plus(rows_[i], term(m, j)); });
      p_.J.for_column(j, [&](int i, double value) {
        if (unknown(i) < 0) return;
        add_to_velocity(i, value, j);
        rows_[j] = minus(rows_[j], term(value, unknown(i)));
      });
    }
  }

  // From u and the unknowns of a contact its rows.
  void add_contact(int c) {
    const int d = p_.dimension, at = first_[c], slip = at + d;
    rows_[at] = plus(rows_[at], builder_.constant(p_.q[d * c]));
    lower_[at] = 0.0;
    if (!(p_.mu[c] > 0)) return;
    lower_[slip] = 0.0;
    const int radius = term(p_.mu[c], at);
    rows_[slip] = times(radius, radius);
    for (int i = 1; i < d; ++i) {
      const int impulse = builder_.variable(at + i);
      const int u = plus(rows_[at + i], builder_.constant(p_.q[d * c + i]));
      rows_[at + i] = plus(times(radius, u), times(builder_.variable(slip), impulse));
      rows_[slip] = minus(rows_[slip], times(impulse, impulse));
    }
  }

  const FrictionContact& p_;
  int velocities_ = 0, size_ = 0;
  std::vector<int> first_;  // index of r_n of every contact
  GraphBuilder builder_;
  std::vector<int> rows_;  // a node for each
  Vector lower_;
};

}  // namespace

Mcp fritz_john_graph(const FrictionContact& p) {
  validate(p);
  return FritzJohnGraph(p).build();
}

}  // namespace perp
