// What the program does with memory that it has freed.
#pragma once

namespace perp {

/// From now on freed memory is kept for what comes next, up to half a gigabyte, in place of being
/// given back to the system at once: a step that needs tens of matrices would wait for the system
/// to clear fresh pages for each of them. Not for a process whose children have limits of memory:
/// they would begin with what it has kept. Does nothing if the C library has no such choice.
void keep_freed_memory();

}  // namespace perp
