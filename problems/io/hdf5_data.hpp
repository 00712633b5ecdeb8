// HDF5 files: what they hold at given places, read so that no file can harm the program; and new
// ones made in memory.
#pragma once

#include <memory>
#include <perp/problems/matrix/matrix.hpp>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace perp {

/// A place in an HDF5 file and what is wanted of it.
struct Hdf5Place {
  enum class Kind : char { kGroup, kNumbers, kIntegers, kText };
  std::string path;
  Kind kind;
};

/// What was found there.
struct Hdf5Data {
  bool present = false;
  std::string fault;  ///< why it cannot be had; empty where it can
  Vector numbers;
  Eigen::VectorXi integers;
  std::string text;
};

/// Reads the places, in their order, from a file's bytes.
///
/// A damaged file can crash the HDF5 library, or keep it busy for ever. So the library runs in a
/// process of its own with limits of time and memory, which hands over what it found through a
/// pipe. Of a file it takes no more than the file holds: datasets whose declared size is more than
/// their stored bytes are refused before room is made for them, and so are external files, links
/// of every kind and virtual datasets, all of which lead out of the file. Filters are those of the
/// library; none is loaded.
/// @throws InputError where it is no HDF5 file, where the library fails on it, and where perp was
/// built without the library
std::vector<Hdf5Data> read_hdf5(std::string_view bytes, std::span<const Hdf5Place> places,
                                const std::string& file);

/// Writes groups and datasets by their paths into a file in memory.
class Hdf5Writer {
 public:
  /// @throws std::invalid_argument where perp was built without HDF5.
  Hdf5Writer();
  ~Hdf5Writer();

  void group(const std::string& path) const;
  void numbers(const std::string& path, std::span<const double> values) const;
  void integers(const std::string& path, std::span<const int> values) const;
  void integer(const std::string& path, int value) const { integers(path, {&value, 1}); }
  void text(const std::string& path, const std::string& value) const;
  /// The whole file.
  std::string bytes() const;

 private:
  struct File;
  std::unique_ptr<File> file_;
};

}  // namespace perp
