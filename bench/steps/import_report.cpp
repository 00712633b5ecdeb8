#include <perp/bench/steps/import_report.hpp>

#include <fmt/format.h>
#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <perp/bench/harness/json_numbers.hpp>
#include <perp/bench/harness/measure.hpp>
#include <perp/bench/harness/result_json.hpp>
#include <perp/problems/json/text.hpp>

namespace perp {

using Json = nlohmann::ordered_json;

namespace {

constexpr std::size_t kMostContactRows = 8;  // most contacts of the worst step in the report

// Contacts of a step by both answers, those with the largest differences of impulses first.
std::vector<ContactRow> contact_rows(const Problem& problem, const Vector& engine,
                                     const Vector& perp) {
  const auto& data = std::get<FrictionContact>(problem.data);
  const int d = data.dimension;
  const Vector* answers[2] = {&engine, &perp};
  const Vector velocities[2] = {data.relative_velocity(engine), data.relative_velocity(perp)};
  std::vector<ContactRow> rows(static_cast<std::size_t>(data.contacts()));
  for (int k = 0; k < data.contacts(); ++k) {
    ContactRow& row = rows[static_cast<std::size_t>(k)];
    row.name = problem.contacts.empty() ? fmt::format("contact {}", k)
                                        : problem.contacts[static_cast<std::size_t>(k)].name;
    row.mu = data.mu[k];
    for (int side = 0; side < 2; ++side) {
      const auto u = velocities[side].segment(d * k, d), r = answers[side]->segment(d * k, d);
      row.normal_velocity[side] = u[0];
      row.slip[side] = u.tail(d - 1).norm();
      row.normal_impulse[side] = r[0];
      row.tangential_impulse[side] = r.tail(d - 1).norm();
    }
  }
  const auto miss = [](const ContactRow& r) {
    return std::abs(r.normal_impulse[0] - r.normal_impulse[1]) +
           std::abs(r.tangential_impulse[0] - r.tangential_impulse[1]);
  };
  std::stable_sort(rows.begin(), rows.end(),
                   [&](const ContactRow& a, const ContactRow& b) { return miss(a) > miss(b); });
  return rows;
}

// Text on one law: how many answers are accepted, and the measures of the errors.
std::string law_text(const ImportReport& report, const std::string& law) {
  std::vector<double> engine, perp, times;
  int granted[2] = {0, 0}, worst_step = 0, fewest = 0, most = 0, count = 0;
  double worst = -1.0;
  std::string kinds;
  for (const JudgedStep& s : report.steps) {
    if (s.law != law) continue;
    ++count;
    engine.push_back(s.engine.measure);
    perp.push_back(s.perp.verdict.measure);
    times.push_back(1e3 * (s.perp.setup_time + s.perp.solve_time));
    granted[0] += s.engine.solved;
    granted[1] += s.perp.status == Status::kSolved;
    fewest = count == 1 ? s.size : std::min(fewest, s.size);
    most = std::max(most, s.size);
    if (!(s.engine.measure <= worst)) {
      worst = s.engine.measure;
      worst_step = s.step;
    }
    if (kinds.find(s.kind) == kinds.npos) kinds += (kinds.empty() ? "" : ", ") + s.kind;
  }
  if (count == 0) return "";
  const auto largest = [](const std::vector<double>& v) {
    return *std::max_element(v.begin(), v.end());
  };
  return fmt::format(
      "{}: {} problems ({}, n = {} to {})\n"
      "  {:<16} {:>5} accepted at {:g}; measure {:.1e} (median), {:.1e} (worst, step {})\n"
      "  {:<16} {:>5} accepted; measure {:.1e} (median), {:.1e} (worst), {:.3f} ms (median)\n",
      law, count, kinds, fewest, most, report.engine, granted[0], report.tolerance, median(engine),
      worst, worst_step, report.solver, granted[1], median(perp), largest(perp), median(times));
}

std::string worst_text(const ImportReport& report) {
  std::string text = fmt::format("missed most: {}\n", shown(report.worst_file));
  text += fmt::format("  {:<32}{:^44}{:^44}\n", "", report.engine, report.solver);
  text += fmt::format("  {:<32}", "contact");
  for (int side = 0; side < 2; ++side)
    text += fmt::format("{:>11}{:>11}{:>11}{:>11}", "u_n", "|u_t|", "r_n", "|r_t|");
  text += "\n";
  for (std::size_t k = 0; k < std::min(kMostContactRows, report.worst.size()); ++k) {
    const ContactRow& row = report.worst[k];
    text += fmt::format("  {:<32}", shown(row.name, 31));
    for (int side = 0; side < 2; ++side) {
      text += fmt::format("{:>11.2e}{:>11.2e}{:>11.2e}{:>11.2e}", row.normal_velocity[side],
                          row.slip[side], row.normal_impulse[side], row.tangential_impulse[side]);
    }
    text += "\n";
  }
  if (report.worst.size() > kMostContactRows)
    text += fmt::format("  and {} more\n", report.worst.size() - kMostContactRows);
  return text;
}

}  // namespace

void judge_step(const EngineStep& step, const std::vector<std::string>& files,
                const SolveRequest& request, Observer* observer, ImportReport& report) {
  report.engine = step.engine;
  report.model = step.model;
  report.h = step.h;
  if (report.first == 0) report.first = step.step;
  report.last = step.step;
  for (const auto& [law, reason] : step.refused) {
    const auto known = [&, &name = law](const auto& pair) { return pair.first == name; };
    if (std::none_of(report.refused.begin(), report.refused.end(), known))
      report.refused.emplace_back(law, reason);
  }
  for (std::size_t k = 0; k < step.problems.size(); ++k) {
    const EngineProblem& p = step.problems[k];
    JudgedStep& judged = report.steps.emplace_back();
    judged.law = p.law;
    judged.file = files[k];
    judged.step = step.step;
    judged.time = step.time;
    judged.kind = p.problem.kind();
    judged.size = p.problem.size();
    judged.contacts = static_cast<int>(p.problem.contacts.size());
    judged.engine = verify(p.problem, {p.z, {}}, report.tolerance);
    judged.perp = solve_verified(p.problem, request, observer);
    if (!std::holds_alternative<FrictionContact>(p.problem.data)) continue;
    const auto further = [&](const JudgedStep& s) {
      return s.file == report.worst_file && !(s.engine.measure < judged.engine.measure);
    };
    if (judged.perp.answer.z.size() != p.z.size() ||
        std::any_of(report.steps.begin(), report.steps.end(), further))
      continue;
    report.worst_file = judged.file;
    report.worst = contact_rows(p.problem, p.z, judged.perp.answer.z);
  }
}

std::string import_report_text(const ImportReport& report) {
  std::string text = fmt::format("{}, {}: steps {} to {} of {:g} s\n", report.engine,
                                 shown(report.model), report.first, report.last, report.h);
  for (const char* law : {"coulomb", "own"}) text += law_text(report, law);
  for (const auto& [law, reason] : report.refused)
    text += fmt::format("{}: no problem; {}\n", shown(law), message_line(reason));
  if (!report.worst.empty()) text += worst_text(report);
  return text;
}

Json import_report_to_json(const ImportReport& report) {
  Json steps = Json::array(), refused = Json::array(), worst = Json::array();
  for (const JudgedStep& s : report.steps) {
    steps.push_back(
        {{"step", s.step},
         {"time", s.time},
         {"law", s.law},
         {"file", s.file},
         {"kind", s.kind},
         {"n", s.size},
         {"engine", {{"solved", s.engine.solved}, {"measure", finite_or_null(s.engine.measure)}}},
         {"perp",
          {{"status", to_string(s.perp.status)},
           {"measure", finite_or_null(s.perp.verdict.measure)},
           {"setup", s.perp.setup_time},
           {"solve", s.perp.solve_time}}}});
  }
  for (const auto& [law, reason] : report.refused)
    refused.push_back({{"law", law}, {"reason", reason}});
  for (const ContactRow& row : report.worst) {
    Json j{{"contact", row.name}, {"mu", row.mu}};
    for (int side = 0; side < 2; ++side) {
      j[side == 0 ? "engine" : "perp"] = {
          {"normal_velocity", finite_or_null(row.normal_velocity[side])},
          {"slip", finite_or_null(row.slip[side])},
          {"normal_impulse", finite_or_null(row.normal_impulse[side])},
          {"tangential_impulse", finite_or_null(row.tangential_impulse[side])}};
    }
    worst.push_back(std::move(j));
  }
  return {{"format", "perp-import"},
          {"version", 1},
          {"engine", report.engine},
          {"model", report.model},
          {"h", report.h},
          {"solver", report.solver},
          {"tolerance", report.tolerance},
          {"steps", std::move(steps)},
          {"refused", std::move(refused)},
          {"worst", {{"file", report.worst_file}, {"contacts", std::move(worst)}}}};
}

}  // namespace perp
