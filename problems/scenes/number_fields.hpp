// Numbers of scene files, which may be expressions in named parameters.
#pragma once

#include <Eigen/Core>
#include <map>
#include <perp/problems/json/field.hpp>
#include <string>
#include <vector>

namespace perp {

using Names = std::map<std::string, double>;

/// In SI units, no number of a scene is larger than this, and no positive one smaller than its
/// inverse. So sums of a few products of them are finite.
inline constexpr double kLargestNumber = 1e30;
/// Limits on the sizes of shapes, m. No place is farther from the origin than the largest.
inline constexpr double kLeastLength = 1e-9, kLargestLength = 1e9;

/// A number, or a string that is an expression in the names. All these functions throw InputError.
double number(const Field& field, const Names& names);
/// The member of that name, or the fallback if there is none.
double number_or(const Field& field, const char* name, double fallback, const Names& names);
/// Between 1 / kLargestNumber and kLargestNumber.
double positive(const Field& field, const Names& names);
double nonnegative(const Field& field, const Names& names);
/// Between kLeastLength and kLargestLength, m.
double length(const Field& field, const Names& names);
/// Elements of an array.
std::vector<double> numbers(const Field& field, const Names& names);
/// Two coordinates in 2D (z = 0), three in 3D.
Eigen::Vector3d point(const Field& field, int dimension, const Names& names);
/// A point no farther than kLargestLength from the origin.
Eigen::Vector3d place(const Field& field, int dimension, const Names& names);
/// The point in the member of that name, or zero if there is none.
Eigen::Vector3d point_or_zero(const Field& field, const char* name, int dimension,
                              const Names& names);

}  // namespace perp
