#include <perp/problems/io/sequence.hpp>

#include <fmt/format.h>
#include <algorithm>
#include <perp/problems/io/field.hpp>
#include <perp/problems/io/files.hpp>
#include <perp/problems/io/problem_json.hpp>

namespace perp {

namespace {

// Fields that every line of a sequence would repeat.
json::Object shared_fields() {
  return {{"format", std::string("perp-problem")}, {"version", std::int64_t{1}}};
}

std::string header_line(const std::string& name, const json::Value& source) {
  json::Object header{{"format", std::string("perp-sequence")},
                      {"version", std::int64_t{1}},
                      {"name", name},
                      {"shared", shared_fields()}};
  if (!source.is_null()) header.emplace_back("source", source);
  return json::to_text(json::Value(std::move(header))) + "\n";
}

// A problem's document without what the header holds: its text begins with those two fields.
std::string problem_line(const Problem& problem) {
  static constexpr std::string_view kHead = R"({"format":"perp-problem","version":1,)";
  std::string text = problem_to_text(problem);
  text.replace(0, kHead.size(), 1, '{');
  return text;
}

json::Object read_header(std::string_view line, const std::string& file) {
  const json::Value document = json::parse(line, file);
  const Field root(document, file, "");
  if (root["format"].text() != "perp-sequence") root["format"].fail("expected \"perp-sequence\"");
  if (root["version"].integer(0, 1000) != 1) {
    root["version"].fail("unknown version; this program reads version 1");
  }
  root["name"].text();
  root.only({"format", "version", "name", "shared", "source"}, true);
  if (!root.has("shared")) return shared_fields();
  const auto* shared = root["shared"].value().get_if<json::Object>();
  if (!shared) root["shared"].expected("an object");
  return *shared;
}

Problem read_line(std::string_view line, const json::Object& shared, const std::string& place) {
  json::Value document = json::parse(line, place);
  auto* fields = std::get_if<json::Object>(&document.data);
  if (!fields) throw InputError(fmt::format("{}: expected an object", place));
  for (const json::Member& member : shared) {
    if (!document.find(member.first)) fields->push_back(member);
  }
  return problem_from_json(document, place);
}

}  // namespace

bool is_sequence_file(const std::string& path) {
  return path.ends_with(".jsonl") || path.ends_with(".jsonl.gz");
}

std::vector<Problem> read_sequence(const std::string& path) {
  const std::string text = read_text_file(path);
  std::vector<Problem> problems;
  json::Object shared;
  std::size_t begin = 0;
  for (int number = 1; begin < text.size(); ++number) {
    const std::size_t end = text.find('\n', begin);
    if (end == std::string::npos && number > 1) break;  // cut off
    const std::string_view line = std::string_view(text).substr(begin, end - begin);
    begin = end == std::string::npos ? text.size() : end + 1;
    const std::string place = fmt::format("{}, line {}", path, number);
    if (number == 1) {
      shared = read_header(line, place);
    } else if (!line.empty()) {
      problems.push_back(read_line(line, shared, place));
    }
  }
  if (text.empty()) throw InputError(fmt::format("{}: is empty", path));
  return problems;
}

SequenceWriter::SequenceWriter(const std::string& path, const std::string& name,
                               const json::Value& source)
    : file_(path, std::ios::trunc), path_(path) {
  file_ << header_line(name, source) << std::flush;
  if (!file_) throw InputError(fmt::format("{}: cannot be written", path));
}

void SequenceWriter::add(const Problem& problem) {
  file_ << problem_line(problem) << std::flush;
  if (!file_) throw InputError(fmt::format("{}: cannot be written", path_));
}

std::string sequence_to_text(const std::string& name, const json::Value& source,
                             const std::vector<Problem>& problems) {
  std::string text = header_line(name, source);
  for (const Problem& problem : problems) text += problem_line(problem);
  return text;
}

}  // namespace perp
