// Reads given places of HDF5 files, such that no file can harm the program, and makes new HDF5
// files in memory.
#pragma once

#include <memory>
#include <perp/problems/matrix/matrix.hpp>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace perp {

/// A place in an HDF5 file, and the kind of data that is expected there.
struct Hdf5Place {
  enum class Kind : char { kGroup, kNumbers, kIntegers, kText };
  std::string path;
  Kind kind;
};

/// What was found at a place.
struct Hdf5Data {
  bool present = false;
  std::string fault;  ///< why it cannot be read; empty if it can
  Vector numbers;
  Eigen::VectorXi integers;
  std::string text;
};

/// Reads the places, in their order, from a file's bytes.
///
/// A damaged file can crash the HDF5 library, or keep it busy for ever. So the library runs in a
/// separate process with limits on time and memory; that process sends what it found through a
/// pipe. It reads no more than the file holds: a dataset whose declared size is larger than its
/// stored bytes is refused before memory is allocated for it. External files, links of every kind
/// and virtual datasets are refused too, because they lead out of the file. Only the filters that
/// are built into the library are used; none is loaded.
/// @param file name of the file, for messages
/// @return one element for each place
/// @throws InputError if it is no HDF5 file, if the library fails on it or exceeds its limits, or
/// if perp was built without the library
std::vector<Hdf5Data> read_hdf5(std::string_view bytes, std::span<const Hdf5Place> places,
                                const std::string& file);

/// Writes groups and datasets by their paths into a file in memory.
class Hdf5Writer {
 public:
  /// @throws std::invalid_argument if perp was built without HDF5.
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
