#include <perp/solvers/pivoting/basic_set.hpp>

#include <algorithm>

namespace perp {

std::uint64_t spread_bits(int number) {
  std::uint64_t z =
      static_cast<std::uint64_t>(static_cast<std::int64_t>(number)) * 0x9e3779b97f4a7c15ULL + 1;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
  return z ^ (z >> 31);
}

void BasicSet::begin(const std::vector<PairStatus>& start) {
  std::fill(basic_.begin(), basic_.end(), 0);
  for (int j = 0; j < size_; ++j) {
    basic_[start[j] == PairStatus::kBasic ? j : size_ + j] = 1;
    at_upper_[j] = start[j] == PairStatus::kAtUpper;
  }
  key_ = 0;
}

void BasicSet::exchange(int leaving, int entering) {
  key_ ^= spread_bits(leaving) ^ spread_bits(entering);
  basic_[leaving] = 0;
  basic_[entering] = 1;
  if (entering < size_) set_at_upper(entering, false);
}

void BasicSet::set_at_upper(int pair, bool at_upper) {
  if (static_cast<bool>(at_upper_[pair]) == at_upper) return;
  at_upper_[pair] = at_upper;
  key_ ^= spread_bits(-1 - pair);
}

void RepeatedBasis::begin(const BasicSet& first, int entering, bool may_close) {
  first_basic_ = first.basic();
  first_key_ = first.key();
  first_entering_ = entering;
  may_close_ = may_close;
  next_kept_ = 1;
}

bool RepeatedBasis::is_first(const BasicSet& now, int entering, long step) const {
  return may_close_ && step > 1 && entering == first_entering_ && now.key() == first_key_ &&
         now.basic() == first_basic_;
}

bool RepeatedBasis::repeats(const BasicSet& now, int entering, long step) {
  const std::uint64_t key = now.key() ^ spread_bits(entering) * 3;
  if (step > 1 && key == kept_key_) return true;
  if (step >= next_kept_) {
    kept_key_ = key;
    next_kept_ = 2 * step;
  }
  return false;
}

}  // namespace perp
