// What loops for one width of vectors have in common. As in dense_loops.hpp, all of it belongs to
// the source file that includes it.
#pragma once

namespace perp {
namespace {

// A vector of kWidth doubles.
template <int kWidth>
struct Lanes {
  typedef double Vec __attribute__((vector_size(8 * kWidth)));
  typedef double Unaligned __attribute__((vector_size(8 * kWidth), aligned(8), may_alias));

  typedef float UnalignedSingle __attribute__((vector_size(4 * kWidth), aligned(4), may_alias));

  static Vec load(const double* from) { return *reinterpret_cast<const Unaligned*>(from); }
  static Vec load(const float* from) {
    return widen<Vec>(*reinterpret_cast<const UnalignedSingle*>(from));
  }

  // A template, as g++ 12 looks at the types of __builtin_convertvector before it knows kWidth.
  template <class To, class From>
  static To widen(From values) {
    return __builtin_convertvector(values, To);
  }
  static void store(double* to, Vec x) { *reinterpret_cast<Unaligned*>(to) = x; }
};

// A loop that leaves the upper halves of the vector registers empty. g++ 12 does not always do that
// by itself. With full ones, all code without AVX that runs later takes several times as long on
// some machines, until something empties them.
template <auto kLoop>
struct Leaving;
template <class R, class... Arguments, R (*kLoop)(Arguments...)>
struct Leaving<kLoop> {
  struct AtEnd {
    ~AtEnd() {
#if defined(__AVX__)
      __builtin_ia32_vzeroupper();
#endif
    }
  };
  static R run(Arguments... arguments) {
    const AtEnd at_end;
    return kLoop(arguments...);
  }
};

}  // namespace
}  // namespace perp
