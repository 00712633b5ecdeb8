// Names of things as names of files.
#pragma once

#include <string>
#include <string_view>

namespace perp {

/// A safe file name for any text: the file lies in the folder that the caller chose, whatever the
/// text says. A text of at most 150 bytes stays as it is if it consists of letters, digits, blanks,
/// "+,-.=@_~" and characters beyond ASCII, and does not begin with a dot. Else other characters
/// (also the separators of paths) and a leading dot become '_', bytes beyond 150 are cut off, and a
/// hash of the whole text is added, so that different texts have different names. Never empty.
std::string file_name_of(std::string_view name);

}  // namespace perp
