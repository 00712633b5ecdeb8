// The parts of the Python module, and what they share.
#pragma once

#include <pybind11/eigen.h>
#include <pybind11/functional.h>
#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>
#include <atomic>
#include <exception>
#include <map>
#include <memory>
#include <mutex>
#include <perp/formulations/dynamics/contacts.hpp>
#include <perp/formulations/dynamics/state.hpp>
#include <perp/problems/json/json.hpp>
#include <perp/problems/limits/call_context.hpp>
#include <perp/problems/standard/problem.hpp>
#include <perp/solvers/router.hpp>
#include <string>
#include <utility>
#include <vector>

namespace perp::python {

namespace py = pybind11;

// Each adds its part to the module.
void bind_problems(py::module_& m);
void bind_solving(py::module_& m);
void bind_solvers(py::module_& m);
void bind_scenes(py::module_& m);
void bind_formulations(py::module_& m);
void bind_simulation(py::module_& m);
void bind_benchmark(py::module_& m);

using Settings = std::vector<std::pair<std::string, std::string>>;

/// Keywords as settings: True is "true", numbers keep all digits.
Settings settings_from(const py::kwargs& keywords);

/// A matrix from what numpy takes for a 2D array, or from any scipy.sparse matrix. Arrays of a CSC
/// matrix with sorted 32-bit indices are used in place, everything else is copied.
/// @param field for messages @throws py::value_error, py::type_error
Matrix matrix_from(const py::handle& object, const std::string& field);

/// A vector from what numpy takes for a 1D array. @throws py::value_error, py::type_error
Vector vector_from(const py::handle& object, const std::string& field);

/// The array, which Python can no longer write into.
py::object read_only(py::array array);
/// A numpy array or scipy.sparse.csc_matrix that shows the numbers in place, read-only.
py::object matrix_to(const Matrix& matrix, const py::handle& owner);
py::object vector_to(const Vector& vector, const py::handle& owner);

/// The problem that is given. @throws py::type_error naming the argument if it is none
const Problem& problem_from(const py::handle& object, const char* name = "problem");

/// The number, if it is finite and at least 0. @throws py::value_error naming the argument
double at_least_zero(double value, const char* name);
/// The number, if it is at least 1. @throws py::value_error naming the argument
int at_least_one(int value, const char* name);

/// Parameters of a family or a scene by name. @throws py::type_error naming one that is no number
std::map<std::string, double> numbers_from(const py::kwargs& parameters);
/// @throws py::value_error if the state is none of the scene: another number of bodies or impulses
void check_state(const Scene& scene, const State& state);
/// @throws py::value_error if the contact is between bodies that the scene does not have
void check_contact(const Scene& scene, const ContactPoint3& contact);
/// A string that a callback has returned, or that is in a list. @throws py::type_error naming the
/// field, py::value_error if it is no text in UTF-8
std::string string_from(const py::handle& object, const std::string& field);
/// Whether a run goes on, by what a callback has returned: true for None and True.
/// @throws py::type_error naming the callback
bool goes_on(const py::object& answer, const std::string& callback);

/// JSON and Python objects, by way of text.
py::object object_from(const json::Value& value);
py::object object_from_text(const std::string& text);
json::Value value_from(const py::handle& object);

/// A Python object that C++ may keep and drop on any thread.
std::shared_ptr<py::object> shared_object(py::object object);

/// Collects the first exception that Python code raises below a call of C++: callbacks note it and
/// let C++ come to its end, then rethrow() raises it. Calls nest: a callback may solve, too. The
/// threads that C++ starts for a call note what is raised on them for that call.
class Raised {
 public:
  /// Whether the call goes on after the first exception, as a benchmark does, or is to end soon.
  enum class Then { kGoOn, kEnd };

  explicit Raised(Then then = Then::kGoOn);
  Raised(const Raised&) = delete;
  Raised& operator=(const Raised&) = delete;

  /// Of the exception that is being handled, for the call that this thread works for.
  static void note();
  /// Whether the call that this thread works for has noted something.
  static bool any();
  /// Whether that call is to end, as something was noted.
  static bool ends_call();
  /// With the GIL. @throws what was noted
  void rethrow();

 private:
  std::mutex mutex_;  // several threads may work for one call
  std::exception_ptr first_;
  std::atomic<bool> noted_ = false;
  Then then_;
  CallContext context_;
};

}  // namespace perp::python
