// Reads the CSV files of recorded simulations: columns by name, complete lines only.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace perp {

/// Calls `row` for each line of the file, with the fields of the named columns in that order.
/// Fields may be in quotes (csv_field), but not over several lines. Some lines are left out: those
/// with more or fewer fields than the header, those for which `row` returns false, and an
/// incomplete last line, which a killed run may leave.
/// @return the number of lines left out
/// @throws InputError if the file cannot be read or a column is missing
int read_csv(const std::string& path, const std::vector<std::string>& columns,
             const std::function<bool(std::span<const std::string_view>)>& row);

/// Reads a finite number. @return false if the whole text is not such a number
bool read_number(std::string_view text, double& value);

}  // namespace perp
