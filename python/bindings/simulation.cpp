#include "python_formulations.hpp"

#include <chrono>
#include <perp/bench/harness/scene_problems.hpp>
#include <perp/bench/harness/solvers.hpp>
#include <perp/bench/simulation/recorder.hpp>
#include <perp/bench/simulation/simulation.hpp>

namespace perp::python {

namespace {

// Numbers that come step by step and end as one array.
struct Column {
  std::vector<double> values;

  void add(const double* first, int count) { values.insert(values.end(), first, first + count); }
  void add(double value) { values.push_back(value); }

  /// @param shape of one row
  py::array_t<double> take(std::vector<py::ssize_t> shape) {
    py::ssize_t size = 1;
    for (const py::ssize_t s : shape) size *= s;
    shape.insert(shape.begin(), size > 0 ? std::ssize(values) / size : 0);
    return py::array_t<double>(shape, values.data());
  }
};

// Everything that a run leaves, in columns.
class Trajectory {
 public:
  void add_state(const Scene& scene, const State& state) {
    time_.add(state.time);
    for (const BodyState& b : state.bodies) {
      position_.add(b.position.data(), 3);
      const Quaterniond& q = b.orientation;
      for (const double x : {q.w(), q.x(), q.y(), q.z()}) orientation_.add(x);
      velocity_.add(b.velocity.data(), 3);
      angular_velocity_.add(b.angular_velocity.data(), 3);
    }
    kinetic_.add(kinetic_energy(scene, state));
    potential_.add(potential_energy(scene, state));
  }

  void add_step(const StepReport& report) {
    add_state(*report.scene, report.result.state);
    solved_.push_back(report.solved);
    for (const ContactResult& c : report.result.contacts) {
      contact_step_.push_back(report.step);
      body_a_.push_back(c.contact.a);
      body_b_.push_back(c.contact.b);
      point_.add(c.contact.point.data(), 3);
      normal_.add(c.contact.normal.data(), 3);
      gap_.add(c.contact.gap);
      for (const double p : {c.p_n, c.p_t, c.p_o, c.p_r}) impulse_.add(p);
      slip_.add(c.slip);
      mode_.emplace_back(to_string(c.mode));
    }
    stages_.insert(stages_.end(), report.stages.begin(), report.stages.end());
  }

  py::dict take(const Scene& scene) {
    const py::ssize_t bodies = std::ssize(scene.bodies);
    py::dict d;
    d["time"] = time_.take({});
    d["position"] = position_.take({bodies, 3});
    d["orientation"] = orientation_.take({bodies, 4});
    d["velocity"] = velocity_.take({bodies, 3});
    d["angular_velocity"] = angular_velocity_.take({bodies, 3});
    d["kinetic"] = kinetic_.take({});
    d["potential"] = potential_.take({});
    d["solved"] = py::array(py::cast(solved_));
    d["contacts"] = contacts();
    d["stages"] = stages();
    return d;
  }

 private:
  py::dict contacts() {
    py::dict d;
    d["step"] = py::array_t<int>(std::ssize(contact_step_), contact_step_.data());
    d["body_a"] = py::array_t<int>(std::ssize(body_a_), body_a_.data());
    d["body_b"] = py::array_t<int>(std::ssize(body_b_), body_b_.data());
    d["point"] = point_.take({3});
    d["normal"] = normal_.take({3});
    d["gap"] = gap_.take({});
    d["impulse"] = impulse_.take({4});
    d["slip"] = slip_.take({});
    d["mode"] = mode_;
    return d;
  }

  py::list stages() const {
    py::list all;
    for (const StageReport& s : stages_) {
      py::dict d;
      d["step"] = s.step;
      d["time"] = s.time;
      d["stage"] = s.stage;
      d["solver"] = s.solver;
      d["status"] = to_string(s.status);
      d["measure"] = s.natural;
      d["iterations"] = s.iterations;
      d["setup_time"] = s.setup_time;
      d["solve_time"] = s.solve_time;
      d["unknowns"] = s.unknowns;
      d["contacts"] = s.contacts;
      all.append(std::move(d));
    }
    return all;
  }

  Column time_, position_, orientation_, velocity_, angular_velocity_, kinetic_, potential_;
  std::vector<bool> solved_;
  std::vector<int> contact_step_, body_a_, body_b_;
  Column point_, normal_, gap_, impulse_, slip_;
  std::vector<std::string> mode_;
  std::vector<StageReport> stages_;
};

// Ends a simulation at Ctrl-C.
class SignalWatch final : public Observer {
 public:
  bool on_iteration(const IterationRecord&) override {
    if (Raised::any()) return false;  // also when it is asked again
    const auto now = std::chrono::steady_clock::now();
    if (now < next_look_) return true;
    next_look_ = now + std::chrono::milliseconds(50);
    const py::gil_scoped_acquire gil;
    if (PyErr_CheckSignals() == 0) return true;
    try {
      throw py::error_already_set();
    } catch (...) {
      Raised::note();
    }
    return false;
  }

