// Which columns of a complementary pivoting method are basic.
#pragma once

#include <cstdint>
#include <perp/solvers/core/start.hpp>
#include <vector>

namespace perp {

/// The basic ones of the columns x_j (id j), w_j (id m + j) and t (id 2m), and the bounds that the
/// other x_j stand at.
///
/// Invariant: m columns are basic. x_j is at its upper bound (at_upper) or at zero as long as it is
/// not basic, and at_upper(j) also tells to which of them a basic w_j belongs. Two sets that come
/// from the same begin() and are equal have the same key.
class BasicSet {
 public:
  void attach(int size) {
    size_ = size;
    basic_.assign(2 * size + 1, 0);
    at_upper_.assign(size, 0);
  }
  /// x_j of the pairs that are basic by their statuses, w_j of the others.
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

/// Whether a path of pivots has come back to a basis.
///
/// In exact arithmetic the lexicographic rule never does; one that does has been misled by
/// rounding. Brent's method finds the cycle within about three times its length, in constant
/// memory. A path may also close on itself: if it starts outside two-sided bounds, or at a point,
/// its first basis can be met again.
///
/// Invariant: the key kept is that of an earlier step, whose number is a power of two times that of
/// the one before.
class RepeatedBasis {
 public:
  void attach(int size) { first_basic_.assign(2 * size + 1, 0); }
  /// After the covering variable entered. @param may_close the path may return to this basis
  void begin(const BasicSet& first, int entering, bool may_close);
  /// After a step, the one of this number.
  bool is_first(const BasicSet& now, int entering, long step) const;
  bool repeats(const BasicSet& now, int entering, long step);

 private:
  std::vector<char> first_basic_;
  int first_entering_ = -1;
  bool may_close_ = false;
  std::uint64_t kept_key_ = 0;
  long next_kept_ = 1;  // step whose key is kept next
};

}  // namespace perp
