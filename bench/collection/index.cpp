#include <perp/bench/collection/index.hpp>

#include <fmt/format.h>
#include <functional>
#include <perp/problems/io/csv_field.hpp>
#include <utility>

namespace perp {

using Json = nlohmann::ordered_json;

namespace {

std::string compact_text(const Json& j) {
  return j.dump(-1, ' ', false, Json::error_handler_t::replace);
}

// A field of CSV; empty for null.
std::string field_of(const Json& value) {
  if (value.is_null()) return "";
  return csv_field(value.is_string() ? value.get<std::string>() : compact_text(value));
}

Json member(const Json& object, const char* name) {
  return object.is_object() && object.contains(name) ? object[name] : Json();
}

Json file_member(const Json& instance, const char* format, const char* name) {
  for (const Json& file : instance["files"]) {
    if (file["format"] == format) return file[name];
  }
  return nullptr;
}

using IndexColumn = std::pair<const char*, std::function<Json(const Json&)>>;

IndexColumn plain(const char* name) {
  return {name, [name](const Json& i) { return member(i, name); }};
}
IndexColumn nested(const char* column, const char* outer, const char* inner) {
  return {column, [outer, inner](const Json& i) { return member(member(i, outer), inner); }};
}
// A value of the first matrix: M, H, P, W, J or A.
IndexColumn of_matrix(const char* column, const char* name) {
  return {column, [name](const Json& i) {
            const Json& matrices = i["matrices"];
            return matrices.empty() ? Json() : member(matrices[0], name);
          }};
}
IndexColumn of_source(const char* name) {
  return {name, [name](const Json& i) { return member(member(i["origin"], "source"), name); }};
}
IndexColumn of_file(const char* column, const char* format, const char* name) {
  return {column, [format, name](const Json& i) { return file_member(i, format, name); }};
}

const std::vector<IndexColumn>& columns() {
  static const std::vector<IndexColumn> list = {
      plain("name"),
      plain("kind"),
      plain("n"),
      plain("rows"),
      plain("contacts"),
      nested("free", "bounds", "free"),
      nested("lower", "bounds", "lower"),
      nested("upper", "bounds", "upper"),
      nested("both", "bounds", "both"),
      nested("fixed", "bounds", "fixed"),
      of_matrix("matrix", "name"),
      of_matrix("nonzeros", "nonzeros"),
      of_matrix("symmetric", "symmetric"),
      of_matrix("definiteness", "definiteness"),
      of_matrix("rank", "rank"),
      of_matrix("z_matrix", "z_matrix"),
      plain("class"),
      nested("condition_of", "condition", "of"),
      nested("condition", "condition", "estimate"),
      plain("vacuous"),
      plain("label"),
      plain("status"),
      plain("from"),
      plain("solver"),
      plain("residual"),
      plain("proof"),
      plain("known"),
      nested("origin", "origin", "type"),
      nested("path", "origin", "path"),
      of_source("family"),
      of_source("member"),
      of_source("size"),
      of_source("seed"),
      of_source("scene"),
      of_source("formulation"),
      of_source("driver"),
      of_source("step"),
      of_source("stage"),
      plain("licence"),
      of_file("problem", "perp", "path"),
      of_file("problem_sha256", "perp", "sha256"),
      of_file("answer", "answer", "path"),
  };
  return list;
}

}  // namespace

std::string index_json_text(const Json& head, const std::vector<Json>& instances) {
  std::string text = compact_text(head);
  text.pop_back();
  text += ",\"instances\":[";
  for (std::size_t k = 0; k < instances.size(); ++k)
    text += (k == 0 ? "\n" : ",\n") + compact_text(instances[k]);
  return text + "\n]}\n";
}

std::string index_csv_text(const std::vector<Json>& instances) {
  std::string text;
  for (const auto& [name, value] : columns())
    text += fmt::format("{}{}", text.empty() ? "" : ",", name);
  text += '\n';
  for (const Json& instance : instances) {
    std::string line;
    for (const auto& [name, value] : columns())
      line += fmt::format("{}{}", name == columns().front().first ? "" : ",",
                          field_of(value(instance)));
    text += line + '\n';
  }
  return text;
}

}  // namespace perp
