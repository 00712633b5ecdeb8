// What a collection says about an instance: a verified answer, a checked proof, or that it is open.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <perp/problems/standard/problem.hpp>
#include <perp/solvers/router.hpp>
#include <string>

namespace perp {

/// What is known of an instance.
enum class Label {
  kSolved,  ///< the verifier accepts an answer
  kProof,   ///< a certificate is valid in exact arithmetic: infeasible, or (conic_qp) unbounded
  kOpen     ///< neither was found
};

/// "solved", "proof" or "open".
std::string_view to_string(Label label);

/// Tolerances for the answers of a collection, and the time limit of the search for one.
struct AnswerLimits {
  double tolerance = 1e-8;  ///< answers are verified with this one
  double asked = 1e-10;  ///< solvers are asked for this one, smaller to leave room for the rounding
                         ///< of other programs
  /// s; recipes should stay far below, because clocks differ between machines
  double time_limit = 3600.0;
};

/// The answer to an instance, and how it was found.
struct Finding {
  Label label = Label::kOpen;
  std::string from;       ///< "auto" or "stored", the solution that came with the problem
  VerifiedResult result;  ///< with the answer; for an open instance, with the best attempt
  /// the time limit ended an attempt, so that another run may end differently
  bool by_clock = false;
};

/// Tries the solver auto, then the solution stored in the problem. @param observer may be null
Finding find_answer(const Problem& problem, const AnswerLimits& limits, Observer* observer);

/// The perp-answer document: a result without its times. Must not be called for open instances.
nlohmann::ordered_json answer_to_json(const Problem& problem, const Finding& finding);

/// Reads a problem and its answer from their files, and verifies the answer or the proof again.
/// @throws InputError if the answer does not solve the problem or the proof proves nothing about it
void check_answer_file(const std::string& problem_file, const std::string& answer_file,
                       double tolerance);

}  // namespace perp
