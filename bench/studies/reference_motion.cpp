#include <perp/bench/studies/reference_motion.hpp>

#include <map>
#include <perp/bench/studies/bindings.hpp>
#include <perp/problems/scenes/number_expression.hpp>
#include <stdexcept>
#include <string>

namespace perp {

using Values = std::map<std::string, double>;

namespace {

constexpr int kMostReferenceSteps = 1'000'000;  // of the Runge-Kutta method

double value_of(const Field& field, const Values& names) {
  if (!field.value().get_if<std::string>()) return field.number();
  try {
    return evaluate_expression(field.text(), names);
  } catch (const std::invalid_argument& error) {
    field.fail(error.what());
  }
}

class ReferenceMotion {
 public:
  explicit ReferenceMotion(const Field& field) {
    if (!field.has("state")) return;
    for (const auto& [name, value] : members(field["state"])) state_[name] = value_of(value, {});
    rates_ = members(field["rates"]);
    for (const auto& [name, rate] : rates_) {
      if (!state_.contains(name)) rate.fail("is not in \"state\"");
    }
  }

  // One step of the classical Runge-Kutta method.
  void advance(double h) {
    const Values start = state_;
    const Values k1 = rates(start, t_), k2 = rates(moved(start, k1, h / 2), t_ + h / 2),
                 k3 = rates(moved(start, k2, h / 2), t_ + h / 2),
                 k4 = rates(moved(start, k3, h), t_ + h);
    for (auto& [name, value] : state_) {
      if (k1.contains(name))
        value += h / 6 * (k1.at(name) + 2 * k2.at(name) + 2 * k3.at(name) + k4.at(name));
    }
    t_ += h;
  }

  void go_to(double t) { t_ = t; }
  Values names() const {
    Values names = state_;
    names["t"] = t_;
    return names;
  }

 private:
  Values rates(Values state, double t) const {
    state["t"] = t;
    Values out;
    for (const auto& [name, rate] : rates_) out[name] = value_of(rate, state);
    return out;
  }
  static Values moved(Values state, const Values& rates, double h) {
    for (const auto& [name, rate] : rates) state[name] += h * rate;
    return state;
  }

  double t_ = 0.0;
  Values state_;
  std::vector<std::pair<std::string, Field>> rates_;
};

}  // namespace

std::vector<std::array<double, 4>> reference_motion(const Field& field) {
  field.only({"until", "points", "x", "y", "z", "state", "rates", "steps"});
  const double until = field["until"].number();
  const int points = field["points"].integer(2, 10'000);
  const int steps = field.has("steps") ? field["steps"].integer(1, kMostReferenceSteps) : 1;
  if (!(until > 0)) field["until"].expected("a number above 0");
  ReferenceMotion motion(field);
  std::vector<std::array<double, 4>> path;
  for (int k = 0; k < points; ++k) {
    const double t = until * k / (points - 1);
    motion.go_to(t);
    const Values names = motion.names();
    path.push_back(
        {t, value_of(field["x"], names), value_of(field["y"], names), value_of(field["z"], names)});
    if (k + 1 == points || !field.has("state")) continue;
    const int between = std::max(1, steps / (points - 1));
    for (int j = 0; j < between; ++j) motion.advance(until / (points - 1) / between);
  }
  return path;
}

}  // namespace perp
