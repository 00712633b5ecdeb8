#include "bindings.hpp"

#include <algorithm>
#include <limits>
#include <new>
#include <nlohmann/json.hpp>
#include <perp/bench/catalogue/catalogue.hpp>
#include <perp/bench/harness/registered_solvers.hpp>
#include <perp/bench/harness/solvers.hpp>
#include <perp/problems/json/text.hpp>
#include <perp/solvers/core/iteration_count.hpp>
#include <perp/solvers/method_settings.hpp>
#include <variant>

namespace perp::python {

namespace {

using SettingValue = std::variant<double, int, bool, std::string>;

// What a Python solver is, once registered.
struct PythonMethod {
  std::string name, summary;
  std::vector<std::string> kinds;
  bool uses_start = true;
  std::vector<std::pair<std::string, SettingValue>> settings;  // with their defaults
  std::shared_ptr<py::object> function;
};

SettingValue setting_value(const py::handle& value, const std::string& name) {
  if (py::isinstance<py::bool_>(value)) return value.cast<bool>();
  if (py::isinstance<py::int_>(value)) return value.cast<int>();
  if (py::isinstance<py::float_>(value)) return value.cast<double>();
  if (py::isinstance<py::str>(value)) return value.cast<std::string>();
  throw py::value_error("setting \"" + name + "\": its default is no number, bool or text");
}

Status status_from(const std::string& name) {
  for (int s = 0; s <= static_cast<int>(Status::kUnsupported); ++s) {
    if (to_string(static_cast<Status>(s)) == name) return static_cast<Status>(s);
  }
  std::string all;
  for (int s = 0; s <= static_cast<int>(Status::kUnsupported); ++s)
    all += (all.empty() ? "" : ", ") + std::string(to_string(static_cast<Status>(s)));
  throw py::value_error("status: \"" + name + "\" is no status; there are: " + all);
}

// A method whose do_solve calls a function of Python. What the function raises is the message of a
// numerical error, and is noted, so that perp.solve raises it while a benchmark goes on.
class PythonSolver final : public Solver {
 public:
  explicit PythonSolver(std::shared_ptr<const PythonMethod> method)
      : method_(std::move(method)), settings_(method_->settings) {
    traits_.name = method_->name;
    traits_.summary = method_->summary;
    traits_.uses_start = method_->uses_start;
    traits_.reads_names = true;
    for (const std::string& kind : method_->kinds) traits_.kinds.push_back(kind);
  }

  const SolverTraits& traits() const override { return traits_; }

  void visit_settings(SettingVisitor& visitor) override {
    constexpr Range kAny{-std::numeric_limits<double>::infinity()};
    for (auto& [name, value] : settings_) {
      if (auto* number = std::get_if<double>(&value)) {
        visitor.visit(name, *number, "a number", kAny);
      } else if (auto* whole = std::get_if<int>(&value)) {
        visitor.visit(name, *whole, "a whole number", kAny);
      } else if (auto* yes = std::get_if<bool>(&value)) {
        visitor.visit(name, *yes, "true or false");
      } else {
        visitor.visit(name, std::get<std::string>(value), "text", {});
      }
    }
  }

 protected:
  void do_prepare(const Problem& problem) override {
    problem_ = std::make_shared<Problem>(problem);
    problem_->start.reset();     // do_solve has the start
    problem_->solution.reset();  // what is known of the answer is not for those who look for it
  }

  void do_solve(const Start& start, Observer*, Result& result) override {
    const py::gil_scoped_acquire gil;
    const Depth depth;
    result.z.resize(0);  // neither the start nor the answer of the last problem is its answer
    result.dual.resize(0);
    if (Raised::ends_call()) {
      result.status = Status::kNumericalError;
      return;
    }
    try {
      if (Depth::now() > kDeepest)
        throw std::runtime_error("solvers that call solvers, " + std::to_string(kDeepest) +
                                 " deep: does it call itself?");
      take(call(start), result);
    } catch (const py::error_already_set& error) {
      if (error.matches(PyExc_MemoryError)) throw std::bad_alloc();
      Raised::note();
      result.z.resize(0);
      result.status = Status::kNumericalError;
      result.message = first_line(error.what());
    } catch (const std::exception& error) {
      Raised::note();
      result.z.resize(0);
      result.status = Status::kNumericalError;
      result.message = first_line(error.what());
    }
  }

 private:
  // How many solvers of this thread wait for one another.
  class Depth {
   public:
    Depth() { ++now(); }
    ~Depth() { --now(); }
    Depth(const Depth&) = delete;
    Depth& operator=(const Depth&) = delete;
    static int& now() {
      thread_local int depth = 0;
      return depth;
    }
  };
  static constexpr int kDeepest = 50;

