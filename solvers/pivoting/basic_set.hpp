// The set of basic columns of a complementary pivoting method.
#pragma once

#include <cstdint>
#include <perp/solvers/core/start.hpp>
#include <vector>

namespace perp {

/// The basic columns among x_j (id j), w_j (id m + j) and t (id 2m), and the bounds of the other
/// x_j.
///
/// Invariant: m columns are basic. An x_j that is not basic is at its upper bound if at_upper(j),
/// else at zero. at_upper(j) also says to which of these bounds a basic w_j belongs. Two equal sets
/// from the same begin() have the same key.
class BasicSet {
 public:
  void attach(int size) {
    size_ = size;
    basic_.assign(2 * size + 1, 0);
    at_upper_.assign(size, 0);
  }
  /// Makes x_j basic for the pairs with status kBasic, and w_j for the others.
  void begin(const std::vector<PairStatus>& start);

  bool is_basic(int id) const { return basic_[id]; }
  bool at_upper(int pair) const { return at_upper_[pair]; }
  /// An x that enters counts as at zero until it leaves.
  void exchange(int leaving, int entering);
  void set_at_upper(int pair, bool at_upper);

  std::uint64_t key() const { return key_; }
  const std::vector<char>& basic() const { return basic_; }  ///< per id

 private:
  int size_ = 0;
  std::vector<char> basic_;     // per id
  std::vector<char> at_upper_;  // per pair
  std::uint64_t key_ = 0;       // xor of the bits of all changes since begin()
};

/// Well-spread bits of a number (splitmix64 [BlackmanVigna2021]).
std::uint64_t spread_bits(int number);

/// Finds out whether a path of pivots has come back to a basis.
///
/// In exact arithmetic and with the lexicographic rule this cannot happen: if it does, it is due to
/// rounding. Brent's method finds the cycle within about three times its length, in constant
/// memory. A path may also close: if it starts outside two-sided bounds, or at a point, it can
/// return to its first basis.
///
/// Invariant: the stored key is that of an earlier step. The numbers of the stored steps are powers
/// of two.
class RepeatedBasis {
 public:
  void attach(int size) { first_basic_.assign(2 * size + 1, 0); }
  /// To be called after the covering variable entered.
  /// @param may_close the path may return to this basis
  void begin(const BasicSet& first, int entering, bool may_close);
  /// To be called after a step: whether this is the first basis, or an earlier one.
  /// @param step its number
  bool is_first(const BasicSet& now, int entering, long step) const;
  bool repeats(const BasicSet& now, int entering, long step);

 private:
  std::vector<char> first_basic_;
  std::uint64_t first_key_ = 0;  // covers the bounds, too, at which x of basic w are
  int first_entering_ = -1;
  bool may_close_ = false;
  std::uint64_t kept_key_ = 0;
  long next_kept_ = 1;  // next step whose key is stored
};

}  // namespace perp
