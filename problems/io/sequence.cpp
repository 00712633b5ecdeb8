#include <perp/problems/io/sequence.hpp>

#include <fmt/format.h>
#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <filesystem>
#include <optional>
#include <perp/problems/io/files.hpp>
#include <perp/problems/io/problem_json.hpp>
#include <perp/problems/json/field.hpp>
#include <perp/problems/json/text.hpp>
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

// The lines of a file that hold problems, one after another.
class SequenceLines {
 public:
  explicit SequenceLines(const std::string& path) : path_(path), text_(read_text_file(path)) {
    if (text_.empty()) throw InputError(fmt::format("{}: is empty", path_));
    next_line();
    reader_.emplace(read_header(line_, place()), line_.size(), text_.size());
  }

  /// Goes to the next problem. @return false if there is none
  bool next() {
    do {
      if (begin_ >= text_.size() || !next_line()) return false;
    } while (line_.empty());
    ++count_;
    return true;
  }
  Problem problem() { return reader_->read(line_, place()); }
  int count() const { return count_; }

 private:
  std::string place() const { return fmt::format("{}, line {}", path_, number_); }

  // @return false if it is cut off
  bool next_line() {
    const std::size_t end = text_.find('\n', begin_);
    if (end == std::string::npos && number_ > 0) return false;
    line_ = std::string_view(text_).substr(begin_, end - begin_);
    if (line_.ends_with('\r')) line_.remove_suffix(1);
    begin_ = end == std::string::npos ? text_.size() : end + 1;
    ++number_;
    return true;
  }

  std::string path_, text_;
  std::optional<LineReader> reader_;
  std::string_view line_;
  std::size_t begin_ = 0;
  int number_ = 0, count_ = 0;
};

}  // namespace

bool is_sequence_file(const std::string& path) {
  return path.ends_with(".jsonl") || path.ends_with(".jsonl.gz");
}

std::vector<Problem> read_sequence(const std::string& path) {
  std::vector<Problem> problems;
  SequenceLines lines(path);
  while (lines.next()) problems.push_back(lines.problem());
  return problems;
}

std::optional<SequencePlace> sequence_place(const std::string& path) {
  const std::size_t colon = path.rfind(':');
  if (colon == std::string::npos || !is_sequence_file(path.substr(0, colon))) return {};
  std::error_code unknown;
  if (std::filesystem::exists(path, unknown)) return {};
  SequencePlace place{path.substr(0, colon), 0};
  const char* const end = path.data() + path.size();
  const auto [next, error] = std::from_chars(path.data() + colon + 1, end, place.position);
  if (error != std::errc() || next != end || place.position < 1) {
    throw InputError(fmt::format(
        "{}: behind the colon stands the position of one problem in the sequence, from 1", path));
  }
  return place;
}

Problem read_sequence_problem(const SequencePlace& place) {
  SequenceLines lines(place.file);
  for (int position = 1; lines.next(); ++position) {
    if (position < place.position) continue;
    Problem problem = lines.problem();
    if (problem.name.empty()) {
      const std::string file = std::filesystem::path(place.file).filename().string();
      problem.name = fmt::format("{}-{}", to_utf8(file.substr(0, file.rfind(".jsonl"))), position);
    }
    return problem;
  }
  throw InputError(fmt::format("{}: has {} problems, and none at position {}", place.file,
                               lines.count(), place.position));
}

SequenceWriter::SequenceWriter(const std::string& path, const std::string& name,
                               const json::Value& source)
    : file_(path, std::ios::trunc), path_(path) {
  write(header_line(name, source));
}

void SequenceWriter::add(const Problem& problem) { write(problem_line(problem)); }

void SequenceWriter::write(const std::string& text) {
  errno = 0;
  file_ << text << std::flush;
  if (file_) {
    whole_ += text.size();
    return;
  }
  const int code = errno;
  file_.close();
  std::error_code ignored;  // the first fault is told
  std::filesystem::resize_file(path_, whole_, ignored);
  throw InputError(fmt::format("{}: cannot be written{}", path_,
                               code != 0 ? fmt::format(" ({})", std::strerror(code)) : ""));
}

std::string sequence_to_text(const std::string& name, const json::Value& source,
                             const std::vector<Problem>& problems) {
  std::string text = header_line(name, source);
  for (const Problem& problem : problems) text += problem_line(problem);
  return text;
}

}  // namespace perp
