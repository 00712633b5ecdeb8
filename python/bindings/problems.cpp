#include "bindings.hpp"

#include <pybind11/stl/filesystem.h>

#include <perp/problems/families/family.hpp>
#include <perp/problems/io/problem_file.hpp>
#include <perp/problems/io/problem_json.hpp>
#include <perp/problems/io/sequence.hpp>
#include <perp/problems/json/text.hpp>
#include <perp/problems/standard/mcp_function.hpp>

namespace perp::python {

namespace {

// pybind11 takes bytes for text, too.
std::string text_from(const std::string& text, const char* field) {
  if (!is_utf8(text)) throw py::value_error(std::string(field) + ": is no text in UTF-8");
  return text;
}

// What stands beside the numbers of a problem.
struct Facts {
  std::string name;
  py::object start, solution, dual_solution, variables;
};

std::shared_ptr<Problem> finish(ProblemData data, const Facts& facts) {
  auto problem = std::make_shared<Problem>();
  problem->data = std::move(data);
  problem->name = text_from(facts.name, "name");
  if (!facts.start.is_none()) problem->start = vector_from(facts.start, "start");
  if (!facts.solution.is_none()) {
    problem->solution = KnownSolution{vector_from(facts.solution, "solution"), {}};
    if (!facts.dual_solution.is_none())
      problem->solution->dual = vector_from(facts.dual_solution, "dual_solution");
  }
  if (!facts.variables.is_none()) {
    if (py::isinstance<py::str>(facts.variables) || py::isinstance<py::bytes>(facts.variables))
      throw py::type_error("variables: is one text, not a list of them");
    for (const py::handle variable : facts.variables)
      problem->variables.push_back(
          string_from(variable, "variables[" + std::to_string(problem->variables.size()) + "]"));
  }
  const py::gil_scoped_release release;
  validate(*problem);
  return problem;
}

Facts facts_of(const std::string& name, const py::object& start, const py::object& solution,
               const py::object& variables) {
  return {name, start, solution, py::none(), variables};
}

Vector bound(const py::object& given, const std::string& field, int n, double otherwise) {
  if (given.is_none()) return Vector::Constant(n, otherwise);
  const py::module_ numpy = py::module_::import("numpy");
  const bool listed = py::isinstance<py::list>(given) || py::isinstance<py::tuple>(given);
  if (!listed && numpy.attr("ndim")(given).cast<int>() == 0)  // one number for all
    return Vector::Constant(n, vector_from(numpy.attr("atleast_1d")(given), field)[0]);
  return vector_from(given, field);
}

constexpr double kInfinite = std::numeric_limits<double>::infinity();

std::vector<Cone> cones_from(const py::object& given) {
  std::vector<Cone> cones;
  for (const py::handle item : given) {
    std::pair<std::string, int> pair;
    try {
      pair = item.cast<std::pair<std::string, int>>();
    } catch (const py::cast_error&) {
      throw py::value_error("cones: " + py::repr(item).cast<std::string>() +
                            " is not a pair of a name and a whole number");
    }
    const auto& [name, size] = pair;
    bool known = false;
    for (const ConeType type : {ConeType::kZero, ConeType::kNonnegative, ConeType::kSecondOrder}) {
      if (to_string(type) != name) continue;
      cones.push_back({type, size});
      known = true;
    }
    if (!known)
      throw py::value_error("cones: \"" + name + "\" is not zero, nonnegative or second_order");
  }
  return cones;
}

// Calls a Python function F with a copy of z; what it raises is noted, and F is NaN then
// and, if the call is to end, from then on.
Mcp::Callback callback_of(std::shared_ptr<py::object> function) {
  return [function = std::move(function)](const Vector& z, Vector& f) {
    const py::gil_scoped_acquire gil;
    if (Raised::ends_call()) {
      f.setConstant(std::numeric_limits<double>::quiet_NaN());
      return;
    }
    try {
      const Vector values = vector_from((*function)(py::cast(z)), "F");
      if (values.size() != f.size())
        throw py::value_error("F: length is " + std::to_string(values.size()) + ", expected " +
                              std::to_string(f.size()));
      f = values;
    } catch (...) {
      Raised::note();
      f.setConstant(std::numeric_limits<double>::quiet_NaN());
    }
  };
}

// The entries of the pattern out of what `jacobian` returns, in their order.
Mcp::JacobianCallback jacobian_of(std::shared_ptr<py::object> function, SparseMatrix pattern) {
  return [function = std::move(function), pattern = std::move(pattern)](const Vector& z,
                                                                        double* values) {
    const py::gil_scoped_acquire gil;
    if (Raised::ends_call()) {
      std::fill_n(values, pattern.nonZeros(), std::numeric_limits<double>::quiet_NaN());
      return;
    }
    try {
      const Matrix made = matrix_from((*function)(py::cast(z)), "jacobian");
      if (made.rows() != z.size() || made.cols() != z.size())
        throw py::value_error("jacobian: is not n x n");
      for (int j = 0; j < pattern.cols(); ++j) {
        for (SparseMatrix::InnerIterator it(pattern, j); it; ++it)
          *values++ = made.coefficient(static_cast<int>(it.row()), j);
      }
    } catch (...) {
      Raised::note();
      std::fill_n(values, pattern.nonZeros(), std::numeric_limits<double>::quiet_NaN());
    }
  };
}

SparseMatrix full_pattern(int n) {
  SparseMatrix pattern = DenseMatrix::Ones(n, n).sparseView();
  pattern.makeCompressed();
  return pattern;
}

std::shared_ptr<Problem> make_mcp(const py::function& function, const py::object& lower,
                                  const py::object& upper, const py::object& jacobian,
                                  const py::object& pattern, const Facts& facts) {
  Mcp mcp;
  mcp.lower = vector_from(lower, "lower");
  mcp.upper = bound(upper, "upper", mcp.size(), kInfinite);
  mcp.callback = callback_of(shared_object(function));
  if (!pattern.is_none()) {
    mcp.pattern = matrix_from(pattern, "pattern").to_sparse();
  } else if (!jacobian.is_none()) {
    mcp.pattern = full_pattern(mcp.size());
  }
  if (!jacobian.is_none()) mcp.jacobian = jacobian_of(shared_object(jacobian), mcp.pattern);
  return finish(std::move(mcp), facts);
}

Matrix optional_matrix(const py::object& given, const std::string& field) {
  return given.is_none() ? Matrix() : matrix_from(given, field);
}

// The numbers of a problem by the names of the JSON format.
class Fields {
 public:
  Fields(const py::object& owner) : owner_(owner) {}  // NOLINT: conversion is harmless

