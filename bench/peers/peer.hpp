// What the programs of the peers share: a problem in, a result with its own times out.
#pragma once

#include <functional>
#include <memory>
#include <perp/problems/standard/problem.hpp>
#include <string>

namespace perp::peer {

/// What is asked for.
struct Request {
  std::string solver;       ///< name of the peer: "siconos-lemke"
  Problem problem;          ///< of any kind; its start is the one to begin at, none: zero
  double tolerance = 1e-8;  ///< of the natural residual, absolute
  int max_iterations = 0;   ///< 0: the method's own choice
};

/// What the library says.
struct Answer {
  Vector z;
  std::string status = "solved";  ///< as in a result file
  int iterations = 0;
  std::string message;
  Vector dual = {};  ///< of a conic_qp: y; empty where there is none
};

/// One solver of the library, holding the problem in the library's own data.
class Solver {
 public:
  virtual ~Solver() = default;
  /// Called once.
  virtual Answer solve() = 0;
};

/// Brings the problem into the library's own data: everything that is done before the solve.
/// @throws std::invalid_argument where the solver does not take the problem, and why.
using Factory = std::function<std::unique_ptr<Solver>(const Request&)>;

/// Main program: reads a perp-problem from standard input, makes the solver (time of setup) and
/// solves (time of solve, with the answer mapped back), each up to three times as long as that
/// takes less than a second; medians count. A result goes to standard output after every one, with
/// the first answer: what a later one does, no answer is lost to it. PERP_TIME_LIMIT is that of
/// setup and solve of each; where the first exceeds it the result is time_limit. What the library
/// prints goes to standard error.
/// @return the exit code
int run(int argc, char** argv, const Factory& make);

/// Bounds of an lcp or mlcp with M and q, as one form. @throws std::invalid_argument for other
/// kinds.
Mlcp as_mlcp(const Problem& problem);

}  // namespace perp::peer
