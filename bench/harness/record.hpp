// Run records: what one solve of the benchmark left (problems/io/schema/perp-record.schema.json).
#pragma once

#include <map>
#include <string>
#include <vector>

namespace perp {

/// What a report needs of a record.
struct Record {
  std::string key, suite, instance, instance_hash, kind, family, solver, outcome, claimed, message;
  std::string version, program_hash, cpu, system, compiler, settings;
  std::string worst;          ///< row of the largest residual in words; "": solved, or not known
  std::string label;          ///< what is added to the solver's name; "": nothing
  std::string sequence;       ///< "": in none
  std::string mode = "zero";  ///< the start: "zero", "stored" or "warm"
  int n = 0, contacts = 0, size = 0, cores = 0, position = 0;
  std::string certificate;  ///< type of one that was checked; "": none
  bool uses_start = true;   ///< false: there was a start that the solver makes no use of
  bool vacuous = false;     ///< what was solved holds at the projection of 0 or of the start
  bool own_times = false;   ///< told by the program itself
  double tolerance = 0.0;
  double asked = 0.0;         ///< the tolerance that the solver was given, at most `tolerance`
  double time_limit = 0.0;    ///< s; 0: not known
  double memory_limit = 0.0;  ///< MB; 0: not known
  double natural = 0.0;       ///< the verifier's measure
  int iterations = 0;
  double total = 0.0;  ///< s, setup and solve together: from the problem in memory to the answer
  double setup = 0.0, solve = 0.0, wall = 0.0, peak_memory_mb = 0.0;
  std::vector<double> repeats;  ///< s, setup and solve of every run that counts; may be empty
  double llt = 0.0;             ///< s, see times.llt of the record; NaN where it was not measured
  std::map<std::string, double> statistics;
};

/// Whether a path is a file or a folder with run records (*.jsonl, *.jsonl.gz) in it.
bool holds_records(const std::string& path);

/// Reads every *.jsonl in folders (or single files); of records with the same key the last one
/// counts.
/// @throws InputError naming file and line.
std::vector<Record> read_records(const std::vector<std::string>& paths);

}  // namespace perp
