// Reading the CSV files of recorded simulations: columns by name, whole lines only.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace perp {

/// Calls `row` with the fields of the named columns, in the order asked for, for each line of the
/// file. Fields are not quoted. Left out are lines with more or fewer fields than the header has,
/// lines for which `row` returns false, and a last line without its end, which a run that was
/// killed may leave.
/// @return the number of lines left out
/// @throws InputError where the file cannot be read or a column is missing
int read_csv(const std::string& path, const std::vector<std::string>& columns,
             const std::function<bool(std::span<const std::string_view>)>& row);

/// A finite number that is the whole of the text.
bool read_number(std::string_view text, double& value);

}  // namespace perp
