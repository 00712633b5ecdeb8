// Problems in the form of the plug-in interface.
#pragma once

#include <perp/bench/plugins/perp_plugin.h>
#include <perp/problems/standard/mcp_function.hpp>
#include <perp/problems/standard/problem.hpp>
#include <string>
#include <vector>

namespace perp {

/// Holds a copy of a problem in the form of the interface. It cannot be copied or moved, because
/// the form points into it.
class PluginProblem {
 public:
  explicit PluginProblem(const Problem& problem);
  PluginProblem(const PluginProblem&) = delete;
  PluginProblem& operator=(const PluginProblem&) = delete;

  const perp_problem* get() const { return &shown_; }
  int size() const { return shown_.n; }
  int rows() const { return shown_.A.rows; }  ///< size of the dual

 private:
  struct Rows {
    std::vector<int> start = {0}, column;
    std::vector<double> value;
  };

  perp_matrix show(const Matrix& matrix, Rows& rows);
  void show_data(const Lcp& lcp);
  void show_data(const Mlcp& mlcp);
  void show_data(const Mcp& mcp);
  void show_data(const BoxQp& qp);
  void show_data(const ConicQp& qp);
  void show_data(const FrictionContact& contact);
  void show_data(const ConvexContact& contact);
  static int evaluate(const perp_problem* problem, const double* z, double* f);
  static int jacobian(const perp_problem* problem, const double* z, double* value);

  Problem problem_;
  perp_problem shown_{};
  Rows m_, a_, j_, mass_;
  std::vector<perp_cone> cones_;
  McpFunction function_;
  std::vector<int> by_rows_;  // for each entry of the Jacobian by rows: its index by columns
  Vector z_, f_, values_;
};

}  // namespace perp
