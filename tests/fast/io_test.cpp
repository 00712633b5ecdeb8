// JSON and files: exactness, packing, errors. The program's tests cover the rest.
#include "support.hpp"

#include <perp/bench/data/data_files.hpp>
#include <perp/problems/io/files.hpp>
#include <perp/problems/io/problem_file.hpp>
#include <perp/problems/io/problem_json.hpp>
#include <perp/problems/json/json.hpp>

#include <atomic>
#include <bit>
#include <cstdint>
#include <filesystem>
#include <random>
#include <thread>

namespace perp::test {
namespace {

TEST(Json, DoublesSurviveBitForBit) {
  Random random(11);
  for (int i = 0; i < 20000; ++i) {
    const double x = std::bit_cast<double>(random.bits());
    if (!std::isfinite(x)) continue;
    std::string text = "[";
    json::append_number(text, x);
    text += "]";
    const json::Value v = json::parse(text, "test");
    EXPECT_EQ(std::bit_cast<std::uint64_t>(v.get_if<json::Numbers>()->values[0]),
              std::bit_cast<std::uint64_t>(x))
        << text;
  }
}

TEST(Json, KeepsIntegersAndMixedArrays) {
  const std::string text =
      R"({"a":[1,2,3],"b":[1,2.5],"c":[1,"x",null,true],"d":{},"e":[],"f":-0.0,"g":[[1],[2]]})";
  EXPECT_EQ(
      json::to_text(json::parse(text, "t")),
      R"({"a":[1,2,3],"b":[1.0,2.5],"c":[1,"x",null,true],"d":{},"e":[],"f":-0.0,"g":[[1],[2]]})");
}

TEST(Json, NamesLineAndColumn) {
  try {
    json::parse("{\n  \"a\": 1,\n  oops\n}", "file.json");
    FAIL();
  } catch (const InputError& error) {
    EXPECT_TRUE(std::string(error.what()).starts_with("file.json: line 3, column")) << error.what();
  }
}

// Every prefix and every changed byte of a document is either read or refused with one line.
TEST(Json, NoDamageCrashesTheReader) {
  const std::string text = problem_to_text(generate(find_family("contact-pile"), 1, 1));
  Random random(2);
  for (int i = 0; i < 3000; ++i) {
    std::string damaged = text.substr(0, random.index(static_cast<int>(text.size())));
    if (i % 2) {
      damaged = text;
      damaged[random.index(static_cast<int>(text.size()))] = static_cast<char>(random.index(256));
    }
    try {
      problem_from_text(damaged, "damaged");
    } catch (const InputError& error) {
      EXPECT_EQ(std::string(error.what()).find('\n'), std::string::npos);
    }
  }
}

TEST(ProblemJson, RoundTripOfEveryKindIsIdentical) {
  Random random(4);
  const DenseMatrix dense = gaussian(random, 3, 3);
  const Matrix spd(DenseMatrix(dense * dense.transpose())), a(dense);
  const Vector v = gaussian(random, 3, 1), low = vector({-kInf, 0, -1}),
               high = vector({kInf, kInf, 2});
  auto graph = std::make_shared<ExpressionGraph>();
  const int x = graph->add_leaf(Operation::kVariable, 0), c = graph->add_constant(0.1);
  graph->outputs = {graph->add(Operation::kMultiply, {x, c})};
  Mcp mcp;
  mcp.graph = graph;
  mcp.lower = vector({0});
  mcp.upper = vector({kInf});
  FrictionContact by_matrix, by_operator;
  by_matrix.W = a;
  by_operator.J = a;
  by_operator.M = spd;
  by_matrix.q = by_operator.q = v;
  by_matrix.mu = by_operator.mu = vector({0.5});
  by_operator.compliance = vector({1, 0, 2});
  const std::vector<ProblemData> all = {
      Lcp{a, v},
      Mlcp{a, v, low, high},
      mcp,
      BoxQp{spd, v, low, high},
      ConicQp{spd, v, a, v, {{ConeType::kZero, 1}, {ConeType::kSecondOrder, 2}}},
      by_matrix,
      by_operator,
      ConvexContact{spd, a, vector({1, 2, 2}), v, vector({0.1}), v}};
  for (const ProblemData& data : all) {
    Problem p = problem_of(data);
    p.name = "a \"name\" with é";
    const std::string text = problem_to_text(p);
    EXPECT_EQ(problem_to_text(problem_from_text(text, "t")), text);
  }
}

// v - p = 0, p in a cone of one, p <= 2.
constexpr const char* kPartitioned =
    R"({"format":"perp-problem","version":1,"kind":"conic_qp","name":"n","n":3,)"
    R"("P":{"shape":[3,3],"row":[0],"col":[0],"value":[1.0]},"c":[0.0,0.0,0.0],)"
    R"("A":{"shape":[4,3],"row":[0,0,2,1,3],"col":[0,1,1,1,2],"value":[1.0,-1.0,-1.0,1.0,1.0]},)"
    R"("b":[0.0,2.0,0.0,0.0],"cones":[{"type":"zero","size":1},{"type":"nonnegative","size":2},)"
    R"({"type":"zero","size":1}],"partition":{"velocities":{"unknowns":[0],"blocks":[1],"rows":[0]},)"
    R"("contacts":{"unknowns":[1],"sizes":[1],"rows":[2]},"held":{"unknowns":[2],"rows":[3]},)"
    R"("total":1}})";

TEST(ProblemJson, PartitionComesBack) {
  const Problem p = problem_from_text(kPartitioned, "t");
  const auto& parts = std::get<ConicQp>(p.data).partition;
  ASSERT_TRUE(parts);
  EXPECT_EQ(parts->velocities.rows, std::vector<int>{0});
  EXPECT_EQ(parts->contacts.rows, std::vector<int>{2});
  EXPECT_EQ(parts->held.unknowns, std::vector<int>{2});
  EXPECT_TRUE(parts->bounds.empty());
  EXPECT_EQ(parts->total, 1);
  const Problem again = problem_from_text(problem_to_text(p), "t");
  EXPECT_EQ(*std::get<ConicQp>(again.data).partition, *parts);
  EXPECT_EQ(problem_to_text(again), problem_to_text(p));
}

TEST(ProblemJson, PartitionThatDoesNotFitIsRefused) {
  const auto complaint = [](std::string from, const std::string& to) -> std::string {
    std::string text = kPartitioned;
    text.replace(text.find(from), from.size(), to);
    try {
      problem_from_text(text, "t");
    } catch (const InputError& error) {
      return error.what();
    }
    return "";
  };
  EXPECT_NE(complaint("\"total\":1", "\"total\":2").find("partition.total"), std::string::npos);
  EXPECT_NE(complaint("\"total\":1", "\"sum\":1").find("sum"), std::string::npos);
  EXPECT_NE(complaint("\"sizes\":[1]", "\"sizes\":[3]").find("partition.contacts.sizes"),
            std::string::npos);
  EXPECT_NE(complaint("\"blocks\":[1]", "\"block\":[1]").find("block"), std::string::npos);
}

TEST(ProblemJson, KeepsEverythingBesideTheNumbers) {
  const std::string text =
      R"({"format":"perp-problem","version":1,"kind":"lcp","name":"n","n":1,"M":{"shape":[1,1],"dense":[[1.0]]},"q":[-1.0],)"
      R"("start":[0.5],"solution":{"z":[1.0]},"variables":["p"],"contacts":[{"name":"c","body_a":"a","body_b":"b",)"
      R"("point":[1.0,2.0,3.0],"normal":[0.0,1.0],"tangents":[[1.0,0.0]],"gap":-0.5}],"source":{"any":[1,{"b":null}]},"x-mine":[1,2]})"
      "\n";
  EXPECT_EQ(problem_to_text(problem_from_text(text, "t")), text);
}

class TemporaryFolder : public ::testing::Test {
 protected:
  void SetUp() override { std::filesystem::create_directories(folder_); }
  void TearDown() override { std::filesystem::remove_all(folder_); }
  std::string path(const std::string& name) const { return (folder_ / name).string(); }
  std::filesystem::path folder_ =
      std::filesystem::temp_directory_path() /
      ("perp-io-test-" + std::to_string(Random(std::random_device{}()).bits()));
};

TEST_F(TemporaryFolder, GzipRoundTrip) {
  const Problem p = generate(find_family("contact-stack"), 4, 1);
  write_problem(p, path("p.json.gz"));
  write_problem(p, path("p.json"));
  EXPECT_EQ(problem_to_text(read_problem(path("p.json.gz"))),
            problem_to_text(read_problem(path("p.json"))));
  EXPECT_LT(std::filesystem::file_size(path("p.json.gz")),
            std::filesystem::file_size(path("p.json")) / 3);
}

TEST_F(TemporaryFolder, FailedWriteLeavesNothingBehind) {
  EXPECT_THROW(write_text_file(path("no/such/folder.json"), "x"), InputError);
  write_text_file(path("kept.json"), "old");
  std::filesystem::create_directory(path("target.json"));
  EXPECT_THROW(write_text_file(path("target.json"), "x"), InputError);
  int files = 0;
  for ([[maybe_unused]] const auto& entry : std::filesystem::directory_iterator(folder_)) ++files;
  EXPECT_EQ(files, 2);
  EXPECT_EQ(read_text_file(path("kept.json")), "old");
}

TEST_F(TemporaryFolder, ThreadsMayWriteTheSameFile) {
  const std::string file = path("one.json");
  std::atomic<int> failures = 0;
  std::vector<std::thread> threads;
  for (const char letter : {'a', 'b', 'c', 'd'}) {
    threads.emplace_back([&, letter] {
      for (int k = 0; k < 50; ++k) {
        try {
          write_text_file(file, std::string(10'000, letter));
        } catch (const InputError&) {
          ++failures;
        }
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(failures, 0);
  const std::string text = read_text_file(file);
  EXPECT_EQ(text, std::string(10'000, text.at(0)));
}

TEST(Siconos, TextEqualsTheConvertedInstances) {
  const std::string root = data_root() / "problems/collections/siconos/";
  const std::vector<std::pair<std::string, std::string>> pairs = {
      {"lcp_CPS_1", "lcp"}, {"lcp_deudeu", "lcp"}, {"lcp_exp_murty", "lcp"},
      {"lcp_mmc", "lcp"},   {"RLCD_mlcp", "mlcp"}, {"diodeBridge_mlcp", "mlcp"},
      {"relay1", "mlcp"}};
  for (const auto& [name, kind] : pairs) {
    Problem text = read_problem(root + "text/" + name + ".dat"),
            json = read_problem(root + kind + "/" + name + ".json");
    json.source = {};
    EXPECT_EQ(problem_to_text(text), problem_to_text(json)) << name;
  }
}

// Large integers are numbers if they are doubles; others keep their digits in texts.
TEST(Json, LargeIntegersAreNumbers) {
  for (const char* text : {"[-10000000000000000,1]", "[1,100000000000000000]",
                           "[-9223372036854775808,0]", "[1,2,3]"}) {
    const json::Value v = json::parse(text, "test");
    EXPECT_NE(v.get_if<json::Numbers>(), nullptr) << text;
    EXPECT_EQ(json::to_text(v), text);
  }
  for (const char* text : {"[9007199254740993]", "[1,9223372036854775807]",
                           "[9007199254740993,\"x\"]", "[]", "[[9007199254740993],[0.5]]"})
    EXPECT_EQ(json::to_text(json::parse(text, "test")), text);
  for (const char* text : {"[9007199254740993,0.5]", "[0.5,9007199254740993]"}) {
    const json::Value v = json::parse(text, "test");
    ASSERT_NE(v.get_if<json::Numbers>(), nullptr) << text;
    EXPECT_EQ(std::max(v.get_if<json::Numbers>()->values[0], v.get_if<json::Numbers>()->values[1]),
              9007199254740992.0);
  }
  const Problem p = problem_from_text(
      R"({"format":"perp-problem","version":1,"kind":"lcp","name":"p","n":2,
          "M":{"shape":[2,2],"dense":[[1,0],[0,1]]},"q":[-10000000000000000,1]})",
      "p.json");
  EXPECT_EQ(std::get<Lcp>(p.data).q, vector({-1e16, 1}));
  try {
    problem_from_text(
        R"({"format":"perp-problem","version":1,"kind":"lcp","name":"p","n":1,
            "M":{"shape":[1,1],"dense":[[1]]},"q":[9007199254740993]})",
        "p.json");
    ADD_FAILURE();
  } catch (const InputError& error) {
    EXPECT_NE(std::string(error.what()).find("q[0]\": 9007199254740993 is not exactly a double"),
              std::string::npos)
        << error.what();
  }
}

// The parts of an older problem must not be read as parts of the new one.
TEST(Files, MatrixMarketLeavesNoOlderParts) {
  const auto folder = std::filesystem::temp_directory_path() / "perp-older-parts";
  std::filesystem::remove_all(folder);
  std::filesystem::create_directories(folder);
  const std::string path = (folder / "model.mtx").string();
  Problem box = problem_of(Mlcp{matrix(1, 1, {1}), vector({-2}), vector({-1}), vector({1})});
  box.start = vector({1});
  write_problem(box, path);
  write_problem(box, (folder / "other.mtx").string());
  write_problem(box, path + ".gz");
  const Problem lcp = problem_of(Lcp{matrix(1, 1, {1}), vector({-2})});
  write_problem(lcp, path);
  const Problem back = read_problem(path);
  EXPECT_EQ(back.kind(), "lcp");
  EXPECT_FALSE(back.start.has_value());
  EXPECT_EQ(read_problem((folder / "other.mtx").string()).kind(), "mlcp");
  std::filesystem::remove_all(folder);
}

}  // namespace
}  // namespace perp::test
