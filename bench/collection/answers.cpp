#include <perp/bench/collection/answers.hpp>

#include <fmt/format.h>
#include <algorithm>
#include <nlohmann/json.hpp>
#include <perp/bench/harness/result_json.hpp>
#include <perp/problems/io/files.hpp>
#include <perp/problems/io/problem_file.hpp>
#include <perp/problems/json/field.hpp>
#include <perp/solvers/statements.hpp>

namespace perp {

using Json = nlohmann::ordered_json;

namespace {

Vector vector_of(const Field& field) {
  const std::vector<double>& numbers = field.numbers();
  return Eigen::Map<const Vector>(numbers.data(), static_cast<Eigen::Index>(numbers.size()));
}

// Whether the vector (y or z) proves what the type of certificate claims, for this statement of the
// problem.
bool holds(const ProblemData& data, const std::string& type, const Vector& v) {
  if (type == "unbounded") {
    const auto* qp = std::get_if<ConicQp>(&data);
    return qp && v.size() == qp->size() && check_unbounded(*qp, v).holds;
  }
  if (const auto* lcp = std::get_if<Lcp>(&data))
    return v.size() == lcp->size() && check_farkas(*lcp, v).holds;
  if (const auto* mlcp = std::get_if<Mlcp>(&data))
    return v.size() == mlcp->size() && check_farkas(*mlcp, v).holds;
  if (const auto* box = std::get_if<BoxQp>(&data))
    return v.size() == box->size() && check_farkas(to_mlcp(*box), v).holds;
  const auto* qp = std::get_if<ConicQp>(&data);
  return qp && v.size() == qp->b.size() && check_farkas(*qp, v).holds;
}

bool proves(const Problem& problem, const std::string& type, const std::string& statement,
            const Vector& v) {
  if (type != "farkas" && type != "unbounded") return false;
  if (statement.empty()) return holds(problem.data, type, v);
  // A statement whose numbers are computed is another problem: they are rounded.
  const auto reductions = exact_reductions(problem);
  return std::any_of(reductions.begin(), reductions.end(), [&](const ExactReduction& exact) {
    if (statement != fmt::format("{} as {}", problem.kind(), exact.kind)) return false;
    try {
      const Reduction reduction = exact.make();
      return reduction.copies && holds(reduction.problem, type, v);
    } catch (const std::invalid_argument&) {  // this problem cannot be stated so
      return false;
    }
  });
}

bool proves(const Problem& problem, const Certificate& c) {
  return c.checked && proves(problem, c.type, c.reduction, c.type == "farkas" ? c.y : c.z);
}

}  // namespace

std::string_view to_string(Label label) {
  return label == Label::kSolved ? "solved" : label == Label::kProof ? "proof" : "open";
}

Finding find_answer(const Problem& problem, const AnswerLimits& limits, Observer* observer) {
  Finding finding;
  finding.from = "auto";
  SolveRequest request;
  request.limits = {limits.asked, 0, limits.time_limit};
  request.verify_at = limits.tolerance;
  VerifiedResult& result = finding.result;
  result = solve_verified(problem, request, observer);
  finding.by_clock =
      result.claimed == Status::kTimeLimit ||
      std::any_of(result.route.begin(), result.route.end(),
                  [](const RouteStep& step) { return step.claimed == Status::kTimeLimit; });
  if (result.status == Status::kSolved) {
    finding.label = Label::kSolved;
    return finding;
  }
  if (result.certificate && proves(problem, *result.certificate)) {
    finding.label = Label::kProof;
    return finding;
  }
  if (!problem.solution) return finding;
  const Answer stored{problem.solution->z, problem.solution->dual};
  Verdict verdict = verify(problem, stored, limits.tolerance);
  if (!verdict.solved) return finding;
  finding.label = Label::kSolved;
  finding.from = "stored";
  result.answer = stored;
  result.verdict = verdict;
  result.status = Status::kSolved;
  result.certificate.reset();
  return finding;
}

Json answer_to_json(const Problem& problem, const Finding& finding) {
  Json document{{"format", "perp-answer"},
                {"version", 1},
                {"label", to_string(finding.label)},
                {"from", finding.from}};
  const Json result = result_to_json(problem, "auto", finding.result);
  for (const auto& [name, value] : result.items()) {
    if (name != "times" && name != "statistics" && name != "solutions") document[name] = value;
  }
  for (Json& step : document["route"]) step.erase("time");
  if (finding.label == Label::kProof) document.erase("z");  // the nearest point is no answer
  if (finding.label == Label::kProof) document.erase("dual");
  return document;
}

void check_answer_file(const std::string& problem_file, const std::string& answer_file,
                       double tolerance) {
  const Problem problem = read_problem(problem_file);
  const std::string text = read_text_file(answer_file);
  const json::Value document = json::parse(text, answer_file);
  const Field answer(document, answer_file, "");
  if (answer["label"].text() == "solved") {
    const Verdict verdict = verify(problem, answer_from_text(text, answer_file), tolerance);
    if (verdict.solved) return;
    throw InputError(fmt::format("{}: field \"z\": does not solve {}: residual {}", answer_file,
                                 problem_file, verdict.measure));
  }
  const Field certificate = answer["certificate"];
  const std::string type = certificate["type"].text();
  const std::string statement =
      certificate.has("reduction") ? certificate["reduction"].text() : std::string();
  if (proves(problem, type, statement, vector_of(certificate[type == "farkas" ? "y" : "z"])))
    return;
  throw InputError(
      fmt::format("{}: field \"certificate\": proves nothing of {}", answer_file, problem_file));
}

}  // namespace perp
