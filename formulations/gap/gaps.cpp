#include <perp/formulations/gap/gaps.hpp>

#include <perp/formulations/gap/ratio_metric/ratio_gap.hpp>

namespace perp {

const std::vector<const Gap*>& gaps() {
  // To add a gap, add its line here.
  static const std::vector<const Gap*> list = {&linearised_gap(), &ratio_gap()};
  return list;
}

void GapChoice::visit_settings(SettingVisitor& visitor) {
  visitor.visit("rows", rows, "rows of a gap that is no length: in metres, or as they are printed",
                {"metres", "printed"});
}

}  // namespace perp
