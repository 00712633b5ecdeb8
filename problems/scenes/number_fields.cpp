#include <perp/problems/scenes/number_fields.hpp>

#include <fmt/format.h>
#include <cmath>
#include <perp/problems/scenes/number_expression.hpp>
#include <stdexcept>

namespace perp {

namespace {

double bounded(double value, const Field& field) {
  if (!(std::abs(value) <= kLargestNumber))
    field.fail(fmt::format("{} is beyond {:g}", value, kLargestNumber));
  return value;
}

}  // namespace

double number(const Field& field, const Names& names) {
  const auto* text = field.value().get_if<std::string>();
  if (!text) return bounded(field.number(), field);
  try {
    return bounded(evaluate_expression(*text, names), field);
  } catch (const std::invalid_argument& error) {
    field.fail(error.what());
  }
}

double number_or(const Field& field, const char* name, double fallback, const Names& names) {
  return field.has(name) ? number(field[name], names) : fallback;
}

double positive(const Field& field, const Names& names) {
  const double value = number(field, names);
  if (!(value > 0)) field.fail(fmt::format("{} is not positive", value));
  if (value < 1 / kLargestNumber)
    field.fail(fmt::format("{} is below {:g}", value, 1 / kLargestNumber));
  return value;
}

double nonnegative(const Field& field, const Names& names) {
  const double value = number(field, names);
  if (!(value >= 0)) field.fail(fmt::format("{} is negative", value));
  return value;
}

double length(const Field& field, const Names& names) {
  const double value = positive(field, names);
  if (value < kLeastLength || value > kLargestLength) {
    field.fail(fmt::format("{} is no length between {:g} and {:g} m", value, kLeastLength,
                           kLargestLength));
  }
  return value;
}

std::vector<double> numbers(const Field& field, const Names& names) {
  if (const auto* packed = field.value().get_if<json::Numbers>()) {
    for (const double value : packed->values) bounded(value, field);
    return packed->values;
  }
  std::vector<double> values;
  for (const Field& item : field.items()) values.push_back(number(item, names));
  return values;
}

Eigen::Vector3d point(const Field& field, int dimension, const Names& names) {
  const std::vector<double> v = numbers(field, names);
  if (static_cast<int>(v.size()) != dimension) {
    field.fail(fmt::format("has {} coordinates, expected {}", v.size(), dimension));
  }
  return {v[0], v[1], dimension == 3 ? v[2] : 0.0};
}

Eigen::Vector3d place(const Field& field, int dimension, const Names& names) {
  const Eigen::Vector3d x = point(field, dimension, names);
  if (x.norm() > kLargestLength)
    field.fail(fmt::format("is farther than {:g} m from the origin", kLargestLength));
  return x;
}

Eigen::Vector3d point_or_zero(const Field& field, const char* name, int dimension,
                              const Names& names) {
  return field.has(name) ? point(field[name], dimension, names) : Eigen::Vector3d::Zero();
}

}  // namespace perp
