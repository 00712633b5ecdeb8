// Numbers of scene files, which may be expressions in named parameters.
#pragma once

#include <Eigen/Core>
#include <map>
#include <perp/problems/io/field.hpp>
#include <string>
#include <vector>

namespace perp {

using Names = std::map<std::string, double>;

/// A number, or a string that is an expression in the names. As all of these, throws InputError.
double number(const Field& field, const Names& names);
/// The member of that name, or the fallback where there is none.
double number_or(const Field& field, const char* name, double fallback, const Names& names);
double positive(const Field& field, const Names& names);
double nonnegative(const Field& field, const Names& names);
/// Elements of an array.
std::vector<double> numbers(const Field& field, const Names& names);
/// Two coordinates in 2D (z = 0), three in 3D.
Eigen::Vector3d point(const Field& field, int dimension, const Names& names);
/// The member of that name, or zero where there is none.
Eigen::Vector3d point_or_zero(const Field& field, const char* name, int dimension,
                              const Names& names);

}  // namespace perp
