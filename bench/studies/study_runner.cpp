#include <perp/bench/studies/study_runner.hpp>

#include <fmt/format.h>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <perp/bench/comparison/history.hpp>
#include <perp/bench/data/data_files.hpp>
#include <perp/bench/data/scenes.hpp>
#include <perp/bench/harness/solvers.hpp>
#include <perp/bench/peers/catalogue.hpp>
#include <perp/bench/processes/command.hpp>
#include <perp/bench/processes/interrupt.hpp>
#include <perp/bench/report/html.hpp>
#include <perp/bench/simulation/run_folder.hpp>
#include <perp/bench/simulation/simulation.hpp>
#include <perp/bench/studies/evidence.hpp>
#include <perp/bench/studies/judge.hpp>
#include <perp/bench/studies/study_folder.hpp>
#include <perp/bench/studies/table.hpp>
#include <perp/problems/io/files.hpp>

namespace perp {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

namespace {

std::string own_program() { return program_file().string(); }

class StudyRunner {
 public:
  StudyRunner(const Study& study, const StudyRequest& request, const StudyProgress& progress)
      : study_(study), request_(request), progress_(progress) {}

  StudySummary run() {
    const InterruptGuard guard;
    check_names();
    claim_study_folder(study_, request_);
    for (const StudyRun& run : study_.runs) {
      if (summary_.interrupted == 0) solve(run);
    }
    for (const StudyFigure& figure : study_.figures) {
      const std::string folder = simulation_folder(request_.folder, figure.group);
      write_study_document((fs::path(folder) / "figure.json").string(), Json::parse(figure.json));
    }
    for (std::size_t k = 0; k < study_.simulations.size(); ++k) {
      if (static_cast<int>(k % static_cast<std::size_t>(request_.shards)) != request_.shard - 1)
        continue;
      if (summary_.interrupted == 0) simulate(study_.simulations[k]);
    }
    return summary_;
  }

 private:
  // A study that names what does not exist must not take its folder.
  void check_names() const {
    for (const StudyRun& run : study_.runs) {
      try {
        check_solvers(run.request.solvers, run.request.settings);
        for (const std::string& suite : run.suites) {
          if (!is_suite(suite) && !fs::exists(suite)) collect_instances(suite, true);  // says why
        }
      } catch (const std::exception& error) {
        throw InputError(fmt::format("{}: run {}: {}", study_.path, run.name, error.what()));
      }
    }
    for (const StudySimulation& s : study_.simulations) {
      program_for(s);
      try {
        check(s);
      } catch (const std::exception& error) {
        throw InputError(fmt::format("{}: simulation {}: {}", study_.path, s.folder, error.what()));
      }
    }
  }

  // Engines have no formulation and no solver of perp.
  static void check(const StudySimulation& s) {
    const Scene scene = load_scene(s.scene, s.parameters);
    if (!s.engine.empty()) return;
    check_solvers({s.solver}, s.settings);
    SimulationRequest request;
    request.formulation = s.formulation;
    if (!s.driver.empty()) request.driver = driver_from(s.driver);
    request.solve.solver = s.solver;
    request.solve.make = make_any_solver;
    expect_possible(scene, request);
  }

  void solve(const StudyRun& run) {
    BenchRequest request = run.request;
    for (const std::string& suite : run.suites) {
      for (Instance& instance : collect_instances(suite, run.quick_entries))
        request.instances.push_back(std::move(instance));
    }
    summary_.interrupted = interrupt_signal();
    if (summary_.interrupted != 0) return;
    const std::vector<std::string> keys = run_keys(request);
    write_study_document(keys_file(request_.folder, run.name), {{"format", "perp-study-run"},
                                                                {"version", 1},
                                                                {"name", run.name},
                                                                {"plan", plan_of(run)},
                                                                {"keys", keys}});
    progress_(fmt::format("{}: {} solves", run.name, keys.size()));
    request.folder = request_.folder;
    request.shard = request_.shard;
    request.shards = request_.shards;
    request.resume = true;
    const BenchSummary done = run_benchmark(request, {});
    summary_.solves += done.runs;
    summary_.solves_skipped += done.skipped;
    summary_.interrupted = done.interrupted;
  }

