// The sections of the report, as HTML.
#pragma once

#include <perp/bench/harness/record.hpp>
#include <perp/bench/report/simulations.hpp>
#include <string>
#include <vector>

namespace perp {

/// A solver per column, a family per row: fraction that ended as it should, median time.
std::string comparison_section(const std::vector<Record>& records);
/// Times of dense symmetric problems as multiples of an LLT factorisation's; "" where there are
/// none.
std::string yardstick_section(const std::vector<Record>& records);
/// Sequences by solver: cold against warm (or stored) starts; "" where nothing was started so.
std::string sequence_section(const std::vector<Record>& records);
/// Problems of sequences: time against contacts (or n), first failures; "" where there are none.
std::string sequence_scaling_section(const std::vector<Record>& records);
/// Performance and accuracy profiles of each suite, and of all suites together.
std::string profile_section(const std::vector<Record>& records);
/// Time against size, a drawing for each family that has at least two sizes.
std::string scaling_section(const std::vector<Record>& records);
/// Drawings and tables of recorded simulations; "" where there are none.
std::string simulation_section(const std::vector<SimulationGroup>& groups);

}  // namespace perp
