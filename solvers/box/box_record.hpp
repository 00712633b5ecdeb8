// What a Newton method on a box problem keeps of the points it visited, and its message at the end.
#pragma once

#include <perp/problems/matrix/matrix.hpp>
#include <perp/solvers/core/status.hpp>
#include <string>
#include <vector>

namespace perp {

/// Keeps the point with the least natural residual, which is the answer; Phi and the gradient at
/// the point with the lowest merit, which tell whether the method ended at a minimum; and a row of
/// F that did not exist at some point.
class BoxRecord {
 public:
  void begin(const Vector& start);

  void note_point(const Vector& z, double natural) {
    if (natural < best_natural) set_best(z, natural);
  }
  void set_best(const Vector& z, double natural) {
    best_natural = natural;
    best_z = z;
  }
  /// @param gradient_size a norm that is zero at a stationary point @param phi n values
  void note_merit(double merit, double gradient_size, const Vector& phi);
  /// @param f F, n values @param jacobian_row if all of f is finite: a row of the Jacobian that is
  /// not; -1: none
  void note_undefined(const Vector& f, int jacobian_row);

  /// stationary if the merit has a minimum at its lowest point, else stalled.
  Status end() const;
  /// One line that explains the end; "" if the status is enough. @param names of the unknowns
  std::string message(Status status, const std::vector<std::string>& names) const;

  Vector best_z;
  double best_natural = 0.0;
  int false_answers = 0;     ///< points with a residual of zero at which F does not keep its signs
  int false_iterates = 0;    ///< those of them that were iterates
  int undefined_points = 0;  ///< points at which F or its Jacobian does not exist

 private:
  std::string stationary_message(const std::vector<std::string>& names) const;

  double lowest_merit_ = 0.0, lowest_gradient_ = 0.0;
  Vector lowest_phi_;
  int undefined_row_ = -1;
  bool undefined_jacobian_ = false;  // F exists there, its derivative does not
};

}  // namespace perp
