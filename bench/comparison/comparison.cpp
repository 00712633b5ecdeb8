#include <perp/bench/comparison/comparison.hpp>

#include <fmt/format.h>
#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <perp/bench/report/solver_labels.hpp>
#include <perp/bench/report/summary.hpp>
#include <perp/problems/json/json.hpp>
#include <perp/problems/json/text.hpp>
#include <set>
#include <tuple>

namespace perp {

namespace {

// Suite, and the solver as reports name it: with settings, start, tolerance and limit if these
// differ.
using GroupKey = std::pair<std::string, std::string>;
using ProblemKey = std::tuple<std::string, std::string, std::string, int>;
// Settings that the name of a solver leaves out if all records agree in them.
using SettingsKey = std::tuple<std::string, std::string, std::string, std::string, double, double>;

using Rounds = std::vector<const Record*>;

struct Sides {
  Rounds before, after;
  std::size_t place = 0;  // index in the order in which the problems were run
};

struct Group {
  std::map<std::pair<SettingsKey, ProblemKey>, Sides> problems;
};

SettingsKey settings_key_of(const Record& r) {
  return {r.solver, r.label, r.settings, r.mode, r.tolerance, r.time_limit};
}

ProblemKey problem_of(const Record& r) {
  return {r.instance, r.instance_hash, r.sequence, r.position};
}

// All records of a build in one list, with the round of each.
struct Listed {
  std::vector<Record> records;
  std::vector<int> round;