  void operator()(const Lcp& p) { add("M", p.M), add("q", p.q); }
  void operator()(const Mlcp& p) {
    add("M", p.M), add("q", p.q), add("lower", p.lower), add("upper", p.upper);
  }
  void operator()(const Mcp& p) { add("lower", p.lower), add("upper", p.upper); }
  void operator()(const BoxQp& p) {
    add("H", p.H), add("c", p.c), add("lower", p.lower), add("upper", p.upper);
  }
  void operator()(const ConicQp& p) {
    add("P", p.P), add("c", p.c), add("A", p.A), add("b", p.b);
    py::list cones;
    for (const Cone& cone : p.cones)
      cones.append(py::make_tuple(std::string(to_string(cone.type)), cone.size));
    fields_["cones"] = cones;
  }
  void operator()(const FrictionContact& p) {
    if (p.is_operator()) {
      add("J", p.J), add("M", p.M);
    } else {
      add("W", p.W);
    }
    add("q", p.q), add("mu", p.mu);
    if (p.compliance.size() > 0) add("compliance", p.compliance);
    fields_["dimension"] = p.dimension;
  }
  void operator()(const ConvexContact& p) {
    add("A", p.A), add("J", p.J), add("R", p.R), add("bias", p.bias), add("mu", p.mu);
    add("v_star", p.v_star);
  }

  py::dict take() { return std::move(fields_); }

 private:
  void add(const char* name, const Matrix& matrix) { fields_[name] = matrix_to(matrix, owner_); }
  void add(const char* name, const Vector& vector) { fields_[name] = vector_to(vector, owner_); }

