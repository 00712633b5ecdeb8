// Complementarity functions: zero exactly where a row of a box problem is solved.
#pragma once

namespace perp {

enum class NcpFunction { kFischerBurmeister, kPenalised, kMin };

/// A choice of function: phi of one row for a lower bound, phi(z - l, F), and for bounds on both
/// sides Billups' composition phi(z - l, -phi(u - z, -F)) [Billups1995].
struct ComplementarityFunction {
  NcpFunction kind = NcpFunction::kFischerBurmeister;
  double lambda = 0.9;  ///< share of Fischer-Burmeister in the penalised function
};

/// Value of a row and an element of its generalised gradient with respect to z_i and F_i; at a kink
/// the even one.
/// Both partial derivatives are nonnegative and not both zero.
struct ComplementarityRow {
  double value, dz, df;
};

ComplementarityRow evaluate_row(const ComplementarityFunction& function, double z, double f,
                                double lower, double upper);
/// The value alone.
double evaluate_value(const ComplementarityFunction& function, double z, double f, double lower,
                      double upper);

}  // namespace perp
