// None of the libraries that perp uses has SHA-256. One function is no reason to depend on another.
#include <perp/bench/collection/sha256.hpp>

#include <fmt/format.h>
#include <array>
#include <bit>
#include <cstdint>

namespace perp {

namespace {

__extension__ using Wide = unsigned __int128;
using HashWords = std::array<std::uint32_t, 8>;

constexpr int kRounds = 64;
constexpr std::size_t kBlock = 64;  // bytes

constexpr std::array<int, kRounds> first_primes() {
  std::array<int, kRounds> primes{};
  std::size_t count = 0;
  for (int n = 2; count < primes.size(); ++n) {
    bool is_prime = true;
    for (std::size_t k = 0; k < count; ++k) is_prime = is_prime && n % primes[k] != 0;
    if (is_prime) primes[count++] = n;
  }
  return primes;
}

// The first 32 fractional bits of the square root (degree 2) or cube root (degree 3) of a prime p:
// the largest x with x^degree <= p 2^(32 degree), without its integer part.
constexpr std::uint32_t root_bits(int prime, int degree) {
  const Wide wanted = static_cast<Wide>(prime) << (32 * degree);
  std::uint64_t x = 0;
  for (std::uint64_t bit = std::uint64_t{1} << 36; bit > 0; bit >>= 1) {
    const Wide tried = x | bit;
    if ((degree == 2 ? tried * tried : tried * tried * tried) <= wanted) x |= bit;
  }
  return static_cast<std::uint32_t>(x);
}

constexpr std::array<std::uint32_t, kRounds> round_constants() {
  std::array<std::uint32_t, kRounds> constants{};
  const auto primes = first_primes();
  for (std::size_t k = 0; k < constants.size(); ++k) {
    constants[k] = root_bits(primes[k], 3);
  }
  return constants;
}

constexpr HashWords first_hash() {
  HashWords words{};
  for (std::size_t k = 0; k < words.size(); ++k) words[k] = root_bits(first_primes()[k], 2);
  return words;
}

// [NistSecureHash2015, Sec. 6.2.2]
void take_block(const char* block, HashWords& hash) {
  static constexpr std::array<std::uint32_t, kRounds> kConstants = round_constants();
  std::array<std::uint32_t, kRounds> w{};
  for (std::size_t t = 0; t < 16; ++t) {
    for (std::size_t k = 0; k < 4; ++k)
      w[t] = w[t] << 8 | static_cast<unsigned char>(block[4 * t + k]);
  }
  for (std::size_t t = 16; t < kRounds; ++t) {
    const std::uint32_t a = w[t - 15], b = w[t - 2];
    w[t] = w[t - 16] + (std::rotr(a, 7) ^ std::rotr(a, 18) ^ a >> 3) + w[t - 7] +
           (std::rotr(b, 17) ^ std::rotr(b, 19) ^ b >> 10);
  }
  auto [a, b, c, d, e, f, g, h] = hash;
  for (std::size_t t = 0; t < kRounds; ++t) {
    const std::uint32_t first = h + (std::rotr(e, 6) ^ std::rotr(e, 11) ^ std::rotr(e, 25)) +
                                ((e & f) ^ (~e & g)) + kConstants[t] + w[t];
    const std::uint32_t second =
        (std::rotr(a, 2) ^ std::rotr(a, 13) ^ std::rotr(a, 22)) + ((a & b) ^ (a & c) ^ (b & c));
    h = g;
    g = f;
    f = e;
    e = d + first;
    d = c;
    c = b;
    b = a;
    a = first + second;
  }
  const HashWords added = {a, b, c, d, e, f, g, h};
  for (std::size_t k = 0; k < hash.size(); ++k) hash[k] += added[k];
}

}  // namespace

std::string sha256_text(std::string_view bytes) {
  HashWords hash = first_hash();
  std::size_t at = 0;
  for (; bytes.size() - at >= kBlock; at += kBlock) take_block(bytes.data() + at, hash);
  // The remaining bytes, one set bit, zeros and the number of bits fill one or two blocks.
  std::string rest(bytes.substr(at));
  rest += '\x80';
  while (rest.size() % kBlock != kBlock - 8) rest += '\0';
  const std::uint64_t bits = 8 * static_cast<std::uint64_t>(bytes.size());
  for (int shift = 56; shift >= 0; shift -= 8) rest += static_cast<char>(bits >> shift & 0xFF);
  for (at = 0; at < rest.size(); at += kBlock) take_block(rest.data() + at, hash);
  std::string text;
  for (const std::uint32_t word : hash) text += fmt::format("{:08x}", word);
  return text;
}

}  // namespace perp
