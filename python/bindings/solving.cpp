#include "bindings.hpp"
#include "pickling.hpp"

#include <atomic>
#include <chrono>
#include <cmath>
#include <nlohmann/json.hpp>
#include <perp/bench/analysis/analysis.hpp>
#include <perp/bench/harness/dual_recovery.hpp>
#include <perp/bench/harness/solvers.hpp>
#include <perp/solvers/batch.hpp>
#include <perp/solvers/session.hpp>
#include <thread>

namespace perp::python {

namespace {

using Clock = std::chrono::steady_clock;

// Passes iterations on to Python, and looks every now and then for Ctrl-C.
class PythonObserver final : public Observer {
 public:
  explicit PythonObserver(const py::object& function) : function_(function) {}

  bool on_iteration(const IterationRecord& record) override {
    if (Raised::ends_call()) return false;
    const Clock::time_point now = Clock::now();
    if (function_.is_none() && now < next_look_) return true;
    next_look_ = now + kBetweenLooks;
    const py::gil_scoped_acquire gil;
    try {
      if (PyErr_CheckSignals() != 0) throw py::error_already_set();
      if (function_.is_none()) return true;
      return goes_on(function_(record), "observer");
    } catch (...) {
      Raised::note();
      return false;
    }
  }

 private:
  // As long as nobody who presses Ctrl-C notices, and far longer than it takes to look.
  static constexpr auto kBetweenLooks = std::chrono::milliseconds(50);
  const py::object& function_;
  Clock::time_point next_look_ = Clock::now() + kBetweenLooks;
};

// Ends all solves of a batch at Ctrl-C, which Python tells only the thread that called it, and if a
// function of Python raises, on whatever thread.
class BatchObserver final : public Observer {
 public:
  bool on_iteration(const IterationRecord& record) override {
    if (stopped_) return false;
    if (std::this_thread::get_id() == caller_ ? !watch_.on_iteration(record) : Raised::ends_call())
      stopped_ = true;
    return !stopped_;
  }

 private:
  const py::object nothing_ = py::none();
  PythonObserver watch_{nothing_};
  std::thread::id caller_ = std::this_thread::get_id();
  std::atomic<bool> stopped_ = false;
};

struct Options {
  std::string solver = "auto";
  double tolerance = 1e-8, time_limit = 0.0;
  int max_iterations = 0, threads = 1;
};

SolveRequest request_of(const Options& options, Settings settings) {
  SolveRequest request;
  request.solver = options.solver;
  at_least_zero(options.max_iterations, "max_iterations");
  request.limits = {at_least_zero(options.tolerance, "tolerance"), options.max_iterations,
                    at_least_zero(options.time_limit, "time_limit"),
                    at_least_one(options.threads, "threads")};
  request.settings = std::move(settings);
  request.make = make_any_solver;
  return request;
}

void expect_finite(const Vector& v, const std::string& name) {
  for (Eigen::Index i = 0; i < v.size(); ++i) {
    if (!std::isfinite(v[i]))
      throw py::value_error(name + ": entry " + std::to_string(i) + " is not finite");
  }
}

// A start may be an array, an earlier result, "zero" or None (the problem's own, if it has one).
void set_start(SolveRequest& request, const Problem& problem, const py::object& start,
               const py::object& dual) {
  request.start.reset();
  request.start_dual.reset();
  request.start_basis.reset();
  request.stored_start = true;
  const bool is_array =
      !start.is_none() && !py::isinstance<py::str>(start) && !py::isinstance<VerifiedResult>(start);
  if (!dual.is_none() && !is_array)
    throw py::value_error("start_dual: goes with an array as start");
  if (start.is_none()) return;
  if (py::isinstance<py::str>(start)) {
    const std::string word = start.cast<std::string>();
    if (word != "zero" && word != "stored")
      throw py::value_error("start: \"" + word + "\" is neither an array, zero nor stored");
    if (word == "stored" && !problem.start)
      throw py::value_error("start: the problem has no stored start");
    request.stored_start = word == "stored";
  } else if (py::isinstance<VerifiedResult>(start)) {
    const VerifiedResult& earlier = start.cast<const VerifiedResult&>();
    expect_finite(earlier.answer.z, "start: the result's z");
    expect_finite(earlier.answer.dual, "start: the result's dual");
    request.start = earlier.answer.z;
    if (earlier.answer.dual.size() > 0) request.start_dual = earlier.answer.dual;
    if (!earlier.basis.empty()) request.start_basis = earlier.basis;
  } else {
    request.start = vector_from(start, "start");
    expect_finite(*request.start, "start");
    if (!dual.is_none()) {
      request.start_dual = vector_from(dual, "start_dual");
      expect_finite(*request.start_dual, "start_dual");
    }
  }
}

template <class Work>
auto without_gil(const Work& work) {
  Raised raised(Raised::Then::kEnd);
  auto result = [&] {
    const py::gil_scoped_release release;
    return work();
  }();
  raised.rethrow();
  return result;
}

void check_observer(const py::object& observer) {
  if (!observer.is_none() && PyCallable_Check(observer.ptr()) == 0)
    throw py::type_error("observer: cannot be called");
}

std::shared_ptr<VerifiedResult> solve(const py::object& given, const std::string& solver,
                                      double tolerance, int max_iterations, double time_limit,
                                      int threads, const py::object& start,
                                      const py::object& start_dual, const py::object& observer,
                                      const py::kwargs& settings) {
  const Problem& problem = problem_from(given);
  check_observer(observer);
  SolveRequest request =
      request_of({solver, tolerance, time_limit, max_iterations, threads}, settings_from(settings));
  set_start(request, problem, start, start_dual);
  PythonObserver watch(observer);
  return without_gil(
      [&] { return std::make_shared<VerifiedResult>(solve_verified(problem, request, &watch)); });
}

// A session of C++ with the request it was made with.
class PythonSession {
 public:
  PythonSession(const std::string& solver, double tolerance, int max_iterations, double time_limit,
                int threads, const py::kwargs& settings)
      : request_(request_of({solver, tolerance, time_limit, max_iterations, threads},
                            settings_from(settings))),
        session_(request_) {}

