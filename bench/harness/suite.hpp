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

/// Whose a stored file is, as the entry of the suite tells it; empty where it does not.
struct Licence {
  std::string name;    ///< SPDX identifier
  std::string text;    ///< path of the file that holds the licence
  std::string origin;  ///< where the files come from and what was changed, one line
};

/// An instance that can be loaded or generated when it is needed.
struct Instance {
  std::string suite;
  std::string name;
  std::string path;    ///< of a file; empty for a member of a family or a step of a scene
  std::string family;  ///< empty for a file
  int size = 0;
  std::uint64_t seed = 0;
  std::map<std::string, double> parameters;
  std::string hash;                     ///< of the file's bytes, or of the generator's request
  std::shared_ptr<const Problem> made;  ///< of a sequence or scene: the problem itself
  std::string sequence;                 ///< which it belongs to; its problems are neighbours
  int position = 0;                     ///< in the sequence, from 1; 0: in none
  std::string member = "";              ///< of a family with named members
  Licence licence = {};                 ///< of a file

  Problem load() const;
};

struct Suite {
  std::string name, description, path;
};

/// The suites in problems/suites, by name.
std::vector<Suite> list_suites();

/// Instances of a suite's name, a suite file, a problem file or sequence, or a folder of such files
/// (recursively). Steps of scenes are simulated here; they are a sequence like that of a file.
/// @param quick leaves out entries of tier "full"
/// @param notes gets what the user should know of the instances, one line each; or null
/// @throws InputError
std::vector<Instance> collect_instances(const std::string& what, bool quick,
                                        std::vector<std::string>* notes = nullptr);

/// Reads a suite file as collect_instances does, but for the problems in its files and the steps of
/// its scenes. @throws InputError
void check_suite(const std::string& path);

/// Whether that names a suite or a suite file.
bool is_suite(const std::string& what);

/// 64-bit FNV-1a as 16 hexadecimal digits.
std::string hash_text(std::string_view text);

}  // namespace perp
