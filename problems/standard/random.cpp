#include <perp/problems/standard/random.hpp>

#include <cmath>
#include <numeric>
#include <utility>

namespace perp {

namespace {

std::uint64_t rotate_left(std::uint64_t x, int k) { return (x << k) | (x >> (64 - k)); }

}  // namespace

Random::Random(std::uint64_t seed) {
  for (std::uint64_t& word : state_) {  // splitmix64
    std::uint64_t z = (seed += 0x9e3779b97f4a7c15ULL);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
    word = z ^ (z >> 31);
  }
}

std::uint64_t Random::bits() {
  const std::uint64_t result = rotate_left(state_[1] * 5, 7) * 9;
  const std::uint64_t shifted = state_[1] << 17;
  state_[2] ^= state_[0];
  state_[3] ^= state_[1];
  state_[1] ^= state_[2];
  state_[0] ^= state_[3];
  state_[2] ^= shifted;
  state_[3] = rotate_left(state_[3], 45);
  return result;
}

double Random::uniform() { return static_cast<double>(bits() >> 11) * 0x1.0p-53; }

int Random::index(int count) {
  const std::uint64_t n = static_cast<std::uint64_t>(count);
  const std::uint64_t limit = UINT64_MAX - UINT64_MAX % n;
  std::uint64_t x = bits();
  while (x >= limit) x = bits();
  return static_cast<int>(x % n);
}

double Random::normal() {
  if (has_spare_) {
    has_spare_ = false;
    return spare_;
  }
  double u, v, s;
  do {
    u = uniform(-1.0, 1.0);
    v = uniform(-1.0, 1.0);
    s = u * u + v * v;
  } while (s >= 1.0 || s == 0.0);
  const double factor = std::sqrt(-2.0 * std::log(s) / s);
  spare_ = v * factor;
  has_spare_ = true;
  return u * factor;
}

std::vector<int> Random::permutation(int count) {
  std::vector<int> result(count);
  std::iota(result.begin(), result.end(), 0);
  for (int i = count - 1; i > 0; --i) std::swap(result[i], result[index(i + 1)]);
  return result;
}

}  // namespace perp
