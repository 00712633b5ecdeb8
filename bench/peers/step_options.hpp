// Which steps of an engine are written as problems (docs/how-to/import-step.md).
#pragma once

#include <CLI/CLI.hpp>
#include <iostream>
#include <string>
#include <vector>

namespace perp {

struct StepOptions {
  int skip = 0;   ///< steps before the first
  int every = 1;  ///< of the steps with contacts
  std::vector<std::string> laws = {"coulomb", "own"};
};

inline void add_step_options(CLI::App& app, StepOptions& o) {
  app.add_option("--skip", o.skip, "steps to leave out at the beginning")
      ->check(CLI::Range(0, 100'000'000));
  app.add_option("--every", o.every, "take only every N-th of the steps with contacts")
      ->check(CLI::Range(1, 1'000'000));
  app.add_option("--laws", o.laws, "coulomb, own")
      ->delimiter(',')
      ->check(CLI::IsMember({"coulomb", "own"}));
}

/// Counts steps, and tells which of them are written.
class StepCounter {
 public:
  explicit StepCounter(const StepOptions& options) : options_(options) {}

  /// Of the next step. @param touching whether it has contacts @return whether it is written
  bool next(bool touching) {
    ++step_;
    if (step_ <= options_.skip) last_ = step_;
    if (step_ <= options_.skip || !touching) return false;
    last_ = step_;
    return touched_++ % options_.every == 0;
  }
  /// So many steps without a contact that none will come.
  bool hopeless() const { return step_ - last_ > kMostWithout; }
  int step() const { return step_; }  ///< from 1

 private:
  static constexpr int kMostWithout = 10'000;

  const StepOptions& options_;
  int step_ = 0, last_ = 0, touched_ = 0;
};

/// Steps as they are asked for: for every line of standard input the next one that is wanted.
/// @param advance makes a step and writes it if its counter wants it @return whether it has
template <class Advance>
void answer_lines(StepCounter& counter, const Advance& advance) {
  for (std::string line; std::getline(std::cin, line);) {
    while (!advance()) {
      if (counter.hopeless()) return;
    }
  }
}

}  // namespace perp
