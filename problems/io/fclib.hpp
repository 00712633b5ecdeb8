// Friction problems in the HDF5 files of FCLIB.
#pragma once

#include <perp/problems/standard/problem.hpp>
#include <string>
#include <string_view>

namespace perp {

/// Reads the friction problem in an FCLIB file [AcaryBremondKoziaraPerignon2014]:
///   fclib_local   u = W r + q
///   fclib_global  M v = H r + f, u = H'v + w; as operator J = H', M, q = H' M^-1 f + w
/// Matrices may be stored as triplets, compressed columns or compressed rows. If only one triangle
/// of M is stored, M is completed by symmetry (source.completed says so). The stored solution is
/// kept if it solves the problem to 1e-6, else it is left out. The first stored guess becomes the
/// start if it is not zero. Files with further equations (G or V) are refused.
/// @param bytes the whole file
/// @param file its name, for messages
/// @throws InputError naming the file, the field and the fault; also if perp was built without HDF5
Problem problem_from_fclib(std::string_view bytes, const std::string& file);

/// The bytes of an FCLIB file: fclib_local if the problem has W (compliance is added to its
/// diagonal), fclib_global with f = 0 and w = q if it has J and M.
/// @throws std::invalid_argument for other kinds of problems, for J and M with compliance, for
/// numbers that an FCLIB file cannot give back, or if perp was built without HDF5
std::string problem_to_fclib(const Problem& problem);

}  // namespace perp
