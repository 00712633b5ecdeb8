// One trial of the adversary: a problem, a partner of it, a solver, and everything that can be
// contradicted.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <perp/bench/shrink/shrink.hpp>
#include <perp/problems/standard/verifier.hpp>
#include <string>
#include <vector>

namespace perp::adversary {

/// Faults that can be planted, to see that the adversary finds them.
enum class Fault {
  kNone,
  kLyingSolver,     ///< answers are moved after the verifier has seen them
  kFiniteness,      ///< what is not finite is granted
  kCertificate,     ///< proofs count that fail by up to 1e-9
  kNondeterminism,  ///< the same call gives other bits
  kSlow,            ///< some solves take longer than they may
  kCrash            ///< some solves end the process
};

struct Plan {
  std::uint64_t seed = 1;
  std::string kind, solver;  ///< empty: all
  double tolerance = 1e-8, time_limit = 0.5;
  Fault fault = Fault::kNone;
};

struct Contradiction {
  std::string what;  ///< "granted", "refused", "proof", "bits", "hang", "throws", "partner",
                     ///< "missed"
  std::string detail;
  Answer answer = {};  ///< that is judged differently
};

struct TrialResult {
  std::string kind, relation, solver, status;
  int answers = 0, proofs = 0;  ///< judged by both
  std::vector<Contradiction> contradictions;
  std::optional<Problem> problem;  ///< of the contradictions
};

/// The trial with this number; the same plan and number repeat it.
TrialResult run_trial(const Plan& plan, std::uint64_t number);

/// The smallest problem found that shows the finding's first contradiction with its solver, on its
/// own (without its partner); the finding's problem itself if it does not.
Shrunk shrink_finding(const Plan& plan, const TrialResult& finding, double seconds);

}  // namespace perp::adversary
