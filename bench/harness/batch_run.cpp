#include <perp/bench/harness/batch_run.hpp>

#include <fmt/format.h>
#include <algorithm>
#include <chrono>
#include <cstring>
#include <nlohmann/json.hpp>
#include <perp/bench/harness/measure.hpp>
#include <perp/problems/io/csv_field.hpp>
#include <perp/solvers/batch.hpp>

namespace perp {

namespace {

template <class F>
double seconds_of(const F& f) {
  const auto began = std::chrono::steady_clock::now();
  f();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count();
}

bool equal_bits(const Vector& a, const Vector& b) {
  return a.size() == b.size() &&
         (a.size() == 0 || std::memcmp(a.data(), b.data(),
                                       static_cast<std::size_t>(a.size()) * sizeof(double)) == 0);
}

bool equal_results(const VerifiedResult& a, const VerifiedResult& b) {
  return a.status == b.status && a.iterations == b.iterations &&
         equal_bits(a.answer.z, b.answer.z) && equal_bits(a.answer.dual, b.answer.dual);
}

}  // namespace

BatchRun run_batch(std::span<const Problem> problems, const SolveRequest& request, int threads,
                   int repeats) {
  BatchRun run;
  run.solver = request.solver;
  run.problems = problems.size();
  run.structures = group_by_structure(problems).size();
  run.threads = threads;
  std::vector<double> alone, together, threaded;
  std::vector<VerifiedResult> one_by_one, batch, on_threads;
  for (int k = 0; k < repeats; ++k) {
    for (auto* results : {&one_by_one, &batch, &on_threads}) results->clear();
    one_by_one.resize(problems.size());
    alone.push_back(seconds_of([&] {
      for (std::size_t i = 0; i < problems.size(); ++i)
        one_by_one[i] = solve_verified(problems[i], request);
    }));
    together.push_back(seconds_of([&] { batch = solve_batch(problems, request); }));
    if (threads > 1)
      threaded.push_back(seconds_of([&] { on_threads = solve_batch(problems, request, threads); }));
  }
  for (std::size_t i = 0; i < problems.size(); ++i) {
    run.solved += batch[i].status == Status::kSolved;
    if (batch[i].status == Status::kUnsupported && run.refused++ == 0)
      run.refusal = batch[i].message;
    run.same_bits += equal_results(one_by_one[i], batch[i]) &&
                     (threads == 1 || equal_results(one_by_one[i], on_threads[i]));
  }
  run.one_by_one = median(alone);
  run.batch = median(together);
  run.threaded = threads > 1 ? median(threaded) : run.batch;
  return run;
}

std::string batch_csv(const std::vector<BatchRun>& runs) {
  std::string text =
      "solver,problems,structures,solved,refused,same_bits,threads,one_by_one_s,batch_s,threaded_"
      "s\n";
  for (const BatchRun& r : runs) {
    text += fmt::format("{},{},{},{},{},{},{},{},{},{}\n", csv_field(r.solver), r.problems,
                        r.structures, r.solved, r.refused, r.same_bits, r.threads, r.one_by_one,
                        r.batch, r.threaded);
  }
  return text;
}

nlohmann::ordered_json batch_json(const std::vector<BatchRun>& runs) {
  nlohmann::ordered_json lines = nlohmann::ordered_json::array();
  for (const BatchRun& r : runs) {
    lines.push_back({{"solver", r.solver},
                     {"problems", r.problems},
                     {"structures", r.structures},
                     {"solved", r.solved},
                     {"refused", r.refused},
                     {"same_bits", r.same_bits},
                     {"threads", r.threads},
                     {"one_by_one_s", r.one_by_one},
                     {"batch_s", r.batch},
                     {"threaded_s", r.threaded},
                     {"refusal", nullptr}});
    if (r.refused > 0) lines.back()["refusal"] = r.refusal;
  }
  return lines;
}

std::string batch_text(const std::vector<BatchRun>& runs) {
  std::size_t width = 6;
  for (const BatchRun& r : runs) width = std::max(width, r.solver.size());
  std::string text = fmt::format(
      "{:{}}  problems  structures  solved  refused  same bits  one by one s"
      "  batch s  faster  threads  threaded s  faster\n",
      "solver", width);
  for (const BatchRun& r : runs) {
    text += fmt::format(
        "{:{}}  {:8}  {:10}  {:6}  {:7}  {:9}  {:12.3f}  {:7.3f}  {:6.2f}  {:7}  {:10.3f}"
        "  {:6.2f}\n",
        r.solver, width, r.problems, r.structures, r.solved, r.refused, r.same_bits, r.one_by_one,
        r.batch, r.one_by_one / r.batch, r.threads, r.threaded, r.batch / r.threaded);
  }
  for (const BatchRun& r : runs) {
    if (r.refused > 0) text += fmt::format("{} refused {}: {}\n", r.solver, r.refused, r.refusal);
  }
  return text;
}

}  // namespace perp
