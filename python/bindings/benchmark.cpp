#include "bindings.hpp"

#include <pybind11/stl/filesystem.h>

#include <pthread.h>
#include <nlohmann/json.hpp>
#include <optional>
#include <perp/bench/cli/commands.hpp>
#include <perp/bench/data/data_files.hpp>
#include <perp/bench/harness/runner.hpp>
#include <perp/bench/harness/solvers.hpp>
#include <perp/bench/harness/suite.hpp>
#include <perp/bench/report/claims.hpp>
#include <perp/bench/report/html.hpp>
#include <perp/bench/report/simulations.hpp>
#include <perp/bench/report/tables.hpp>
#include <perp/bench/studies/study_runner.hpp>
#include <perp/problems/io/files.hpp>
#include <perp/problems/io/problem_json.hpp>
#include <set>
#include <utility>

namespace perp::python {

namespace {

// While one exists, forks of this thread take the interpreter along: the child of a benchmark may
// then call solvers written in Python. Without it the child would have a copy of the interpreter's
// lock that nobody gives back.
class ForkWithInterpreter {
 public:
  ForkWithInterpreter() {
    static const int once = pthread_atfork(&before, &in_parent, &in_child);
    (void)once;
    active_ = true;
  }
  ~ForkWithInterpreter() { active_ = false; }

 private:
  static void before() {
    if (!active_) return;
    held_ = new py::gil_scoped_acquire;
    PyOS_BeforeFork();
  }
  static void in_parent() {
    if (!active_) return;
    PyOS_AfterFork_Parent();
    delete std::exchange(held_, nullptr);
  }
  static void in_child() {
    if (!active_) return;
    PyOS_AfterFork_Child();  // the child keeps the lock to its end, with _exit
    held_ = nullptr;
    active_ = false;
  }

