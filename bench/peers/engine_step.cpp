#include <perp/bench/peers/engine_step.hpp>

#include <fmt/format.h>
#include <algorithm>
#include <perp/problems/io/problem_json.hpp>
#include <perp/problems/json/field.hpp>

namespace perp {

namespace {

constexpr std::string_view kFormat = "perp-engine-step";
constexpr double kLargestTime = 1e9;  // s

double positive(const Field& field) {
  const double value = field.number();
  if (!(value > 0 && value < kLargestTime)) field.expected("a positive number");
  return value;
}

// Removes the line breaks, which occur between tokens only.
std::string one_line(std::string text) {
  std::replace(text.begin(), text.end(), '\n', ' ');
  return text;
}

}  // namespace

std::string engine_step_to_text(const EngineStep& step) {
  json::Object head{{"format", std::string(kFormat)},
                    {"version", std::int64_t{1}},
                    {"engine", step.engine},
                    {"model", step.model},
                    {"step", std::int64_t{step.step}},
                    {"time", step.time},
                    {"h", step.h}};
  json::Array refused;
  for (const auto& [law, reason] : step.refused)
    refused.emplace_back(json::Object{{"law", law}, {"reason", reason}});
  head.emplace_back("refused", std::move(refused));
  std::string text = json::to_text(json::Value(std::move(head)));
  text.pop_back();  // "}"
  text += ",\"problems\":[";
  for (std::size_t k = 0; k < step.problems.size(); ++k) {
    const EngineProblem& p = step.problems[k];
    text += k == 0 ? "{\"law\":" : ",{\"law\":";
    json::append_string(text, p.law);
    const json::Numbers z{{p.z.data(), p.z.data() + p.z.size()}, false};
    text += fmt::format(",\"z\":{},\"problem\":{}}}", json::to_text(json::Value(z)),
                        problem_to_text(p.problem));
  }
  return one_line(text + "]}");
}

EngineStep engine_step_from_text(std::string_view line, const std::string& program) {
  const json::Value document = json::parse(line, program);
  const Field root(document, program, "");
  root.only({"format", "version", "engine", "model", "step", "time", "h", "refused", "problems"});
  if (root["format"].text() != kFormat) root["format"].expected("\"perp-engine-step\"");
  root["version"].integer(1, 1);
  EngineStep step;
  step.engine = root["engine"].text();
  step.model = root["model"].text();
  step.step = root["step"].integer(1, Field::kMaxInteger);
  step.time = root["time"].number();
  step.h = positive(root["h"]);
  for (const Field& field : root["refused"].items())
    step.refused.emplace_back(field["law"].text(), field["reason"].text());
  for (const Field& field : root["problems"].items()) {
    field.only({"law", "problem", "z"});
    EngineProblem& p = step.problems.emplace_back();
    p.law = field["law"].text();
    p.problem = problem_from_json(field["problem"].value(), program);
    const std::vector<double>& z = field["z"].numbers();
    p.z = Eigen::Map<const Vector>(z.data(), std::ssize(z));
    if (p.z.size() != p.problem.size())
      field["z"].fail(fmt::format("length is {}, expected {}", p.z.size(), p.problem.size()));
  }
  return step;
}

EngineProblem coulomb_problem(const Scene& scene, const State& state, double h,
                              const std::vector<EngineContact>& contacts) {
  const Coordinates coordinates(scene);
  const int count = static_cast<int>(contacts.size());
  FrictionContact data;
  data.mu = Vector::Constant(count, scene.contact.mu);
  data.q = Vector::Zero(3 * count);
  EngineProblem result{"coulomb", {}, Vector::Zero(3 * count)};
  std::vector<Triplet> entries;
  for (int k = 0; k < count; ++k) {
    const EngineContact& c = contacts[static_cast<std::size_t>(k)];
    const Vector3d n = c.normal.normalized(), t = n.unitOrthogonal(), o = n.cross(t);
    const Vector3d axes[3] = {n, t, o};
    for (int i = 0; i < 3; ++i) {
      const int row = 3 * k + i;
      for (const auto& [body, sign] : {std::pair{c.a, 1.0}, std::pair{c.b, -1.0}}) {
        const auto b = static_cast<std::size_t>(body);
        if (scene.bodies[b].fixed) continue;
        const Vector3d arm = c.point - state.bodies[b].position;
        coordinates.add_wrench(body, axes[i], arm.cross(axes[i]), sign, row, entries);
      }
      result.z[row] = c.impulse.dot(axes[i]);
    }
    ContactInfo& info = result.problem.contacts.emplace_back();
    info.body_a = scene.bodies[static_cast<std::size_t>(c.a)].name;
    info.body_b = scene.bodies[static_cast<std::size_t>(c.b)].name;
    info.name = fmt::format("{}/{} {}", info.body_a, info.body_b, k);
    info.point.assign(c.point.data(), c.point.data() + 3);
    info.normal.assign(n.data(), n.data() + 3);
    info.tangents = {{t[0], t[1], t[2]}, {o[0], o[1], o[2]}};
    info.gap = c.gap;
  }
  data.J = Matrix::from_triplets(3 * count, coordinates.size(), entries);
  // Each body has blocks of 3 x 3 of its own. The inverses of the blocks give the mass matrix.
  const SparseMatrix inverse = inverse_mass_matrix(scene, state, coordinates);
  std::vector<Triplet> mass;
  for (int at = 0; at < coordinates.size(); at += 3) {
    const Eigen::Matrix3d block = Eigen::Matrix3d(inverse.block(at, at, 3, 3)).inverse();
    for (int i = 0; i < 3; ++i)
      for (int j = 0; j < 3; ++j)
        if (block(i, j) != 0.0)
          mass.emplace_back(at + i, at + j, 0.5 * (block(i, j) + block(j, i)));
  }
  data.M = Matrix::from_triplets(coordinates.size(), coordinates.size(), mass);
  data.q = data.J.multiply(free_velocity(scene, state, coordinates, h));
  for (int k = 0; k < count; ++k)
    data.q[3 * k] += std::max(contacts[static_cast<std::size_t>(k)].gap, 0.0) / h;
  result.problem.data = std::move(data);
  return result;
}

}  // namespace perp
