#include "bindings.hpp"

#include <atomic>
#include <cmath>
#include <limits>
#include <mutex>
#include <stdexcept>

namespace perp::python {

namespace {

using Doubles = py::array_t<double, py::array::c_style | py::array::forcecast>;
using ColumnDoubles = py::array_t<double, py::array::f_style | py::array::forcecast>;

std::string type_of(const py::handle& object) {
  return py::str(py::type::of(object).attr("__name__")).cast<std::string>();
}

// With numpy's own words behind the name of the field.
template <class Array>
Array named_array(const py::handle& object, const std::string& field) {
  try {
    if (py::hasattr(object, "mask") && py::hasattr(object, "filled"))
      throw py::value_error("a masked array: fill it first");
    const py::object given = py::module_::import("numpy").attr("asarray")(object);
    const std::string kind = given.attr("dtype").attr("kind").cast<std::string>();
    if (std::string("biufO").find(kind) == std::string::npos)
      throw py::value_error(kind == "c" ? "no real numbers but complex ones"
                            : kind == "U" || kind == "S"
                                ? "no real numbers but text"
                                : "no real numbers but " +
                                      py::str(given.attr("dtype")).cast<std::string>());
    Array array = Array::ensure(given.attr("astype")("float64", py::arg("copy") = false));
    if (!array) throw py::value_error("no array of numbers");
    return array;
  } catch (const py::value_error& error) {
    throw py::value_error(field + ": " + error.what());
  } catch (py::error_already_set& error) {
    if (!error.matches(PyExc_ValueError) && !error.matches(PyExc_TypeError)) throw;
    throw py::value_error(field + ": " + py::str(error.value()).cast<std::string>());
  }
}

bool is_sparse(const py::handle& object) {
  return py::hasattr(object, "tocsc") && py::hasattr(object, "nnz");
}

Matrix sparse_from(const py::handle& object, const std::string& field) {
  py::object csc = object.attr("tocsc")();  // itself if it is one
  try {  // scipy trusts the arrays that it is given, also in sum_duplicates()
    csc.attr("check_format")(true);
  } catch (py::error_already_set& error) {
    if (!error.matches(PyExc_ValueError) && !error.matches(PyExc_TypeError)) throw;
    throw py::value_error(field + ": " + py::str(error.value()).cast<std::string>());
  }
  if (!csc.attr("has_canonical_format").cast<bool>()) {
    csc = csc.attr("copy")();
    csc.attr("sum_duplicates")();  // sorts, too
  }
  if (csc.attr("dtype").attr("kind").cast<std::string>() == "c")
    throw py::value_error(field + ": complex numbers");
  const py::array start = csc.attr("indptr"), row = csc.attr("indices");
  const auto [rows, cols] = csc.attr("shape").cast<std::pair<long, long>>();
  const long most = std::numeric_limits<int>::max();
  if (rows > most || cols > most || csc.attr("nnz").cast<long>() > most)
    throw py::value_error(field + ": more rows, columns or entries than 2^31 - 1");
  const auto as_int32 = [](const py::array& array) {
    return py::array_t<int, py::array::c_style | py::array::forcecast>::ensure(array);
  };
  const py::array_t<int> starts = as_int32(start), row_numbers = as_int32(row);
  const Doubles values = Doubles::ensure(csc.attr("data"));
  if (!starts || !row_numbers || !values) throw py::value_error(field + ": no matrix of numbers");
  SparseColumns columns{static_cast<int>(rows), static_cast<int>(cols), starts.data(),
                        row_numbers.data(), values.data()};
  try {
    return Matrix::borrow(columns, shared_object(py::make_tuple(starts, row_numbers, values)));
  } catch (const std::invalid_argument& error) {
    throw py::value_error(field + ": " + error.what());
  }
}

}  // namespace

py::object read_only(py::array array) {
  py::detail::array_proxy(array.ptr())->flags &= ~py::detail::npy_api::NPY_ARRAY_WRITEABLE_;
  return array;
}

std::shared_ptr<py::object> shared_object(py::object object) {
  return {new py::object(std::move(object)), [](py::object* kept) {
            if (!Py_IsInitialized()) return;  // the interpreter has ended: nothing is left to drop
            const py::gil_scoped_acquire gil;
            delete kept;
          }};
}

Settings settings_from(const py::kwargs& keywords) {
  Settings settings;
  for (const auto& [key, given] : keywords) {
    std::string text;
    // Numbers of numpy as those of Python.
    const py::object value = py::hasattr(given, "item") ? given.attr("item")()
                                                        : py::reinterpret_borrow<py::object>(given);
    if (py::isinstance<py::bool_>(value)) {
      text = value.cast<bool>() ? "true" : "false";
    } else if (py::isinstance<py::str>(value)) {
      text = value.cast<std::string>();
    } else {
      text = py::str(value).cast<std::string>();
    }
    settings.emplace_back(key.cast<std::string>(), std::move(text));
  }
  return settings;
}

const Problem& problem_from(const py::handle& object, const char* name) {
  if (py::isinstance<Problem>(object)) return object.cast<const Problem&>();
  throw py::type_error(std::string(name) + ": is no perp.Problem but " + type_of(object) +
                       "; perp.lcp and others make one of arrays, perp.read of a file");
}

std::map<std::string, double> numbers_from(const py::kwargs& parameters) {
  std::map<std::string, double> numbers;
  for (const auto& [key, value] : parameters) {
    const std::string name = key.cast<std::string>();
    try {
      numbers[name] = value.cast<double>();
    } catch (const py::cast_error&) {
      throw py::type_error("parameter \"" + name + "\": is no number but of type " +
                           type_of(value));
    }
  }
  return numbers;
}

std::string string_from(const py::handle& object, const std::string& field) {
  if (!py::isinstance<py::str>(object))
    throw py::type_error(field + ": is no string but of type " + type_of(object));
  Py_ssize_t size = 0;
  const char* text = PyUnicode_AsUTF8AndSize(object.ptr(), &size);
  if (!text) {  // half of a surrogate pair
    PyErr_Clear();
    throw py::value_error(field + ": is no text in UTF-8");
  }
  return {text, static_cast<std::size_t>(size)};
}

bool goes_on(const py::object& answer, const std::string& callback) {
  if (answer.is_none()) return true;
  try {
    return answer.cast<bool>();
  } catch (const py::cast_error&) {
    throw py::type_error(callback + ": returned something of type " + type_of(answer) +
                         "; None, True or False is expected");
  }
}

int at_least_one(int value, const char* name) {
  if (value < 1) throw py::value_error(std::string(name) + ": is below 1");
  return value;
}

double at_least_zero(double value, const char* name) {
  if (std::isfinite(value) && value >= 0) return value;
  throw py::value_error(std::string(name) + ": " + py::str(py::float_(value)).cast<std::string>() +
                        " is not a finite number of at least 0");
}

Matrix matrix_from(const py::handle& object, const std::string& field) {
  if (is_sparse(object)) return sparse_from(object, field);
  const ColumnDoubles array = named_array<ColumnDoubles>(object, field);
  if (array.ndim() != 2)
    throw py::value_error(field + ": " + std::to_string(array.ndim()) + " dimensions, expected 2");
  return DenseMatrix(Eigen::Map<const DenseMatrix>(array.data(), array.shape(0), array.shape(1)));
}

Vector vector_from(const py::handle& object, const std::string& field) {
  const Doubles array = named_array<Doubles>(object, field);
  if (array.ndim() != 1)
    throw py::value_error(field + ": " + std::to_string(array.ndim()) + " dimensions, expected 1");
  return Eigen::Map<const Vector>(array.data(), array.shape(0));
}

py::object vector_to(const Vector& vector, const py::handle& owner) {
  return read_only(py::array_t<double>({vector.size()}, {sizeof(double)}, vector.data(), owner));
}

py::object matrix_to(const Matrix& matrix, const py::handle& owner) {
  if (!matrix.is_sparse()) {
    const DenseMatrix& a = matrix.dense();
    const py::ssize_t step = static_cast<py::ssize_t>(sizeof(double));
    return read_only(
        py::array_t<double>({a.rows(), a.cols()}, {step, step * a.rows()}, a.data(), owner));
  }
  const SparseColumns a = matrix.columns();
  const py::object values = read_only(py::array_t<double>(a.entries(), a.value, owner));
  const py::object rows = read_only(py::array_t<int>(a.entries(), a.row, owner));
  const py::object starts = read_only(py::array_t<int>(a.cols + 1, a.start, owner));
  const py::object csc = py::module_::import("scipy.sparse").attr("csc_matrix");
  return csc(py::make_tuple(values, rows, starts),
             py::arg("shape") = py::make_tuple(a.rows, a.cols), py::arg("copy") = false);
}

py::object object_from_text(const std::string& text) {
  return py::module_::import("json").attr("loads")(text);
}

py::object object_from(const json::Value& value) { return object_from_text(json::to_text(value)); }

json::Value value_from(const py::handle& object) {
  const std::string text = py::module_::import("json").attr("dumps")(object).cast<std::string>();
  return json::parse(text, "argument");
}

namespace {

Raised* innermost() { return static_cast<Raised*>(call_context()); }

}  // namespace

Raised::Raised(Then then) : then_(then), context_(this) {}

void Raised::note() {
  Raised* call = innermost();
  if (!call) return;  // on a thread of nobody's: there is no one to tell
  const std::lock_guard lock(call->mutex_);
  if (!call->first_) call->first_ = std::current_exception();
  call->noted_ = true;
}

bool Raised::any() { return innermost() && innermost()->noted_; }

bool Raised::ends_call() { return any() && innermost()->then_ == Then::kEnd; }

void Raised::rethrow() {
  const std::lock_guard lock(mutex_);
  if (first_) std::rethrow_exception(std::exchange(first_, nullptr));
}

}  // namespace perp::python
