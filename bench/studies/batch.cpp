#include <perp/bench/studies/batch.hpp>

#include <fmt/format.h>
#include <cctype>
#include <filesystem>
#include <perp/bench/data/data_files.hpp>
#include <perp/bench/processes/command.hpp>
#include <perp/problems/io/files.hpp>
#include <perp/problems/json/json.hpp>

namespace perp {

namespace fs = std::filesystem;

namespace {

std::string own_program_word() {
  const fs::path program = program_file();
  return shell_word(program.empty() ? std::string("perp") : program.string());
}

// The absolute path, because tasks may start in another folder.
std::string whole_path(const std::string& path) { return fs::absolute(path).lexically_normal(); }

std::string study_command(const Study& study, const StudyRequest& request) {
  return fmt::format("{} study {}{} -o {}", own_program_word(), shell_word(whole_path(study.path)),
                     study.quick ? " --quick" : "", shell_word(whole_path(request.folder)));
}

// Command for one shard; its number is a word of the shell. The folder is claimed before, so tasks
// use --resume: they may find files of other tasks or of the scheduler in it.
std::string shard_command(const Study& study, const StudyRequest& request, int tasks,
                          const std::string& shard) {
  return fmt::format("{} --shard {}/{} --resume", study_command(study, request), shard, tasks);
}

// An --output= for sbatch, in which % marks a placeholder, so that % is doubled.
std::string output_option(const fs::path& folder, const std::string& name) {
  std::string text;
  for (const char c : folder.string()) text += c == '%' ? std::string("%%") : std::string(1, c);
  return shell_word("--output=" + text + "/" + name);
}

void require_program(const std::string& name) {
  const ChildReport report = Command("command -v " + name).run("", 0.0);
  if (report.end != ChildReport::End::kExited || report.code != 0)
    throw InputError(fmt::format("{}: is not installed, or not on the PATH", name));
}

// Runs a command and returns its output. @param name for messages @throws InputError if it fails
std::string output_of(const std::string& command, const std::string& name) {
  const ChildReport report = Command(command).run("", 0.0);
  if (report.end != ChildReport::End::kExited || report.code != 0)
    throw InputError(fmt::format("{}: failed with code {}: {}", name, report.code, command));
  std::string output = report.output;
  while (output.ends_with('\n')) output.pop_back();
  return output;
}

}  // namespace

std::string submit_to_slurm(const Study& study, const StudyRequest& request, int tasks) {
  require_program("sbatch");
  claim_study_folder(study, request);
  const fs::path folder = whole_path(request.folder);
  const std::string script = (folder / "slurm.sh").string();
  std::string title = "perp-";  // a name that needs no quotes
  for (const char c : study.name) title += std::isalnum(static_cast<unsigned char>(c)) ? c : '-';
  write_text_file(
      script,
      fmt::format("#!/bin/sh\n"
                  "#SBATCH --job-name={}\n"
                  "#SBATCH --array=1-{}\n"
                  "#SBATCH --requeue\n"
                  "exec {}\n",
                  title, tasks, shard_command(study, request, tasks, "\"$SLURM_ARRAY_TASK_ID\"")));
  const std::string output = output_option(folder, "slurm-%a.txt");
  const std::string job =
      output_of(fmt::format("sbatch --parsable {} {}", output, shell_word(script)), "sbatch");
  const std::string id = job.substr(0, job.find(';'));  // the text after it is the cluster
  const std::string report =
      output_of(fmt::format("sbatch --parsable --dependency=afterany:{} --job-name={}-report {} "
                            "--wrap {}",
                            id, title, output_option(folder, "slurm-report.txt"),
                            shell_word(study_command(study, request) + " --report")),
                "sbatch");
  return fmt::format("job {}: {} tasks of {}; job {} writes the report once they have ended", id,
                     tasks, study.name, report.substr(0, report.find(';')));
}

void run_in_parallel(const Study& study, const StudyRequest& request, int tasks) {
  require_program("parallel");
  claim_study_folder(study, request);
  std::string numbers;
  for (int task = 1; task <= tasks; ++task) numbers += fmt::format(" {}", task);
  output_of(fmt::format("parallel --halt soon,fail=1 --line-buffer {} :::{} >&2",
                        shell_word(shard_command(study, request, tasks, "{}")), numbers),
            "parallel");
}

}  // namespace perp
