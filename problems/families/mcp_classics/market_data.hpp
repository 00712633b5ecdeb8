// Tables of the economic problems, with their solutions to all digits of a double.
#pragma once

#include <array>
#include <perp/problems/matrix/matrix.hpp>

namespace perp::classics {

inline constexpr int kScarfGoods = 6, kScarfActivities = 8, kScarfConsumers = 5;

/// Scarf's economy [Scarf1973]. The goods in their order: capital at the end of the period,
/// nondurable consumption, durable consumption, capital at the beginning of the period, skilled
/// labour, unskilled labour.
struct ScarfData {
  double endowment[kScarfGoods][kScarfConsumers];
  double demand[kScarfGoods][kScarfConsumers];  ///< at equal prices, up to scale
  double elasticity[kScarfConsumers];           ///< of substitution
  double net_output[kScarfGoods][kScarfActivities];

  /// Value of the endowment of a consumer if all prices are 1.
  double wealth_at_ones(int consumer) const;
};
const ScarfData& scarf_data();
Vector scarf_solution();

inline constexpr int kChoiBrands = 14, kChoiSubjects = 30, kChoiIngredients = 4;

/// Market of analgesics [ChoiDeSarboHarker1990]. The ingredients in their order: aspirin, its
/// substitutes, caffeine, additional ingredients.
struct ChoiData {
  std::array<std::array<double, kChoiIngredients>, kChoiBrands> brand;
  std::array<std::array<double, kChoiIngredients>, kChoiSubjects> ideal;
  std::array<double, kChoiSubjects> weight;        ///< of the distance from the ideal
  std::array<double, kChoiSubjects> constant;      ///< in the disutility
  std::array<double, kChoiSubjects> price_weight;  ///< in the disutility
  std::array<double, kChoiBrands> cost;
};
const ChoiData& choi_data();
Vector choi_solution();

Vector hansen_koopmans_solution();
Vector transport_solution();

}  // namespace perp::classics
