// The module perp._perp: what perp offers, as Python sees it. python/perp/ makes it pleasant.
#include "bindings.hpp"

#include <perp/bench/processes/interrupt.hpp>
#include <perp/problems/limits/deadline.hpp>

namespace {

// Ctrl-C while perp waits for a program. Python looks at its signals in its main thread alone.
bool interrupted_in_python() {
  const pybind11::gil_scoped_acquire gil;
  if (perp::python::Raised::any()) return true;
  if (PyErr_CheckSignals() == 0) return false;
  try {
    throw pybind11::error_already_set();
  } catch (...) {
    perp::python::Raised::note();
  }
  return true;
}

}  // namespace

PYBIND11_MODULE(_perp, m) {
  namespace py = pybind11;
  using namespace perp::python;  // NOLINT: the parts of this module
  m.attr("__version__") = PERP_VERSION;
  perp::set_interrupt_probe(interrupted_in_python);
  // InputError is a ValueError, too: bad input by whatever way.
  py::register_exception<perp::InputError>(m, "InputError", PyExc_ValueError);
  py::register_exception<perp::DeadlinePassed>(m, "DeadlinePassed", PyExc_TimeoutError);
  bind_problems(m);
  bind_solving(m);
  bind_solvers(m);
  bind_scenes(m);
  bind_formulations(m);
  bind_simulation(m);
  bind_benchmark(m);
}