  std::string program_for(const StudySimulation& s) const {
    if (s.engine.empty()) return own_program();
    const fs::path engine = fs::path(own_program()).parent_path() / ("perp-engine-" + s.engine);
    if (fs::exists(engine)) return engine.string();
    throw InputError(fmt::format("{}: the engine {} is not built (docs/reference/peers.md)",
                                 study_.path, s.engine));
  }

  void simulate(const StudySimulation& s) {
    const std::string program = program_for(s);
    const std::string folder = simulation_folder(request_.folder, s.folder);
    Json how{{"format", "perp-study-simulation"}, {"version", 1}};
    how.update(plan_of(s));
    how["program"] = hash_text(read_text_file(program));
    const std::string note = note_file(request_.folder, s.folder);
    if (state_of_simulation(folder) == SimulationState::kWhole && study_document(note) == how) {
      ++summary_.simulations_skipped;
      return;
    }
    progress_(s.folder);
    Json begun = how;
    begun["program"] =
        "";  // so that an older simulation there is no evidence if this one is killed
    write_study_document(note, begun);
    std::vector<std::string> words{program};
    if (s.engine.empty()) words.emplace_back("simulate");
    words.push_back(s.scene);
    words.insert(words.end(), s.arguments.begin(), s.arguments.end());
    words.insert(words.end(), {"--record", folder});
    if (s.engine.empty()) words.insert(words.end(), {"--record-problems", "none"});
    for (std::string& word : words) word = shell_word(word);
    const std::string command = fmt::format("{}", fmt::join(words, " "));
    const ChildReport report = Command("exec " + command).run("", 0.0);
    summary_.interrupted = interrupt_signal();
    if (summary_.interrupted != 0) return;
    if (report.end != ChildReport::End::kExited || report.code > 1) {
      throw InputError(
          fmt::format("{}: simulation {} cannot be run: {}", study_.path, s.folder, command));
    }
    write_study_document(note, how);
    ++summary_.simulations;
  }

  const Study& study_;
  const StudyRequest& request_;
  const StudyProgress& progress_;
  StudySummary summary_;
};

}  // namespace

StudySummary run_study(const Study& study, const StudyRequest& request,
                       const StudyProgress& progress) {
  return StudyRunner(study, request, progress).run();
}

std::vector<Record> study_records(const Study& study, const std::string& folder) {
  return Evidence(study, folder).all_records();
}

std::vector<ClaimTable> report_study(const Study& study, const std::string& folder) {
  check_study_folder(study, folder);
  const Evidence evidence(study, folder);
  std::vector<ClaimTable> tables;
  for (const ClaimTableRule& rules : study.claims) {
    tables.push_back(judge(rules, evidence));
    Json claims = Json::array();
    for (const Claim& c : tables.back().claims) {
      claims.push_back({{"claim", c.claim},
                        {"experiment", c.experiment},
                        {"measured", c.measured},
                        {"verdict", c.verdict}});
    }
    write_study_document((fs::path(folder) / "claims" / (rules.name + ".json")).string(),
                         {{"format", "perp-claims"},
                          {"version", 1},
                          {"title", rules.title},
                          {"caption", rules.caption},
                          {"claims", claims}});
  }
  for (const TableRule& rule : study.tables) {
    const StudyTable table = make_table(rule, evidence);
    write_study_document((fs::path(folder) / "tables" / (rule.name + ".json")).string(),
                         {{"format", "perp-table"},
                          {"version", 1},
                          {"name", table.name},
                          {"title", table.title},
                          {"caption", table.caption},
                          {"head", table.head},
                          {"rows", table.rows},
                          {"missing", table.missing}});
  }
  // What an older text of the study has left there is no part of it.
  const std::vector<Record> records = evidence.all_records();
  std::vector<std::string> simulations;
  for (const StudySimulation& s : study.simulations)
    simulations.push_back(simulation_folder(folder, s.folder));
  write_text_file(
      (fs::path(folder) / "report.html").string(),
      report_html(records, read_simulations(simulations), read_claims({folder}),
                  read_tables({folder}), study.title,
                  history_json(records, published_runs(study.quick ? "" : study.name))));
  return tables;
}

}  // namespace perp