  std::shared_ptr<VerifiedResult> solve(const py::object& given, const py::object& start,
                                        const py::object& start_dual, const py::object& observer) {
    if (busy_) throw std::runtime_error("this session is solving, in another thread or a callback");
    const Problem& problem = problem_from(given);
    check_observer(observer);
    const Busy busy(busy_);
    if (py::isinstance<py::str>(start) && start.cast<std::string>() == "last") {
      set_start(request_, problem, py::none(), py::none());
      if (last_ && last_->answer.z.size() == problem.size() && last_->answer.z.allFinite() &&
          last_->answer.dual.allFinite()) {
        request_.start = last_->answer.z;
        const auto* conic = std::get_if<ConicQp>(&problem.data);
        if (conic && last_->answer.dual.size() == conic->b.size())
          request_.start_dual = last_->answer.dual;
        if (!last_->basis.empty()) request_.start_basis = last_->basis;
      }
    } else {
      set_start(request_, problem, start, start_dual);
    }
    PythonObserver watch(observer);
    auto result = without_gil([&] {
      return std::make_shared<VerifiedResult>(session_.solve(problem, request_, &watch));
    });
    last_ = std::make_shared<VerifiedResult>(*result);
    return result;
  }

 private:
  // Looked at and changed with the GIL only.
  class Busy {
   public:
    explicit Busy(bool& busy) : busy_(busy) { busy_ = true; }
    ~Busy() { busy_ = false; }

   private:
    bool& busy_;
  };

