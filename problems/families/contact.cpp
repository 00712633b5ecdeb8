#include <perp/problems/families/contact.hpp>

#include <perp/problems/standard/random.hpp>

#include <fmt/format.h>
#include <Eigen/Geometry>
#include <algorithm>
#include <array>

namespace perp {

namespace {

constexpr int kEdges = 4;
constexpr double kGravity = 9.81, kStep = 0.01;
using Eigen::Vector3d;

struct Frame {
  Vector3d n, t, s;
};

Frame contact_frame(const Vector3d& normal) {
  const Vector3d n = normal.normalized();
  const Vector3d axis = std::abs(n[0]) < 0.7 ? Vector3d::UnitX() : Vector3d::UnitY();
  const Vector3d t = n.cross(axis).normalized();
  return {n, t, n.cross(t)};
}

// Sparse row of the contact Jacobian: 6 entries for each body that moves.
using JacobianRow = std::vector<std::pair<int, double>>;

JacobianRow jacobian_row(const ContactPoint& c, const Vector3d& d) {
  JacobianRow row;
  const auto add = [&](int body, const Vector3d& arm, double sign) {
    if (body < 0) return;
    const Vector3d moment = arm.cross(d);
    for (int k = 0; k < 3; ++k) row.emplace_back(6 * body + k, sign * d[k]);
    for (int k = 0; k < 3; ++k) row.emplace_back(6 * body + 3 + k, sign * moment[k]);
  };
  add(c.a, c.arm_a, 1.0);
  add(c.b, c.arm_b, -1.0);
  return row;
}

ContactInfo describe(const ContactPoint& c, int index, const Frame& frame) {
  const auto list = [](const Vector3d& v) { return std::vector<double>{v[0], v[1], v[2]}; };
  const auto body = [](int k) { return k < 0 ? std::string("ground") : fmt::format("body{}", k); };
  return {fmt::format("contact{}", index), body(c.a), body(c.b), list(c.point), list(frame.n),
          {list(frame.t), list(frame.s)},  {}};
}

void name_unknowns(int contacts, Problem& facts) {
  for (int c = 0; c < contacts; ++c) facts.variables.push_back(fmt::format("contact{}.normal", c));
  for (int c = 0; c < contacts; ++c) {
    for (const char* edge : {"+t", "+s", "-t", "-s"}) {
      facts.variables.push_back(fmt::format("contact{}.friction{}", c, edge));
    }
  }
  for (int c = 0; c < contacts; ++c) facts.variables.push_back(fmt::format("contact{}.slip", c));
}

// Velocity of one step of free fall and a downward push, with a little random motion.
Vector pushed(Random& random, int bodies) {
  Vector v(6 * bodies);
  for (double& x : v) x = 0.05 * random.normal();
  for (int k = 0; k < bodies; ++k) v[6 * k + 2] -= kGravity * kStep + 0.1;
  return v;
}

ProblemData build_stack(const FamilyRequest& r, int tower, Problem& facts) {
  Random random(r.seed);
  const int boxes = r.size / 4, spheres = r.size % 4;
  std::vector<ContactBody> bodies;
  std::vector<ContactPoint> contacts;
  for (int k = 0; k < boxes; ++k) {
    const int column = k / tower, level = k % tower;
    bodies.push_back({1.0, Vector3d::Constant(6.0)});  // 1 kg, side 1 m: inertia 1/6 kg m^2
    for (const double x : {-0.5, 0.5}) {
      for (const double y : {-0.5, 0.5}) {
        contacts.push_back({k,
                            level > 0 ? k - 1 : -1,
                            {3.0 * column + x, y, double(level)},
                            Vector3d::UnitZ(),
                            {x, y, -0.5},
                            {x, y, 0.5}});
      }
    }
  }
  for (int j = 0; j < spheres; ++j) {  // what is left of the contacts: spheres on the ground
    bodies.push_back({1.0, Vector3d::Constant(10.0)});
    contacts.push_back({boxes + j,
                        -1,
                        {-3.0 * (j + 1), 0.0, 0.0},
                        Vector3d::UnitZ(),
                        {0.0, 0.0, -0.5},
                        Vector3d::Zero()});
  }
  const Vector v = pushed(random, static_cast<int>(bodies.size()));
  return pyramid_contact_lcp(bodies, contacts, v, r["mu"], facts);
}

Vector3d normal_vector(Random& random) {
  const double x = random.normal(), y = random.normal(), z = random.normal();
  return {x, y, z};
}

ProblemData build_pile(const FamilyRequest& r, Problem& facts) {
  Random random(r.seed);
  const int count = std::max(2, r.size / 3);
  std::vector<ContactBody> bodies;
  std::vector<Vector3d> centres;
  for (int k = 0; k < count; ++k) {
    centres.emplace_back();
    for (double& x : centres.back()) x = random.uniform(-2.0, 2.0);
    const double mass = random.uniform(0.5, 5.0);
    Vector3d inverse_inertia;
    for (double& x : inverse_inertia) x = 1.0 / (mass * random.uniform(0.1, 0.4));
    bodies.push_back({1.0 / mass, inverse_inertia});
  }
  std::vector<ContactPoint> contacts;
  for (int c = 0; c < r.size; ++c) {
    const int a = random.index(count);
    const int b = random.uniform() < 1.0 / 6.0 ? -1 : (a + 1 + random.index(count - 1)) % count;
    const Vector3d normal = normal_vector(random).normalized();
    // Arms of about half a metre on both sides, wherever the centre of b was drawn.
    const Vector3d arm_a = -0.5 * normal + 0.1 * normal_vector(random);
    const Vector3d arm_b = 0.5 * normal - 0.1 * normal_vector(random);
    contacts.push_back({a, b, centres[a] + arm_a, normal, arm_a, arm_b});
  }
  Vector v(6 * count);
  for (double& x : v) x = random.normal();
  for (int k = 0; k < count; ++k) v[6 * k + 2] -= 1.0;
  return pyramid_contact_lcp(bodies, contacts, v, r["mu"], facts);
}

const FamilyParameter kFriction{"mu", 0.5, "Coulomb coefficient of every contact", 0.0};

}  // namespace

Lcp pyramid_contact_lcp(const std::vector<ContactBody>& bodies,
                        const std::vector<ContactPoint>& contacts, const Vector& velocity,
                        double mu, Problem& facts) {
  const int nc = static_cast<int>(contacts.size()), n = 6 * nc, impulses = (1 + kEdges) * nc;
  std::vector<Triplet> entries, jacobian;
  Vector inverse_mass(6 * bodies.size());
  for (std::size_t k = 0; k < bodies.size(); ++k) {
    inverse_mass.segment<3>(6 * k).setConstant(bodies[k].inverse_mass);
    inverse_mass.segment<3>(6 * k + 3) = bodies[k].inverse_inertia;
  }
  for (int c = 0; c < nc; ++c) {
    const Frame f = contact_frame(contacts[c].normal);
    facts.contacts.push_back(describe(contacts[c], c, f));
    const auto add = [&](int row, const Vector3d& direction) {
      for (const auto& [column, value] : jacobian_row(contacts[c], direction)) {
        jacobian.emplace_back(row, column, value);
      }
    };
    add(c, f.n);
    const std::array<Vector3d, kEdges> edges = {f.t, f.s, -f.t, -f.s};
    for (int e = 0; e < kEdges; ++e) {
      const int row = nc + kEdges * c + e;
      add(row, edges[e]);
      entries.emplace_back(row, impulses + c, 1.0);   // E
      entries.emplace_back(impulses + c, row, -1.0);  // -E'
    }
    entries.emplace_back(impulses + c, c, mu);
  }
  SparseMatrix j(impulses, static_cast<int>(inverse_mass.size()));
  j.setFromTriplets(jacobian.begin(), jacobian.end());
  SparseMatrix w = j * inverse_mass.asDiagonal() * SparseMatrix(j.transpose());
  w.prune(0.0, 0.0);
  for (int column = 0; column < w.outerSize(); ++column) {
    for (SparseMatrix::InnerIterator it(w, column); it; ++it) {
      entries.emplace_back(static_cast<int>(it.row()), column, it.value());
    }
  }
  name_unknowns(nc, facts);
  Vector q = Vector::Zero(n);
  q.head(impulses) = j * velocity;
  return {Matrix::from_triplets(n, n, entries), std::move(q)};
}

Family contact_stack_family() {
  return {"contact-stack",
          "columns of boxes with 4 contacts a face: degenerate and rank deficient",
          "AnitescuPotra1997",
          "contacts (n = 6 a contact)",
          20,
          1,
          KnownOutcome::kSolvable,
          true,
          {kFriction, {"tower", 5.0, "boxes in a column", 1.0}},
          [](const FamilyRequest& r, Problem& facts) {
            return build_stack(r, static_cast<int>(r["tower"]), facts);
          }};
}

Family contact_tower_family() {
  return {"contact-tower",
          "one column of boxes with 4 contacts a face",
          "AnitescuPotra1997",
          "contacts (n = 6 a contact)",
          100,
          1,
          KnownOutcome::kSolvable,
          true,
          {kFriction},
          [](const FamilyRequest& r, Problem& facts) {
            return build_stack(r, std::max(1, r.size / 4), facts);
          }};
}

Family contact_pile_family() {
  return {"contact-pile",
          "random bodies of masses 0.5 to 5 kg with about 3 random contacts each",
          "AnitescuPotra1997",
          "contacts (n = 6 a contact)",
          20,
          1,
          KnownOutcome::kSolvable,
          true,
          {kFriction},
          [](const FamilyRequest& r, Problem& facts) { return build_pile(r, facts); }};
}

}  // namespace perp
