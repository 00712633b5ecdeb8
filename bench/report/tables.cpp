#include <perp/bench/report/tables.hpp>

#include <fmt/format.h>
#include <algorithm>
#include <filesystem>
#include <perp/problems/io/files.hpp>
#include <perp/problems/json/field.hpp>

namespace perp {

namespace fs = std::filesystem;

namespace {

std::vector<std::string> texts(const Field& field) {
  std::vector<std::string> list;
  for (const Field& item : field.items()) list.push_back(item.text());
  return list;
}

StudyTable read_study_table(const std::string& file) {
  const json::Value document = json::parse(read_text_file(file), file);
  const Field root(document, file, "");
  root.only({"format", "version", "name", "title", "caption", "head", "rows", "missing"}, true);
  if (root["format"].text() != "perp-table") root["format"].expected("\"perp-table\"");
  root["version"].integer(1, 1);
  StudyTable table{
      root["name"].text(),   root["title"].text(), root["caption"].text(), texts(root["head"]), {},
      root["missing"].text()};
  for (const Field& row : root["rows"].items()) {
    table.rows.push_back(texts(row));
    if (table.rows.back().size() != table.head.size())
      row.expected("as many cells as the head has");
  }
  return table;
}

}  // namespace

std::vector<StudyTable> read_tables(const std::vector<std::string>& paths) {
  std::vector<StudyTable> tables;
  for (const std::string& path : paths) {
    const fs::path folder = fs::path(path) / "tables";
    if (!fs::is_directory(folder)) continue;
    std::vector<std::string> files;
    for (const auto& entry : fs::directory_iterator(folder)) {
      if (entry.path().extension() == ".json") files.push_back(entry.path().string());
    }
    std::sort(files.begin(), files.end());
    for (const std::string& file : files) tables.push_back(read_study_table(file));
  }
  return tables;
}

}  // namespace perp
