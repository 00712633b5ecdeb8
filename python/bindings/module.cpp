// The module perp._perp: what perp offers, as Python sees it. python/perp/ makes it pleasant.
#include "bindings.hpp"

#include <perp/problems/limits/deadline.hpp>

PYBIND11_MODULE(_perp, m) {
  namespace py = pybind11;
  using namespace perp::python;  // NOLINT: the parts of this module
  m.attr("__version__") = PERP_VERSION;
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
