// Suites: lists of instances as files.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <perp/problems/standard/problem.hpp>
#include <string>
#include <vector>

namespace perp {

/// Licence of a stored file as given in the entry of the suite; members may be empty.
struct Licence {
  std::string name;    ///< SPDX identifier
  std::string text;    ///< path of the file that holds the licence
  std::string origin;  ///< source of the files and what was changed, one line
};

/// An instance that can be loaded or generated when it is needed.
struct Instance {
  std::string suite;
  std::string source = "";  ///< the text from which it was collected: a suite, a file or a folder
  std::string name = "";
  std::string path;    ///< of a file; empty for a member of a family or a step of a scene
  std::string family;  ///< empty for a file
  int size = 0;
  std::uint64_t seed = 0;
  std::map<std::string, double> parameters;
  std::string hash;  ///< hash of the file's bytes, or of the request to the generator
  std::shared_ptr<const Problem> made;  ///< of a sequence or scene: the problem itself
  std::string
      sequence;  ///< name of its sequence, whose problems follow each other in lists; empty if none
  int position = 0;         ///< in the sequence, from 1; 0 if in none
  std::string member = "";  ///< name, for a family with named members
  Licence licence = {};     ///< of a file

  /// Reads or generates the problem. @throws InputError if that fails
  Problem load() const;
};

/// A suite that comes with perp.
struct Suite {
  std::string name, description, path;
};

/// The suites in problems/suites, sorted by name.
std::vector<Suite> list_suites();

/// Instances of a suite (by name or file), a problem file or sequence, or a folder of such files
/// (recursively). Scenes are simulated here; their steps form a sequence.
/// @param quick leaves out entries of tier "full"
/// @param notes gets remarks on the instances for the user, one line each; may be null
/// @throws InputError if `what` or a file is wrong
std::vector<Instance> collect_instances(const std::string& what, bool quick,
                                        std::vector<std::string>* notes = nullptr);

/// Checks a suite file as collect_instances() does, but does not read its problem files or simulate
/// its scenes. @throws InputError if it is wrong
void check_suite(const std::string& path);

/// Whether `what` is the name of a suite or a suite file.
bool is_suite(const std::string& what);

/// Hash of the text: 64-bit FNV-1a as 16 hexadecimal digits.
std::string hash_text(std::string_view text);

}  // namespace perp
