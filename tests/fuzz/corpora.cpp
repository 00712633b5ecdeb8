// Gives every file of the corpora to its reader: FOLDER/READER/FILE.
#include <exception>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>
#include <string>
#include "readers.hpp"

namespace fs = std::filesystem;

namespace {

std::string bytes_of(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

// @return how many files there were; -1 if one of them broke a promise
int take_all(const perp::fuzz::Reader& reader, const fs::path& folder) {
  int count = 0;
  bool broken = false;
  for (const auto& entry : fs::directory_iterator(folder)) {
    ++count;
    try {
      reader.take(bytes_of(entry.path()));
    } catch (const std::exception& error) {
      std::cout << entry.path().string() << ": " << error.what() << '\n';
      broken = true;
    }
  }
  return broken ? -1 : count;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2 || argc > 3) {
    std::cerr << "usage: perp_corpora FOLDER [READER]\n";
    return 2;
  }
  bool broken = false;
  for (const perp::fuzz::Reader& reader : perp::fuzz::readers()) {
    if (argc == 3 && reader.name != argv[2]) continue;
    const int count = take_all(reader, fs::path(argv[1]) / reader.name);
    broken |= count <= 0;  // a corpus without a file tests nothing
    std::cout << reader.name << ": " << (count < 0 ? "broken" : std::to_string(count) + " files")
              << '\n';
  }
  return broken ? 1 : 0;
}
