// Numbers with any number of bits (MPFR).
#pragma once

#include <mpfr.h>

namespace perp {

/// A number with precision() bits, rounded to nearest at each operation. Doubles are exact.
class Number {
 public:
  /// Bits of the numbers that this thread makes from now on.
  static mpfr_prec_t& precision() {
    thread_local mpfr_prec_t bits = 256;
    return bits;
  }

  Number(double x = 0.0) {  // NOLINT: conversion is the point
    mpfr_init2(value_, precision());
    mpfr_set_d(value_, x, MPFR_RNDN);
  }
  Number(const Number& other) {
    mpfr_init2(value_, mpfr_get_prec(other.value_));
    mpfr_set(value_, other.value_, MPFR_RNDN);
  }
  Number(Number&& other) noexcept : Number(0.0) { mpfr_swap(value_, other.value_); }
  Number& operator=(Number other) noexcept {
    mpfr_swap(value_, other.value_);
    return *this;
  }
  ~Number() { mpfr_clear(value_); }
  static Number extended(long double x) {
    Number r;
    mpfr_set_ld(r.value_, x, MPFR_RNDN);
    return r;
  }

  /// The nearest double that is not smaller.
  double upward() const { return mpfr_get_d(value_, MPFR_RNDU); }
  long double nearest() const { return mpfr_get_ld(value_, MPFR_RNDN); }
  bool finite() const { return mpfr_number_p(value_) != 0; }
  bool nan() const { return mpfr_nan_p(value_) != 0; }
  mpfr_ptr data() { return value_; }

  friend Number operator+(const Number& a, const Number& b) { return made(mpfr_add, a, b); }
  friend Number operator-(const Number& a, const Number& b) { return made(mpfr_sub, a, b); }
  friend Number operator*(const Number& a, const Number& b) { return made(mpfr_mul, a, b); }
  friend Number operator/(const Number& a, const Number& b) { return made(mpfr_div, a, b); }
  friend Number operator-(const Number& a) { return made(mpfr_neg, a); }
  Number& operator+=(const Number& b) { return accumulate(mpfr_add, b); }
  Number& operator-=(const Number& b) { return accumulate(mpfr_sub, b); }
  friend bool operator<(const Number& a, const Number& b) {
    return mpfr_less_p(a.value_, b.value_) != 0;
  }
  friend bool operator<=(const Number& a, const Number& b) {
    return mpfr_lessequal_p(a.value_, b.value_) != 0;
  }
  friend bool operator>(const Number& a, const Number& b) { return b < a; }
  friend bool operator>=(const Number& a, const Number& b) { return b <= a; }
  friend bool operator==(const Number& a, const Number& b) {
    return mpfr_equal_p(a.value_, b.value_) != 0;
  }

  friend Number sqrt(const Number& a) { return made(mpfr_sqrt, a); }
  friend Number abs(const Number& a) { return made(mpfr_abs, a); }
  friend Number exp(const Number& a) { return made(mpfr_exp, a); }
  friend Number log(const Number& a) { return made(mpfr_log, a); }
  friend Number sin(const Number& a) { return made(mpfr_sin, a); }
  friend Number cos(const Number& a) { return made(mpfr_cos, a); }
  friend Number tan(const Number& a) { return made(mpfr_tan, a); }
  friend Number atan(const Number& a) { return made(mpfr_atan, a); }
  friend Number tanh(const Number& a) { return made(mpfr_tanh, a); }
  friend Number pow(const Number& a, const Number& b) { return made(mpfr_pow, a, b); }
  friend Number min(const Number& a, const Number& b) { return b < a ? b : a; }
  friend Number max(const Number& a, const Number& b) { return a < b ? b : a; }

 private:
  template <class F>
  static Number made(F f, const Number& a, const Number& b) {
    Number r;
    f(r.value_, a.value_, b.value_, MPFR_RNDN);
    return r;
  }
  template <class F>
  static Number made(F f, const Number& a) {
    Number r;
    f(r.value_, a.value_, MPFR_RNDN);
    return r;
  }
  template <class F>
  Number& accumulate(F f, const Number& b) {
    f(value_, value_, b.value_, MPFR_RNDN);
    return *this;
  }

  mpfr_t value_;
};

}  // namespace perp
