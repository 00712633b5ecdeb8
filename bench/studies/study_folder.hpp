// The folder of a study's results: to which study it belongs, and its small JSON files.
#pragma once

#include <nlohmann/json.hpp>
#include <perp/bench/studies/study.hpp>
#include <string>

namespace perp {

/// How to run a study.
struct StudyRequest {
  std::string folder;
  int shard = 1, shards = 1;  ///< jobs and simulations are dealt out in turn
  bool resume = false;        ///< keep existing results and run what is missing
  bool overwrite = false;     ///< replace the results of an earlier run of a study
};

/// Makes the folder one of this study and writes its study.json. The folder may be empty or
/// missing. With `resume` it may hold an earlier run of this study, which is continued. With
/// `overwrite` it may hold a run of any study, whose files are removed.
/// @throws InputError if it holds something else, an earlier run without `resume` or `overwrite`,
/// or with `resume` what check_study_folder refuses
void claim_study_folder(const Study& study, const StudyRequest& request);

/// @throws InputError if the folder holds another study, or this one run with `quick` although the
/// study is whole, or the other way round, or has no study.json.
void check_study_folder(const Study& study, const std::string& folder);

/// A JSON file of the folder; null if there is none, discarded if it is broken.
nlohmann::ordered_json study_document(const std::string& path);

/// Writes such a file. @throws InputError if its folder cannot be made or the file cannot be
/// written
void write_study_document(const std::string& path, const nlohmann::ordered_json& value);

}  // namespace perp
