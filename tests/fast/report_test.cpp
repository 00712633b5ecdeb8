// Profiles, comparison, CSV reading and drawings of the report.
#include "support.hpp"

#include <perp/bench/report/csv.hpp>
#include <perp/bench/report/plot.hpp>
#include <perp/bench/report/profiles.hpp>
#include <perp/bench/report/summary.hpp>
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

// Four problems: a is fastest on two, b on two, and b does not solve the last.
std::vector<Record> hand_made() {
  return {record("a", "1", 1.0, 1e-12),
          record("b", "1", 2.0, 0.0),
          record("a", "2", 4.0, 1e-10),
          record("b", "2", 1.0, 1e-14),
          record("a", "3", 3.0, 1e-10),
          record("b", "3", 3.0, 1e-14),
          record("a", "4", 1.0, 1e-9),
          record("b", "4", 0.5, 1e-3, "ray"),
          record("a", "only a", 1.0, 0.0),
          record("a", "never", 1.0, NAN, "ray", "infeasible"),
          record("b", "never", 1.0, NAN, "infeasible", "infeasible")};
}

using Values = std::vector<double>;

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

TEST(Profiles, Performance) {
  const ProfileSet set = performance_profiles(hand_made());
  EXPECT_EQ(set.problems, 4);
  EXPECT_EQ(set.largest, 4.0);
  ASSERT_EQ(set.profiles.size(), 2u);
  EXPECT_EQ(set.profiles[0].solver, "a");
  EXPECT_EQ(set.profiles[0].x, (Values{1, 4}));
  EXPECT_EQ(set.profiles[0].y, (Values{0.75, 1}));
  EXPECT_EQ(set.profiles[1].x, (Values{1, 2}));
  EXPECT_EQ(set.profiles[1].y, (Values{0.5, 0.75}));
}

TEST(Profiles, PerformanceOfASolverThatIsNeverFirst) {
  const ProfileSet set = performance_profiles({record("a", "1", 1.0, 0), record("b", "1", 3.0, 0)});
  EXPECT_EQ(set.profiles[1].x, (Values{1, 3}));
  EXPECT_EQ(set.profiles[1].y, (Values{0, 1}));
  const ProfileSet none = performance_profiles({record("a", "1", 1, 1, "ray")});
  EXPECT_EQ(none.profiles[0].x, Values{1});
  EXPECT_EQ(none.profiles[0].y, Values{0});
}

TEST(Profiles, Accuracy) {
  const ProfileSet set = accuracy_profiles(hand_made());
  EXPECT_EQ(set.problems, 4);
  EXPECT_EQ(set.profiles[0].x, (Values{1e-12, 1e-10, 1e-9}));
  EXPECT_EQ(set.profiles[0].y, (Values{0.25, 0.75, 1}));
  EXPECT_EQ(set.profiles[1].x, (Values{1e-18, 1e-14, 1e-3}));
  EXPECT_EQ(set.profiles[1].y, (Values{0.25, 0.75, 1}));
}

TEST(Profiles, NamesTellSettingsApartOnlyWhereTheyDiffer) {
  std::vector<Record> records = {record("a", "1", 1, 0), record("a", "1", 1, 0),
                                 record("b", "1", 1, 0)};
  records[1].settings = R"({"omega":"1.5"})";
  records[2].settings = R"({"omega":"1.5"})";
  EXPECT_EQ(solver_names(records), (std::vector<std::string>{"a", "a omega:1.5", "b"}));
  EXPECT_EQ(performance_profiles(records).profiles.size(), 3u);
}

TEST(Comparison, FractionAndMedian) {
  const std::vector<ComparisonRow> rows = comparison(hand_made());
  ASSERT_EQ(rows.size(), 2u);
  EXPECT_EQ(rows[0].group, "infeasible");
  EXPECT_EQ(rows[0].cells.at("a").right, 0);
  EXPECT_EQ(rows[0].cells.at("a").gave_up, 1);  // which is not right
  EXPECT_TRUE(std::isnan(rows[0].cells.at("a").median_ms));
  EXPECT_EQ(rows[0].cells.at("b").right, 1);  // a proof
  EXPECT_EQ(rows[0].cells.at("b").gave_up, 0);
  EXPECT_EQ(rows[1].cells.at("a").runs, 5);
  EXPECT_EQ(rows[1].cells.at("b").right, 3);
  EXPECT_EQ(rows[1].cells.at("b").median_ms, 2000.0);
  EXPECT_EQ(rows[1].cells.at("b").solve_median_ms, 1000.0);
}

TEST(Comparison, SizesApartAndRefusalsCounted) {
  std::vector<Record> records = {record("a", "1", 1, 0), record("a", "2", 3, 0),
                                 record("b", "1", 1, 0, "unsupported")};
  records[1].size = 7;
  records[1].n = 14;
  const std::vector<ComparisonRow> rows = comparison(records);
  ASSERT_EQ(rows.size(), 2u);
  EXPECT_EQ(rows[0].cells.at("b").unsupported, rows[0].cells.at("b").runs);
  EXPECT_EQ(rows[0].cells.at("a").unsupported, 0);
  EXPECT_EQ(rows[1].size, 7);
  EXPECT_EQ(rows[1].n_min, 14);
  EXPECT_EQ(rows[1].cells.at("a").median_ms, 3000.0);
}

