// Keeps freed memory for later use.
#pragma once

namespace perp {

/// From now on the C library keeps up to 512 MiB of freed memory instead of giving it back to the
/// system at once. Otherwise a step that needs tens of matrices waits for the system to clear new
/// pages for each of them. Must not be used in a process whose children have memory limits: they
/// would start with the kept memory. Does nothing if the C library has no such option.
void keep_freed_memory();

}  // namespace perp
