// Numbers of scene files, which may be expressions in named parameters.
#pragma once

#include <Eigen/Core>
#include <map>
#include <perp/problems/json/field.hpp>
#include <string>
#include <vector>

namespace perp {

using Names = std::map<std::string, double>;

/// No number of a scene is beyond this in any unit, and no positive one below its inverse: sums of
/// a few products of them are finite.
inline constexpr double kLargestNumber = 1e30;
/// Sizes of things that collide, m; places are no farther than the largest from the origin.
inline constexpr double kLeastLength = 1e-9, kLargestLength = 1e9;

/// A number, or a string that is an expression in the names. As all of these, throws InputError.
double number(const Field& field, const Names& names);
/// The member of that name, or the fallback where there is none.
double number_or(const Field& field, const char* name, double fallback, const Names& names);
double positive(const Field& field, const Names& names);
double nonnegative(const Field& field, const Names& names);
/// Between kLeastLength and kLargestLength.
double length(const Field& field, const Names& names);
/// Elements of an array.
std::vector<double> numbers(const Field& field, const Names& names);
/// Two coordinates in 2D (z = 0), three in 3D.
Eigen::Vector3d point(const Field& field, int dimension, const Names& names);
/// A point no farther than kLargestLength from the origin.
Eigen::Vector3d place(const Field& field, int dimension, const Names& names);
/// The member of that name, or zero where there is none.
Eigen::Vector3d point_or_zero(const Field& field, const char* name, int dimension,
                              const Names& names);

}  // namespace perp
