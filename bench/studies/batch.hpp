// A study in many processes: as an array job of Slurm, or by GNU parallel.
#pragma once

#include <perp/bench/studies/study_folder.hpp>
#include <string>

namespace perp {

/// Writes FOLDER/slurm.sh, an array job whose task I runs shard I/N of the study, submits it, and
/// submits the job that judges the claims and writes the report once all tasks have ended, however
/// they did. A task that is requeued goes on where it stopped. Options of sbatch come from its own
/// environment (SBATCH_PARTITION, SBATCH_TIMELIMIT, ...). @return what sbatch calls the two jobs
/// @throws InputError: sbatch is missing or refuses; the folder cannot be claimed
/// (claim_study_folder) or written
std::string submit_to_slurm(const Study& study, const StudyRequest& request, int tasks);

/// Runs the shards by GNU parallel, as many at a time as it sees fit (or PARALLEL says), and waits
/// for them. @throws InputError as above, and if a shard fails
void run_in_parallel(const Study& study, const StudyRequest& request, int tasks);

}  // namespace perp
