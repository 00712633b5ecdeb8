#include <perp/bench/report/claims.hpp>

#include <fmt/format.h>
#include <algorithm>
#include <filesystem>
#include <perp/problems/io/files.hpp>
#include <perp/problems/json/field.hpp>

namespace perp {

namespace fs = std::filesystem;

namespace {

std::vector<fs::path> claim_files(const std::string& path) {
  std::vector<fs::path> files;
  const fs::path folder = fs::path(path) / "claims";
  if (!fs::is_directory(folder)) return files;
  for (const auto& entry : fs::directory_iterator(folder)) {
    if (entry.path().extension() == ".json") files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  return files;
}

Claim read_claim(const Field& field) {
  field.only({"claim", "experiment", "measured", "verdict"}, true);
  Claim c{field["claim"].text(), field["experiment"].text(), field["measured"].text(),
          field["verdict"].text()};
  for (const char* verdict : {"holds", "holds in part", "does not hold", "not tested"}) {
    if (c.verdict == verdict) return c;
  }
  field["verdict"].expected("\"holds\", \"holds in part\", \"does not hold\" or \"not tested\"");
}

ClaimTable read_claim_table(const fs::path& path) {
  const std::string file = path.string();
  const json::Value document = json::parse(read_text_file(file), file);
  const Field root(document, file, "");
  root.only({"format", "version", "title", "caption", "claims"}, true);
  if (root["format"].text() != "perp-claims") root["format"].expected("\"perp-claims\"");
  root["version"].integer(1, 1);
  ClaimTable table{root["title"].text(), root.has("caption") ? root["caption"].text() : "", {}};
  for (const Field& claim : root["claims"].items()) table.claims.push_back(read_claim(claim));
  return table;
}

}  // namespace

bool holds_claims(const std::string& path) { return !claim_files(path).empty(); }

std::vector<ClaimTable> read_claims(const std::vector<std::string>& paths) {
  std::vector<ClaimTable> tables;
  for (const std::string& path : paths) {
    for (const fs::path& file : claim_files(path)) tables.push_back(read_claim_table(file));
  }
  return tables;
}

}  // namespace perp
