// What pickle keeps of results, so that they can pass between processes.
#pragma once

#include "bindings.hpp"

namespace perp::python {

/// All members of a result as a tuple, and a result from that. @throws py::value_error if the tuple
/// is not one that this version of perp has made
py::tuple state_of(const VerifiedResult& result);
VerifiedResult result_from(const py::tuple& state);

/// Likewise of a verdict.
py::tuple state_of(const Verdict& verdict);
Verdict verdict_from(const py::tuple& state);

}  // namespace perp::python
