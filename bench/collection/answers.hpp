// What a collection says of an instance: a verified answer, a checked proof, or that it is open.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <perp/problems/standard/problem.hpp>
#include <perp/solvers/router.hpp>
#include <string>

namespace perp {

enum class Label {
  kSolved,  ///< the verifier grants an answer
  kProof,   ///< a certificate holds in exact arithmetic: infeasible, or (conic_qp) unbounded
  kOpen     ///< neither was found
};

/// "solved", "proof" or "open".
std::string_view to_string(Label label);

/// What answers of a collection are verified at, and what ends the search for one.
struct AnswerLimits {
  double tolerance = 1e-8;     ///< of the verification
  double asked = 1e-10;        ///< of the solvers, so that other programs' rounding has room
  double time_limit = 3600.0;  ///< s; a recipe is meant to stay far below, since clocks differ
};

/// The answer to an instance and how it was found.
struct Finding {
  Label label = Label::kOpen;
  std::string from;       ///< "auto" or "stored", the solution that came with the problem
  VerifiedResult result;  ///< with the answer; of an open one, the nearest
  bool by_clock = false;  ///< a try was ended by the time limit: another run may find another end
};

/// Asks auto, then looks at the solution that the problem holds.
Finding find_answer(const Problem& problem, const AnswerLimits& limits, Observer* observer);

/// The perp-answer document: a result without its times. Not for open instances.
nlohmann::ordered_json answer_to_json(const Problem& problem, const Finding& finding);

/// Reads a problem and its answer from their files and verifies again: the answer, or the proof.
/// @throws InputError where they do not go together
void check_answer_file(const std::string& problem_file, const std::string& answer_file,
                       double tolerance);

}  // namespace perp
