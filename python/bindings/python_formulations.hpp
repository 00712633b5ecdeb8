// Formulations that are written in Python.
#pragma once

#include "bindings.hpp"

#include <perp/formulations/formulation.hpp>

namespace perp::python {

/// One of Python's, registered under the name in front of the colon, or one of perp's. A Python
/// one gets its options as keywords. @throws std::invalid_argument as make_formulation
std::unique_ptr<Formulation> make_formulation_for_python(const std::string& text);

}  // namespace perp::python
