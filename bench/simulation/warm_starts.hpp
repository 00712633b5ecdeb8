// Answers of earlier problems as starts of those that follow.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <perp/solvers/router.hpp>
#include <string>
#include <unordered_map>
#include <vector>

namespace perp {

/// What tells the unknowns of a problem apart, and the rows of a conic_qp; the same for the same
/// unknown of the next problem. kNoKey: nothing is carried over.
struct ProblemKeys {
  std::vector<std::uint64_t> unknowns, rows;  ///< rows may be empty
  bool are_places = false;                    ///< they say no more than which place an unknown has
};

/// Keys of a problem that comes by itself: of the names of its unknowns if they all differ, else
/// their places.
ProblemKeys keys_of(const Problem& problem);

/// Keeps the last answer of every stage (of a step; problems without stages have one) and brings
/// it to the unknowns of the next problem: z, the dual and the basis, each by keys. If one of the
/// two problems has places for keys, by place, if their sizes agree.
class WarmStarts {
 public:
  /// Sets the start of a request: what is known of the last answer, the rest as in `base`, or 0;
  /// `base` itself if nothing is known. @return whether anything was carried over
  bool give(const std::string& stage, const ProblemKeys& keys, const std::optional<Vector>& base,
            SolveRequest& request) const;

  void remember(const std::string& stage, const ProblemKeys& keys, const VerifiedResult& result);

 private:
  template <class T>
  using ByKey = std::unordered_map<std::uint64_t, T>;
  struct Kept {
    ByKey<double> z, dual;
    ByKey<PairStatus> basis;  // empty: of a method without one
    Answer answer;            // by place
    bool are_places = false;
  };

  std::map<std::string, Kept> kept_;
};

}  // namespace perp
