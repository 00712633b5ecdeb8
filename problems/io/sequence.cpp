#include <perp/problems/io/sequence.hpp>

#include <fmt/format.h>
#include <algorithm>
#include <optional>
#include <perp/problems/io/files.hpp>
#include <perp/problems/io/problem_json.hpp>
#include <perp/problems/json/field.hpp>
#include <unordered_set>

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

// Completes lines by the header's fields. Each line becomes a problem that holds all of them, so
// what a short file stands for is counted.
class LineReader {
 public:
  LineReader(json::Object shared, std::size_t shared_bytes, std::size_t file_bytes)
      : shared_(std::move(shared)), shared_bytes_(shared_bytes), most_(most_unpacked(file_bytes)) {}

  Problem read(std::string_view line, const std::string& place) {
    bytes_ += line.size() + shared_bytes_ + sizeof(Problem);
    if (bytes_ > most_) {
      throw InputError(
          fmt::format("{}: field \"shared\": the problems up to here, each completed by its {} "
                      "bytes, take more than {} MB; cut the sequence into parts",
                      place, shared_bytes_, most_ >> 20));
    }
    json::Value document = json::parse(line, place);
    auto* fields = std::get_if<json::Object>(&document.data);
    if (!fields) throw InputError(fmt::format("{}: expected an object", place));
    std::unordered_set<std::string_view> own;
    for (const json::Member& member : *fields) own.insert(member.first);
    // Lent, not copied. Views of names would not outlive the growth of the vector.
    std::vector<std::size_t> lent;
    for (std::size_t k = 0; k < shared_.size(); ++k) {
      if (!own.contains(shared_[k].first)) lent.push_back(k);
    }
    const std::size_t first = fields->size();
    for (const std::size_t k : lent) fields->push_back(std::move(shared_[k]));
    Problem problem = problem_from_json(document, place);
    for (std::size_t i = 0; i < lent.size(); ++i)
      shared_[lent[i]] = std::move((*fields)[first + i]);
    return problem;
  }

 private:
  json::Object shared_;
  std::size_t shared_bytes_, most_, bytes_ = 0;
};

}  // namespace

bool is_sequence_file(const std::string& path) {
  return path.ends_with(".jsonl") || path.ends_with(".jsonl.gz");
}

std::vector<Problem> read_sequence(const std::string& path) {
  const std::string text = read_text_file(path);
  if (text.empty()) throw InputError(fmt::format("{}: is empty", path));
  std::vector<Problem> problems;
  std::optional<LineReader> reader;
  std::size_t begin = 0;
  for (int number = 1; begin < text.size(); ++number) {
    const std::size_t end = text.find('\n', begin);
    if (end == std::string::npos && number > 1) break;  // cut off
    const std::string_view line = std::string_view(text).substr(begin, end - begin);
    begin = end == std::string::npos ? text.size() : end + 1;
    const std::string place = fmt::format("{}, line {}", path, number);
    if (number == 1) {
      reader.emplace(read_header(line, place), line.size(), text.size());
    } else if (!line.empty()) {
      problems.push_back(reader->read(line, place));
    }
  }
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
