#include <perp/formulations/law/compliant/compliant_law.hpp>
#include <perp/formulations/law/convex_relaxation/convex_relaxation_law.hpp>
#include <perp/formulations/law/exact_cone/exact_cone_law.hpp>
#include <perp/formulations/law/law.hpp>
#include <perp/formulations/law/max_dissipation/max_dissipation_law.hpp>
#include <perp/formulations/law/pyramid/pyramid_law.hpp>

namespace perp {

const std::vector<LawEntry>& contact_laws() {
  // To add a law, add its line here.
  static const std::vector<LawEntry> list = {
      {"pyramid",
       "Coulomb friction with a pyramid in place of the cone",
       "StewartTrinkle1996",
       {"lcp", "mlcp"},
       make_pyramid_law},
      {"exact-cone",
       "Coulomb friction with its cone",
       "AcaryBremondHuber2018",
       {"friction_contact"},
       make_exact_cone_law},
      {"convex-relaxation",
       "friction cones, sliding contacts separate a little",
       "AnitescuTasora2010",
       {"conic_qp"},
       make_convex_relaxation_law},
      {"max-dissipation",
       "least kinetic energy within the friction cones, no complementarity",
       "DrumwrightShell2010",
       {"box_qp", "conic_qp"},
       make_max_dissipation_law},
      {"compliant",
       "points that give way, along the surface too: strictly convex",
       "CastroPermenterHan2022",
       {"convex_contact"},
       make_compliant_law},
  };
  return list;
}

}  // namespace perp
