#include <perp/problems/io/braces.hpp>

#include <stdexcept>

namespace perp {

std::string fill_braces(const std::string& text,
                        const std::function<std::string(const std::string& inside)>& value) {
  std::string out;
  for (std::size_t at = 0; at < text.size();) {
    if (text[at] != '{') {
      out += text[at++];
      continue;
    }
    const std::size_t end = text.find('}', at);
    if (end == text.npos) throw std::invalid_argument("a '}' is missing");
    out += value(text.substr(at + 1, end - at - 1));
    at = end + 1;
  }
  return out;
}

}  // namespace perp