  py::object owner_;
  py::dict fields_;
};

py::dict fields_of(const py::object& self) {
  Fields fields(self);
  std::visit([&](const auto& data) { fields(data); }, self.cast<const Problem&>().data);
  return fields.take();
}

Vector evaluate(const Problem& problem, const py::object& z) {
  const Vector point = vector_from(z, "z");
  if (point.size() != problem.size())
    throw py::value_error("z: length is " + std::to_string(point.size()) + ", expected " +
                          std::to_string(problem.size()));
  Raised raised;
  Vector f = std::visit(
      [&](const auto& data) -> Vector {
        if constexpr (requires { evaluate_map(data, point); }) return evaluate_map(data, point);
        throw py::type_error("F is defined for lcp, mlcp, mcp and box_qp");
      },
      problem.data);
  raised.rethrow();
  return f;
}

void bind_constructors(py::module_& m) {
  const py::none none;
  m.def(
      "lcp",
      [](const py::object& M, const py::object& q, const std::string& name, const py::object& start,
         const py::object& solution, const py::object& variables) {
        return finish(Lcp{matrix_from(M, "M"), vector_from(q, "q")},
                      facts_of(name, start, solution, variables));
      },
      py::arg("M"), py::arg("q"), py::kw_only(), py::arg("name") = "", py::arg("start") = none,
      py::arg("solution") = none, py::arg("variables") = none,
      "Linear complementarity problem: z >= 0, w = M z + q >= 0, z'w = 0.\n\n"
      "M is n x n, dense or scipy.sparse, q has n numbers. The arrays of a CSC matrix with sorted\n"
      "32-bit indices are used in place: do not change them while the problem is in use.\n"
      "ValueError if sizes disagree or a number is not finite.");
  m.def(
      "mlcp",
      [](const py::object& M, const py::object& q, const py::object& lower, const py::object& upper,
         const std::string& name, const py::object& start, const py::object& solution,
         const py::object& variables) {
        Vector constant = vector_from(q, "q");
        const int n = static_cast<int>(constant.size());
        return finish(Mlcp{matrix_from(M, "M"), std::move(constant), bound(lower, "lower", n, 0.0),
                           bound(upper, "upper", n, kInfinite)},
                      facts_of(name, start, solution, variables));
      },
      py::arg("M"), py::arg("q"), py::arg("lower") = none, py::arg("upper") = none, py::kw_only(),
      py::arg("name") = "", py::arg("start") = none, py::arg("solution") = none,
      py::arg("variables") = none,
      "Mixed LCP: l <= z <= u, and F = M z + q is >= 0 where z = l, <= 0 where z = u, 0 "
      "between.\n\n"
      "Bounds are arrays of n numbers or one number for all; lower is 0 and upper inf if left "
      "out.");
  m.def(
      "mcp",
      [](const py::function& F, const py::object& lower, const py::object& upper,
         const py::object& jacobian, const py::object& pattern, const std::string& name,
         const py::object& start, const py::object& solution, const py::object& variables) {
        return make_mcp(F, lower, upper, jacobian, pattern,
                        facts_of(name, start, solution, variables));
      },
      py::arg("F"), py::arg("lower"), py::arg("upper") = none, py::arg("jacobian") = none,
      py::arg("pattern") = none, py::kw_only(), py::arg("name") = "", py::arg("start") = none,
      py::arg("solution") = none, py::arg("variables") = none,
      "Nonlinear mixed complementarity problem: l <= z <= u complementary to F(z).\n\n"
      "F takes and returns n numbers. jacobian(z) returns dF/dz, n x n, dense or sparse; without\n"
      "it differences are taken. pattern: an n x n matrix whose stored entries are those of dF/dz\n"
      "that may not be 0 (all, if left out). An exception of F ends the solve and is raised "
      "there.\n"
      "Such a problem cannot be written to a file.");
  m.def(
      "box_qp",
      [](const py::object& H, const py::object& c, const py::object& lower, const py::object& upper,
         const std::string& name, const py::object& start, const py::object& solution,
         const py::object& variables) {
        Vector linear = vector_from(c, "c");
        const int n = static_cast<int>(linear.size());
        return finish(
            BoxQp{matrix_from(H, "H"), std::move(linear), bound(lower, "lower", n, -kInfinite),
                  bound(upper, "upper", n, kInfinite)},
            facts_of(name, start, solution, variables));
      },
      py::arg("H"), py::arg("c"), py::arg("lower") = none, py::arg("upper") = none, py::kw_only(),
      py::arg("name") = "", py::arg("start") = none, py::arg("solution") = none,
      py::arg("variables") = none,
      "min 1/2 x'H x + c'x with lower <= x <= upper, H symmetric. Bounds left out are infinite.");
  m.def(
      "conic_qp",
      [](const py::object& P, const py::object& c, const py::object& A, const py::object& b,
         const py::object& cones, const std::string& name, const py::object& start,
         const py::object& solution, const py::object& dual, const py::object& variables) {
        return finish(ConicQp{matrix_from(P, "P"), vector_from(c, "c"), matrix_from(A, "A"),
                              vector_from(b, "b"), cones_from(cones)},
                      {name, start, solution, dual, variables});
      },
      py::arg("P"), py::arg("c"), py::arg("A"), py::arg("b"), py::arg("cones"), py::kw_only(),
      py::arg("name") = "", py::arg("start") = none, py::arg("solution") = none,
      py::arg("dual_solution") = none, py::arg("variables") = none,
      "min 1/2 x'P x + c'x with A x + s = b, s in K.\n\n"
      "cones: pairs (\"zero\" | \"nonnegative\" | \"second_order\", size); the sizes add up to "
      "the\n"
      "m rows of A. (t, x) is in the second-order cone if ||x|| <= t.");
  m.def(
      "friction_contact",
      [](const py::object& q, const py::object& mu, const py::object& W, const py::object& J,
         const py::object& M, const py::object& compliance, int dimension, const std::string& name,
         const py::object& start, const py::object& solution) {
        if (!W.is_none() && !(J.is_none() && M.is_none()))
          throw py::value_error("W: give it, or J and M, which say the same");
        FrictionContact p;
        p.dimension = dimension;
        p.W = optional_matrix(W, "W");
        p.J = optional_matrix(J, "J");
        p.M = optional_matrix(M, "M");
        p.q = vector_from(q, "q");
        p.mu = vector_from(mu, "mu");
        if (!compliance.is_none()) p.compliance = vector_from(compliance, "compliance");
        return finish(std::move(p), facts_of(name, start, solution, py::none()));
      },
      py::arg("q"), py::arg("mu"), py::arg("W") = none, py::kw_only(), py::arg("J") = none,
      py::arg("M") = none, py::arg("compliance") = none, py::arg("dimension") = 3,
      py::arg("name") = "", py::arg("start") = none, py::arg("solution") = none,
      "Contact with exact Coulomb friction (de Saxce's form).\n\n"
      "Per contact, in local order (n, t1[, t2]): r in K_mu, u + mu ||u_t|| n in K_mu*,\n"
      "r'(u + mu ||u_t|| n) = 0, u = W r + q. r in N s, u and q in m/s, one mu a contact.\n"
      "W is n x n, or give J (n x m) and the mass matrix M (m x m): W = J M^-1 J'.");
  m.def(
      "convex_contact",
      [](const py::object& A, const py::object& J, const py::object& R, const py::object& bias,
         const py::object& mu, const py::object& v_star, const std::string& name,
         const py::object& start, const py::object& solution) {
        return finish(ConvexContact{matrix_from(A, "A"), matrix_from(J, "J"), vector_from(R, "R"),
                                    vector_from(bias, "bias"), vector_from(mu, "mu"),
                                    vector_from(v_star, "v_star")},
                      facts_of(name, start, solution, py::none()));
      },
      py::arg("A"), py::arg("J"), py::arg("R"), py::arg("bias"), py::arg("mu"), py::arg("v_star"),
      py::kw_only(), py::arg("name") = "", py::arg("start") = none, py::arg("solution") = none,
      "Compliant contact as a convex problem (Castro, Permenter and Han 2022):\n"
      "min over v of 1/2 ||v - v*||^2_A + 1/2 ||P_F(y)||^2_R, y = -R^-1 (J v - bias).\n\n"
      "A is n x n positive definite, J 3 nc x n, R and bias have 3 nc numbers, mu nc, v_star n.");
}

}  // namespace

void bind_problems(py::module_& m) {
  bind_constructors(m);
  py::class_<Problem, std::shared_ptr<Problem>>(
      m, "Problem", "A standard complementarity problem with what is known beside its numbers.")
      .def_property_readonly(
          "kind", [](const Problem& p) { return std::string(p.kind()); },
          "lcp, mlcp, mcp, box_qp, conic_qp, friction_contact or convex_contact")
      .def_property_readonly("size", &Problem::size, "number of unknowns, n")
      .def_property(
          "name", [](const Problem& p) { return p.name; },
          [](Problem& p, const std::string& name) { p.name = text_from(name, "name"); },
          "its name, which files and records have, too; may be empty")
      .def_property_readonly(
          "start",
          [](const py::object& self) -> py::object {
            const auto& start = self.cast<const Problem&>().start;
            return start ? vector_to(*start, self) : py::none();
          },
          "the start that belongs to the problem, n numbers, or None")
      .def_property_readonly(
          "solution",
          [](const py::object& self) -> py::object {
            const auto& solution = self.cast<const Problem&>().solution;
            return solution ? vector_to(solution->z, self) : py::none();
          },
          "a known solution, n numbers, or None")
      .def_property_readonly(
          "dual_solution",
          [](const py::object& self) -> py::object {
            const auto& solution = self.cast<const Problem&>().solution;
            return solution && solution->dual.size() > 0 ? vector_to(solution->dual, self)
                                                         : py::none();
          },
          "conic_qp: the dual of the known solution, one number per row, or None")
      .def_property_readonly(
          "variables", [](const Problem& p) { return p.variables.get(); },
          "names of the unknowns; empty if they have none")
      .def("variable_name", &Problem::variable_name, py::arg("index"))
      .def_property_readonly(
          "source", [](const Problem& p) { return object_from(p.source); },
          "where the problem comes from, as JSON would say it; or None")
      .def_property_readonly("fields", &fields_of,
                             "its numbers by their names: read-only arrays and CSC matrices that\n"
                             "show the problem's memory")
      .def("__getitem__",
           [](const py::object& self, const std::string& name) -> py::object {
             const py::dict fields = fields_of(self);
             if (!fields.contains(name)) throw py::key_error(name);
             return fields[py::str(name)];
           })
      .def("F", &evaluate, py::arg("z"),
           "F(z) of an lcp, mlcp, mcp or box_qp, summed in extended precision: n numbers")
      .def("to_json", &problem_to_text, "the perp-problem document")
      .def_static(
          "from_json",
          [](const std::string& text) {
            return std::make_shared<Problem>(problem_from_text(text, "text"));
          },
          py::arg("text"), "a problem from a perp-problem document; InputError names the fault")
      .def("__copy__", [](const Problem& p) { return std::make_shared<Problem>(p); })
      .def(py::pickle([](const Problem& p) { return py::make_tuple(problem_to_text(p)); },
                      [](const py::tuple& state) {
                        return std::make_shared<Problem>(
                            problem_from_text(state[0].cast<std::string>(), "pickle"));
                      }))
      .def("__repr__", [](const Problem& p) {
        return "<perp.Problem " + std::string(p.kind()) + ", n = " + std::to_string(p.size()) +
               (p.name.empty() ? "" : ", " + p.name) + ">";
      });

  m.def(
      "read",
      [](const std::string& path, const std::string& format) {
        const py::gil_scoped_release release;
        return std::make_shared<Problem>(read_problem(path, format));
      },
      py::arg("path"), py::arg("format") = "",
      "Reads a problem from a file of any format that perp knows (perp convert --help).");
  m.def(
      "read_sequence",
      [](const std::filesystem::path& path) {
        std::vector<std::shared_ptr<Problem>> problems;
        const py::gil_scoped_release release;
        for (Problem& p : read_sequence(path.string()))
          problems.push_back(std::make_shared<Problem>(std::move(p)));
        return problems;
      },
      py::arg("path"), "All problems of a perp-sequence (.jsonl, .jsonl.gz).");
  m.def(
      "write",
      [](const Problem& problem, const std::string& path, const std::string& format) {
        const py::gil_scoped_release release;
        return write_problem(problem, path, format);
      },
      py::arg("problem"), py::arg("path"), py::arg("format") = "",
      "Writes a problem in the format of the file's ending, or the one that is named.\n"
      "Returns the files written.");
  m.def(
      "generate",
      [](const std::string& family, int size, std::uint64_t seed, const std::string& member,
         const py::kwargs& parameters) {
        const std::map<std::string, double> values = numbers_from(parameters);
        const py::gil_scoped_release release;
        return std::make_shared<Problem>(generate(find_family(family), size, seed, values, member));
      },
      py::arg("family"), py::arg("size") = 0, py::arg("seed") = 1, py::kw_only(),
      py::arg("member") = "",
      "A member of a family of problems; the same arguments give the same bits.\n\n"
      "size 0 is the family's default; parameters of the family are keywords.");
}

}  // namespace perp::python
