// A seeded generator of random numbers that are the same on every machine, unlike those of the
// distributions of the standard library.
#pragma once

#include <cstdint>
#include <vector>

namespace perp {

/// xoshiro256** seeded through splitmix64 [BlackmanVigna2021].
class Random {
 public:
  /// The same seed gives the same numbers on every machine.
  explicit Random(std::uint64_t seed);

  /// 64 random bits.
  std::uint64_t bits();
  /// In [0, 1), 53 bits.
  double uniform();
  /// In [low, high).
  double uniform(double low, double high) { return low + (high - low) * uniform(); }
  /// In 0 .. count-1, without bias.
  int index(int count);
  /// Standard normal distribution, polar method.
  double normal();
  /// A random order of 0 .. count-1.
  std::vector<int> permutation(int count);

 private:
  std::uint64_t state_[4];
  double spare_ = 0.0;
  bool has_spare_ = false;
};

}  // namespace perp
