// Every reader of perp, as something that takes any bytes.
#pragma once

#include <stdexcept>
#include <string_view>
#include <vector>

namespace perp::fuzz {

/// What no input may cause: the text says which promise was broken.
class BrokenPromise : public std::logic_error {
 public:
  using std::logic_error::logic_error;
};

struct Reader {
  std::string_view name;
  /// Reads the bytes as a file of its format. A refusal is an answer like any other, if it is one
  /// line that can be read and names the file; what was accepted must keep its promises: it can be
  /// judged, written, and read again. @throws BrokenPromise, and whatever the reader should not.
  void (*take)(std::string_view bytes);
};

const std::vector<Reader>& readers();

/// @throws std::invalid_argument if there is no such reader
const Reader& find_reader(std::string_view name);

}  // namespace perp::fuzz
