#include <perp/formulations/gaps.hpp>

#include <perp/formulations/mechanics/options.hpp>
#include <perp/formulations/ratio_metric/ratio_gap.hpp>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace perp {

namespace {

std::vector<std::string_view> names() {
  std::vector<std::string_view> list;
  for (const Gap* gap : gaps()) list.push_back(gap->name);
  return list;
}

}  // namespace

const std::vector<const Gap*>& gaps() {
  // To add a gap, add its line here.
  static const std::vector<const Gap*> list = {&linearised_gap(), &ratio_gap()};
  return list;
}

bool read_gap_option(const std::string& key, const std::string& value, GapChoice& choice) {
  if (key == "rows") {
    if (value != "metres" && value != "printed") refuse_option(key, value, gap_options());
    choice.printed_rows = value == "printed";
    return true;
  }
  if (key != "gap") return false;
  for (const Gap* gap : gaps()) {
    if (gap->name != value) continue;
    choice.gap = gap;
    return true;
  }
  refuse_option(key, value, gap_options());
}

std::string gap_options() {
  return fmt::format("gap={}, rows=metres|printed", fmt::join(names(), "|"));
}

}  // namespace perp
