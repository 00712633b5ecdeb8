#include <perp/bench/harness/result_json.hpp>

#include <fmt/format.h>
#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <nlohmann/json.hpp>
#include <perp/bench/harness/words.hpp>
#include <perp/problems/json/field.hpp>

namespace perp {

using Json = nlohmann::ordered_json;

namespace {

Json list(const Vector& v) { return Json(std::vector<double>(v.data(), v.data() + v.size())); }

constexpr std::string_view kBasisNames[] = {"lower", "upper",
                                            "basic"};  // in the order of PairStatus

Json basis_to_json(const std::vector<PairStatus>& basis) {
  Json list = Json::array();
  for (const PairStatus status : basis) list.push_back(kBasisNames[static_cast<int>(status)]);
  return list;
}

std::vector<PairStatus> basis_field(const json::Value& value, const std::string& file) {
  const auto fail = [&](std::string_view what) {
    throw InputError(fmt::format("{}: field \"basis\": {}", file, what));
  };
  std::vector<PairStatus> basis;
  const auto* array = value.get_if<json::Array>();
  if (!array) fail("expected an array of \"lower\", \"upper\" and \"basic\"");
  for (const json::Value& entry : *array) {
    const auto* name = entry.get_if<std::string>();
    const auto* found = name ? std::find(std::begin(kBasisNames), std::end(kBasisNames), *name)
                             : std::end(kBasisNames);
    if (found == std::end(kBasisNames)) fail("an entry is not \"lower\", \"upper\" or \"basic\"");
    basis.push_back(static_cast<PairStatus>(found - std::begin(kBasisNames)));
  }
  return basis;
}

// What stands for a number that is none: NaN and the infinities, as this writer writes them.
enum class Nulls { kRefused, kAreNaN };

// @param within the object that has the field, for messages: "certificate."
Vector vector_field(const json::Value& object, const char* name, const std::string& file,
                    std::string_view within = "", Nulls nulls = Nulls::kRefused) {
  const json::Value* value = object.find(name);
  if (!value) throw InputError(fmt::format("{}: field \"{}{}\": is missing", file, within, name));
  if (value->get_if<json::Array>()) {
    const std::vector<Field> items = Field(*value, file, fmt::format("{}{}", within, name)).items();
    Vector vector(static_cast<Eigen::Index>(items.size()));
    for (std::size_t k = 0; k < items.size(); ++k) {
      const bool is_nan = nulls == Nulls::kAreNaN && items[k].value().is_null();
      vector[static_cast<Eigen::Index>(k)] =
          is_nan ? std::numeric_limits<double>::quiet_NaN() : items[k].number();
    }
    return vector;
  }
  const auto* numbers = value->get_if<json::Numbers>();
  if (!numbers) {
    throw InputError(fmt::format("{}: field \"{}{}\": expected an array of numbers, found {}", file,
                                 within, name, value->type_name()));
  }
  return Eigen::Map<const Vector>(numbers->values.data(),
                                  static_cast<Eigen::Index>(numbers->values.size()));
}

Certificate certificate_field(const json::Value& value, const std::string& file) {
  const json::Value* type = value.find("type");
  const auto* name = type ? type->get_if<std::string>() : nullptr;
  if (!name || (*name != "farkas" && *name != "unbounded" && *name != "ray")) {
    throw InputError(fmt::format(
        "{}: field \"certificate.type\": expected \"farkas\", \"unbounded\" or \"ray\"", file));
  }
  Certificate certificate;
  certificate.type = *name;
  const char* const needed = *name == "farkas" ? "y" : "z";
  if (!value.find(needed)) {
    throw InputError(fmt::format(
        "{}: field \"certificate.{}\": is missing, a certificate {} has it", file, needed, *name));
  }
  if (value.find("y")) certificate.y = vector_field(value, "y", file, "certificate.");
  if (value.find("z")) certificate.z = vector_field(value, "z", file, "certificate.");
  const json::Value* t = value.find("t");
  if (const auto* number = t ? t->get_if<double>() : nullptr) certificate.t = *number;
  const json::Value* reduction = value.find("reduction");
  if (const auto* text = reduction ? reduction->get_if<std::string>() : nullptr)
    certificate.reduction = *text;
  return certificate;
}

json::Value document_from(std::string_view text, const std::string& file) {
  json::Value document = json::parse(text, file);
  if (!document.get_if<json::Object>())
    throw InputError(fmt::format("{}: expected an object", file));
  return document;
}

Answer answer_of(const json::Value& document, const std::string& file, Nulls nulls) {
  Answer answer;
  answer.z = vector_field(document, "z", file, "", nulls);
  if (document.find("dual")) answer.dual = vector_field(document, "dual", file, "", nulls);
  return answer;
}

}  // namespace

Json certificate_to_json(const std::optional<Certificate>& certificate) {
  if (!certificate) return nullptr;
  Json j{{"type", certificate->type}, {"checked", certificate->checked}};
  if (!certificate->reduction.empty()) j["reduction"] = certificate->reduction;
  if (certificate->type == "farkas") {
    j["y"] = list(certificate->y);
    if (std::isfinite(certificate->radius)) j["radius"] = certificate->radius;
  } else {
    j["z"] = list(certificate->z);
    if (certificate->type == "ray") j["t"] = certificate->t;
    if (certificate->type == "unbounded" && std::isfinite(certificate->radius))
      j["radius"] = certificate->radius;
  }
  return j;
}

Json residuals_to_json(const Residuals& r) {
  Json j{{"natural", r.natural},
         {"fischer_burmeister", r.fischer_burmeister},
         {"normal_map", r.normal_map},
         {"complementarity", r.complementarity},
         {"floor", r.floor}};
  const auto add = [&j](const char* name, double value) {
    if (!std::isnan(value)) j[name] = value;
  };
  add("primal", r.primal);
  add("dual", r.dual);
  add("gap", r.gap);
  add("relative", r.relative);
  add("by_part", r.by_part);
  add("at_bounds", r.at_bounds);
  return j;
}

Json worst_to_json(const Problem& problem, const Residuals& residuals) {
  const int row = residuals.worst_index;
  Json worst{{"index", row >= 0 ? Json(row) : Json()}, {"name", worst_name(problem, residuals)}};
  const int index = worst_contact(problem, residuals);
  if (index < 0) return worst;
  const ContactInfo& contact = problem.contacts[static_cast<std::size_t>(index)];
  worst["contact"] = {{"index", index}, {"name", contact.name}};
  if (!contact.body_a.empty() || !contact.body_b.empty())
    worst["contact"]["bodies"] = {contact.body_a, contact.body_b};
  return worst;
}

Json result_to_json(const Problem& problem, const std::string& solver,
                    const VerifiedResult& result) {
  Json route = Json::array();
  for (const RouteStep& step : result.route) {
    route.push_back({{"solver", step.solver.str()},
                     {"status", to_string(step.status)},
                     {"claimed", to_string(step.claimed)},
                     {"iterations", step.iterations},
                     {"time", step.time},
                     {"settings", step.settings.str()},
                     {"measure", step.measure},
                     {"message", step.message}});
  }
  Json j{{"problem", problem.name},
         {"kind", problem.kind()},
         {"n", problem.size()},
         {"solver", solver},
         {"route", route},
         {"status", to_string(result.status)},
         {"claimed", to_string(result.claimed)},
         {"tolerance", result.verdict.tolerance},
         {"residuals", residuals_to_json(result.verdict.residuals)},
         {"worst", worst_to_json(problem, result.verdict.residuals)},
         {"at_floor", result.verdict.at_floor},
         {"vacuous", to_string(result.verdict.vacuous)},
         {"iterations", result.iterations},
         {"times", {{"setup", result.setup_time}, {"solve", result.solve_time}}},
         {"start", result.start},
         {"z", list(result.answer.z)}};
  if (result.own_times) j["times"]["own"] = true;
  if (problem.kind() == "conic_qp") j["dual"] = list(result.answer.dual);
  if (!result.basis.empty()) j["basis"] = basis_to_json(result.basis);
  if (!result.solutions.empty()) {
    j["solutions"] = Json::array();
    for (const Vector& z : result.solutions) j["solutions"].push_back(list(z));
  }
  j["certificate"] = certificate_to_json(result.certificate);
  Json statistics = Json::object();
  for (const auto& [name, value] : result.statistics) statistics[name] = value;
  j["statistics"] = statistics;
  j["message"] = result.message;
  return j;
}

StoredStart start_from_text(std::string_view text, const std::string& file) {
  Answer answer = answer_from_text(text, file);
  StoredStart start;
  start.z = std::move(answer.z);
  const json::Value document = json::parse(text, file);
  if (document.find("dual")) start.dual = std::move(answer.dual);
  if (const json::Value* basis = document.find("basis")) start.basis = basis_field(*basis, file);
  return start;
}

Answer answer_from_text(std::string_view text, const std::string& file) {
  return answer_of(document_from(text, file), file, Nulls::kRefused);
}

StoredResult result_from_text(std::string_view text, const std::string& file) {
  const json::Value document = document_from(text, file);
  StoredResult result;
  const json::Value* certificate = document.find("certificate");
  if (certificate && !certificate->is_null())
    result.certificate = certificate_field(*certificate, file);
  if (document.find("z") || !result.certificate)
    result.answer = answer_of(document, file, Nulls::kAreNaN);
  return result;
}

}  // namespace perp
