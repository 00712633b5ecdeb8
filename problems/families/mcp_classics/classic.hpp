// How a nonlinear complementarity problem of the literature is written down: once, with its starts.
#pragma once

#include <functional>
#include <optional>
#include <perp/problems/expression/expr.hpp>
#include <perp/problems/standard/mcp.hpp>
#include <string>
#include <vector>

namespace perp::classics {

/// A point to start from, by name.
struct Start {
  std::string name;
  std::function<Vector(const Mcp&)> point;
};
/// All components have the same value.
Start uniform(std::string name, double value);
/// The given components.
Start listed(std::string name, const std::vector<double>& values);

/// A problem of a certain size.
struct Instance {
  Mcp mcp;
  std::optional<Vector> solution;
  std::vector<std::string> variables;  ///< names, empty or n
};

/// A problem of the literature. If min_size is 0 it has only one size, default_size.
struct Classic {
  std::string name;
  std::string summary;  ///< what it is, and what is difficult about it
  std::string source;   ///< key in docs/references.bib
  std::vector<Start> starts;
  int default_size;
  std::function<Instance(int size)> make;
  int min_size = 0;
  std::string size_doc = "n";  ///< what `size` counts
};

using Map = std::function<ExprVector(const ExprVector& z)>;

/// lower <= z <= upper complementary to F(z).
Mcp box_problem(Vector lower, Vector upper, const Map& f);
/// z >= 0 complementary to F(z).
Mcp ncp(int n, const Map& f);

/// min f(x) over lower <= x <= upper with equations(x) = 0 and inequalities(x) >= 0.
struct Program {
  Vector lower, upper;
  std::function<Expr(const ExprVector& x)> objective;
  std::function<std::vector<Expr>(const ExprVector&x)> equations, inequalities;  ///< may be empty
};

/// The first-order conditions of a program in z = (x, y), y the multipliers of the equations
/// (free), then of the inequalities (>= 0). With the Lagrangian L = f(x) - y'g(x), g all equations
/// and inequalities, they are
///   lower <= x <= upper  complementary to  dL/dx,      y  complementary to  -dL/dy = g(x).
Mcp optimality_conditions(const Program& program);

Vector vector_of(const std::vector<double>& values);
/// Appends the names "base[1]", ..., "base[count]".
void name_variables(std::vector<std::string>& names, const std::string& base, int count);

/// Solves mid(z - lower, z - upper, F(z)) = 0 by Newton's method with an active set
/// [HintermuellerItoKunisch2003]: each step solves the rows in which the middle number is F, with
/// the other variables at their bounds. Steps are shortened if the norm does not fall. The
/// iteration starts at `guess` and ends when rounding stops its progress. It makes the reference
/// solutions of problems whose size can be chosen; no solver relies on it.
/// @return nothing if the residual does not reach 1e-10
std::optional<Vector> reference_solution(const Mcp& problem, Vector guess);

// The problems, by group.
std::vector<Classic> polynomial_classics();
std::vector<Classic> degenerate_classics();
std::vector<Classic> game_classics();
std::vector<Classic> market_classics();
std::vector<Classic> energy_classics();
std::vector<Classic> traffic_classics();
std::vector<Classic> program_classics();
std::vector<Classic> grid_classics();
std::vector<Classic> control_classics();
std::vector<Classic> lubrication_classics();

}  // namespace perp::classics
