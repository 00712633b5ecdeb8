#include <perp/bench/cli/commands.hpp>

#include <fmt/format.h>
#include <CLI/CLI.hpp>
#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>
#include <perp/bench/cli/problem_input.hpp>
#include <perp/bench/harness/structure_json.hpp>
#include <perp/problems/json/text.hpp>
#include <perp/problems/standard/verifier.hpp>
#include <perp/solvers/core/structure.hpp>

namespace perp::cli {

namespace {

using Json = nlohmann::ordered_json;

constexpr double kUsualTolerance = 1e-8;

void print(const Problem& problem, const ProblemStructure& s) {
  std::cout << fmt::format("{}: {}, {} unknowns\n",
                           problem.name.empty() ? "(no name)" : shown(problem.name), s.kind,
                           s.size);
  if (s.free + s.boxed + s.lower_only + s.upper_only + s.fixed > 0) {
    std::cout << fmt::format(
        "  variables     {} free, {} with a lower, {} with an upper, {} with both bounds, {} "
        "fixed\n",
        s.free, s.lower_only, s.upper_only, s.boxed, s.fixed);
  }
  if (s.contacts > 0) std::cout << fmt::format("  contacts      {}\n", s.contacts);
  for (const MatrixStructure& m : s.matrices) {
    std::cout << fmt::format(
        "  {:<13} {} x {}, {}, {} nonzeros ({:.1f} %), entries {:.1e} to {:.1e}\n", m.name, m.rows,
        m.cols, m.sparse ? "sparse" : "dense", m.nonzeros,
        100.0 * static_cast<double>(m.nonzeros) / std::max(1.0, double(m.rows) * m.cols),
        m.smallest, m.largest);
    if (m.rows == m.cols) {
      std::cout << fmt::format(
          "  {:<13} {}, {}, rank {}, {} zero diagonal entries{}\n", "",
          m.symmetric ? "symmetric" : fmt::format("asymmetry {:.1e}", m.asymmetry), m.definiteness,
          m.rank >= 0 ? fmt::format("{}", m.rank) : "not computed", m.zero_diagonal,
          m.z_matrix ? ", Z-matrix" : "");
    }
  }
  std::cout << fmt::format("  class         {}\n", s.problem_class);
  const Vacuous vacuous = vacuous_answer(problem, kUsualTolerance);
  if (vacuous != Vacuous::kNo) {
    std::cout << fmt::format(
        "  vacuous       the projection of {} already meets the tolerance {}\n",
        vacuous == Vacuous::kZero ? "0" : "the start", kUsualTolerance);
  }
}

}  // namespace

void add_info(CLI::App& app, int& code) {
  struct Options : ProblemInput {
    bool json = false;
  };
  auto options = std::make_shared<Options>();
  CLI::App* verb =
      app.add_subcommand("info", "Tell size, structure, definiteness, rank and class of a problem");
  add_problem_input(*verb, *options);
  verb->add_flag("--json", options->json, "print one JSON document");
  verb->footer("Example: perp info problems/collections/siconos/lcp/lcp_mmc.json");
  verb->callback([options, &code] {
    const Problem problem = options->read_input();
    const ProblemStructure s = analyse(problem);
    if (options->json) {
      Json j{{"problem", problem.name}};
      j.update(structure_to_json(s));
      j["vacuous"] = to_string(vacuous_answer(problem, kUsualTolerance));
      std::cout << j.dump(2) << '\n';
    } else {
      print(problem, s);
    }
    code = kDone;
  });
}

}  // namespace perp::cli
