#include <perp/bench/report/html.hpp>

#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <perp/bench/data/data_files.hpp>
#include <perp/bench/report/page_data.hpp>
#include <perp/problems/io/files.hpp>

namespace perp {

namespace {

// Escapes text for HTML and for attributes.
std::string escape(std::string_view text) {
  std::string out;
  for (const char c : text) {
    switch (c) {
      case '&':
        out += "&amp;";
        break;
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '"':
        out += "&quot;";
        break;
      default:
        out += c;
    }
  }
  return out;
}

// JSON for a script element: a "<" in a text must not begin a tag.
std::string within_script(const std::string& json) {
  std::string out;
  out.reserve(json.size());
  for (const char c : json) {
    if (c == '<')
      out += "\\u003c";
    else
      out += c;
  }
  return out;
}

// A part of the page that was built before (page/README.md).
std::string part_of_page(const char* name) {
  return read_text_file((data_root() / "bench" / "report" / "page" / name).string());
}

}  // namespace

std::string report_html(const std::vector<Record>& records,
                        const std::vector<SimulationGroup>& simulations,
                        const std::vector<ClaimTable>& claims,
                        const std::vector<StudyTable>& tables, const std::string& title,
                        const nlohmann::ordered_json& earlier) {
  const std::string data = page_data(records, simulations, claims, tables, title, earlier)
                               .dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
  return fmt::format(
      "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
      "<meta name=\"viewport\" content=\"width=device-width\">\n<title>{}</title>\n"
      "<style>{}</style>\n</head>\n<body>\n<noscript>A script in this page draws the report: "
      "allow scripts for this file.</noscript>\n"
      "<script type=\"application/json\" id=\"perp-data\">{}</script>\n<script>{}</script>\n"
      "</body>\n</html>\n",
      escape(title), part_of_page("page.css"), within_script(data), part_of_page("page.js"));
}

}  // namespace perp
