// Selects the steps of an engine that are written as problems (docs/how-to/import-step.md).
#pragma once

#include <CLI/CLI.hpp>
#include <iostream>
#include <string>
#include <vector>

namespace perp {

/// Options for the selection of steps.
struct StepOptions {
  int skip = 0;   ///< number of steps to leave out at the beginning
  int every = 1;  ///< take every N-th of the steps with contacts
  std::vector<std::string> laws = {"coulomb", "own"};
};

/// Adds the options --skip, --every and --laws. @param o must live as long as the app
inline void add_step_options(CLI::App& app, StepOptions& o) {
  app.add_option("--skip", o.skip, "steps to leave out at the beginning")
      ->check(CLI::Range(0, 100'000'000));
  app.add_option("--every", o.every, "take only every N-th of the steps with contacts")
      ->check(CLI::Range(1, 1'000'000));
  app.add_option("--laws", o.laws, "laws to use: coulomb, own")
      ->delimiter(',')
      ->check(CLI::IsMember({"coulomb", "own"}));
}

/// Counts steps and decides which of them are written.
class StepCounter {
 public:
  explicit StepCounter(const StepOptions& options) : options_(options) {}

  /// Counts the next step. @param touching whether it has contacts @return whether it is written
  bool next(bool touching) {
    ++step_;
    if (step_ <= options_.skip) last_ = step_;
    if (step_ <= options_.skip || !touching) return false;
    last_ = step_;
    return touched_++ % options_.every == 0;
  }
  /// Whether there were so many steps without contacts that none are expected any more.
  bool hopeless() const { return step_ - last_ > kMostWithout; }
  int step() const { return step_; }  ///< number of the last step, from 1

 private:
  // steps without contacts; more of them count as hopeless
  static constexpr int kMostWithout = 10'000;

  const StepOptions& options_;
  int step_ = 0, last_ = 0, touched_ = 0;
};

/// Writes steps on request: for every line of standard input the next step that is selected.
/// @param advance makes a step, writes it if the counter selects it, and returns whether it did
template <class Advance>
void answer_lines(StepCounter& counter, const Advance& advance) {
  for (std::string line; std::getline(std::cin, line);) {
    while (!advance()) {
      if (counter.hopeless()) return;
    }
  }
}

}  // namespace perp
