#include <perp/problems/families/contact.hpp>

#include <perp/problems/standard/friction_pyramid.hpp>

#include <fmt/format.h>
#include <algorithm>
#include <array>

namespace perp {

namespace {

constexpr int kEdges = 4;

void name_unknowns(int contacts, Problem& facts) {
  for (int c = 0; c < contacts; ++c) facts.variables.push_back(fmt::format("contact{}.normal", c));
  for (int c = 0; c < contacts; ++c) {
    for (const char* edge : {"+t", "+s", "-t", "-s"}) {
      facts.variables.push_back(fmt::format("contact{}.friction{}", c, edge));
    }
  }
  for (int c = 0; c < contacts; ++c) facts.variables.push_back(fmt::format("contact{}.slip", c));
}

const FamilyParameter kFriction{"mu", 0.5, "Coulomb coefficient of every contact", 0.0};

}  // namespace

Lcp pyramid_contact_lcp(const ContactScene& scene, double mu, Problem& facts) {
  const std::vector<ContactPoint>& contacts = scene.contacts;
  const int nc = static_cast<int>(contacts.size()), impulses = (1 + kEdges) * nc;
  const Vector inverse_mass = inverse_masses(scene);
  std::vector<Triplet> jacobian;
  FrictionPyramids pyramids{Vector::Constant(nc, mu), {0}};
  for (int c = 0; c < nc; ++c) {
    const TangentFrame f = tangent_frame(contacts[c].normal);
    facts.contacts.push_back(describe(contacts[c], c, f));
    const auto add = [&](int row, const Eigen::Vector3d& direction) {
      for (const auto& [column, value] : contact_row(contacts[c], direction)) {
        jacobian.emplace_back(row, column, value);
      }
    };
    add(c, f.n);
    const std::array<Eigen::Vector3d, kEdges> edges = {f.t, f.s, -f.t, -f.s};
    for (int e = 0; e < kEdges; ++e) add(nc + kEdges * c + e, edges[e]);
    pyramids.first.push_back(kEdges * (c + 1));
  }
  SparseMatrix j(impulses, static_cast<int>(inverse_mass.size()));
  j.setFromTriplets(jacobian.begin(), jacobian.end());
  SparseMatrix w = j * inverse_mass.asDiagonal() * SparseMatrix(j.transpose());
  w.prune(0.0, 0.0);
  name_unknowns(nc, facts);
  return pyramid_lcp(w, j * scene.velocity, pyramids);
}

Family contact_stack_family() {
  return {"contact-stack",
          "columns of boxes with 4 contacts a face: degenerate and rank deficient",
          "AnitescuPotra1997",
          "contacts (n = 6 a contact)",
          20,
          1,
          1000000,
          KnownOutcome::kSolvable,
          true,
          {kFriction, {"tower", 5.0, "boxes in a column", 1.0}},
          [](const FamilyRequest& r, Problem& facts) {
            const auto tower = static_cast<int>(r["tower"]);
            return pyramid_contact_lcp(stacked_boxes(r.size, tower, r.seed), r["mu"], facts);
          },
          {},
          {{"friction_contact", "friction-stack"}}};
}

Family contact_tower_family() {
  return {"contact-tower",
          "one column of boxes with 4 contacts a face",
          "AnitescuPotra1997",
          "contacts (n = 6 a contact)",
          100,
          1,
          1000000,
          KnownOutcome::kSolvable,
          true,
          {kFriction},
          [](const FamilyRequest& r, Problem& facts) {
            const int tower = std::max(1, r.size / 4);
            return pyramid_contact_lcp(stacked_boxes(r.size, tower, r.seed), r["mu"], facts);
          },
          {},
          {{"friction_contact", "friction-tower"}}};
}

Family contact_pile_family() {
  return {"contact-pile",
          "random bodies of masses 0.5 to 5 kg with about 3 random contacts each",
          "AnitescuPotra1997",
          "contacts (n = 6 a contact)",
          20,
          1,
          1000000,
          KnownOutcome::kSolvable,
          true,
          {kFriction},
          [](const FamilyRequest& r, Problem& facts) {
            return pyramid_contact_lcp(random_pile(r.size, r.seed), r["mu"], facts);
          },
          {},
          {{"friction_contact", "friction-pile"}}};
}

}  // namespace perp
