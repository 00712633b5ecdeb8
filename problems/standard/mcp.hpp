// Nonlinear mixed complementarity problems.
#pragma once

#include <functional>
#include <memory>
#include <perp/problems/expression/graph.hpp>
#include <perp/problems/standard/matrix.hpp>

namespace perp {

/// MCP: l <= z <= u complementary to F(z), with F nonlinear. F is an expression graph (the form
/// that can be written to a file) or a callback.
struct Mcp {
  using Callback = std::function<void(const Vector& z, Vector& f)>;

  std::shared_ptr<const ExpressionGraph>
      graph;          ///< n outputs of n variables; null where a callback is given
  Vector parameters;  ///< values of the graph's parameters
  Callback callback;  ///< f has size n on entry; used where graph is null
  Vector lower;       ///< n, -inf allowed
  Vector upper;       ///< n, +inf allowed
  int size() const { return static_cast<int>(lower.size()); }

  /// F(z), n values.
  Vector evaluate(const Vector& z) const;
};

/// @throws std::invalid_argument naming the field.
void validate(const Mcp& problem);

}  // namespace perp