 private:
  std::chrono::steady_clock::time_point next_look_;
};

struct Options {
  std::string formulation, solver;
  double step, duration, tolerance, time_limit;
  std::string driver, record, problems;
  bool warm_start, keep_going;
  int halvings, threads, max_events;
};

SimulationRequest request_of(const Options& o, const Settings& settings) {
  SimulationRequest request;
  request.driver = driver_from(o.driver);
  request.formulation = o.formulation;
  request.make_formulation = make_formulation_for_python;
  request.solve.solver = o.solver;
  request.solve.make = make_any_solver;
  request.solve.limits = {at_least_zero(o.tolerance, "tolerance"), 0,
                          at_least_zero(o.time_limit, "time_limit"),
                          at_least_one(o.threads, "threads")};
  request.solve.settings = settings;
  request.step = at_least_zero(o.step, "step");
  request.duration = at_least_zero(o.duration, "duration");
  request.warm_start = o.warm_start;
  request.keep_going = o.keep_going;
  request.halvings = o.halvings;
  request.max_events = at_least_one(o.max_events, "max_events");
  return request;
}

py::dict run(const Scene& scene, const Options& o, const py::object& on_step,
             const Settings& settings) {
  SimulationRequest request = request_of(o, settings);
  if (request.formulation.empty()) request.formulation = default_formulation(scene);
  Trajectory trajectory;
  trajectory.add_state(scene, initial_state(scene));
  SignalWatch watch;
  request.observer = &watch;
  std::unique_ptr<SimulationRecorder> recorder;
  if (!o.record.empty()) {
    RecordRequest record;
    record.problems = ProblemSelection::parse(o.problems);
    record.origin = {request.formulation, o.solver, request.driver};
    recorder = std::make_unique<SimulationRecorder>(
        o.record, scene, record, make_formulation_for_python(record.origin.formulation)->columns());
    recorder->record_stages(request);
  }
  request.on_step = [&](const StepReport& report) {
    if (recorder) recorder->step(report);
    trajectory.add_step(report);
    if (on_step.is_none()) return !Raised::any();
    const py::gil_scoped_acquire gil;
    try {
      return goes_on(on_step(report.step, report.result.state), "on_step") && !Raised::any();
    } catch (...) {
      Raised::note();
      return false;
    }
  };
  Raised raised;
  SimulationSummary summary;
  {
    const py::gil_scoped_release release;
    summary = simulate(scene, request);
    if (recorder)
      recorder->summary(request, request.step > 0 ? request.step : scene.step, summary,
                        !summary.stopped);
  }
  raised.rethrow();
  py::dict d = trajectory.take(scene);
  d["steps"] = summary.steps;
  d["failed_steps"] = summary.failed_steps;
  d["relaxed_steps"] = summary.relaxed_steps;
  d["uncertified_steps"] = summary.uncertified_steps;
  d["halved_steps"] = summary.halved_steps;
  d["cut_short_steps"] = summary.cut_short_steps;
  d["approximate_steps"] = summary.approximate_steps;
  d["events"] = summary.events;
  d["iterations"] = summary.iterations;
  d["setup_time"] = summary.setup_time;
  d["solve_time"] = summary.solve_time;
  d["wall_time"] = summary.wall_time;
  d["stopped"] = summary.stopped;
  d["message"] = summary.message;
  d["final_state"] = summary.final_state;
  return d;
}

}  // namespace

void bind_simulation(py::module_& m) {
  m.def(
      "run_simulation",
      [](const Scene& scene, const std::string& formulation, const std::string& solver, double step,
         double duration, double tolerance, double time_limit, const std::string& driver,
         bool warm_start, bool keep_going, int halvings, int threads, int max_events,
         const std::string& record, const std::string& problems, const py::object& on_step,
         const py::kwargs& settings) {
        return run(scene,
                   {formulation, solver, step, duration, tolerance, time_limit, driver, record,
                    problems, warm_start, keep_going, halvings, threads, max_events},
                   on_step, settings_from(settings));
      },
      py::arg("scene"), py::arg("formulation"), py::arg("solver"), py::arg("step"),
      py::arg("duration"), py::arg("tolerance"), py::arg("time_limit"), py::arg("driver"),
      py::arg("warm_start"), py::arg("keep_going"), py::arg("halvings"), py::arg("threads"),
      py::arg("max_events"), py::arg("record"), py::arg("problems"), py::arg("on_step"));
  m.def(
      "scene_problems",
      [](const Scene& scene, const std::string& formulation, const std::string& solver, double step,
         double tolerance, int first, int last) {
        if (first < 1 || last < first)
          throw py::value_error("first, last: " + std::to_string(first) + ", " +
                                std::to_string(last) + " are no steps 1 <= first <= last");
        SceneProblemsRequest request;
        request.formulation = formulation;
        request.solver = solver;
        request.step = at_least_zero(step, "step");
        request.tolerance = at_least_zero(tolerance, "tolerance");
        request.first = first;
        request.last = last;
        request.make_formulation = make_formulation_for_python;
        SignalWatch watch;
        request.observer = &watch;
        Raised raised;
        SceneProblems made;
        {
          const py::gil_scoped_release release;
          made = scene_problems(scene, request);
        }
        raised.rethrow();
        if (made.unsolved_step > 0) {
          const std::string text = "step " + std::to_string(made.unsolved_step) +
                                   " could not be solved (" + made.why +
                                   "); the problems end there";
          if (PyErr_WarnEx(PyExc_RuntimeWarning, text.c_str(), 1) != 0)
            throw py::error_already_set();
        }
        std::vector<std::shared_ptr<Problem>> problems;
        for (Problem& p : made.problems)
          problems.push_back(std::make_shared<Problem>(std::move(p)));
        return problems;
      },
      py::arg("scene"), py::arg("formulation") = "", py::arg("solver") = "auto", py::kw_only(),
      py::arg("step") = 0.0, py::arg("tolerance") = 1e-10, py::arg("first") = 1,
      py::arg("last") = 1,
      "The problems of steps `first` to `last` of a simulation, each with its start, where it\n"
      "comes from and, if it was solved, the answer. A step that cannot be solved ends them with "
      "a\n"
      "RuntimeWarning.");
}

}  // namespace perp::python
