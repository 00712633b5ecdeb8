// The folder of a study's results: whose it is, and its small JSON files.
#pragma once

#include <nlohmann/json.hpp>
#include <perp/bench/studies/study.hpp>
#include <string>

namespace perp {

struct StudyRequest {
  std::string folder;
  int shard = 1, shards = 1;  ///< processes and simulations are dealt out in turn
  bool resume = false;        ///< keep what is there and run what is missing
  bool overwrite = false;     ///< replace what an earlier run of a study left there
};

/// Makes the folder one of this study: it is empty or missing, or holds an earlier run of it that
/// is gone on with, or of any study whose files then go. Writes its study.json.
/// @throws InputError: it holds something else, or an earlier run that the request does not speak
/// of
void claim_study_folder(const Study& study, const StudyRequest& request);

/// A JSON file of the folder; null if there is none, discarded if it is broken.
nlohmann::ordered_json study_document(const std::string& path);

/// @throws InputError: its folder cannot be made, or the file not written
void write_study_document(const std::string& path, const nlohmann::ordered_json& value);

}  // namespace perp