TEST(Comparison, RunsFromZeroDecideWhereThereAreAny) {
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
    const ProfileSet set = performance_profiles(records);
    EXPECT_EQ(set.profiles[0].y.back(), 0.5) << end;
    EXPECT_EQ(comparison(records)[1].cells.at("a").right, 1);
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
  EXPECT_NE(summary_text(records).find("1 of the solved vacuous"), std::string::npos);
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

TEST(Profiles, TheHeadlineIsSetupAndSolve) {
  std::vector<Record> records = {record("a", "1", 1.0, 0), record("b", "1", 2.0, 0)};
  records[0].solve = 0.9;
  records[1].solve = 0.1;  // it prepares for long
  EXPECT_EQ(performance_profiles(records).profiles[1].x, (Values{1, 2}));
  EXPECT_NEAR(performance_profiles(records, TimeOf::kSolve).profiles[0].x.back(), 9.0, 1e-12);
}

TEST(Profiles, TwoLimitsAreTwoSolvers) {
  std::vector<Record> records = {record("a", "1", 1.0, 0), record("a", "1", 2.0, 0, "time_limit")};
  records[0].time_limit = 10;
  records[1].time_limit = 1;
  EXPECT_EQ(solver_names(records), (std::vector<std::string>{"a in 10 s", "a in 1 s"}));
  const std::vector<GroupSummary> groups = summarise(records);
  ASSERT_EQ(groups.size(), 2u);
  EXPECT_EQ(groups[0].runs, 1);
  EXPECT_EQ(performance_profiles(records).problems, 1);
  EXPECT_EQ(comparison(records)[0].cells.size(), 2u);
  records[1].tolerance = 1e-6;
  EXPECT_EQ(solver_names(records)[1], "a to 1e-06 in 1 s");
}

TEST(Profiles, OfTheSameRunTheLastRecordCounts) {
  std::vector<Record> records = {record("a", "1", 1.0, 0, "stalled"), record("a", "2", 1.0, 0),
                                 record("a", "1", 2.0, 0)};
  records[0].key = "by an older program";
  const std::vector<Record> kept = one_each(records);
  ASSERT_EQ(kept.size(), 2u);
  EXPECT_EQ(kept[0].instance, "2");
  EXPECT_EQ(kept[1].outcome, "solved");
  records[0].mode = "stored";
  EXPECT_EQ(one_each(records).size(), 3u);
}

TEST(Profiles, OwnTimesAndUnusedStartsAreMarked) {
  std::vector<Record> records = {record("a", "1", 1, 0), record("b", "1", 1, NAN, "crashed"),
                                 record("b", "2", 1, 0)};
  records[2].own_times = true;
  EXPECT_EQ(solver_names(records), (std::vector<std::string>{"a", "b*", "b*"}));
  EXPECT_EQ(performance_profiles(records).profiles[1].solver, "b*");
  EXPECT_NE(summary_text(records).find("* times that the program tells of itself"),
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

TEST(Csv, Numbers) {
  double v = 0.0;
  EXPECT_TRUE(read_number("-1.5e-3", v));
  EXPECT_EQ(v, -1.5e-3);
  for (const char* bad : {"", "1x", "nan", "inf", " 1", "1 "}) EXPECT_FALSE(read_number(bad, v));
}

TEST(Plot, ThinningKeepsExtremes) {
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

TEST(Plot, NamesAreTakenAsTheyAre) {
  Plot plot;
  plot.title = "`touch nowhere` 'a' <b> & \"c\" @d";
  plot.series.push_back({"x_1^2 '\n$d0", {1, 2}, {1, NAN}, Series::Style::kPath, {}, {}});
  const Drawing drawing = draw(plot);
  ASSERT_EQ(drawing.fault, "");
  EXPECT_NE(drawing.svg.find("x_1^2 ' $d0"), std::string::npos);
  EXPECT_NE(drawing.svg.find("`touch nowhere` 'a' &lt;b"), std::string::npos);
  for (const char* outside : {"id=", "href", "http", "black"})
    EXPECT_EQ(drawing.svg.find(outside), std::string::npos) << outside;
}

TEST(Plot, LongNamesLeaveRoomForTheDrawing) {
  Plot plot;
  plot.title = "long";
  plot.series.push_back(
      {std::string(300, 'a') + "é end", {1, 2}, {1, 2}, Series::Style::kSteps, {}, {}});
  const Drawing drawing = draw(plot);
  EXPECT_EQ(drawing.fault, "");
  EXPECT_NE(drawing.svg.find("aaa…aaa"), std::string::npos);
  EXPECT_EQ(drawing.svg.find(std::string(40, 'a') + "…"), std::string::npos);
}

TEST(Plot, NothingToDraw) {
  Plot plot;
  plot.title = "empty";
  plot.log_y = 10;
  plot.series.push_back({"", {1}, {0}, Series::Style::kLine, {}, {}});
  EXPECT_EQ(draw(plot).svg, "");
  EXPECT_NE(draw(plot).fault.find("nothing to draw"), std::string::npos);
}

}  // namespace
}  // namespace perp::test
