// What programs say: their answers, and their last words.
#pragma once

#include <perp/bench/processes/process.hpp>
#include <perp/solvers/core/solver.hpp>
#include <string>
#include <string_view>

namespace perp {

/// Reads a program's answer, one JSON object (docs/how-to/adding.md), into a result whose z and
/// dual are empty. What cannot be read leaves the status numerical_error and a message.
/// @param said behind that message: last_words()
void read_program_answer(const std::string& text, const std::string& said, Result& result);

/// The end of what a program wrote to standard error, as one line of plain text: "; it said: ...".
std::string last_words(std::string_view errors);

/// What its end means for a result: status and message, and of its end by a signal or for want of
/// memory a statistic, "signal" or "out_of_memory", by which run_job() knows.
/// @return whether there may be an answer all the same
bool tell_end(const ChildReport& child, Result& result);

}  // namespace perp
