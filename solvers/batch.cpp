#include <perp/solvers/batch.hpp>

#include <fmt/format.h>
#include <algorithm>
#include <atomic>
#include <exception>
#include <optional>
#include <perp/problems/limits/call_context.hpp>
#include <perp/solvers/session.hpp>
#include <stdexcept>
#include <system_error>
#include <thread>
#include <unordered_map>

namespace perp {

namespace {

constexpr std::size_t kMostTogether =
    32;  // in a piece: small pieces, so that all threads end at about the same time

constexpr std::size_t kMostHashed =
    32;  // row indices of a matrix; same_structure compares them all

// A hash of numbers that problems of one structure have in common.
class StructureHash {
 public:
  std::size_t operator()(const Problem& problem) {
    hash_ = 0xcbf29ce484222325u;
    add(problem.data.index());
    add(static_cast<std::size_t>(problem.size()));
    std::visit([this](const auto& data) { add_patterns(data); }, problem.data);
    return hash_;
  }

 private:
  void add(std::size_t number) { hash_ = (hash_ ^ number) * 0x100000001b3u; }
  void add(const Matrix& m) {
    if (!m.is_sparse()) return add(static_cast<std::size_t>(m.rows()));
    const SparseMatrix& s = m.sparse();
    const auto entries = static_cast<std::size_t>(s.nonZeros());
    add(entries);
    const std::size_t stride = 1 + entries / kMostHashed;
    for (std::size_t k = 0; k < entries; k += stride)
      add(static_cast<std::size_t>(s.innerIndexPtr()[k]));
  }
  void add_patterns(const Lcp& p) { add(p.M); }
  void add_patterns(const Mlcp& p) { add(p.M); }
  void add_patterns(const Mcp&) {}
  void add_patterns(const BoxQp& p) { add(p.H); }
  void add_patterns(const ConicQp& p) {
    add(p.P);
    add(p.A);
  }
  void add_patterns(const FrictionContact& p) {
    add(p.W);
    add(p.J);
  }
  void add_patterns(const ConvexContact& p) {
    add(p.A);
    add(p.J);
  }

  std::size_t hash_ = 0;
};

// Pieces of problems of one structure, at most kMostTogether and so few that each thread has some.
// Those with the most unknowns in all come first, so that only small ones are left for the end.
std::vector<std::vector<int>> pieces_of(std::span<const Problem> problems, int threads) {
  std::vector<std::vector<int>> pieces;
  const auto shares = static_cast<std::size_t>(std::max(threads, 1));
  const std::size_t most =
      std::clamp<std::size_t>((problems.size() + shares - 1) / shares, 1, kMostTogether);
  for (const std::vector<int>& group : group_by_structure(problems)) {
    for (std::size_t at = 0; at < group.size(); at += most) {
      const std::size_t end = std::min(group.size(), at + most);
      pieces.emplace_back(group.begin() + static_cast<std::ptrdiff_t>(at),
                          group.begin() + static_cast<std::ptrdiff_t>(end));
    }
  }
  const auto work = [&](const std::vector<int>& piece) {
    return static_cast<double>(piece.size()) * problems[piece.front()].size();
  };
  std::stable_sort(pieces.begin(), pieces.end(),
                   [&](const auto& a, const auto& b) { return work(a) > work(b); });
  return pieces;
}

class Batch {
 public:
  Batch(std::span<const Problem> problems, const SolveRequest& request, Observer* observer)
      : problems_(problems),
        request_(request),
        observer_(observer),
        results_(problems.size()),
        faults_(problems.size()) {}

  std::vector<VerifiedResult> run(int threads) {
    pieces_ = pieces_of(problems_, threads);
    std::vector<std::jthread> others;
    const auto most = std::min<std::size_t>(static_cast<std::size_t>(threads), pieces_.size());
    try {
      for (std::size_t k = 1; k < most; ++k) {
        others.emplace_back([this, context = call_context()] {
          const CallContext of_the_caller(context);
          work();
        });
      }
    } catch (const std::system_error&) {  // the system starts no more: those that run do the work
    }
    work();
    others.clear();
    for (std::size_t i = 0; i < faults_.size(); ++i) {
      if (faults_[i])
        throw std::invalid_argument(fmt::format("problem {} of the batch: {}", i, *faults_[i]));
    }
    if (fault_) std::rethrow_exception(fault_);
    return std::move(results_);
  }

 private:
  void work() {
    try {
      Session session(request_);
      for (std::size_t k = next_++; k < pieces_.size(); k = next_++) {
        for (const int i : pieces_[k]) solve(session, i);
      }
    } catch (...) {  // out of memory, or what a solver throws
      next_ = pieces_.size();
      if (!taken_.test_and_set()) fault_ = std::current_exception();
    }
  }

  void solve(Session& session, int i) {
    try {
      results_[i] = session.solve(problems_[i], request_, observer_);
    } catch (const std::invalid_argument& fault) {
      faults_[i] = fault.what();
    }
  }

  std::span<const Problem> problems_;
  const SolveRequest& request_;
  Observer* observer_;
  std::vector<std::vector<int>> pieces_;
  std::vector<VerifiedResult> results_;
  std::vector<std::optional<std::string>> faults_;
  std::atomic<std::size_t> next_ = 0;
  std::atomic_flag taken_;
  std::exception_ptr fault_;
};

}  // namespace

std::vector<std::vector<int>> group_by_structure(std::span<const Problem> problems) {
  std::vector<std::vector<int>> groups;
  std::unordered_map<std::size_t, std::vector<std::size_t>> by_hash;  // indices of groups
  StructureHash hash;
  for (std::size_t i = 0; i < problems.size(); ++i) {
    std::vector<std::size_t>& alike = by_hash[hash(problems[i])];
    const auto group = std::find_if(alike.begin(), alike.end(), [&](std::size_t g) {
      return same_structure(problems[groups[g].front()], problems[i]);
    });
    if (group != alike.end()) {
      groups[*group].push_back(static_cast<int>(i));
      continue;
    }
    alike.push_back(groups.size());
    groups.push_back({static_cast<int>(i)});
  }
  return groups;
}

std::vector<VerifiedResult> solve_batch(std::span<const Problem> problems,
                                        const SolveRequest& request, int threads,
                                        Observer* observer) {
  if (request.start || request.start_dual || request.start_basis)
    throw std::invalid_argument("a batch takes no start; its problems may have their own");
  if (threads < 1) throw std::invalid_argument("a batch needs at least one thread");
  if (problems.empty()) {
    Session checked(request);  // refuses an unknown solver even if there are no problems
    return {};
  }
  return Batch(problems, request, observer).run(threads);
}

}  // namespace perp
