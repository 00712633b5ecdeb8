// Pipes to and from other processes.
#pragma once

#include <fcntl.h>
#include <unistd.h>
#include <stdexcept>

namespace perp {

/// Makes a pipe. Both ends are closed in programs that this process starts.
/// @throws std::runtime_error if there are no more pipes
inline void make_pipe(int fds[2]) {
  if (pipe2(fds, O_CLOEXEC) != 0) throw std::runtime_error("cannot create a pipe");
}

/// Reading and writing return at once if they would have to wait.
inline void do_not_block(int fd) { fcntl(fd, F_SETFL, O_NONBLOCK); }

}  // namespace perp
