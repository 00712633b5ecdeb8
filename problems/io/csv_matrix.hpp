// Dense matrices from CSV files.
#pragma once

#include <perp/problems/io/matrix_text.hpp>
#include <perp/problems/matrix/matrix.hpp>

namespace perp {

/// A dense matrix from text, one row of it a line. Numbers are separated by semicolons, commas or
/// white space: the first row shows by which. Empty lines and lines that begin with # or % are
/// skipped. There is no line of column names, and the decimal mark is a point.
/// @param file names it in messages
/// @throws InputError naming the file, the line and the fault: what is no number, rows of different
/// lengths, no row at all.
DenseMatrix matrix_from_csv(std::string_view text, const std::string& file,
                            Infinities infinities = Infinities::kRefused);

}  // namespace perp
