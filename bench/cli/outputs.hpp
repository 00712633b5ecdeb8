// Places that a verb is going to write to, looked at before its work begins.
#pragma once

#include <string>
#include <vector>

namespace perp::cli {

/// @throws InputError if the file could not be written: no such folder, a folder of that name,
/// no permission. Writes nothing that stays.
void expect_writable(const std::string& file);

/// @throws InputError if the folder is not there and cannot be made, or cannot be written to.
/// Makes nothing.
void expect_folder(const std::string& folder);

/// Makes a folder. @throws InputError
void make_folder(const std::string& folder);

/// @throws InputError if an output is one of the inputs, under whatever name.
void expect_apart(const std::string& option, const std::vector<std::string>& outputs,
                  const std::vector<std::string>& inputs);

/// What was printed is out, or one line on standard error tells that it is not.
/// @return false if it is not
bool finish_output();

/// Standard streams that are closed are opened to nothing, so that no file takes their place.
void hold_standard_streams();

}  // namespace perp::cli
