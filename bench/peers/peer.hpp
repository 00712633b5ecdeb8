// Shared by the programs of the peers: they read a problem and write a result with its times.
#pragma once

#include <functional>
#include <memory>
#include <perp/problems/standard/problem.hpp>
#include <string>

namespace perp::peer {

/// What the solver is asked for.
struct Request {
  std::string solver;       ///< name of the peer: "siconos-lemke"
  Problem problem;          ///< of any kind; solves begin at its start, or at zero if it has none
  double tolerance = 1e-8;  ///< for the natural residual, absolute
  int max_iterations = 0;   ///< 0: default of the method
};

/// The answer of the library.
struct Answer {
  Vector z;
  std::string status = "solved";  ///< the words of result files
  int iterations = 0;
  std::string message;
  Vector dual = {};  ///< y of a conic_qp; empty if there is none
};

/// One solver of the library. It holds the problem in the library's own data.
class Solver {
 public:
  virtual ~Solver() = default;
  /// Called once.
  virtual Answer solve() = 0;
};

/// Makes the library's own data from the problem, and does everything else that precedes the solve.
/// @throws std::invalid_argument with the reason if the solver does not accept the problem
using Factory = std::function<std::unique_ptr<Solver>(const Request&)>;

/// Main program. Reads a perp-problem from standard input, makes the solver (setup time) and solves
/// (solve time, which includes mapping the answer back). It does so up to three times, as long as
/// the total is below one second, and reports the medians of the times. After every solve it writes
/// a result with the first answer to standard output, so that a later failure loses no answer.
/// PERP_TIME_LIMIT limits setup plus solve, each time; if the first one exceeds it, the result is
/// time_limit. What the library prints goes to standard error.
/// @return the exit code
int run(int argc, char** argv, const Factory& make);

/// An lcp or mlcp as an mlcp. @throws std::invalid_argument for other kinds
Mlcp as_mlcp(const Problem& problem);

}  // namespace perp::peer
