#include <perp/solvers/composed_solver.hpp>

#include <algorithm>
#include <stdexcept>

namespace perp {

ComposedSolver::ComposedSolver(std::string_view text, MakeSolver make) : text_(text) {
  request_.solver = text_;
  request_.make = std::move(make);
  request_.stored_start = false;
  request_.look_for_vacuous = false;
  const SolverExpression solver = parse_any_solver(text);
  check_expression(solver, request_.make);
  for (const std::string& name : methods_of(solver)) methods_.push_back(request_.make(name));
  traits_ = {text_, "strategies and the methods that they are made of", "", problem_kinds()};
}

void ComposedSolver::visit_settings(SettingVisitor& visitor) {
  for (const auto& method : methods_) method->visit_settings(visitor);
}

// A problem that a method refuses ends a try, not the solve: nothing is refused here.
std::optional<std::string> ComposedSolver::do_refusal(const Problem&) const { return {}; }

void ComposedSolver::do_prepare(const Problem& problem) {
  SettingTexts changed;
  for (const auto& method : methods_) {
    const auto usual = list_settings(*request_.make(method->traits().name));
    const auto now = list_settings(*method);
    for (std::size_t k = 0; k < now.size(); ++k) {
      const std::pair<std::string, std::string> text(now[k].name, now[k].value);
      if (now[k].value == usual[k].value || text.first == "tolerance" ||
          text.first == "max_iterations" || text.first == "time_limit")
        continue;
      if (std::find(changed.begin(), changed.end(), text) == changed.end()) changed.push_back(text);
    }
  }
  if (!session_ || changed != request_.settings) {
    request_.settings = changed;
    session_ = std::make_unique<Session>(request_);
  }
  problem_ = problem;
}

void ComposedSolver::do_solve(const Start& start, Observer* observer, Result& result) {
  const auto assign = [](auto& to, const auto* from) {
    if (!from) return to.reset();
    if (to) *to = *from;
    if (!to) to = *from;
  };
  assign(request_.start, start.z);
  assign(request_.start_dual, start.dual);
  assign(request_.start_basis, start.basis);
  request_.limits = limits;
  const VerifiedResult& r = session_->solve(problem_, request_, observer);
  result.status = r.status == Status::kWrong ? Status::kStalled : r.status;
  result.z = r.answer.z;
  result.dual = r.answer.dual;
  result.basis = r.basis;
  result.solutions = r.solutions;
  result.iterations = r.iterations;
  result.certificate = r.certificate;
  result.own_times = OwnTimes{r.setup_time, r.solve_time};
  result.route = r.route;
  result.message = r.message;
  result.statistics = r.statistics;
}

}  // namespace perp
