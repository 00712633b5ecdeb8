// Reads what programs write: their answers, and the end of their standard error.
#pragma once

#include <perp/bench/processes/process.hpp>
#include <perp/solvers/core/solver.hpp>
#include <string>
#include <string_view>

namespace perp {

/// Reads a program's answer, one JSON object (docs/how-to/adding.md), into a result with empty z
/// and dual. If it cannot be read, the status is numerical_error, with a message.
/// @param said text to add to that message, from last_words()
void read_program_answer(const std::string& text, const std::string& said, Result& result);

/// The end of what a program wrote to standard error, as one line of plain text: "; it said: ...".
std::string last_words(std::string_view errors);

/// Sets status and message of the result from the way the program ended. If a signal or a lack of
/// memory ended it, sets the statistic "signal" or "out_of_memory", which run_job() uses.
/// @return whether the output may still hold an answer
bool tell_end(const ChildReport& child, Result& result);

}  // namespace perp
