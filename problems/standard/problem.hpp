// Any of the standard problems, with all that is known about it.
#pragma once

#include <optional>
#include <perp/problems/json/json.hpp>
#include <perp/problems/standard/box_qp.hpp>
#include <perp/problems/standard/conic_qp.hpp>
#include <perp/problems/standard/friction_contact.hpp>
#include <perp/problems/standard/lcp.hpp>
#include <perp/problems/standard/mcp.hpp>
#include <perp/problems/standard/shared_list.hpp>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace perp {

/// What is known about a contact of a problem. Everything is optional (empty).
struct ContactInfo {
  std::string name, body_a, body_b;
  std::vector<double> point, normal;          ///< 2 or 3 coordinates, metres, world frame
  std::vector<std::vector<double>> tangents;  ///< one (2D) or two (3D) directions
  std::optional<double> gap;                  ///< metres
};

/// A known solution.
struct KnownSolution {
  Vector z;     ///< the unknown of the kind (x of a QP, r of friction contact, v of convex contact)
  Vector dual;  ///< conic_qp only
};

/// The data of a problem of any kind.
using ProblemData = std::variant<Lcp, Mlcp, Mcp, BoxQp, ConicQp, FrictionContact, ConvexContact>;

/// A standard problem with what is known about it: the contents of one JSON file.
struct Problem {
  ProblemData data;
  std::string name;
  std::optional<Vector> start;
  std::optional<KnownSolution> solution;
  SharedList<std::string> variables;  ///< names, empty or n
  SharedList<ContactInfo> contacts;
  json::Value source;       ///< where it comes from; null if not given
  json::Object extensions;  ///< fields whose names begin with "x-"

  /// Number of unknowns.
  int size() const;
  /// "lcp", "mlcp", "mcp", "box_qp", "conic_qp", "friction_contact" or "convex_contact".
  std::string_view kind() const;
  /// Name of unknown i: the given one, or "z[i]".
  std::string variable_name(int index) const;
};

/// The kinds in the order of ProblemData.
const std::vector<std::string_view>& problem_kinds();

/// Checks the data, and that start, solution and names have the right sizes.
/// @throws std::invalid_argument whose text begins with the name of the field.
void validate(const Problem& problem);

}  // namespace perp