  static thread_local bool active_;
  static thread_local py::gil_scoped_acquire* held_;
};
thread_local bool ForkWithInterpreter::active_ = false;
thread_local py::gil_scoped_acquire* ForkWithInterpreter::held_ = nullptr;

void raise_if_interrupted(int signal) {
  if (signal == 0) return;
  PyErr_SetString(PyExc_KeyboardInterrupt, "the records that were written are whole");
  throw py::error_already_set();
}

std::vector<Instance> instances_from(const py::list& problems, bool quick) {
  std::vector<Instance> instances;
  std::set<std::string> functions;  // names of problems whose F is a Python function
  int number = 0;
  for (const py::handle item : problems) {
    ++number;
    if (py::isinstance<py::str>(item)) {
      for (Instance& i : collect_instances(item.cast<std::string>(), quick))
        instances.push_back(std::move(i));
      continue;
    }
    if (py::isinstance<Instance>(item)) {
      instances.push_back(item.cast<const Instance&>());
      continue;
    }
    Instance i;
    problem_from(item, "problems");
    i.made = item.cast<std::shared_ptr<Problem>>();
    i.suite = "python";
    i.name = i.made->name.empty() ? "problem-" + std::to_string(number) : i.made->name;
    const auto* mcp = std::get_if<Mcp>(&i.made->data);
    const bool by_name = mcp && !mcp->graph;  // F is a function: the name has to tell
    if (by_name && !functions.insert(i.name).second)
      throw py::value_error("problems: two whose F is a function are named \"" + i.name +
                            "\"; give them names of their own");
    i.hash = hash_text(by_name ? i.name : problem_to_text(*i.made));
    instances.push_back(std::move(i));
  }
  return instances;
}

}  // namespace

void bind_benchmark(py::module_& m) {
  py::class_<Instance>(m, "Instance", "A problem of a suite that is loaded when it is needed.")
      .def_readonly("suite", &Instance::suite)
      .def_readonly("name", &Instance::name)
      .def_readonly("family", &Instance::family)
      .def_readonly("size", &Instance::size)
      .def_readonly("seed", &Instance::seed)
      .def_readonly("sequence", &Instance::sequence)
      .def_readonly("position", &Instance::position)
      .def("load",
           [](const Instance& i) {
             const py::gil_scoped_release release;
             return std::make_shared<Problem>(i.load());
           })
      .def("__repr__",
           [](const Instance& i) { return "<perp.Instance " + i.suite + "/" + i.name + ">"; });
  m.def(
      "instances",
      [](const std::filesystem::path& what, bool quick) {
        const py::gil_scoped_release release;
        return collect_instances(what.string(), quick);
      },
      py::arg("what"), py::kw_only(), py::arg("quick") = false,
      "The instances of a suite, a suite file, a problem file or a folder. quick leaves out those\n"
      "of tier full.");
  m.def(
      "run_benchmark",
      [](const py::list& problems, const std::vector<std::string>& solvers,
         const std::string& folder, double tolerance, double time_limit, double memory_limit,
         int repeats, int jobs, const std::vector<std::string>& starts, bool quick, bool resume,
         bool overwrite, const std::string& label, const py::object& progress,
         const py::kwargs& settings) {
        BenchRequest request;
        request.instances = instances_from(problems, quick);
        request.solvers = solvers;
        request.folder = folder;
        request.tolerance = at_least_zero(tolerance, "tolerance");
        request.time_limit = at_least_zero(time_limit, "time_limit");
        request.memory_limit_mb = at_least_zero(memory_limit, "memory_limit");
        if (repeats < 1 || jobs < 1) throw py::value_error("repeats, jobs: must be at least 1");
        request.repeats = repeats;
        request.jobs = jobs;
        request.resume = resume;
        request.overwrite = overwrite;
        request.label = label;
        request.settings = settings_from(settings);
        request.starts.clear();
        for (const std::string& start : starts) request.starts.push_back(start_from(start));
        check_solvers(request.solvers, request.settings);
        const BenchProgress tell = [&](int done, int total, const std::string& instance,
                                       const std::string& solver, const std::string& outcome) {
          if (progress.is_none()) return;
          const py::gil_scoped_acquire gil;
          try {
            progress(done, total, instance, solver, outcome);
          } catch (...) {
            Raised::note();
          }
        };
        Raised raised;
        BenchSummary summary;
        {
          const ForkWithInterpreter fork;
          const py::gil_scoped_release release;
          summary = run_benchmark(request, tell);
        }
        raised.rethrow();
        raise_if_interrupted(summary.interrupted);
        return summary.records_file;
      },
      py::arg("problems"), py::arg("solvers"), py::arg("folder"), py::kw_only(),
      py::arg("tolerance"), py::arg("time_limit"), py::arg("memory_limit"), py::arg("repeats"),
      py::arg("jobs"), py::arg("starts"), py::arg("quick"), py::arg("resume"), py::arg("overwrite"),
      py::arg("label"), py::arg("progress"));
  m.def(
      "run_study",
      [](const std::string& name, const std::string& folder, bool quick, bool resume,
         bool overwrite) {
        StudyRequest request;
        request.folder = folder;
        request.resume = resume;
        request.overwrite = overwrite;
        StudySummary summary;
        {
          const ForkWithInterpreter fork;
          const py::gil_scoped_release release;
          const Study study = read_study(name, quick);
          summary = run_study(study, request, [](const std::string&) {});
          if (summary.interrupted == 0) report_study(study, folder);
        }
        raise_if_interrupted(summary.interrupted);
        return folder;
      },
      py::arg("name"), py::arg("folder"), py::kw_only(), py::arg("quick"), py::arg("resume"),
      py::arg("overwrite"));
  m.def(
      "write_report",
      [](const std::vector<std::string>& paths, const std::string& output,
         const std::string& title) {
        const py::gil_scoped_release release;
        std::vector<std::string> with_records;
        for (const std::string& path : paths) {
          if (holds_records(path) || !(holds_simulations(path) || holds_claims(path)))
            with_records.push_back(path);
        }
        write_text_file(output, report_html(read_records(with_records), read_simulations(paths),
                                            read_claims(paths), read_tables(paths), title,
                                            nlohmann::ordered_json::array()));
        return output;
      },
      py::arg("paths"), py::arg("output"), py::arg("title"));
  m.def(
      "run_command",
      [](std::vector<std::string> words) {
        words.insert(words.begin(), "perp");
        std::vector<char*> arguments;
        for (std::string& word : words) arguments.push_back(word.data());
        arguments.push_back(nullptr);
        const Raised raised;  // what solvers raise is told by the verb
        const ForkWithInterpreter fork;
        const py::gil_scoped_release release;
        return cli::run(static_cast<int>(words.size()), arguments.data());
      },
      py::arg("words"));
  m.def("set_places", [](const std::string& data, const std::string& program) {
    if (!data.empty()) set_data_root(data);
    if (!program.empty()) set_program_file(program);
  });
  m.def(
      "data_folder", [] { return data_root().string(); },
      "where suites, scenes, studies and schemas are read from");
}

}  // namespace perp::python
