#include <perp/bench/report/csv.hpp>

#include <fmt/format.h>
#include <algorithm>
#include <charconv>
#include <cmath>
#include <fstream>
#include <perp/problems/json/json.hpp>

namespace perp {

namespace {

// Reads a field from `at` on, and leaves `at` at its end. In quotes it may have commas, and two
// quotes stand for one; these are taken away inside the line.
std::string_view take_field(std::string& line, std::size_t& at) {
  if (at == line.size() || line[at] != '"') {
    const std::size_t begin = at;
    at = std::min(line.find(',', at), line.size());
    return std::string_view(line).substr(begin, at - begin);
  }
  const std::size_t begin = ++at;
  std::size_t end = begin;
  for (; at < line.size(); ++at) {
    if (line[at] == '"' && (++at == line.size() || line[at] != '"')) break;
    line[end++] = line[at];
  }
  return std::string_view(line).substr(begin, end - begin);
}

// The fields are parts of the line, which changes if some are in quotes.
void split(std::string& line, std::vector<std::string_view>& fields) {
  fields.clear();
  if (line.ends_with('\r')) line.pop_back();
  for (std::size_t at = 0; at <= line.size(); ++at) {
    fields.push_back(take_field(line, at));
    at = std::min(line.find(',', at), line.size());
  }
}

}  // namespace

int read_csv(const std::string& path, const std::vector<std::string>& columns,
             const std::function<bool(std::span<const std::string_view>)>& row) {
  std::ifstream file(path, std::ios::binary);
  std::string line;
  if (!file || !std::getline(file, line))
    throw InputError(fmt::format("{}: cannot be read, or is empty", path));
  std::vector<std::string_view> fields;
  split(line, fields);
  const std::size_t width = fields.size();
  std::vector<std::size_t> places;
  for (const std::string& column : columns) {
    const auto it = std::find(fields.begin(), fields.end(), column);
    if (it == fields.end()) throw InputError(fmt::format("{}: has no column \"{}\"", path, column));
    places.push_back(static_cast<std::size_t>(it - fields.begin()));
  }
  std::vector<std::string_view> picked(columns.size());
  int left_out = 0;
  while (std::getline(file, line)) {
    if (file.eof()) {  // the line is incomplete
      ++left_out;
      break;
    }
    split(line, fields);
    bool good = fields.size() == width;
    if (good) {
      for (std::size_t k = 0; k < places.size(); ++k) picked[k] = fields[places[k]];
      good = row(picked);
    }
    left_out += !good;
  }
  return left_out;
}

bool read_number(std::string_view text, double& value) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size() && std::isfinite(value);
}

}  // namespace perp
