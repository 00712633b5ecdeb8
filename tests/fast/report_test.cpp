// What the report counts, names and draws; CSV reading.
#include "support.hpp"

#include <perp/bench/report/chart.hpp>
#include <perp/bench/report/csv.hpp>
#include <perp/bench/report/solver_labels.hpp>
#include <perp/bench/report/summary.hpp>
#include <perp/problems/io/csv_field.hpp>
#include <perp/problems/json/json.hpp>

#include <unistd.h>
#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>

namespace perp::test {
namespace {

Record record(const std::string& solver, const std::string& instance, double seconds,
              double natural, const std::string& outcome = "solved",
              const std::string& family = "psd") {
  Record r;
  r.suite = "hand-made";
  r.solver = solver;
  r.instance = r.instance_hash = instance;
  r.family = family;
  r.outcome = outcome;
  r.settings = "{}";
  if (outcome == "infeasible") r.certificate = "farkas";
  r.total = seconds;
  r.solve = 0.5 * seconds;
  r.natural = natural;
  r.tolerance = r.asked = 1e-8;
  return r;
}

TEST(Summary, NamesAreSortedByTheirNumbers) {
  EXPECT_LT(sorted_name("arm links=8"), sorted_name("arm links=16"));
  EXPECT_LT(sorted_name("arm links=16 a"), sorted_name("arm links=100"));
  EXPECT_LT(sorted_name("box"), sorted_name("box2"));
  std::vector<Record> records;
  for (const char* sequence : {"n=100", "n=8", "n=16"}) {
    records.push_back(record("a", sequence, 1.0, 0.0, "solved", ""));
    records.back().sequence = sequence;
  }
  const std::vector<GroupSummary> groups = summarise(records);
  ASSERT_EQ(groups.size(), 3u);
  EXPECT_EQ(groups[0].group + groups[1].group + groups[2].group, "n=8n=16n=100");
}

TEST(SolverLabels, NamesTellSettingsApartOnlyWhereTheyDiffer) {
  std::vector<Record> records = {record("a", "1", 1, 0), record("a", "1", 1, 0),
                                 record("b", "1", 1, 0)};
  records[1].settings = R"({"omega":"1.5"})";
  records[2].settings = R"({"omega":"1.5"})";
  EXPECT_EQ(solver_names(records), (std::vector<std::string>{"a", "a omega:1.5", "b"}));
}

TEST(Summary, RunsFromZeroDecideWhereThereAreAny) {
  std::vector<Record> records = {record("a", "1", 1, 0), record("a", "1", 2, 0),
                                 record("a", "1", 3, 0)};
  records[1].mode = "warm";
  records[2].mode = "stored";
  records[2].suite = "without runs from zero";
  const std::vector<Record> main = main_records(records);
  ASSERT_EQ(main.size(), 2u);
  EXPECT_EQ(main[0].total, 1.0);
  EXPECT_EQ(main[1].total, 3.0);
  EXPECT_EQ(solver_names(records), (std::vector<std::string>{"a", "a, warm", "a, stored"}));
}

// What a killed run has used up is no time of the solver's, and it counts as a failure everywhere.
TEST(Summary, KilledRunsAreFailures) {
  for (const char* end : {"timed_out", "out_of_memory", "crashed"}) {
    const std::vector<Record> records = {record("a", "1", 1.0, 1e-12),
                                         record("a", "2", 100.0, 1e-12, end),
                                         record("a", "3", 100.0, NAN, end, "infeasible"),
                                         record("b", "1", 2.0, 1e-12),
                                         record("b", "2", 1.0, 1e-12),
                                         record("b", "3", 1.0, NAN, "infeasible", "infeasible")};
    const std::vector<GroupSummary> groups = summarise(records);
    ASSERT_EQ(groups.size(), 4u);
    EXPECT_EQ(groups[0].gave_up, 0);  // of the infeasible one
    EXPECT_EQ(groups[2].solver, "a");
    EXPECT_EQ(groups[2].solved, 1);
    EXPECT_EQ(groups[2].median_ms, 1000.0);
    EXPECT_EQ(groups[2].high_ms, 1000.0);
    EXPECT_EQ(failures(records).size(), 2u);
  }
}

// Failures say nothing about how long a solve takes.
TEST(Summary, MediansAreOfSolvedRuns) {
  const std::vector<GroupSummary> groups =
      summarise({record("a", "1", 1.0, 1e-12), record("a", "2", 9.0, 1e-3, "stalled"),
                 record("a", "3", 8.0, 1e-3, "wrong")});
  ASSERT_EQ(groups.size(), 1u);
  EXPECT_EQ(groups[0].runs, 3);
  EXPECT_EQ(groups[0].solved, 1);
  EXPECT_EQ(groups[0].median_ms, 1000.0);
  EXPECT_EQ(groups[0].solve_median_ms, 500.0);
}

TEST(Summary, GivingUpIsAColumnOfItsOwn) {
  std::vector<Record> records = {
      record("a", "1", 1, NAN, "ray", "infeasible"),
      record("a", "2", 1, NAN, "infeasible", "infeasible"),
      record("a", "3", 1, NAN, "wrong", "infeasible"),
      record("a", "4", 1, NAN, "time_limit", "infeasible"),
      record("a", "5", 1, NAN, "infeasible", "psd")};  // a false proof: psd has solutions
  EXPECT_TRUE(gave_up(records[0]));
  EXPECT_FALSE(is_right(records[0]));
  EXPECT_TRUE(is_right(records[1]));
  for (std::size_t k : {1u, 2u, 3u, 4u}) EXPECT_FALSE(gave_up(records[k])) << k;
  EXPECT_FALSE(is_right(records[4]));
  records[1].certificate = "";  // a claim
  EXPECT_FALSE(is_right(records[1]) || gave_up(records[1]));
  records[1].certificate = "farkas";
  const std::string text = summary_text(records);
  EXPECT_NE(text.find("gave up"), std::string::npos);
  EXPECT_EQ(text.find("expected"), std::string::npos);
  EXPECT_EQ(failures(records).size(), 3u);
}

TEST(Summary, TellsWhoWasAskedForLess) {
  std::vector<Record> records = {record("a", "1", 1, 0), record("a", "2", 1, 0),
                                 record("a", "3", 1, 0)};
  records[1].asked = 1e-9;
  records[2].asked = 1e-11;
  EXPECT_EQ(tightened_text(summarise(records)[0]), "1 at 1/10, 1 at 1/1000");
  EXPECT_NE(summary_text(records).find("1 at 1/10, 1 at 1/1000"), std::string::npos);
  EXPECT_EQ(tightened_text(summarise({record("a", "1", 1, 0)})[0]), "");
}

TEST(Summary, CountsVacuousProblems) {
  std::vector<Record> records = {record("a", "1", 1, 0), record("a", "2", 1, 0),
                                 record("a", "3", 1, 1, "stalled")};
  records[1].vacuous = records[2].vacuous = true;
  EXPECT_EQ(summarise(records)[0].vacuous, 1);
  EXPECT_NE(summary_text(records).find("1 of the solved are vacuous"), std::string::npos);
}

TEST(Summary, ManyGroupsAreToldBySuite) {
  std::vector<Record> records;
  for (int size = 1; size <= 40; ++size) {
    for (const char* solver : {"a", "b"}) {
      records.push_back(record(solver, 'p' + std::to_string(size), solver[0] == 'a' ? 2 : 1, 0,
                               solver[0] == 'b' && size > 30 ? "ray" : "solved"));
      records.back().size = size;
    }
  }
  const std::string text = summary_text(records);
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 2);
  EXPECT_NE(text.find("hand-made"), std::string::npos);
  EXPECT_NE(text.find("a 40/40 2000.000 ms; b 30/40 1000.000 ms"), std::string::npos) << text;
  records.resize(20);
  EXPECT_NE(summary_text(records).find("median ms"), std::string::npos);
}

TEST(Summary, TellsWhyProblemsWereRefused) {
  std::vector<Record> records = {record("a", "1", 1, NAN, "unsupported")};
  records[0].message = "takes no such thing";
  EXPECT_NE(summary_text(records).find("a refused 1: takes no such thing"), std::string::npos);
  // Of one reason there is one line, whatever rows and names it tells.
  for (const char* row : {"0 in row 3 (box)", "0 in row 17 (wheel)"}) {
    records.push_back(record("a", row, 1, NAN, "unsupported"));
    records.back().message = row;
  }
  const std::string text = summary_text(records);
  EXPECT_NE(text.find("a refused 2: 0 in row 3 (box)"), std::string::npos) << text;
  EXPECT_EQ(text.find("row 17"), std::string::npos);
}

TEST(SolverLabels, TwoLimitsAreTwoSolvers) {
  std::vector<Record> records = {record("a", "1", 1.0, 0), record("a", "1", 2.0, 0, "time_limit")};
  records[0].time_limit = 10;
  records[1].time_limit = 1;
  EXPECT_EQ(solver_names(records), (std::vector<std::string>{"a in 10 s", "a in 1 s"}));
  const std::vector<GroupSummary> groups = summarise(records);
  ASSERT_EQ(groups.size(), 2u);
  EXPECT_EQ(groups[0].runs, 1);
  records[1].tolerance = 1e-6;
  EXPECT_EQ(solver_names(records)[1], "a to 1e-06 in 1 s");
}

TEST(Summary, OfTheSameRunTheLastRecordCounts) {
  std::vector<Record> records = {record("a", "1", 1.0, 0, "stalled"), record("a", "2", 1.0, 0),
                                 record("a", "1", 2.0, 0)};
  records[0].key = "by an older program";
  const std::vector<Record> kept = one_each(records);
  ASSERT_EQ(kept.size(), 2u);
  EXPECT_EQ(kept[0].instance, "2");
  EXPECT_EQ(kept[1].outcome, "solved");
  records[0].mode = "stored";
  EXPECT_EQ(one_each(records).size(), 3u);
  // Whatever the order in which they are read.
  records[0].mode = records[2].mode;
  records[0].written = 2.0;
  records[2].written = 1.0;
  ASSERT_EQ(one_each(records).size(), 2u);
  EXPECT_EQ(one_each(records)[0].outcome, "stalled");
}

TEST(SolverLabels, OwnTimesAndUnusedStartsAreMarked) {
  std::vector<Record> records = {record("a", "1", 1, 0), record("b", "1", 1, NAN, "crashed"),
                                 record("b", "2", 1, 0)};
  records[2].own_times = true;
  EXPECT_EQ(solver_names(records), (std::vector<std::string>{"a", "b*", "b*"}));
  EXPECT_NE(summary_text(records).find("* times reported by the program itself"),
            std::string::npos);
  records[0].mode = "stored";
  records[0].uses_start = false;
  EXPECT_EQ(solver_names(records)[0], "a, stored (unused)");
}

TEST(Csv, ColumnsByNameAndWholeLinesOnly) {
  const std::string path =
      (std::filesystem::temp_directory_path() / ("perp-csv-" + std::to_string(getpid()))).string();
  std::ofstream(path) << "a,b,new,c\n1,x,0,2\n3,y,0\n\nfour,z,0,5\n6,w,0,7\n8,v,0,9";
  std::vector<std::pair<double, std::string>> rows;
  const int left_out = read_csv(path, {"c", "b"}, [&](std::span<const std::string_view> row) {
    double c = 0.0;
    if (!read_number(row[0], c)) return false;
    rows.emplace_back(c, row[1]);
    return true;
  });
  EXPECT_EQ(left_out, 3);  // one field short, empty, without its end
  EXPECT_EQ(rows, (std::vector<std::pair<double, std::string>>{{2, "x"}, {5, "z"}, {7, "w"}}));
  EXPECT_THROW(read_csv(path, {"d"}, [](auto) { return true; }), InputError);
  std::filesystem::remove(path);
  EXPECT_THROW(read_csv(path, {"a"}, [](auto) { return true; }), InputError);
}

TEST(Csv, FieldsWithCommasAndQuotesComeBack) {
  const std::string path =
      (std::filesystem::temp_directory_path() / ("perp-csv-q-" + std::to_string(getpid())))
          .string();
  const std::vector<std::string> texts = {"first(a:b=\"c, d\", e)", "plain", "\"", ",", ""};
  std::ofstream file(path);
  file << "text,end\n";
  for (const std::string& text : texts) file << csv_field(text) << ",1\n";
  file << "\"open,1\n";
  file.close();
  std::vector<std::string> read;
  const int left_out = read_csv(path, {"text", "end"}, [&](std::span<const std::string_view> row) {
    read.emplace_back(row[0]);
    return row[1] == "1";
  });
  std::filesystem::remove(path);
  EXPECT_EQ(read, texts);
  EXPECT_EQ(left_out, 1);  // a quote that does not end
}

TEST(Csv, Numbers) {
  double v = 0.0;
  EXPECT_TRUE(read_number("-1.5e-3", v));
  EXPECT_EQ(v, -1.5e-3);
  for (const char* bad : {"", "1x", "nan", "inf", " 1", "1 "}) EXPECT_FALSE(read_number(bad, v));
}

TEST(Chart, ThinningKeepsExtremes) {
  Series s;
  for (int k = 0; k < 10000; ++k) {
    s.x.push_back(k);
    s.y.push_back(k == 7777 ? 100.0 : k == 1234 ? -100.0 : std::sin(k));
  }
  const Series t = thinned(s, 400);
  EXPECT_LE(t.x.size(), 400u);
  EXPECT_EQ(std::count(t.y.begin(), t.y.end(), 100.0), 1);
  EXPECT_EQ(std::count(t.y.begin(), t.y.end(), -100.0), 1);
  EXPECT_EQ(t.x.front(), 0.0);
  EXPECT_EQ(t.x.back(), 9999.0);
  EXPECT_TRUE(std::is_sorted(t.x.begin(), t.x.end()));
  EXPECT_EQ(thinned(s, 10000).x, s.x);
}

TEST(Chart, RoundingIsAConstant) {
  Chart chart;
  chart.scale = 10.0;
  chart.series = {{"a", {0, 1e-17}, {2.0, 2.0 + 1e-10}}, {"b", {1e-16, 0}, {2.0, 2.0}}};
  Chart same = without_rounding(chart);
  EXPECT_EQ(same.series[0].y, (std::vector<double>{2, 2}));
  EXPECT_EQ(same.series[0].x, chart.series[0].x);  // not of one kind with y
  chart.same_scale = true;
  EXPECT_EQ(without_rounding(chart).series[1].x, (std::vector<double>{0, 0}));
  chart.series[1].y[1] = 2.1;
  EXPECT_EQ(without_rounding(chart).series[0].y, chart.series[0].y);
  for (const double value : {5e-324, 1e-310, 1e308, -1e308}) {
    chart.series = {{"s", {0, 1}, {value, 1.0}}};
    EXPECT_EQ(without_rounding(chart).series[0].y, chart.series[0].y);
    EXPECT_EQ(rounded_to(value, 17), value);
  }
}

}  // namespace
}  // namespace perp::test
