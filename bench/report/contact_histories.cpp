#include <perp/bench/report/contact_histories.hpp>

#include <fmt/format.h>
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <map>
#include <perp/bench/report/csv.hpp>

namespace perp {

std::vector<ContactHistory> read_contact_histories(const std::string& path, double begin,
                                                   const std::vector<double>& t, int& damaged) {
  std::vector<ContactHistory> pairs;
  std::map<std::string, std::size_t> places;
  const std::size_t n = t.size();
  const auto history = [&](const std::string& pair) -> ContactHistory& {
    const auto [it, added] = places.emplace(pair, pairs.size());
    if (added) {
      const double none = std::numeric_limits<double>::quiet_NaN();
      pairs.push_back({pair, t, std::vector<double>(n, 0.0), std::vector<double>(n, 0.0),
                       std::vector<double>(n, none)});
    }
    return pairs[it->second];
  };
  damaged += read_csv(path, {"t", "body_a", "body_b", "p_n", "p_t", "p_o", "slip"},
                      [&](std::span<const std::string_view> row) {
                        std::array<double, 5> v{};  // t, p_n, p_t, p_o, slip
                        for (std::size_t k = 0, to = 0; k < row.size(); ++k) {
                          if (k != 1 && k != 2 && !read_number(row[k], v[to++])) return false;
                        }
                        const auto at = std::lower_bound(t.begin(), t.end(), v[0]);
                        if (at == t.end() || *at != v[0]) return true;
                        const auto k = static_cast<std::size_t>(at - t.begin());
                        const double h = t[k] - (k > 0 ? t[k - 1] : begin);
                        if (!(h > 0)) return true;
                        ContactHistory& pair = history(fmt::format("{} on {}", row[1], row[2]));
                        pair.normal[k] += v[1] / h;
                        pair.friction[k] += std::hypot(v[2], v[3]) / h;
                        if (v[1] > 0) pair.slip[k] = std::fmax(pair.slip[k], v[4]);
                        return true;
                      });
  return pairs;
}

}  // namespace perp
