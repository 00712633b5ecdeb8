#include <perp/bench/plugins/plugin_problem.hpp>

#include <algorithm>

namespace perp {

namespace {

const double* data_of(const Vector& v) { return v.size() > 0 ? v.data() : nullptr; }

}  // namespace

PluginProblem::PluginProblem(const Problem& problem) : problem_(problem) {
  shown_.size = sizeof shown_;
  shown_.kind = problem_.kind().data();
  shown_.name = problem_.name.c_str();
  shown_.n = problem_.size();
  const Matrix none;
  shown_.M = show(none, m_);
  shown_.A = show(none, a_);
  shown_.J = show(none, j_);
  shown_.mass = show(none, mass_);
  shown_.data = this;
  std::visit([this](const auto& data) { show_data(data); }, problem_.data);
}

// Converts the matrix from columns to rows.
perp_matrix PluginProblem::show(const Matrix& matrix, Rows& rows) {
  std::vector<int>& start = rows.start;
  start.assign(static_cast<std::size_t>(matrix.rows()) + 1, 0);
  for (int j = 0; j < matrix.cols(); ++j)
    matrix.for_column(j, [&](int i, double) { ++start[static_cast<std::size_t>(i) + 1]; });
  for (std::size_t i = 1; i < start.size(); ++i) start[i] += start[i - 1];
  rows.column.resize(static_cast<std::size_t>(start.back()));
  rows.value.resize(rows.column.size());
  std::vector<int> next(start.begin(), start.end() - 1);
  for (int j = 0; j < matrix.cols(); ++j) {
    matrix.for_column(j, [&](int i, double value) {
      const auto at = static_cast<std::size_t>(next[static_cast<std::size_t>(i)]++);
      rows.column[at] = j;
      rows.value[at] = value;
    });
  }
  return {matrix.rows(), matrix.cols(), start.data(), rows.column.data(), rows.value.data()};
}

void PluginProblem::show_data(const Lcp& lcp) {
  shown_.M = show(lcp.M, m_);
  shown_.q = data_of(lcp.q);
}

void PluginProblem::show_data(const Mlcp& mlcp) {
  shown_.M = show(mlcp.M, m_);
  shown_.q = data_of(mlcp.q);
  shown_.lower = data_of(mlcp.lower);
  shown_.upper = data_of(mlcp.upper);
}

void PluginProblem::show_data(const Mcp& mcp) {
  function_.prepare(mcp);
  SparseMatrix pattern = function_.pattern();
  // Numbers the entries by columns. After the conversion to rows, the numbers give their indices.
  for (int k = 0; k < pattern.nonZeros(); ++k) pattern.valuePtr()[k] = k + 1;
  shown_.M = show(Matrix(pattern), m_);
  for (double& number : m_.value) {
    by_rows_.push_back(static_cast<int>(number) - 1);
    number = 0.0;
  }
  shown_.lower = data_of(mcp.lower);
  shown_.upper = data_of(mcp.upper);
  values_.resize(pattern.nonZeros());
  shown_.evaluate = &PluginProblem::evaluate;
  shown_.jacobian = &PluginProblem::jacobian;
}

void PluginProblem::show_data(const BoxQp& qp) {
  shown_.M = show(qp.H, m_);
  shown_.q = data_of(qp.c);
  shown_.lower = data_of(qp.lower);
  shown_.upper = data_of(qp.upper);
}

void PluginProblem::show_data(const ConicQp& qp) {
  shown_.M = show(qp.P, m_);
  shown_.q = data_of(qp.c);
  shown_.A = show(qp.A, a_);
  shown_.b = data_of(qp.b);
  for (const Cone& cone : qp.cones) {
    const perp_cone_type type = cone.type == ConeType::kZero          ? PERP_CONE_ZERO
                                : cone.type == ConeType::kNonnegative ? PERP_CONE_NONNEGATIVE
                                                                      : PERP_CONE_SECOND_ORDER;
    cones_.push_back({type, cone.size});
  }
  shown_.cones = cones_.data();
  shown_.cone_count = static_cast<int>(cones_.size());
}

void PluginProblem::show_data(const FrictionContact& contact) {
  if (contact.is_operator()) {
    shown_.J = show(contact.J, j_);
    shown_.mass = show(contact.M, mass_);
  } else {
    shown_.M = show(contact.W, m_);
  }
  shown_.q = data_of(contact.q);
  shown_.mu = data_of(contact.mu);
  shown_.compliance = data_of(contact.compliance);
  shown_.contacts = contact.contacts();
  shown_.dimension = contact.dimension;
}

void PluginProblem::show_data(const ConvexContact& contact) {
  shown_.M = show(contact.A, m_);
  shown_.q = data_of(contact.v_star);
  shown_.J = show(contact.J, j_);
  shown_.mu = data_of(contact.mu);
  shown_.compliance = data_of(contact.R);
  shown_.bias = data_of(contact.bias);
  shown_.contacts = contact.contacts();
  shown_.dimension = 3;
}

int PluginProblem::evaluate(const perp_problem* problem, const double* z, double* f) {
  auto& self = *static_cast<PluginProblem*>(problem->data);
  self.z_ = Eigen::Map<const Vector>(z, problem->n);
  self.function_.evaluate(self.z_, self.f_);
  std::copy_n(self.f_.data(), problem->n, f);
  return self.f_.allFinite() ? 0 : 1;
}

int PluginProblem::jacobian(const perp_problem* problem, const double* z, double* value) {
  auto& self = *static_cast<PluginProblem*>(problem->data);
  self.z_ = Eigen::Map<const Vector>(z, problem->n);
  self.function_.evaluate_jacobian(self.z_, self.values_.data());
  for (std::size_t k = 0; k < self.by_rows_.size(); ++k) value[k] = self.values_[self.by_rows_[k]];
  return self.values_.allFinite() ? 0 : 1;
}

}  // namespace perp
