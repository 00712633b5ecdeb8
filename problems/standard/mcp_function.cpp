#include <perp/problems/standard/mcp_function.hpp>

#include <algorithm>
#include <cmath>
#include <limits>

namespace perp {

namespace {

// Groups of columns without a common row; greedy, columns in their order.
std::vector<std::vector<int>> group_columns(const SparseMatrix& pattern) {
  std::vector<std::vector<int>> groups;
  std::vector<std::vector<char>> occupied;  // rows, by group
  for (int j = 0; j < pattern.cols(); ++j) {
    const auto is_free = [&](const std::vector<char>& rows) {
      for (SparseMatrix::InnerIterator it(pattern, j); it; ++it) {
        if (rows[static_cast<std::size_t>(it.row())]) return false;
      }
      return true;
    };
    const auto found = std::ranges::find_if(occupied, is_free);
    const auto group = static_cast<std::size_t>(found - occupied.begin());
    if (found == occupied.end()) {
      groups.emplace_back();
      occupied.emplace_back(pattern.rows(), 0);
    }
    groups[group].push_back(j);
    for (SparseMatrix::InnerIterator it(pattern, j); it; ++it) occupied[group][it.row()] = 1;
  }
  return groups;
}

std::shared_ptr<const CompiledFunction> compile_graph(const Mcp& problem,
                                                      const Deadline& deadline) {
  return std::make_shared<const CompiledFunction>(
      *problem.graph, problem.size(), static_cast<int>(problem.parameters.size()), deadline);
}

}  // namespace

void compile(Mcp& problem, const Deadline& deadline) {
  if (problem.graph) problem.compiled = compile_graph(problem, deadline);
}

void McpFunction::prepare(const Mcp& problem, const Deadline& deadline) {
  size_ = problem.size();
  if (!problem.graph) {
    prepare_callback(problem);
    return;
  }
  const bool same = problem.compiled ? problem.compiled == compiled_
                                     : problem.graph == graph_ && compiled_ != nullptr &&
                                           compiled_->variables() == size_ &&
                                           compiled_->parameters() == problem.parameters.size();
  if (!same) {
    compiled_ = problem.compiled ? problem.compiled : compile_graph(problem, deadline);
    workspace_ = compiled_->workspace();
  }
  graph_ = problem.graph;
  compiled_->set_parameters(problem.parameters, workspace_);
}

void McpFunction::prepare_callback(const Mcp& problem) {
  compiled_.reset();
  graph_.reset();
  callback_ = problem.callback;
  jacobian_ = problem.jacobian;
  pattern_ = problem.pattern;
  if (pattern_.rows() != size_) {
    pattern_ = DenseMatrix::Ones(size_, size_).sparseView();
  }
  pattern_.makeCompressed();
  pattern_.coeffs().setZero();
  column_groups_ = jacobian_ ? std::vector<std::vector<int>>() : group_columns(pattern_);
  upper_ = problem.upper;
  shifted_.resize(size_);
  steps_.resize(size_);
  f_.resize(size_);
  f_shifted_.resize(size_);
}

const SparseMatrix& McpFunction::pattern() const {
  return compiled_ ? compiled_->pattern() : pattern_;
}

void McpFunction::evaluate(const Vector& z, Vector& f) {
  f.resize(size_);
  if (compiled_) {
    compiled_->evaluate(z, f.data(), workspace_);
  } else {
    callback_(z, f);
  }
}

void McpFunction::evaluate_jacobian(const Vector& z, double* values) {
  if (compiled_) {
    compiled_->evaluate_jacobian(z, values, workspace_);
  } else if (jacobian_) {
    jacobian_(z, values);
  } else {
    evaluate_differences(z, values);
  }
}

void McpFunction::evaluate_differences(const Vector& z, double* values) {
  const double relative = std::sqrt(std::numeric_limits<double>::epsilon());
  callback_(z, f_);
  for (int i = 0; i < size_; ++i) {
    const double step = relative * std::max(1.0, std::abs(z[i]));
    const double target = z[i] + step > upper_[i] ? z[i] - step : z[i] + step;
    steps_[i] = target - z[i];  // the step that is really taken, with its rounding
  }
  for (const std::vector<int>& group : column_groups_) {
    shifted_ = z;
    for (const int j : group) shifted_[j] += steps_[j];
    callback_(shifted_, f_shifted_);
    for (const int j : group) {
      for (int k = pattern_.outerIndexPtr()[j]; k < pattern_.outerIndexPtr()[j + 1]; ++k) {
        const int i = pattern_.innerIndexPtr()[k];
        values[k] = (f_shifted_[i] - f_[i]) / steps_[j];
      }
    }
  }
}

}  // namespace perp