  static std::string first_line(const std::string& text) { return text.substr(0, text.find('\n')); }

  py::object call(const Start& start) {
    py::dict keywords;
    for (const auto& [name, value] : settings_)
      std::visit([&, key = name](const auto& v) { keywords[py::str(key)] = v; }, value);
    py::dict allowed;
    allowed["tolerance"] = limits.tolerance;
    allowed["max_iterations"] = limits.max_iterations;
    allowed["time_limit"] = deadline().left();
    const py::object z = start.z ? py::cast(*start.z) : py::object(py::none());
    return (*method_->function)(problem_, z, allowed, **keywords);
  }

  // None, an array, or a dict with z and what else is to be said.
  void take(const py::object& told, Result& result) {
    if (told.is_none()) {
      result.status = Status::kStalled;
      return;
    }
    result.status = Status::kSolved;
    if (!py::isinstance<py::dict>(told)) {
      result.z = sized(told, problem_->size(), "z");
      return;
    }
    const py::dict d = told;
    for (const auto& [key, value] : d) {
      const std::string name = string_from(key, "a key that a solver returned");
      if (name == "z") {
        result.z = sized(value, problem_->size(), "z");
      } else if (name == "dual") {
        result.dual = vector_from(value, "dual");
      } else if (name == "status") {
        const std::string status = string_from(value, "status");
        if (status == to_string(Status::kWrong))
          throw py::value_error("status: wrong is for perp to find");
        result.status = status_from(status);
      } else if (name == "iterations") {
        const py::int_ whole = py::module_::import("operator").attr("index")(value);
        if (whole < py::int_(0) || whole > py::int_(kMostIterations))
          throw py::value_error("iterations: is below 0 or too large");
        result.iterations = whole.cast<int>();
      } else if (name == "message") {
        result.message = string_from(value, "message");
      } else {
        throw py::value_error("a solver returned \"" + name +
                              "\"; there are: z, dual, status, iterations, message");
      }
    }
    if (!d.contains("z") && result.status == Status::kSolved)
      throw py::value_error("a solver says solved without z");
  }

  static Vector sized(const py::handle& object, int size, const std::string& field) {
    Vector v = vector_from(object, field);
    if (v.size() != size)
      throw py::value_error(field + ": length is " + std::to_string(v.size()) + ", expected " +
                            std::to_string(size));
    return v;
  }

  std::shared_ptr<const PythonMethod> method_;
  SolverTraits traits_;
  std::vector<std::pair<std::string, SettingValue>> settings_;
  std::shared_ptr<Problem> problem_;
};

void add_method(const std::string& name, const py::function& function,
                const std::vector<std::string>& kinds, const std::string& summary, bool uses_start,
                const py::dict& settings, const std::string& hash, const std::string& imported) {
  if (!is_utf8(name) || !is_utf8(summary))
    throw py::value_error("name, summary: are no text in UTF-8");
  auto method = std::make_shared<PythonMethod>();
  method->name = name;
  method->summary = summary;
  method->uses_start = uses_start;
  if (kinds.empty()) throw py::value_error("kinds: there are none");
  for (const std::string& kind : kinds) {
    const auto& all = problem_kinds();
    if (std::find(all.begin(), all.end(), kind) == all.end())
      throw py::value_error("kinds: \"" + kind + "\" is no kind of problem");
    method->kinds.push_back(kind);
  }
  for (const auto& [key, value] : settings) {
    const std::string setting = key.cast<std::string>();
    if (is_limit(setting))
      throw py::value_error(setting + ": is a limit, which a solver finds in its third argument");
    method->settings.emplace_back(setting, setting_value(value, setting));
  }
  method->function = shared_object(function);
  register_solver(
      {name, [method] { return std::make_unique<PythonSolver>(method); }, hash, imported});
}

}  // namespace

void bind_solvers(py::module_& m) {
  m.def("register_method", &add_method, py::arg("name"), py::arg("function"), py::arg("kinds"),
        py::arg("summary"), py::arg("uses_start"), py::arg("settings"), py::arg("hash"),
        py::arg("imported"));
  m.def(
      "catalogue",
      [](const std::string& topic) {
        const auto& topics = catalogue_topics();
        if (std::find(topics.begin(), topics.end(), topic) == topics.end())
          throw py::value_error("\"" + topic + "\" is no topic");
        return object_from_text(catalogue(topic).dump());
      },
      py::arg("topic"));
}

}  // namespace perp::python
