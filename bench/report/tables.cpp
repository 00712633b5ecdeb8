#include <perp/bench/report/tables.hpp>

#include <fmt/format.h>
#include <algorithm>
#include <filesystem>
#include <perp/bench/report/markup.hpp>
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

StudyTable read_table(const std::string& file) {
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

// Names in backquotes become code.
std::string cell(const std::string& text) {
  std::string out;
  bool code = false;
  for (const char c : text) {
    if (c == '`') {
      out += code ? "</code>" : "<code>";
      code = !code;
    } else {
      out += escape(std::string(1, c));
    }
  }
  return code ? escape(text) : out;
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
    for (const std::string& file : files) tables.push_back(read_table(file));
  }
  return tables;
}

std::string tables_section(const std::vector<StudyTable>& tables) {
  std::string out;
  for (const StudyTable& table : tables) {
    out += fmt::format("<h3>{}</h3>\n<p>{}</p>\n<div class=\"scroll\"><table>\n<tr>",
                       escape(table.title), escape(table.caption));
    for (std::size_t k = 0; k < table.head.size(); ++k)
      out += fmt::format("<th{}>{}</th>", k == 0 ? " class=\"text\"" : "", cell(table.head[k]));
    out += "</tr>\n";
    for (const auto& row : table.rows) {
      out += "<tr>";
      for (std::size_t k = 0; k < row.size(); ++k)
        out += fmt::format("<td{}>{}</td>", k == 0 ? " class=\"text\"" : "", cell(row[k]));
      out += "</tr>\n";
    }
    out += "</table></div>\n";
    if (!table.missing.empty())
      out += fmt::format("<p class=\"missing\">{}</p>\n", escape(table.missing));
  }
  return out.empty() ? out : "<h2>Tables</h2>\n" + out;
}

}  // namespace perp
