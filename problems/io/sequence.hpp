// Problems that follow each other, one file: perp-sequence (docs/reference/formats.md).
#pragma once

#include <cstdint>
#include <fstream>
#include <optional>
#include <perp/problems/json/json.hpp>
#include <perp/problems/standard/problem.hpp>
#include <string>
#include <vector>

namespace perp {

/// True for names that end in ".jsonl" or ".jsonl.gz".
bool is_sequence_file(const std::string& path);

/// Reads all problems of a sequence. Every line is completed by the header's "shared" fields. A
/// last line without its end, which a killed program leaves behind, is dropped.
/// @throws InputError naming file, line, field and fault.
std::vector<Problem> read_sequence(const std::string& path);

/// One problem of a sequence, as FILE.jsonl:17 names it.
struct SequencePlace {
  std::string file;  ///< the sequence
  int position = 0;  ///< among the problems, from 1
};
/// Nothing if the path is no sequence with a colon behind it, or if a file has this very name.
/// @throws InputError if behind the colon there is no integer from 1 on.
std::optional<SequencePlace> sequence_place(const std::string& path);

/// Reads this problem alone; other lines are not looked at. If it has no name, it is called after
/// the file and the position: steps-17. @throws InputError naming file, line, field and fault.
Problem read_sequence_problem(const SequencePlace& place);

/// Writes a sequence line by line; what is written stays readable when the program is killed.
class SequenceWriter {
 public:
  /// @param source where the problems come from: an object
  /// @throws InputError if the file cannot be written
  SequenceWriter(const std::string& path, const std::string& name, const json::Value& source);
  /// Writes the next problem; one that cannot be written whole is taken out again. @throws
  /// InputError if the file cannot be written
  void add(const Problem& problem);

 private:
  void write(const std::string& text);

  std::ofstream file_;
  std::string path_;
  std::uintmax_t whole_ = 0;  // bytes of whole lines
};

/// The whole text of a sequence of problems.
std::string sequence_to_text(const std::string& name, const json::Value& source,
                             const std::vector<Problem>& problems);

}  // namespace perp
