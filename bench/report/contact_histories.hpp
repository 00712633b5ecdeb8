// Forces and slip of recorded contacts over time.
#pragma once

#include <string>
#include <vector>

namespace perp {

/// What a pair of bodies does to each other, at each of the times `t`: sums over its points, slip
/// the largest of those that press.
struct ContactHistory {
  std::string pair;              ///< "A on B"
  std::vector<double> t;         ///< ends of steps, s
  std::vector<double> normal;    ///< force, N; 0 if the bodies do not press
  std::vector<double> friction;  ///< tangential force, N
  std::vector<double> slip;      ///< m/s; NaN if they do not press
};

/// Reads a contacts.csv.
/// @param begin time at the beginning of the first step; @param t of the ends of steps, rising
/// @param damaged raised by the number of damaged lines, which are left out
/// @throws InputError for a file without the columns
std::vector<ContactHistory> read_contact_histories(const std::string& path, double begin,
                                                   const std::vector<double>& t, int& damaged);

}  // namespace perp
