// Text from elsewhere: what is UTF-8, what may stand in a message, and what packed files stand for.
#include "support.hpp"

#include <perp/problems/io/files.hpp>
#include <perp/problems/io/foreign_model.hpp>
#include <perp/problems/json/json.hpp>
#include <perp/problems/json/text.hpp>

namespace perp::test {
namespace {

TEST(ForeignText, Utf8) {
  for (const char* good :
       {"", "plain",
        "gr\xC3\xB6\xC3\x9F"
        "e",
        "\xE2\x8A\xA5", "\xF0\x9F\x98\x80", "\xED\x9F\xBF", "\xF4\x8F\xBF\xBF"}) {
    EXPECT_TRUE(is_utf8(good)) << shown(good);
    EXPECT_EQ(to_utf8(good), good);
  }
  // Lone and missing continuations, overlong forms, surrogates, beyond the last code point.
  for (const char* bad : {"\xFF", "\x80", "a\xC3", "\xC3(", "\xC0\xAF", "\xE0\x80\xAF",
                          "\xED\xA0\x80", "\xF4\x90\x80\x80", "\xF8\x88\x80\x80\x80"}) {
    EXPECT_FALSE(is_utf8(bad)) << shown(bad);
    EXPECT_TRUE(is_utf8(to_utf8(bad)));
    EXPECT_TRUE(is_utf8(shown(bad)));
  }
  EXPECT_EQ(to_utf8("a\xFF"
                    "b"),
            "a\xEF\xBF\xBD"
            "b");
}

TEST(ForeignText, WhatIsShownIsShortAndHarmless) {
  EXPECT_EQ(shown("gr\xC3\xB6\xC3\x9F"
                  "e"),
            "gr\xC3\xB6\xC3\x9F"
            "e");
  EXPECT_EQ(shown("a\nb\t\x1B[31m\x7F\xFF"), R"(a\nb\t\x1b[31m\x7f\xff)");
  EXPECT_EQ(shown("\xC2\x9B\xE2\x80\xAE\xE2\x80\xA8"), R"(\u{9b}\u{202e}\u{2028})");
  EXPECT_EQ(shown(std::string_view("\0", 1)), R"(\x00)");
  EXPECT_EQ(shown(std::string(1000, 'x'), 30), std::string(20, 'x') + "..." + std::string(10, 'x'));
  // Cut between characters.
  std::string umlauts;
  for (int i = 0; i < 500; ++i) umlauts += "\xC3\xB6";
  for (const std::size_t limit : {30, 31, 32, 33}) {
    EXPECT_TRUE(is_utf8(shown(umlauts, limit)));
    EXPECT_EQ(shown(umlauts, limit).find('\\'), std::string::npos);
  }
}

TEST(ForeignText, EveryComplaintIsOneReadableLine) {
  const InputError error("file.x: " + std::string(5000, '\n') + "\xFF: fault");
  const std::string text = error.what();
  EXPECT_LT(text.size(), 2000u);
  EXPECT_EQ(text.find('\n'), std::string::npos);
  EXPECT_TRUE(text.starts_with("file.x: "));
  EXPECT_TRUE(text.ends_with("\\xff: fault"));
  EXPECT_TRUE(is_utf8(text));
}

TEST(PackedFiles, MayStandForAHundredTimesTheirSize) {
  EXPECT_EQ(most_unpacked(0), std::size_t{32} << 20);
  EXPECT_EQ(most_unpacked(1'000'000), (std::size_t{32} << 20) + 100'000'000);
  EXPECT_GT(most_unpacked(SIZE_MAX), std::size_t{1} << 56);  // no overflow
}

// n rows, each the same sum of n variables.
TEST(AffineSplitter, GivesUpWhereRowsShareWithoutMeasure) {
  const auto rows_taken_apart = [](int n) {
    GraphBuilder builder;
    int sum = builder.variable(0);
    for (int j = 1; j < n; ++j) sum = builder.apply(Operation::kAdd, sum, builder.variable(j));
    AffineSplitter splitter(builder);
    int rows = 0;
    for (int i = 0; i < n; ++i) {
      const RowTerms terms = splitter.split(sum);
      if (!terms.nonlinear.empty()) {
        EXPECT_EQ(terms.nonlinear.begin()->first, sum);
        EXPECT_TRUE(terms.linear.empty());
        EXPECT_TRUE(splitter.gave_up());
        break;
      }
      EXPECT_EQ(static_cast<int>(terms.linear.size()), n);
      ++rows;
    }
    return rows;
  };
  EXPECT_EQ(rows_taken_apart(100), 100);
  EXPECT_LT(rows_taken_apart(5000), 1000);
}

}  // namespace
}  // namespace perp::test
