// Parts of nonlinear problems.
#pragma once

#include <memory>
#include <perp/problems/standard/mcp.hpp>
#include <vector>

namespace perp {

/// Some unknowns of a problem with a graph and their rows, in which the other unknowns are fixed.
struct McpPart {
  std::vector<int> unknowns;                     ///< in ascending order; row i belongs to unknown i
  std::vector<int> parameters;                   ///< of the whole that its rows read
  std::vector<int> fixed;                        ///< other unknowns of the whole that its rows read
  std::shared_ptr<const ExpressionGraph> graph;  ///< of its rows, in its unknowns, and in
                                                 ///< `parameters` followed by `fixed`
};

/// Copies the rows of parts out of a problem.
class McpParts {
 public:
  /// @param problem with a well-formed graph; it must outlive this object
  explicit McpParts(const Mcp& problem);

  /// @param unknowns in ascending order, each once
  McpPart part(std::vector<int> unknowns);

 private:
  std::vector<int> nodes_of(const McpPart& part);
  void find_leaves(const std::vector<int>& nodes, McpPart& part);
  int copy(int index, ExpressionGraph& graph);

  const ExpressionGraph& graph_;
  std::vector<int> nodes_;       // their numbers in the part
  std::vector<int> unknowns_;    // their numbers in the part
  std::vector<int> fixed_;       // their numbers among the parameters of the part
  std::vector<int> parameters_;  // the same
  std::vector<int> operands_;
};

/// The problem of a part. With the other unknowns fixed at z, the unknowns of the part solve their
/// rows of the whole if and only if they solve this problem. @param z of the whole
Mcp problem_of(const McpPart& part, const Mcp& whole, const Vector& z);

/// The entries of z that belong to a part.
Vector entries_of(const McpPart& part, const Vector& z);

/// Writes the entries of a part into those of the whole.
void write_entries(const McpPart& part, const Vector& entries, Vector& z);

}  // namespace perp
