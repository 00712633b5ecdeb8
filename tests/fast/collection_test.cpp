// Collections: checksums, and .nl files at their answers as the AMPL solver library sees them.
#include "support.hpp"

#include <perp/bench/collection/answers.hpp>
#include <perp/bench/collection/collection.hpp>
#include <perp/bench/collection/facts.hpp>
#include <perp/bench/collection/sha256.hpp>
#include <perp/bench/harness/result_json.hpp>
#include <perp/problems/expression/expr.hpp>
#include <perp/problems/families/family.hpp>
#include <perp/problems/io/files.hpp>
#include <perp/problems/io/problem_json.hpp>

#include <asl_function.h>
#include <nlohmann/json.hpp>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include <unistd.h>

namespace perp::test {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;

class Scratch {
 public:
  Scratch() : path_(fs::temp_directory_path() / ("perp-collection-" + std::to_string(::getpid()))) {
    fs::create_directories(path_);
  }
  ~Scratch() { fs::remove_all(path_); }
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;
  std::string operator/(const std::string& name) const { return (path_ / name).string(); }

 private:
  fs::path path_;
};

// The examples of the standard, and a million times a.
TEST(Sha256, AsTheStandardHasIt) {
  EXPECT_EQ(sha256_text(""), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  EXPECT_EQ(sha256_text("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(sha256_text("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq"),
            "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
  EXPECT_EQ(sha256_text(std::string(1'000'000, 'a')),
            "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

TEST(CollectionFacts, ConditionCountsWhatIsNotRounding) {
  Problem problem;
  DenseMatrix M = DenseMatrix::Zero(3, 3);
  M.diagonal() << 5.0, 0.5, 1e-15;
  problem.data = Lcp{M, Vector::Zero(3)};
  const auto condition = condition_of(problem, {});
  ASSERT_TRUE(condition.has_value());
  EXPECT_EQ(condition->of, "M");
  EXPECT_EQ(condition->rank, 2);
  EXPECT_NEAR(condition->estimate, 10.0, 1e-12);
  problem.data = Lcp{DenseMatrix(DenseMatrix::Zero(3, 3)), Vector::Zero(3)};
  EXPECT_FALSE(condition_of(problem, {}).has_value());
}

// Of an mcp it is that of F' at the answer: here of diag(2 z, 1).
TEST(CollectionFacts, ConditionOfANonlinearProblem) {
  Mcp mcp;
  {
    Recorder recorder;
    const ExprVector z = recorder.variables(2);
    mcp.graph =
        std::make_shared<const ExpressionGraph>(recorder.graph({z[0] * z[0] - 4.0, z[1] - 1.0}));
  }
  mcp.lower = Vector::Zero(2);
  mcp.upper = Vector::Constant(2, kInf);
  Problem problem;
  problem.data = mcp;
  EXPECT_FALSE(condition_of(problem, {}).has_value());
  const auto condition = condition_of(problem, Vector{{2.0, 1.0}});
  ASSERT_TRUE(condition.has_value());
  EXPECT_EQ(condition->of, "F'");
  EXPECT_NEAR(condition->estimate, 4.0, 1e-12);
}

// What auto cannot find in time is what the problem came with, if that holds.
TEST(CollectionAnswers, TheStoredSolutionServes) {
  Problem problem = generate(find_family("nonmonotone"), 40, 1);
  ASSERT_TRUE(problem.solution.has_value());
  AnswerLimits limits;
  limits.time_limit = 1e-9;
  Finding finding = find_answer(problem, limits, nullptr);
  EXPECT_EQ(finding.label, Label::kSolved);
  EXPECT_EQ(finding.from, "stored");
  EXPECT_TRUE(finding.by_clock);
  EXPECT_EQ(finding.result.answer.z, problem.solution->z);
  problem.solution->z[0] += 1.0;  // a wrong one is not believed
  finding = find_answer(problem, limits, nullptr);
  EXPECT_EQ(finding.label, Label::kOpen);
}

// A file that was changed behind perp's back: its answer or proof is refused.
TEST(CollectionAnswers, FilesAreJudgedAnew) {
  const Scratch scratch;
  const auto write = [&](const Problem& problem, const nlohmann::ordered_json& answer) {
    write_text_file(scratch / "p.json", problem_to_text(problem));
    write_text_file(scratch / "a.json", answer.dump());
  };
  const auto check = [&] { check_answer_file(scratch / "p.json", scratch / "a.json", 1e-8); };
  for (const char* family : {"psd", "infeasible", "socp-infeasible", "socp-unbounded"}) {
    const Problem problem = generate(find_family(family), 6, 1);
    const Finding finding = find_answer(problem, {}, nullptr);
    ASSERT_NE(finding.label, Label::kOpen) << family;
    nlohmann::ordered_json answer = answer_to_json(problem, finding);
    write(problem, answer);
    EXPECT_NO_THROW(check()) << family;
    const bool solved = finding.label == Label::kSolved;
    const bool farkas = !solved && answer["certificate"]["type"] == "farkas";
    auto& numbers = solved ? answer["z"] : answer["certificate"][farkas ? "y" : "z"];
    for (auto& number : numbers) number = -number.get<double>() - 1.0;
    write(problem, answer);
    EXPECT_THROW(check(), InputError) << family;
  }
}

// A certificate may be of another statement of the problem, if that has the problem's numbers.
TEST(CollectionAnswers, CertificatesOfStatements) {
  const Scratch scratch;
  const auto fault = [&](const ProblemData& data, const char* statement, const Vector& y) {
    const nlohmann::ordered_json answer{{"format", "perp-answer"},
                                        {"version", 1},
                                        {"label", "proof"},
                                        {"certificate",
                                         {{"type", "farkas"},
                                          {"reduction", statement},
                                          {"y", std::vector<double>(y.begin(), y.end())}}}};
    write_text_file(scratch / "p.json", problem_to_text(problem_of(data)));
    write_text_file(scratch / "a.json", answer.dump());
    try {
      check_answer_file(scratch / "p.json", scratch / "a.json", 1e-8);
    } catch (const InputError& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  const auto refused = [&](const ProblemData& data, const char* statement, const Vector& y) {
    return fault(data, statement, y).find("proves nothing") != std::string::npos;
  };
  const Vector one = vector({1}), none = vector({kInf});
  const Lcp lcp{matrix(1, 1, {-1}), -one};  // -z - 1 >= 0
  EXPECT_EQ(fault(lcp, "lcp as mlcp", one), "");
  EXPECT_EQ(fault(lcp, "lcp as box_qp", one), "");
  EXPECT_TRUE(refused(lcp, "lcp as mlcp", -one));
  EXPECT_TRUE(refused(lcp, "mlcp as lcp", one));  // of another kind
  // Counted from the bound 3, F is computed.
  const Mlcp shifted{matrix(1, 1, {-1}), 2 * one, 3 * one, none};
  EXPECT_EQ(fault(shifted, "mlcp as box_qp", one), "");
  EXPECT_TRUE(refused(shifted, "mlcp as lcp", one));
  // There is no such statement.
  EXPECT_TRUE(
      refused(Lcp{matrix(2, 2, {1, 1, 0, 1}), vector({-1, -1})}, "lcp as box_qp", vector({1, 1})));
  const ConicQp cone{matrix(1, 1, {1}),
                     vector({0}),
                     matrix(2, 1, {1, 0}),
                     vector({1, 1}),
                     {{ConeType::kSecondOrder, 2}}};
  EXPECT_TRUE(refused(cone, "conic_qp as mlcp", vector({1, 1, 1})));
}

// The natural residual of the model in the file at z, by the library's bounds and values of F.
double residual_by_asl(const std::string& path, Vector z) {
  AslFunction* asl = asl_open(path.c_str());
  if (!asl) return kInf;
  const auto n = static_cast<int>(z.size());
  Vector f(n);
  DenseMatrix jacobian(n, n);
  double residual = asl_rows(asl) == n && asl_columns(asl) == n ? 0.0 : kInf;
  if (residual == 0.0 && asl_evaluate(asl, z.data(), f.data(), jacobian.data()) != 0)
    residual = kInf;
  for (int row = 0; residual < kInf && row < n; ++row) {
    const int named = asl_complement(asl, row);
    const int j = named >= 0 ? named : row;  // equations are in the order of the free unknowns
    double lower = 0.0, upper = 0.0;
    asl_bounds(asl, j, &lower, &upper);
    residual = std::max(residual, std::abs(mid(z[j] - lower, z[j] - upper, f[row])));
  }
  asl_close(asl);
  return residual;
}

// A small collection of our own, or all of the one that PERP_COLLECTION names
// (docs/how-to/collection.md).
TEST(Collection, AmplLibraryGrantsTheAnswers) {
  const Scratch scratch;
  std::ofstream(scratch / "recipe.json")
      << R"({"format":"perp-suite","version":1,"name":"small","description":"","entries":[
{"family":"p-matrix","sizes":[6],"seeds":[1,2]},
{"family":"contact-stack","sizes":[2],"seeds":[1,1]},
{"family":"random-ncp","sizes":[5],"seeds":[1,2]},
{"family":"mcp-classics","members":["josephy-*","hs71-*","nash-5-*","kinks-*","pies-ones"]},
{"scene":"box-on-ramp","steps":[1,2]},
{"scene":"disc","formulation":"geometric-implicit","steps":[1,2]},
{"files":["collections/siconos/mlcp/relay*.json"],"licence":"Apache-2.0",
 "licence_file":"collections/siconos/LICENSE.Apache-2.0","origin":"Siconos"}]})";
  const char* given = std::getenv("PERP_COLLECTION");
  const std::string folder = given ? given : scratch / "out";
  if (!given) {
    CollectionRequest request;
    request.folder = folder;
    request.recipe = scratch / "recipe.json";
    const CollectionSummary summary = export_collection(request, {});
    EXPECT_EQ(summary.all.instances, summary.all.solved);
  }
  const Json index = Json::parse(read_text_file(folder + "/index.json"));
  int judged = 0, refused = 0;
  for (const Json& instance : index["instances"]) {
    const std::string kind = instance["kind"];
    if (instance["label"] != "solved" || (kind != "lcp" && kind != "mlcp" && kind != "mcp"))
      continue;
    std::map<std::string, std::string> files;
    for (const Json& file : instance["files"]) files[file["format"]] = file["path"];
    ASSERT_EQ(files.count("nl"), 1u) << instance["name"];
    const std::string answer = folder + "/" + files["answer"], model = folder + "/" + files["nl"];
    const Vector z = answer_from_text(read_text_file(answer), answer).z;
    const double residual = residual_by_asl(model, z);
    EXPECT_LT(residual, 1e-8) << instance["name"];
    EXPECT_NEAR(residual, instance["residual"].get<double>(), 1e-9) << instance["name"];
    refused += residual_by_asl(model, z.array() + 0.01) > 1e-5;
    ++judged;
  }
  RecordProperty("judged", judged);
  EXPECT_GT(judged, 20);
  EXPECT_GT(refused, 0.9 * judged);  // it can tell; some have other answers nearby
}

}  // namespace
}  // namespace perp::test