  bool busy_ = false;
  SolveRequest request_;
  Session session_;
  std::shared_ptr<VerifiedResult> last_;
};

Answer answer_from(const Problem& problem, const py::object& z, const py::object& dual,
                   double tolerance) {
  const bool result = py::isinstance<VerifiedResult>(z);
  Answer answer = result ? z.cast<const VerifiedResult&>().answer : Answer{vector_from(z, "z"), {}};
  if (!dual.is_none()) {
    answer.dual = vector_from(dual, "dual");
    if (answer.dual.size() > 0 && !std::holds_alternative<ConicQp>(problem.data))
      throw py::value_error("dual: only a conic_qp has one");
  } else if (result) {
    return answer;
  } else if (const ConicQp* qp = std::get_if<ConicQp>(&problem.data);
             qp && answer.z.size() == qp->size()) {
    if (auto found = recover_dual(*qp, answer.z, tolerance)) answer.dual = *std::move(found);
  }
  return answer;
}

std::vector<std::shared_ptr<VerifiedResult>> solve_many(const py::iterable& problems,
                                                        const std::string& solver, double tolerance,
                                                        int max_iterations, double time_limit,
                                                        int threads, const py::kwargs& settings) {
  const SolveRequest request =
      request_of({solver, tolerance, time_limit, max_iterations}, settings_from(settings));
  std::vector<Problem> copies;
  for (const py::handle problem : problems) copies.push_back(problem_from(problem, "problems"));
  BatchObserver watch;
  return without_gil([&] {
    std::vector<std::shared_ptr<VerifiedResult>> results;
    for (VerifiedResult& r : solve_batch(copies, request, threads, &watch))
      results.push_back(std::make_shared<VerifiedResult>(std::move(r)));
    return results;
  });
}

// What a solve takes from C++, with verification: the medians that calls from Python are held
// against.
std::vector<double> solve_times(const Problem& problem, const std::string& solver, int count) {
  const SolveRequest request = request_of({solver}, {});
  std::vector<double> seconds;
  const py::gil_scoped_release release;
  for (int k = 0; k < count; ++k) {
    const Clock::time_point begun = Clock::now();
    solve_verified(problem, request);
    seconds.push_back(std::chrono::duration<double>(Clock::now() - begun).count());
  }
  return seconds;
}

py::dict certificate_of(const Certificate& c) {
  py::dict d;
  d["type"] = c.type;
  d["y"] = c.y;
  d["z"] = c.z;
  d["t"] = c.t;
  d["checked"] = c.checked;
  d["radius"] = c.radius;
  if (!c.reduction.empty()) d["reduction"] = c.reduction;
  return d;
}

py::dict residuals_of(const Residuals& r) {
  py::dict d;
  d["natural"] = r.natural;
  d["at_bounds"] = r.at_bounds;
  d["fischer_burmeister"] = r.fischer_burmeister;
  d["normal_map"] = r.normal_map;
  d["complementarity"] = r.complementarity;
  d["primal"] = r.primal;
  d["dual"] = r.dual;
  d["gap"] = r.gap;
  d["relative"] = r.relative;
  d["by_part"] = r.by_part;
  d["floor"] = r.floor;
  return d;
}

py::dict step_of_route(const RouteStep& step) {
  py::dict d;
  d["solver"] = std::string(step.solver.str());
  d["status"] = to_string(step.status);
  d["claimed"] = to_string(step.claimed);
  d["iterations"] = step.iterations;
  d["time"] = step.time;
  d["measure"] = step.measure;
  d["settings"] = std::string(step.settings.str());
  d["message"] = step.message;
  return d;
}

void bind_verdict(py::module_& m) {
  py::class_<Verdict>(m, "Verdict", "What the verifier found of an answer.")
      .def_readonly("solved", &Verdict::solved)
      .def_readonly("measure", &Verdict::measure, "the number compared with the tolerance")
      .def_readonly("tolerance", &Verdict::tolerance)
      .def_readonly("at_floor", &Verdict::at_floor,
                    "not solved, but the worst row misses by no more than rounding can leave")
      .def_property_readonly(
          "vacuous", [](const Verdict& v) { return to_string(v.vacuous); },
          "no, zero or start: whether a point that nobody had to compute would\n"
          "have done")
      .def_property_readonly(
          "residuals", [](const Verdict& v) { return residuals_of(v.residuals); },
          "every residual by name; nan if it has no meaning for the kind")
      .def_property_readonly(
          "worst_index", [](const Verdict& v) { return v.residuals.worst_index; },
          "row of the largest residual, -1 if there is none")
      .def(py::pickle([](const Verdict& v) { return state_of(v); }, &verdict_from))
      .def("__bool__", [](const Verdict& v) { return v.solved; })
      .def("__repr__", [](const Verdict& v) {
        return std::string("<perp.Verdict ") + (v.solved ? "solved" : "not solved") + ", measure " +
               py::str(py::float_(v.measure)).cast<std::string>() + ", tolerance " +
               py::str(py::float_(v.tolerance)).cast<std::string>() + ">";
      });
}

void bind_result(py::module_& m) {
  py::class_<VerifiedResult, std::shared_ptr<VerifiedResult>>(
      m, "Result", "An answer that the verifier has seen.")
      .def_property_readonly(
          "status", [](const VerifiedResult& r) { return to_string(r.status); },
          "solved only if the verifier grants it; wrong, ray, infeasible, ...")
      .def_property_readonly("solved",
                             [](const VerifiedResult& r) { return r.status == Status::kSolved; })
      .def_property_readonly(
          "claimed", [](const VerifiedResult& r) { return to_string(r.claimed); },
          "what the solver said of itself")
      .def_property_readonly(
          "z",
          [](const py::object& self) {
            return vector_to(self.cast<const VerifiedResult&>().answer.z, self);
          },
          "the best point found: n numbers, read-only (x of a QP, r of friction contact)")
      .def_property_readonly(
          "dual",
          [](const py::object& self) {
            return vector_to(self.cast<const VerifiedResult&>().answer.dual, self);
          },
          "y of a conic_qp, one number a row of A; else empty")
      .def_readonly("verdict", &VerifiedResult::verdict)
      .def_property_readonly(
          "measure", [](const VerifiedResult& r) { return r.verdict.measure; },
          "the verifier's measure")
      .def_readonly("iterations", &VerifiedResult::iterations)
      .def_readonly("setup_time", &VerifiedResult::setup_time, "s")
      .def_readonly("solve_time", &VerifiedResult::solve_time, "s")
      .def_readonly("verification_time", &VerifiedResult::verification_time, "s")
      .def_readonly("message", &VerifiedResult::message)
      .def_property_readonly(
          "start", [](const VerifiedResult& r) { return r.start; },
          "what the solver made use of: given, stored or nothing")
      .def_property_readonly(
          "solutions", [](const VerifiedResult& r) { return r.solutions; },
          "all solutions, if the method looks for all")
      .def_property_readonly(
          "route",
          [](const VerifiedResult& r) {
            py::list route;
            for (const RouteStep& step : r.route) route.append(step_of_route(step));
            return route;
          },
          "every try on the way: a list of dicts")
      .def_property_readonly(
          "certificate",
          [](const VerifiedResult& r) -> py::object {
            return r.certificate ? py::object(certificate_of(*r.certificate)) : py::none();
          },
          "what proves or explains an end without a solution, a dict, or None")
      .def_property_readonly(
          "statistics",
          [](const VerifiedResult& r) {
            py::dict d;
            for (const auto& [name, value] : r.statistics) d[py::str(std::string(name))] = value;
            return d;
          },
          "the method's own counts")
      .def(py::pickle([](const VerifiedResult& r) { return state_of(r); }, &result_from))
      .def("__bool__", [](const VerifiedResult& r) { return r.status == Status::kSolved; })
      .def("__repr__", [](const VerifiedResult& r) {
        return "<perp.Result " + std::string(to_string(r.status)) + ", measure " +
               py::str(py::float_(r.verdict.measure)).cast<std::string>() + ", " +
               std::to_string(r.iterations) + " iterations>";
      });
}

void bind_records(py::module_& m) {
  py::class_<IterationRecord>(m, "Iteration",
                              "One iteration; nan or -1 if a number has no meaning for the method.")
      .def_readonly("iteration", &IterationRecord::iteration)
      .def_property_readonly("step_type",
                             [](const IterationRecord& r) { return std::string(r.step_type); })
      .def_readonly("residual", &IterationRecord::residual)
      .def_readonly("merit", &IterationRecord::merit)
      .def_readonly("step", &IterationRecord::step)
      .def_readonly("active_set_size", &IterationRecord::active_set_size)
      .def_readonly("entering", &IterationRecord::entering)
      .def_readonly("leaving", &IterationRecord::leaving)
      .def_readonly("pivots", &IterationRecord::pivots)
      .def_readonly("linear_solves", &IterationRecord::linear_solves)
      .def_readonly("factorisations", &IterationRecord::factorisations);
}

}  // namespace

void bind_solving(py::module_& m) {
  const py::none none;
  bind_verdict(m);
  bind_result(m);
  bind_records(m);
  m.def("solve", &solve, py::arg("problem"), py::arg("solver") = "auto", py::kw_only(),
        py::arg("tolerance") = 1e-8, py::arg("max_iterations") = 0, py::arg("time_limit") = 0.0,
        py::arg("threads") = 1, py::arg("start") = none, py::arg("start_dual") = none,
        py::arg("observer") = none,
        "Solves a problem and verifies the answer.\n\n"
        "solver: a method, auto, an expression of strategies, or the name of a registered one.\n"
        "tolerance: of the verifier's measure. time_limit: s, 0 for none. threads: that large\n"
        "factorisations may use; the bits do not depend on them. start: n numbers, an earlier\n"
        "Result, \"zero\", \"stored\", or None for the problem's own. observer: called with\n"
        "every Iteration; False stops the solve. Settings of the method are further keywords.\n"
        "ValueError if a solver, a setting or a size is wrong. Ctrl-C ends a solve.");
  m.def("solve_many", &solve_many, py::arg("problems"), py::arg("solver") = "auto", py::kw_only(),
        py::arg("tolerance") = 1e-8, py::arg("max_iterations") = 0, py::arg("time_limit") = 0.0,
        py::arg("threads") = 1,
        "Solves and verifies many problems; one analysis for each structure, the same bits as one "
        "by\n"
        "one, whatever the number of threads. Returns a list of Result.");
  m.def("solve_times", &solve_times, py::arg("problem"), py::arg("solver"), py::arg("count"));
  m.def(
      "verify",
      [](const py::object& given, const py::object& z, const py::object& dual, double tolerance) {
        const Problem& problem = problem_from(given);
        const Answer answer = answer_from(problem, z, dual, tolerance);
        at_least_zero(tolerance, "tolerance");
        return without_gil([&] { return verify(problem, answer, tolerance); });
      },
      py::arg("problem"), py::arg("z"), py::arg("dual") = none, py::kw_only(),
      py::arg("tolerance") = 1e-8,
      "Judges an answer on the problem as posed: a Verdict, true if it is granted.\n\n"
      "z has n numbers (or is a Result); dual is the y of a conic_qp, and is sought if left out.\n"
      "ValueError if a size is wrong.");
  m.def(
      "analyse",
      [](const py::object& given, const py::object& z, const py::object& dual, double tolerance) {
        const Problem& problem = problem_from(given);
        const Answer answer = answer_from(problem, z, dual, tolerance);
        at_least_zero(tolerance, "tolerance");
        const std::string text = without_gil([&] {
          return analysis_to_json(problem, analyse_answer(problem, answer, tolerance))
              .dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
        });
        return object_from_text(text);
      },
      py::arg("problem"), py::arg("z"), py::arg("dual") = none, py::kw_only(),
      py::arg("tolerance") = 1e-8,
      "Which contacts stick, slide or open, whether the answer is the only one, and condition\n"
      "numbers: the dict that perp analyse --json prints.");
  py::class_<PythonSession>(
      m, "Session",
      "A solver that is kept from problem to problem: for the same problem nothing is prepared\n"
      "again, and of one with the same structure only values are taken.")
      .def(py::init<const std::string&, double, int, double, int, const py::kwargs&>(),
           py::arg("solver") = "auto", py::kw_only(), py::arg("tolerance") = 1e-8,
           py::arg("max_iterations") = 0, py::arg("time_limit") = 0.0, py::arg("threads") = 1)
      .def("solve", &PythonSession::solve, py::arg("problem"), py::arg("start") = none,
           py::kw_only(), py::arg("start_dual") = none, py::arg("observer") = none,
           "As perp.solve; start=\"last\" begins at this session's last answer.");
}

}  // namespace perp::python
