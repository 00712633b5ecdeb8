// What a Newton method on a box problem keeps of the points it met, and what it says in the end.
#pragma once

#include <perp/problems/matrix/matrix.hpp>
#include <perp/solvers/core/status.hpp>
#include <string>
#include <vector>

namespace perp {

/// The point with the least natural residual, which is the answer; Phi and the gradient where the
/// merit was lowest, which tell whether the method ended at a minimum; where F does not exist.
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
  /// @param gradient_size how far z is from a stationary point
  void note_merit(double merit, double gradient_size, const Vector& phi);
  /// @param jacobian_row a row of the Jacobian that is not finite, if all of f is; -1: none
  void note_undefined(const Vector& f, int jacobian_row);

  /// stationary if the merit has a minimum at its lowest point, else stalled.
  Status end() const;
  /// One line about an end, "" if the status says it all.
  std::string message(Status status, const std::vector<std::string>& names) const;

  Vector best_z;
  double best_natural = 0.0;
  int false_answers = 0;   ///< points where the residual vanishes but F does not hold its signs
  int false_iterates = 0;  ///< those of them that were iterates
  int undefined_points = 0;

 private:
  std::string stationary_message(const std::vector<std::string>& names) const;

  double lowest_merit_ = 0.0, lowest_gradient_ = 0.0;
  Vector lowest_phi_;
  int undefined_row_ = -1;
  bool undefined_jacobian_ = false;  // F exists there, its derivative does not
};

}  // namespace perp
