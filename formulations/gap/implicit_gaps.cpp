#include <perp/formulations/gap/implicit_gaps.hpp>

#include <perp/formulations/gap/closed_form/closed_form_gap.hpp>
#include <perp/formulations/gap/equivalent_contact_point/ecp_gap.hpp>
#include <perp/formulations/gap/nearest_points/nearest_points_gap.hpp>

namespace perp {

const std::vector<ImplicitGapEntry>& implicit_gaps() {
  // To add a gap with geometry at the end of a step, add its line here.
  static const std::vector<ImplicitGapEntry> list = {
      {"nearest-points", "nearest points of smooth bodies as unknowns",
       "ChakrabortyBerardAkellaTrinkle2007", make_nearest_points_gap},
      {"closed-form", "distances of balls in closed form", "TrinkleTzitzourisPang2001",
       make_closed_form_gap},
      {"equivalent-contact-point", "line and surface contact by one point each",
       "XieChakraborty2020", make_ecp_gap},
  };
  return list;
}

}  // namespace perp