  explicit Listed(const RunRounds& run) : records(run.all()) {
    for (std::size_t k = 0; k < run.rounds.size(); ++k)
      round.insert(round.end(), run.rounds[k].size(), static_cast<int>(k));
  }
};

// The memory limit is left out: it does not make a problem another one.
std::vector<std::string> group_names(const Listed& before, const Listed& after) {
  std::vector<Record> all = before.records;
  all.insert(all.end(), after.records.begin(), after.records.end());
  for (Record& r : all) r.memory_limit = 0.0;
  return solver_names(all);
}

// @param repeated counts records left out because the same round has a later one of the same
// problem
std::map<GroupKey, Group> join(const Listed& before, const Listed& after, int* repeated) {
  const std::vector<std::string> names = group_names(before, after);
  std::map<GroupKey, Group> groups;
  for (const bool is_old : {true, false}) {
    const Listed& side = is_old ? before : after;
    const std::size_t first = is_old ? 0 : before.records.size();
    std::map<const Sides*, int> last_round;
    for (std::size_t k = 0; k < side.records.size(); ++k) {
      const Record& r = side.records[k];
      auto& problems = groups[{r.suite, names[first + k]}].problems;
      const auto [it, is_new] = problems.try_emplace({settings_key_of(r), problem_of(r)});
      Sides& sides = it->second;
      if (is_new) sides.place = first + k;
      Rounds& rounds = is_old ? sides.before : sides.after;
      const auto [last, is_first] = last_round.try_emplace(&sides, side.round[k]);
      if (!is_first && last->second == side.round[k]) {
        rounds.back() = &r;
        ++repeated[is_old ? 0 : 1];
        continue;
      }
      last->second = side.round[k];
      rounds.push_back(&r);
    }
  }
  return groups;
}

// Compares size and kind, because a family may change while the request for a member stays the
// same.
bool are_the_same(const Sides& sides) {
  const auto fact = [](const Rounds& rounds) -> std::pair<int, std::string> {
    for (const Record* r : rounds) {
      if (r->n > 0) return {r->n, r->kind};
    }
    return {0, ""};
  };
  const auto before = fact(sides.before), after = fact(sides.after);
  return before.first == 0 || after.first == 0 || before == after;
}

Rounds right_ones(const Rounds& rounds) {
  Rounds right;
  for (const Record* r : rounds) {
    if (is_right(*r)) right.push_back(r);
  }
  return right;
}

double seconds_of(const Rounds& rounds) {
  std::vector<double> times;
  for (const Record* r : rounds) times.push_back(r->total);
  return quantile(std::move(times), 0.5);
}

bool ran_out(const std::string& outcome) {
  return outcome == "time_limit" || outcome == "timed_out";
}

// The most informative record: of a solved problem a right one; else a refuted claim if there is
// one, then another failure, then a round that ran out of time.
const Record* telling(const Rounds& rounds, bool solved) {
  const auto rank = [solved](const Record* r) {
    if (is_right(*r)) return solved ? 4 : 0;
    return r->outcome == "wrong" ? 3 : ran_out(r->outcome) ? 1 : 2;
  };
  return *std::max_element(rounds.begin(), rounds.end(),
                           [&](const Record* a, const Record* b) { return rank(a) < rank(b); });
}

ProblemState state_of(const Rounds& rounds) {
  ProblemState state;
  for (const Record* r : rounds) {
    ++state.rounds;
    state.right += is_right(*r);
    state.refuted += r->outcome == "wrong";
    state.out_of_time += ran_out(r->outcome);
  }
  const Record* told = telling(rounds, state.is_solved());
  state.outcome = told->outcome;
  state.message = told->message;
  state.residual = told->natural;
  const Rounds right = right_ones(rounds);
  state.seconds = seconds_of(right.empty() ? rounds : right);
  return state;
}

ProblemChange change_of(const Sides& sides) {
  ProblemChange change;
  const Record& first = *sides.before.front();
  change.instance = first.instance;
  change.before = state_of(sides.before);
  change.after = state_of(sides.after);
  change.ratio = change.after.seconds / change.before.seconds;
  change.near_limit = ran_out(change.after.outcome) && first.time_limit > 0 &&
                      change.before.seconds > 0.5 * first.time_limit;
  return change;
}

RoundTimes times_of(const Rounds& rounds) {
  RoundTimes times;
  for (const Record* r : right_ones(rounds)) {
    if (!std::isfinite(r->total)) continue;
    times.rounds.push_back(r->total);
    times.repeats.insert(times.repeats.end(), r->repeats.begin(), r->repeats.end());
  }
  return times;
}

// Counts the problems that are in one run alone, and how many of them have the same name in the
// other run.
void count_single(const std::vector<const Sides*>& single, ComparedGroup& group) {
  using Name = std::tuple<SettingsKey, std::string, std::string, int>;
  std::map<Name, std::pair<int, int>> names;
  for (const Sides* sides : single) {
    for (const bool old : {true, false}) {
      const Rounds& rounds = old ? sides->before : sides->after;
      if (rounds.empty()) continue;
      const Record& r = *rounds.front();
      auto& count = names[{settings_key_of(r), r.instance, r.sequence, r.position}];
      ++(old ? count.first : count.second);
      ++(old ? group.only_before : group.only_after);
      group.wrong_alone += !old && state_of(rounds).refuted > 0;
    }
  }
  for (const auto& [name, count] : names) group.same_name += std::min(count.first, count.second);
}

void count_change(const ProblemChange& change, const Sides& sides, ComparedGroup& group) {
  const bool before = change.before.is_solved(), after = change.after.is_solved();
  const auto proven = [](bool is_solved, const Rounds& rounds) {
    const Rounds right = right_ones(rounds);
    return is_solved &&
           std::all_of(right.begin(), right.end(), [](auto* r) { return is_proven(*r); });
  };
  ++group.compared;
  group.solved_before += before;
  group.solved_after += after;
  group.proven_before += proven(before, sides.before);
  group.proven_after += proven(after, sides.after);
  if (before && !after) group.lost.push_back(change);
  if (!before && after) group.gained.push_back(change);
  if (change.after.refuted > 0 && change.before.refuted == 0) group.wrong.push_back(change);
  const auto is_uneven = [](const ProblemState& s) { return s.right > 0 && s.right < s.rounds; };
  if (is_uneven(change.before) || is_uneven(change.after)) group.uneven.push_back(change);
}

// A group that is not finished: the pairs whose times are judged, and the problem of each pair.
struct Draft {
  ComparedGroup group;
  std::vector<TimePair> pairs;
  std::vector<ProblemChange> timed;
};

Draft draft_of(const GroupKey& key, const Group& joined) {
  Draft draft;
  draft.group.suite = key.first;
  draft.group.solver = key.second;
  std::vector<const Sides*> in_order, single;
  for (const auto& [problem, sides] : joined.problems) {
    const bool both = !sides.before.empty() && !sides.after.empty() && are_the_same(sides);
    (both ? in_order : single).push_back(&sides);
  }
  std::sort(in_order.begin(), in_order.end(),
            [](const Sides* a, const Sides* b) { return a->place < b->place; });
  count_single(single, draft.group);
  for (const Sides* sides : in_order) {
    ProblemChange change = change_of(*sides);
    count_change(change, *sides, draft.group);
    if (!change.before.is_solved() || !change.after.is_solved()) continue;
    TimePair pair{times_of(sides->before), times_of(sides->after)};
    if (pair.before.rounds.empty() || pair.after.rounds.empty()) continue;
    draft.pairs.push_back(std::move(pair));
    draft.timed.push_back(std::move(change));
  }
  return draft;
}

void name_single_problems(Draft& draft) {
  ComparedGroup& group = draft.group;
  for (std::size_t k = 0; k < draft.timed.size(); ++k) {
    const TimeVerdict verdict = group.time.pairs[k].verdict;
    if (verdict == TimeVerdict::kSlower) group.slower.push_back(draft.timed[k]);
    if (verdict == TimeVerdict::kFaster) group.faster.push_back(draft.timed[k]);
  }
  const auto by_size = [](const ProblemChange& a, const ProblemChange& b) {
    return std::abs(std::log(a.ratio)) > std::abs(std::log(b.ratio));
  };
  std::stable_sort(group.slower.begin(), group.slower.end(), by_size);
  std::stable_sort(group.faster.begin(), group.faster.end(), by_size);
}

std::vector<std::string> listed(const std::set<std::string>& values) {
  return {values.begin(), values.end()};
}

RunFacts facts_of(const RunRounds& run, const std::vector<Record>& records) {
  std::set<std::string> programs, compilers, machines, limits;
  for (const Record& r : records) {
    programs.insert(fmt::format("perp {} {}", r.version, r.program_hash));
    compilers.insert(r.compiler);
    machines.insert(fmt::format("{}, {} cores, {}", r.cpu, r.cores, r.system));
    limits.insert(
        fmt::format("{:g} s, {:g} MB, tolerance {:g}", r.time_limit, r.memory_limit, r.tolerance));
  }
  return {run.path,
          static_cast<int>(run.rounds.size()),
          static_cast<int>(records.size()),
          run.repeated,
          listed(programs),
          listed(compilers),
          listed(machines),
          listed(limits)};
}

std::string joined_text(const std::vector<std::string>& values) {
  return shown(fmt::format("{}", fmt::join(values, " | ")), 300);
}

std::vector<std::string> notes_of(const Comparison& c) {
  std::vector<std::string> notes;
  const auto differ = [&](const char* what, const auto& member) {
    if (c.before.*member == c.after.*member) return;
    notes.push_back(fmt::format("the {} differ: OLD {}; NEW {}", what,
                                joined_text(c.before.*member), joined_text(c.after.*member)));
  };
  if (c.before.programs == c.after.programs) {
    notes.push_back(fmt::format("both runs are of one build: {}", joined_text(c.before.programs)));
  }
  differ("builds", &RunFacts::programs);
  differ("compilers", &RunFacts::compilers);
  differ("machines", &RunFacts::machines);
  differ("limits", &RunFacts::limits);
  if (c.before.rounds != c.after.rounds) {
    notes.push_back(
        fmt::format("the rounds differ: OLD {}, NEW {}", c.before.rounds, c.after.rounds));
  }
  for (const RunFacts* run : {&c.before, &c.after}) {
    if (run->repeated > 0) {
      notes.push_back(
          fmt::format("{}: {} records left out, because the same run is there again after them",
                      shown(run->path), run->repeated));
    }
  }
  return notes;
}

// Notes solvers and suites that only one of the runs has.
void note_missing(Comparison& c) {
  std::map<std::string, std::pair<bool, bool>> suites;
  for (const ComparedGroup& g : c.groups) {
    suites[g.suite].first |= g.compared + g.only_before > 0;
    suites[g.suite].second |= g.compared + g.only_after > 0;
  }
  for (const auto& [suite, is_in] : suites) {
    if (is_in.first != is_in.second)
      c.notes.push_back(
          fmt::format("suite {} is in {} alone", shown(suite), is_in.first ? "OLD" : "NEW"));
  }
  for (const ComparedGroup& g : c.groups) {
    const auto is_in = suites.at(g.suite);
    if (g.compared > 0 || is_in.first != is_in.second) continue;
    if (g.only_before > 0 && g.only_after > 0) continue;
    c.notes.push_back(fmt::format("solver {} on suite {} is in {} alone", shown(g.solver),
                                  shown(g.suite), g.only_before > 0 ? "OLD" : "NEW"));
  }
}

void expect_common(const Comparison& c) {
  for (const ComparedGroup& g : c.groups) {
    if (g.compared > 0) return;
  }
  throw InputError(
      fmt::format("{}: no record has the same suite, problem, solver, settings, start, tolerance "
                  "and time limit as a record of {}",
                  shown(c.after.path), shown(c.before.path)));
}

}  // namespace

int Comparison::lost() const {
  int count = 0;
  for (const ComparedGroup& g : groups) count += static_cast<int>(g.lost.size());
  return count;
}

int Comparison::wrong() const {
  int count = 0;
  for (const ComparedGroup& g : groups) count += static_cast<int>(g.wrong.size());
  return count;
}

Comparison compare_runs(const RunRounds& before, const RunRounds& after,
                        const BandOptions& options) {
  const Listed old_records(before), new_records(after);
  Comparison c;
  c.before = facts_of(before, old_records.records);
  c.after = facts_of(after, new_records.records);
  int repeated[2] = {0, 0};
  const std::map<GroupKey, Group> groups = join(old_records, new_records, repeated);
  c.before.repeated += repeated[0];
  c.after.repeated += repeated[1];
  c.notes = notes_of(c);
  std::vector<Draft> drafts;
  std::vector<std::vector<TimePair>> pairs;
  for (const auto& [key, group] : groups) {
    drafts.push_back(draft_of(key, group));
    pairs.push_back(drafts.back().pairs);
  }
  TimeJudgement judgement = judge_times(pairs, options);
  c.common = judgement.common;
  for (std::size_t k = 0; k < drafts.size(); ++k) {
    drafts[k].group.time = std::move(judgement.groups[k]);
    name_single_problems(drafts[k]);
    c.groups.push_back(std::move(drafts[k].group));
  }
  note_missing(c);
  expect_common(c);
  return c;
}

}  // namespace perp
