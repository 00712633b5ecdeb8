// The checks of every standard problem, in one place so that their messages agree.
#include <perp/problems/standard/mass_inverse.hpp>
#include <perp/problems/standard/problem.hpp>
#include <perp/problems/standard/residual_parts.hpp>

#include <fmt/format.h>
#include <cmath>
#include <stdexcept>

namespace perp {

namespace {

[[noreturn]] void fail(const std::string& message) { throw std::invalid_argument(message); }

void check_shape(std::string_view field, const Matrix& a, int rows, int cols) {
  if (a.rows() != rows || a.cols() != cols) {
    fail(fmt::format("{}: shape is {}x{}, expected {}x{}", field, a.rows(), a.cols(), rows, cols));
  }
  if (!a.all_finite()) fail(fmt::format("{}: an entry is not finite", field));
}

void check_vector(std::string_view field, const Vector& v, int length) {
  check_length(field, v, length);
  for (int i = 0; i < length; ++i) {
    if (!std::isfinite(v[i])) fail(fmt::format("{}[{}]: not a finite number", field, i));
  }
}

void check_nonnegative(std::string_view field, const Vector& v, int length) {
  check_vector(field, v, length);
  for (int i = 0; i < length; ++i) {
    if (v[i] < 0) fail(fmt::format("{}[{}]: {} is negative", field, i, v[i]));
  }
}

void check_symmetric(std::string_view field, const Matrix& a) {
  if (!a.is_symmetric_by_entry(1e-12)) fail(fmt::format("{}: not symmetric", field));
}

void check_positive_definite(std::string_view field, const Matrix& a) {
  if (!is_positive_definite(a)) fail(fmt::format("{}: not positive definite", field));
}

void check_bounds(const Vector& lower, const Vector& upper, int n) {
  check_length("lower", lower, n);
  check_length("upper", upper, n);
  for (int i = 0; i < n; ++i) {
    if (std::isnan(lower[i])) fail(fmt::format("lower[{}]: not a number", i));
    if (std::isnan(upper[i])) fail(fmt::format("upper[{}]: not a number", i));
    if (lower[i] == HUGE_VAL) fail(fmt::format("lower[{}]: a lower bound cannot be inf", i));
    if (upper[i] == -HUGE_VAL) fail(fmt::format("upper[{}]: an upper bound cannot be -inf", i));
    if (lower[i] > upper[i]) {
      fail(fmt::format("lower[{}]: {} is above upper[{}] = {}", i, lower[i], i, upper[i]));
    }
  }
}

}  // namespace

void validate(const Lcp& p) {
  check_vector("q", p.q, p.size());
  check_shape("M", p.M, p.size(), p.size());
}

void validate(const Mlcp& p) {
  check_vector("q", p.q, p.size());
  check_shape("M", p.M, p.size(), p.size());
  check_bounds(p.lower, p.upper, p.size());
}

void validate(const Mcp& p) {
  const int n = p.size();
  check_bounds(p.lower, p.upper, n);
  if (!p.graph && !p.callback) fail("graph: missing, and no callback is given");
  if (p.pattern.size() > 0 && (p.pattern.rows() != n || p.pattern.cols() != n)) {
    fail(fmt::format("pattern: shape is {}x{}, expected {}x{}", p.pattern.rows(), p.pattern.cols(),
                     n, n));
  }
  if (p.compiled && !p.graph) fail("compiled: given without a graph");
  if (p.compiled && (p.compiled->variables() != n || p.compiled->outputs() != n ||
                     p.compiled->parameters() != p.parameters.size())) {
    fail("compiled: belongs to another graph");
  }
  if (p.graph) {
    p.graph->check(n, static_cast<int>(p.parameters.size()));
    if (static_cast<int>(p.graph->outputs.size()) != n) {
      fail(fmt::format("graph.outputs: length is {}, expected {}", p.graph->outputs.size(), n));
    }
    check_vector("graph.parameters", p.parameters, static_cast<int>(p.parameters.size()));
  }
}

void validate(const BoxQp& p) {
  check_vector("c", p.c, p.size());
  check_shape("H", p.H, p.size(), p.size());
  check_symmetric("H", p.H);
  check_bounds(p.lower, p.upper, p.size());
}

void validate(const ConicQp& p) {
  const int n = p.size(), m = static_cast<int>(p.b.size());
  check_vector("c", p.c, n);
  check_vector("b", p.b, m);
  check_shape("P", p.P, n, n);
  check_symmetric("P", p.P);
  check_shape("A", p.A, m, n);
  long total = 0;
  for (std::size_t k = 0; k < p.cones.size(); ++k) {
    if (p.cones[k].size < 1) fail(fmt::format("cones[{}].size: {} is below 1", k, p.cones[k].size));
    total += p.cones[k].size;
  }
  if (total != m) fail(fmt::format("cones: sizes add up to {}, expected {}", total, m));
  if (p.partition) validate(*p.partition, p);
}

void validate(const FrictionContact& p) {
  if (p.dimension != 2 && p.dimension != 3) {
    fail(fmt::format("dimension: {} is neither 2 nor 3", p.dimension));
  }
  const int n = p.size();
  if (n != p.dimension * p.contacts()) {
    fail(fmt::format("q: length is {}, expected dimension * length of mu = {}", n,
                     p.dimension * p.contacts()));
  }
  check_vector("q", p.q, n);
  check_nonnegative("mu", p.mu, p.contacts());
  if (p.is_operator()) {
    check_shape("J", p.J, n, p.J.cols());
    check_shape("M", p.M, p.J.cols(), p.J.cols());
    check_symmetric("M", p.M);
    check_positive_definite("M", p.M);
  } else {
    check_shape("W", p.W, n, n);
  }
  if (p.compliance.size() > 0) check_nonnegative("compliance", p.compliance, n);
}

void validate(const ConvexContact& p) {
  const int n = p.size(), nc = p.contacts();
  check_vector("v_star", p.v_star, n);
  check_shape("A", p.A, n, n);
  check_symmetric("A", p.A);
  check_positive_definite("A", p.A);
  check_shape("J", p.J, 3 * nc, n);
  check_vector("R", p.R, 3 * nc);
  for (int i = 0; i < 3 * nc; ++i) {
    if (p.R[i] <= 0) fail(fmt::format("R[{}]: {} is not positive", i, p.R[i]));
  }
  for (int c = 0; c < nc; ++c) {
    const int t1 = 3 * c + 1, t2 = t1 + 1;
    if (p.R[t1] != p.R[t2])
      fail(fmt::format("R[{}]: {} differs from R[{}] = {}; both tangents must have the same", t2,
                       p.R[t2], t1, p.R[t1]));
  }
  check_vector("bias", p.bias, 3 * nc);
  check_nonnegative("mu", p.mu, nc);
}

void validate(const Problem& problem) {
  std::visit([](const auto& p) { validate(p); }, problem.data);
  const int n = problem.size();
  if (problem.start) check_vector("start", *problem.start, n);
  if (problem.solution) {
    check_vector("solution.z", problem.solution->z, n);
    if (const auto* qp = std::get_if<ConicQp>(&problem.data)) {
      if (problem.solution->dual.size() > 0) {
        check_vector("solution.dual", problem.solution->dual, static_cast<int>(qp->b.size()));
      }
    } else if (problem.solution->dual.size() > 0) {
      fail("solution.dual: only a conic_qp has a dual");
    }
  }
  if (!problem.variables.empty() && static_cast<int>(problem.variables.size()) != n) {
    fail(fmt::format("variables: length is {}, expected {}", problem.variables.size(), n));
  }
}

}  // namespace perp
