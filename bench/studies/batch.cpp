#include <perp/bench/studies/batch.hpp>

#include <fmt/format.h>
#include <cctype>
#include <filesystem>
#include <perp/bench/processes/command.hpp>
#include <perp/problems/io/files.hpp>
#include <perp/problems/json/json.hpp>

namespace perp {

namespace fs = std::filesystem;

namespace {

std::string own_program() {
  std::error_code error;
  const fs::path program = fs::read_symlink("/proc/self/exe", error);
  return shell_word(error ? std::string("perp") : program.string());
}

// Tasks may begin in another folder.
std::string whole_path(const std::string& path) { return fs::absolute(path).lexically_normal(); }

std::string study_command(const BatchRequest& r) {
  const std::string study = fs::is_regular_file(r.study) ? whole_path(r.study) : r.study;
  return fmt::format("{} study {}{} -o {}", own_program(), shell_word(study),
                     r.quick ? " --quick" : "", shell_word(whole_path(r.folder)));
}

// Of one shard; its number is a word for the shell that runs it.
std::string shard_command(const BatchRequest& r, const std::string& shard) {
  return fmt::format("{} --shard {}/{} {}", study_command(r), shard, r.tasks,
                     r.overwrite ? "--overwrite" : "--resume");
}

void claim_folder(const BatchRequest& r) {
  std::error_code error;
  fs::create_directories(r.folder, error);
  if (error) throw InputError(fmt::format("{}: cannot be created ({})", r.folder, error.message()));
  if (fs::exists(fs::path(r.folder) / "study.json") && !r.resume && !r.overwrite)
    throw InputError(
        fmt::format("{}: holds a run of a study; --resume goes on with it, "
                    "--overwrite replaces it",
                    r.folder));
}

// The output of a program that is to succeed. @param name for messages
std::string output_of(const std::string& command, const std::string& name) {
  const ChildReport report = Command(command).run("", 0.0);
  if (report.end == ChildReport::End::kExited && report.code == 127)
    throw InputError(fmt::format("{}: is not installed, or not on the PATH", name));
  if (report.end != ChildReport::End::kExited || report.code != 0)
    throw InputError(fmt::format("{}: failed with code {}: {}", name, report.code, command));
  std::string output = report.output;
  while (output.ends_with('\n')) output.pop_back();
  return output;
}

}  // namespace

std::string submit_to_slurm(const BatchRequest& r) {
  claim_folder(r);
  const fs::path folder = whole_path(r.folder);
  const std::string script = (folder / "slurm.sh").string();
  const std::string name = fs::path(r.study).stem().string();
  std::string title = "perp-";  // a name that sbatch takes without quotes
  for (const char c : name) title += std::isalnum(static_cast<unsigned char>(c)) ? c : '-';
  write_text_file(script,
                  fmt::format("#!/bin/sh\n"
                              "#SBATCH --job-name={}\n"
                              "#SBATCH --array=1-{}\n"
                              "#SBATCH --requeue\n"
                              "exec {}\n",
                              title, r.tasks, shard_command(r, "\"$SLURM_ARRAY_TASK_ID\"")));
  const std::string output = shell_word("--output=" + (folder / "slurm-%a.txt").string());
  const std::string job =
      output_of(fmt::format("sbatch --parsable {} {}", output, shell_word(script)), "sbatch");
  const std::string id = job.substr(0, job.find(';'));  // behind it is the cluster
  const std::string report_output =
      shell_word("--output=" + (folder / "slurm-report.txt").string());
  const std::string report =
      output_of(fmt::format("sbatch --parsable --dependency=afterany:{} --job-name={}-report {} "
                            "--wrap {}",
                            id, title, report_output, shell_word(study_command(r) + " --report")),
                "sbatch");
  return fmt::format("job {}: {} tasks of {}; job {} writes the report once they have ended", id,
                     r.tasks, r.study, report.substr(0, report.find(';')));
}

void run_in_parallel(const BatchRequest& r) {
  claim_folder(r);
  std::string numbers;
  for (int task = 1; task <= r.tasks; ++task) numbers += fmt::format(" {}", task);
  output_of(fmt::format("parallel --halt soon,fail=1 --line-buffer {} :::{} >&2",
                        shell_word(shard_command(r, "{}")), numbers),
            "parallel");
}

}  // namespace perp
