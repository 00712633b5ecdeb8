// Names of things as names of files.
#pragma once

#include <string>
#include <string_view>

namespace perp {

/// A name for a file in the folder that the caller chose, whatever the name says. Names are text:
/// of letters, digits, blanks, "+,-.=@_~" and what lies beyond ASCII the name stays as it is; other
/// characters (separators of paths among them), a leading dot and what is beyond 150 bytes are
/// replaced, and a hash of the whole name is added, so that different names stay different. Never
/// empty.
std::string file_name_of(std::string_view name);

}  // namespace perp
