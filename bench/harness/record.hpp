// Run records: the result of one solve of the benchmark
// (problems/io/schema/perp-record.schema.json).
#pragma once

#include <map>
#include <string>
#include <vector>

namespace perp {

/// The parts of a record that reports need.
struct Record {
  std::string key, suite, instance, instance_hash, kind, family, solver, outcome, claimed, message;
  std::string version, program_hash, cpu, system, compiler, settings;
  std::string worst;     ///< row of the largest residual, in words; "" if solved or not known
  std::string label;     ///< text added to the solver's name; may be ""
  std::string source;    ///< what was given to perp bench: suite, file, folder; "" if not known
  std::string given;     ///< the solver as it was given, if that is not its name; else ""
  std::string plugin;    ///< libraries of plug-ins in the solver; ""
  std::string imported;  ///< Python files, run by --import, of methods in the solver; ""
  std::string sequence;  ///< name of its sequence; "" if it is in none
  std::string mode = "zero";  ///< the start: "zero", "stored" or "warm"
  int n = 0, contacts = 0, size = 0, cores = 0, position = 0;
  std::string certificate;  ///< type of the certificate that was checked; "" if none
  bool uses_start = true;   ///< false: there was a start, but the solver did not use it
  bool vacuous = false;     ///< the projection of 0 or of the start solves the problem already
  bool own_times = false;   ///< the times were reported by the program itself
  double tolerance = 0.0;
  double asked = 0.0;         ///< tolerance given to the solver, at most `tolerance`
  double time_limit = 0.0;    ///< s; 0 if not known
  double memory_limit = 0.0;  ///< MB; 0 if not known
  double natural = 0.0;       ///< measure of the residual by the verifier
  int iterations = 0;
  double total = 0.0;  ///< s; setup and solve, from the problem in memory to the answer
  double setup = 0.0, solve = 0.0, wall = 0.0, peak_memory_mb = 0.0;
  std::vector<double> repeats;  ///< s; setup and solve of every run that counts; may be empty
  double llt = 0.0;             ///< s; see times.llt in the schema; NaN if not measured
  int failed_repeats = 0;       ///< repeats that did not end like the run that counts
  double written = 0.0;         ///< s since 1970; 0 if not known
  std::map<std::string, double> statistics;
};

/// Whether the path is a file of run records, or a folder with such files (*.jsonl, *.jsonl.gz).
bool holds_records(const std::string& path);

/// Reads single files and all record files in folders, in order. If there are several records of a
/// run, the one that was written last counts: see one_each(). @throws InputError with file and line
/// if that fails
std::vector<Record> read_records(const std::vector<std::string>& paths);

}  // namespace perp
