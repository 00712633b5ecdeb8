// Complementarity functions: zero if and only if a row of a box problem is solved.
#pragma once

namespace perp {

/// The functions phi.
enum class NcpFunction { kFischerBurmeister, kPenalised, kMin };

/// The choice of phi: Fischer-Burmeister [Fischer1992], penalised Fischer-Burmeister
/// [ChenChenKanzow2000] or min(a, b). A row is phi(z - l, F) with a lower bound, -phi(u - z, -F)
/// with an upper one, and with both Billups' composition phi(z - l, -phi(u - z, -F)) [Billups1995].
struct ComplementarityFunction {
  NcpFunction kind = NcpFunction::kFischerBurmeister;
  double lambda = 0.9;  ///< share of Fischer-Burmeister in the penalised function
};

/// Value of a row and an element of its generalised gradient with respect to z_i and F_i. At a kink
/// both derivatives are the same. They are nonnegative and not both zero.
struct ComplementarityRow {
  double value, dz, df;
};

/// The row at z and F.
ComplementarityRow evaluate_row(const ComplementarityFunction& function, double z, double f,
                                double lower, double upper);
/// The value alone.
double evaluate_value(const ComplementarityFunction& function, double z, double f, double lower,
                      double upper);

}  // namespace perp
