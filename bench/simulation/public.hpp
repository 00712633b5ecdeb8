// <perp/simulation.hpp>: the public headers of the library perp::simulation.
// What these include is public too; every other header of this folder is internal.
// (docs/reference/headers.md)
#pragma once

#include <perp/bench/simulation/recorder.hpp>
#include <perp/bench/simulation/simulation.hpp>
