// Forces and slip of recorded contacts over time.
#pragma once

#include <string>
#include <vector>

namespace perp {

/// Contact of a pair of bodies at the times `t`. Forces are sums over the contact points; slip is
/// the largest over the points that press.
struct ContactHistory {
  std::string pair;              ///< "A on B"
  std::vector<double> t;         ///< ends of steps, s
  std::vector<double> normal;    ///< force, N; 0 if the bodies do not press
  std::vector<double> friction;  ///< tangential force, N
  std::vector<double> slip;      ///< m/s; NaN if they do not press
};

/// Reads a contacts.csv.
/// @param begin time at the beginning of the first step, s @param t ends of the steps, s,
/// increasing
/// @param damaged is increased by the number of damaged lines, which are left out
/// @throws InputError if the file lacks a column
std::vector<ContactHistory> read_contact_histories(const std::string& path, double begin,
                                                   const std::vector<double>& t, int& damaged);

}  // namespace perp
