#include "pickling.hpp"

#include <algorithm>
#include <array>
#include <functional>
#include <mutex>
#include <set>
#include <string_view>
#include <type_traits>

namespace perp::python {

namespace {

// To be changed whenever the members below change.
constexpr int kVersion = 1;

// Puts one member after the other into a list.
class Writer {
 public:
  template <class... Values>
  void operator()(const Values&... values) {
    (put(values), ...);
  }
  py::tuple state() const { return py::tuple(list_); }

 private:
  template <class Value>
  void put(const Value& value) {
    if constexpr (std::is_enum_v<Value>) {
      list_.append(static_cast<int>(value));
    } else {
      list_.append(value);
    }
  }
  void put(const SharedText& text) { list_.append(text.str()); }

  py::list list_;
};

// Takes them out again, in the same order.
class Reader {
 public:
  explicit Reader(const py::handle& state) {
    if (!py::isinstance<py::tuple>(state)) fail();
    state_ = py::reinterpret_borrow<py::tuple>(state);
  }

  template <class... Values>
  void operator()(Values&... values) {
    if (state_.size() != sizeof...(Values)) fail();
    try {
      (take(values), ...);
    } catch (const py::cast_error&) {
      fail();
    }
  }
  [[noreturn]] static void fail() {
    throw py::value_error("the pickle is not one that this version of perp has made");
  }

 private:
  template <class Value>
  void take(Value& value) {
    if constexpr (std::is_enum_v<Value>) {
      value = static_cast<Value>(state_[next_++].cast<int>());
    } else {
      value = state_[next_++].cast<Value>();
    }
  }
  void take(SharedText& text) { text = state_[next_++].cast<std::string>(); }

  py::tuple state_;
  std::size_t next_ = 0;
};

// The members, in one place for both ways.
template <class Archive, class R>
void residuals(Archive& archive, R& r) {
  archive(r.natural, r.at_bounds, r.fischer_burmeister, r.normal_map, r.complementarity, r.primal,
          r.dual, r.gap, r.relative, r.by_part, r.floor, r.worst_index, r.worst_value,
          r.worst_is_constraint);
}

template <class Archive, class C>
void certificate(Archive& archive, C& c) {
  archive(c.type, c.y, c.z, c.t, c.checked, c.radius, c.reduction);
}

template <class Archive, class S>
void route_step(Archive& archive, S& s) {
  archive(s.solver, s.status, s.claimed, s.iterations, s.time, s.message, s.settings, s.measure);
}

void check(Status status) {
  if (status < Status::kSolved || status > Status::kUnsupported) Reader::fail();
}

// A text that lives as long as the program: results keep views of their statistics' names.
std::string_view kept(const std::string& text) {
  static std::mutex mutex;
  static std::set<std::string, std::less<>> texts;
  const std::lock_guard lock(mutex);
  return *texts.insert(text).first;
}

}  // namespace

py::tuple state_of(const Verdict& verdict) {
  Writer numbers, all;
  residuals(numbers, verdict.residuals);
  all(kVersion, verdict.solved, verdict.at_floor, verdict.measure, verdict.tolerance,
      verdict.vacuous, numbers.state());
  return all.state();
}

Verdict verdict_from(const py::tuple& state) {
  Verdict verdict;
  int version = 0;
  py::object numbers;
  Reader all(state);
  all(version, verdict.solved, verdict.at_floor, verdict.measure, verdict.tolerance,
      verdict.vacuous, numbers);
  if (version != kVersion || verdict.vacuous < Vacuous::kNo || verdict.vacuous > Vacuous::kStart)
    Reader::fail();
  Reader reader(numbers);
  residuals(reader, verdict.residuals);
  return verdict;
}

py::tuple state_of(const VerifiedResult& r) {
  py::object proof = py::none();
  if (r.certificate) {
    Writer writer;
    certificate(writer, *r.certificate);
    proof = writer.state();
  }
  std::string basis(r.basis.size(), '\0');
  std::transform(r.basis.begin(), r.basis.end(), basis.begin(),
                 [](PairStatus p) { return static_cast<char>(p); });
  py::list route;
  for (const RouteStep& step : r.route) {
    Writer writer;
    route_step(writer, step);
    route.append(writer.state());
  }
  py::list statistics;
  for (const auto& [name, value] : r.statistics)
    statistics.append(py::make_tuple(std::string(name), value));
  Writer all;
  all(kVersion, r.status, r.claimed, r.answer.z, r.answer.dual, py::bytes(basis),
      state_of(r.verdict), r.solutions, proof, route, r.iterations, r.setup_time, r.solve_time,
      r.verification_time, r.refuted, r.own_times, std::string(r.start), r.message, statistics);
  return all.state();
}

VerifiedResult result_from(const py::tuple& state) {
  VerifiedResult r;
  int version = 0;
  std::string start;
  py::object basis, verdict, proof, route;
  std::vector<std::pair<std::string, double>> statistics;
  Reader all(state);
  all(version, r.status, r.claimed, r.answer.z, r.answer.dual, basis, verdict, r.solutions, proof,
      route, r.iterations, r.setup_time, r.solve_time, r.verification_time, r.refuted, r.own_times,
      start, r.message, statistics);
  if (version != kVersion || !py::isinstance<py::bytes>(basis) ||
      !py::isinstance<py::tuple>(verdict) || !py::isinstance<py::list>(route))
    Reader::fail();
  check(r.status);
  check(r.claimed);
  for (const char pair : basis.cast<std::string>()) {
    r.basis.push_back(static_cast<PairStatus>(pair));
    if (r.basis.back() > PairStatus::kBasic) Reader::fail();
  }
  r.verdict = verdict_from(verdict.cast<py::tuple>());
  if (!proof.is_none()) {
    Reader reader(proof);
    certificate(reader, r.certificate.emplace());
  }
  for (const py::handle& item : route) {
    RouteStep step;
    Reader reader(item);
    route_step(reader, step);
    check(step.status);
    check(step.claimed);
    r.route.push_back(std::move(step));
  }
  constexpr std::array<std::string_view, 3> kStarts{"nothing", "given", "stored"};
  const auto* known = std::find(kStarts.begin(), kStarts.end(), start);
  if (known == kStarts.end()) Reader::fail();
  r.start = *known;
  for (const auto& [name, value] : statistics) r.statistics.emplace_back(kept(name), value);
  return r;
}

}  // namespace perp::python
