// Eigen's memory layout, which perp's libraries and their users have to share.
#pragma once

#include <Eigen/Core>

// By default Eigen aligns vectors, and chooses how they are allocated, by the instruction set and
// the sanitizers that a file is compiled for. So what a library for SSE2 has allocated would be
// freed in another way by a program for AVX, and members of fixed size would lie elsewhere. The
// targets of perp set these numbers for all who link them. 64 is what AVX-512 asks for, so that no
// instruction set changes it; it costs 64 bytes a vector.
static_assert(EIGEN_MAX_ALIGN_BYTES == 64 && EIGEN_MAX_STATIC_ALIGN_BYTES == 16 &&
                  EIGEN_MALLOC_ALREADY_ALIGNED == 0,
              "perp needs EIGEN_MAX_ALIGN_BYTES=64 and EIGEN_MAX_STATIC_ALIGN_BYTES=16 in every "
              "file: link perp's CMake targets, which set them, or define them yourself");
