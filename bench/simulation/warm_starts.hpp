// Uses answers of earlier problems as starts of later ones.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <perp/solvers/router.hpp>
#include <string>
#include <unordered_map>
#include <vector>

namespace perp {

/// Keys of the unknowns of a problem, and of the rows of a conic_qp. An unknown has the same key in
/// the next problem. kNoKey: nothing is carried over for it.
struct ProblemKeys {
  std::vector<std::uint64_t> unknowns, rows;  ///< rows may be empty
  bool are_places = false;                    ///< the keys are only the indices of the unknowns
};

/// Keys of a problem without keys of its own: from the names of its unknowns if all differ, else
/// from their indices. The rows of a conic_qp have keys if their dual is the impulses of contacts
/// (Partition::Contacts) whose names all differ.
ProblemKeys keys_of(const Problem& problem);

/// Keeps the last answer of every stage of a step (problems without stages have a single one) and
/// carries it over to the next problem: z, the dual and the basis, each by keys. If the keys of one
/// of the two problems are only indices, it is carried over by index, provided that the sizes
/// agree.
class WarmStarts {
 public:
  /// Sets the start of a request: values known from the last answer, and the others from `base`, or
  /// 0. If no value is known, the start is `base`. @return whether anything was carried over
  bool give(const std::string& stage, const ProblemKeys& keys, const std::optional<Vector>& base,
            SolveRequest& request) const;

  /// Keeps an answer as the last one of the stage.
  void remember(const std::string& stage, const ProblemKeys& keys, const VerifiedResult& result);

 private:
  /// Values by their keys. Mostly they are asked for by the same keys.
  template <class Values>
  struct ByKey {
    std::vector<std::uint64_t> keys;
    Values values;
    mutable std::unordered_map<std::uint64_t, std::size_t> places;  // of keys; or empty

    bool empty() const { return keys.empty(); }
  };
  struct Kept {
    ByKey<Vector> z, dual;
    ByKey<std::vector<PairStatus>> basis;  // empty for a method without a basis
    Answer answer;                         // for use by index
    bool are_places = false;
  };

  std::map<std::string, Kept> kept_;
};

}  // namespace perp
