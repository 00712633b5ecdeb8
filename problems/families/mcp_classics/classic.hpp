// How a nonlinear complementarity problem of the literature is stated: once, with its starts.
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
/// The same number everywhere.
Start uniform(std::string name, double value);
Start listed(std::string name, const std::vector<double>& values);

struct Instance {
  Mcp mcp;
  std::optional<Vector> solution;
  std::vector<std::string> variables;  ///< names, empty or n
};

/// A problem. Where min_size is 0 it has one size, its number of unknowns.
struct Classic {
  std::string name;
  std::string summary;  ///< what it is, and what is difficult about it
  std::string source;   ///< key in docs/references.bib
  std::vector<Start> starts;
  int default_size;
  std::function<Instance(int size)> make;
  int min_size = 0;
  std::string size_doc = "n";
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
  std::function<std::vector<Expr>(const ExprVector&x)> equations, inequalities;  ///< or none
};

/// The first-order conditions in z = (x, y), y the multipliers of the equations (free) and of the
/// inequalities (>= 0): with the Lagrangian L = f(x) - y'g(x),
///   lower <= x <= upper  complementary to  dL/dx,      y  complementary to  -dL/dy = g(x).
Mcp optimality_conditions(const Program& program);

Vector vector_of(const std::vector<double>& values);
/// Names "base[1]", ..., "base[count]" behind those there are.
void name_variables(std::vector<std::string>& names, const std::string& base, int count);

/// Newton's method on the rows that mid(z - lower, z - upper, F) takes from F, with the other
/// variables at their bounds, by full steps from `guess` until rounding stops it
/// [HintermuellerItoKunisch2003]. Made for the reference solutions of problems whose size can be
/// chosen; a solver does not rely on it. Nothing where it does not reach 1e-10.
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
