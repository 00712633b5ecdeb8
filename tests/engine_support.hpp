// Runs of the engine scenes that check every step.
#pragma once

#include "dissipation_support.hpp"
#include "support.hpp"

#include <algorithm>
#include <cmath>
#include <perp/bench/data/scenes.hpp>
#include <perp/bench/simulation/simulation.hpp>
#include <perp/formulations/dynamics/contacts.hpp>

namespace perp::test {

/// What a run came to. Energies are kinetic and potential less those of the beginning, J.
struct EngineRun {
  SimulationSummary summary;
  std::vector<int> contacts;                      ///< of every step or segment
  double energy = 0.0, turned = 0.0, work = 0.0;  ///< J, rad, J: at the end
  double deepest = 0.0;                           ///< overlap at the end of a step, m
  double off_plane = 0.0;                         ///< how far a body left its cylinder's plane, m

  /// Share of the steps or segments with 100 to 200 contacts.
  double share() const {
    const auto within =
        std::count_if(contacts.begin(), contacts.end(), [](int n) { return n >= 100 && n <= 200; });
    return static_cast<double>(within) / static_cast<double>(contacts.size());
  }
};

inline std::size_t body_of(const Scene& scene, const std::string& name) {
  for (std::size_t b = 0; b < scene.bodies.size(); ++b) {
    if (scene.bodies[b].name == name) return b;
  }
  throw std::invalid_argument(name);
}

/// Simulates an engine and checks what is promised of every step: problems solved, impulses that
/// push, normal velocities as wanted, momentum balance; contact that takes energy away.
class EngineCheck {
 public:
  EngineCheck(Scene scene, Driver driver) : scene_(std::move(scene)), driver_(driver) {
    crank_ = body_of(scene_, "crank");
    before_ = initial_state(scene_);
    first_energy_ = kinetic_energy(scene_, before_) + potential_energy(scene_, before_);
  }

  EngineRun run(const std::string& formulation, double h = 0.0, double duration = 0.0) {
    SimulationRequest request;
    request.driver = driver_;
    request.formulation = formulation;
    request.step = h;
    request.duration = duration;
    request.solve.limits.tolerance = 1e-10;
    request.on_stage = [this](int, const Stage& stage, const VerifiedResult& r) {
      check_problem(stage, r);
    };
    request.on_step = [this](const StepReport& report) {
      check_step(report);
      return !::testing::Test::HasFatalFailure();
    };
    run_.summary = simulate(scene_, request);
    EXPECT_EQ(run_.summary.failed_steps, 0) << run_.summary.message;
    EXPECT_EQ(run_.summary.relaxed_steps, 0);
    EXPECT_EQ(run_.summary.cut_short_steps, 0);
    EXPECT_FALSE(run_.summary.stopped);
    return run_;
  }

 private:
  void check_problem(const Stage& stage, const VerifiedResult& r) {
    ASSERT_EQ(r.status, Status::kSolved) << stage.problem.name;
    const auto* qp = std::get_if<BoxQp>(&stage.problem.data);
    if (qp == nullptr) return;
    ASSERT_EQ(stage.name, "normal");  // there is no friction: one phase
    const Vector w = qp->H.multiply(r.answer.z) + qp->c;
    ASSERT_GE(r.answer.z.minCoeff(), -1e-9);
    ASSERT_GE(w.minCoeff(), -1e-9);
  }

  void check_step(const StepReport& report) {
    const State& now = report.result.state;
    if (report.h > 0.0)
      run_.contacts.push_back(report.stages.empty() ? 0 : report.stages.back().contacts);
    ASSERT_LE(report.result.momentum_error, 1e-9);
    for (const ContactResult& c : report.result.contacts) ASSERT_GE(c.p_n, 0.0);
    // Segments hold gaps (run_.deepest); their velocities to a h, 180 m/s2 by 1e-4 s and more.
    const bool segment = driver_ == Driver::kEventDriven && report.h > 0.0;
    expect_dissipation(report, 1e-9, segment ? 5e-2 : 1e-6);
    const double energy = report.kinetic + report.potential - first_energy_;
    const double moment = scene_.loads.front().moment[2].constant;
    const Quaterniond turn =
        now.bodies[crank_].orientation * before_.bodies[crank_].orientation.conjugate();
    const double angle = 2 * std::atan2(turn.z(), turn.w());
    const double gain = energy - run_.energy - moment * angle;
    const double change = report.result.columns.size() > 1 ? report.result.columns[1] : 0.0;
    if (driver_ == Driver::kEventDriven) {
      ASSERT_LE(gain, 1e-12 * (1 + std::abs(first_energy_))) << now.time;
      // In an impact 1/2 x'Ax + x'b is the change of the kinetic energy.
      if (report.h == 0.0 && !report.result.columns.empty()) {
        ASSERT_LE(change, 0.0);
        ASSERT_NEAR(gain, change, 1e-10);
      }
    }
    run_.energy = energy;
    run_.turned += angle;
    run_.work += moment * angle;
    ASSERT_LE(run_.energy, run_.work * (1 + 1e-9) + 1e-12);
    for (const ContactPoint3& c : find_contacts(scene_, now, 0.0))
      run_.deepest = std::max(run_.deepest, -c.gap);
    for (std::size_t b = 0; b < now.bodies.size(); ++b)
      run_.off_plane = std::max(
          run_.off_plane, std::abs(now.bodies[b].position.z() - scene_.bodies[b].position.z()));
    before_ = now;
  }

  Scene scene_;
  Driver driver_;
  std::size_t crank_;
  State before_;
  double first_energy_;
  EngineRun run_;
};

inline EngineRun run_events(const Scene& scene, double duration = 0.0, double h = 0.0,
                            const std::string& formulation = "max-dissipation-impulse") {
  return EngineCheck(scene, Driver::kEventDriven).run(formulation, h, duration);
}

}  // namespace perp::test
