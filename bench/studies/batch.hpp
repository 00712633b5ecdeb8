// A study in many processes: as an array job of Slurm, or by GNU parallel.
#pragma once

#include <string>

namespace perp {

/// What every task is to do.
struct BatchRequest {
  std::string study;   ///< a name, or the path of a study file
  std::string folder;  ///< of the results, which all tasks see
  int tasks = 1;
  bool quick = false, resume = false, overwrite = false;
};

/// Writes FOLDER/slurm.sh, an array job whose task I runs shard I/N of the study, submits it, and
/// submits the job that judges the claims and writes the report once all tasks have ended, however
/// they did. A task that is requeued goes on where it stopped. Options of sbatch come from its own
/// environment (SBATCH_PARTITION, SBATCH_TIMELIMIT, ...). @return what sbatch calls the two jobs
/// @throws InputError: sbatch cannot be run or refuses, the folder cannot be written or holds an
/// earlier run that neither `resume` nor `overwrite` speaks of
std::string submit_to_slurm(const BatchRequest& request);

/// Runs the shards by GNU parallel, as many at a time as it sees fit (or PARALLEL says), and waits
/// for them. @throws InputError as above, and if a shard fails
void run_in_parallel(const BatchRequest& request);

}  // namespace perp
