// Runs a study in many processes: as an array job of Slurm, or by GNU parallel.
#pragma once

#include <perp/bench/studies/study_folder.hpp>
#include <string>

namespace perp {

/// Writes FOLDER/slurm.sh, an array job whose task I runs shard I/N of the study, and submits it.
/// Also submits the job that judges the claims and writes the report when all tasks have ended,
/// whether they succeeded or not. A task that is queued again goes on at the place where it
/// stopped. Options of sbatch come from its own environment variables (SBATCH_PARTITION,
/// SBATCH_TIMELIMIT, ...).
/// @return a line with the numbers of the two jobs
/// @throws InputError if sbatch is missing or refuses the job, or if the folder cannot be claimed
/// (claim_study_folder) or written
std::string submit_to_slurm(const Study& study, const StudyRequest& request, int tasks);

/// Runs the shards by GNU parallel and waits for them. GNU parallel, or its environment variable
/// PARALLEL, decides how many run at a time. @throws InputError as above, and if a shard fails
void run_in_parallel(const Study& study, const StudyRequest& request, int tasks);

}  // namespace perp
