#include <perp/problems/families/friction.hpp>

#include <perp/problems/standard/compliant_point.hpp>

#include <fmt/format.h>
#include <algorithm>
#include <array>
#include <cmath>
#include <stdexcept>

namespace perp {

namespace {

constexpr std::array<int, 3> kPlanarColumns = {0, 2, 4};  // v_x, v_z, omega_y of a body's six

// Column of a planar problem, or -1.
int planar_column(int column) {
  for (int k = 0; k < 3; ++k) {
    if (column % 6 == kPlanarColumns[k]) return column / 6 * 3 + k;
  }
  return -1;
}

Vector planar_part(const Vector& v) {
  Vector part(v.size() / 2);
  for (int i = 0; i < v.size(); ++i) {
    if (planar_column(i) >= 0) part[planar_column(i)] = v[i];
  }
  return part;
}

const FamilyParameter kMu{"mu", 0.5, "Coulomb coefficient of every contact", 0.0};
const FamilyParameter kOperator{"operator", 0.0, "1: J and M are stated, W is not formed", 0.0};
const FamilyParameter kAgitation{"agitation", 0.05, "size of random velocities, m/s", 0.0};

// Parameters of the scenes that have both dimensions.
std::vector<FamilyParameter> scene_parameters() {
  return {kMu,
          {"dimension", 3.0, "2: the same in the plane", 2.0},
          {"mass_ratio", 1.0, "largest factor between masses of the same sort", 1e-12},
          {"duplicates", 0.0, "copies of every contact, beside it", 0.0},
          kOperator};
}

FrictionContactOptions options_of(const FamilyRequest& r) {
  FrictionContactOptions options;
  const double dimension = r["dimension"];
  if (dimension != 2.0 && dimension != 3.0) {
    throw std::invalid_argument(
        fmt::format("param \"dimension\": {} is neither 2 nor 3", dimension));
  }
  options.mu = r["mu"];
  options.planar = dimension == 2.0;
  options.operator_form = r["operator"] != 0.0;
  options.duplicates = static_cast<int>(std::min(r["duplicates"], 1000.0));
  return options;
}

ProblemData build_stack(const FamilyRequest& r, int tower, Problem& facts) {
  const FrictionContactOptions options = options_of(r);
  return friction_contact(stacked_boxes(r.size, tower, r.seed, options.planar, r["mass_ratio"]),
                          options, facts);
}

// The impulse of one contact in the plane: open, else sticking, else sliding.
Eigen::Vector2d one_contact_impulse(const Eigen::Matrix2d& w, const Eigen::Vector2d& q, double mu) {
  if (q[0] >= 0.0) return Eigen::Vector2d::Zero();
  const double determinant = w(0, 0) * w(1, 1) - w(0, 1) * w(1, 0);
  const Eigen::Vector2d stick((w(0, 1) * q[1] - w(1, 1) * q[0]) / determinant,
                              (w(1, 0) * q[0] - w(0, 0) * q[1]) / determinant);
  if (std::abs(stick[1]) <= mu * stick[0]) return stick;
  const double sense =
      stick[1] > 0 ? -1.0 : 1.0;  // direction of the slip that friction cannot stop
  const double normal = -q[0] / (w(0, 0) - sense * mu * w(0, 1));
  return {normal, -sense * mu * normal};
}

ProblemData build_rods(const FamilyRequest& r, Problem& facts) {
  FrictionContactOptions options;
  options.mu = r["mu"];
  options.planar = true;
  FrictionContact problem = friction_contact(inclined_rods(r.size, r.seed), options, facts);
  Vector z(problem.size());
  for (int k = 0; k < r.size; ++k) {
    Eigen::Matrix2d w;
    for (int i = 0; i < 2; ++i) {
      for (int j = 0; j < 2; ++j) w(i, j) = problem.W.coefficient(2 * k + i, 2 * k + j);
    }
    z.segment<2>(2 * k) = one_contact_impulse(w, problem.q.segment<2>(2 * k), options.mu);
  }
  facts.solution = KnownSolution{z, {}};
  return problem;
}

ProblemData build_compliant_pile(const FamilyRequest& r, Problem& facts) {
  const ContactScene scene = settled_spheres(r.size, r.seed, r["agitation"]);
  FrictionContactOptions options;
  options.mu = r["mu"];
  options.operator_form = true;
  FrictionContact rigid = friction_contact(scene, options, facts);
  const SparseMatrix j = rigid.J.to_sparse();
  const Vector inverse = inverse_masses(scene);
  const SparseMatrix half = j * inverse.cwiseSqrt().asDiagonal();
  const SparseMatrix w = half * SparseMatrix(half.transpose());
  ConvexContact p;
  p.R.resize(j.rows());
  p.bias = Vector::Zero(j.rows());
  for (int c = 0; c < rigid.contacts(); ++c) {
    CompliantPoint point;
    Eigen::Matrix3d block;
    for (int a = 0; a < 3; ++a) {
      for (int b = 0; b < 3; ++b) block(a, b) = w.coeff(3 * c + a, 3 * c + b);
    }
    point.inverse_mass = effective_inverse_mass(block);
    point.gap = -r["overlap"];
    point.dissipation = r["dissipation"];
    if (r["compliance"] > 0) point.stiffness = 1.0 / r["compliance"];
    const CompliantRegularisation regularised =
        regularise(point, {r["step"], 1.0, r["beta"], r["sigma"]});
    p.R.segment<3>(3 * c) << regularised.normal, regularised.tangential, regularised.tangential;
    p.bias[3 * c] = regularised.bias;
  }
  p.A = std::move(rigid.M);
  p.J = std::move(rigid.J);
  p.mu = std::move(rigid.mu);
  p.v_star = scene.velocity;
  return p;
}

}  // namespace

FrictionContact friction_contact(const ContactScene& scene, const FrictionContactOptions& options,
                                 Problem& facts) {
  FrictionContact p;
  p.dimension = options.planar ? 2 : 3;
  const int copies = 1 + options.duplicates, d = p.dimension;
  std::vector<Triplet> jacobian;
  int row = 0;
  for (const ContactPoint& contact : scene.contacts) {
    const TangentFrame f = tangent_frame(contact.normal, options.planar);
    for (int copy = 0; copy < copies; ++copy) {
      const int index = static_cast<int>(facts.contacts.size());
      facts.contacts.push_back(describe(contact, index, f, options.planar));
      for (const Eigen::Vector3d& direction : {f.n, f.t, f.s}) {
        if (row == d * (index + 1)) break;  // a plane has one tangent
        for (const auto& [column, value] : contact_row(contact, direction)) {
          const int at = options.planar ? planar_column(column) : column;
          if (at >= 0 && value != 0.0) jacobian.emplace_back(row, at, value);
        }
        ++row;
      }
    }
  }
  Vector inverse = inverse_masses(scene), v = scene.velocity;
  if (options.planar) {
    inverse = planar_part(inverse);
    v = planar_part(v);
  }
  SparseMatrix j(row, static_cast<int>(inverse.size()));
  j.setFromTriplets(jacobian.begin(), jacobian.end());
  p.q = j * v;
  p.mu = Vector::Constant(row / d, options.mu);
  if (options.operator_form) {
    std::vector<Triplet> diagonal;
    for (int i = 0; i < inverse.size(); ++i) diagonal.emplace_back(i, i, 1.0 / inverse[i]);
    const int n = static_cast<int>(inverse.size());
    p.M = Matrix::from_triplets(n, n, diagonal);
    p.J = Matrix(std::move(j));
  } else {
    const SparseMatrix half =
        j * inverse.cwiseSqrt().asDiagonal();  // so W is symmetric to the last bit
    SparseMatrix w = half * SparseMatrix(half.transpose());
    w.prune(0.0, 0.0);
    p.W = Matrix(std::move(w));
  }
  return p;
}

Family friction_stack_family() {
  std::vector<FamilyParameter> parameters = scene_parameters();
  parameters.push_back({"tower", 5.0, "boxes in a column", 1.0});
  return {"friction-stack",
          "columns of boxes with 4 contacts a face, exact friction: rank deficient",
          "AcaryBremondHuber2018",
          "contacts (n = dimension times them)",
          20,
          1,
          1000000,
          KnownOutcome::kSolvable,
          true,
          std::move(parameters),
          [](const FamilyRequest& r, Problem& facts) {
            return build_stack(r, static_cast<int>(r["tower"]), facts);
          }};
}

Family friction_tower_family() {
  return {"friction-tower",
          "one column of boxes with 4 contacts a face, exact friction",
          "AcaryBremondHuber2018",
          "contacts (n = dimension times them)",
          100,
          1,
          1000000,
          KnownOutcome::kSolvable,
          true,
          scene_parameters(),
          [](const FamilyRequest& r, Problem& facts) {
            const int face = r["dimension"] == 2.0 ? 2 : 4;
            return build_stack(r, std::max(1, r.size / face), facts);
          }};
}

Family friction_pile_family() {
  return {"friction-pile",
          "random bodies with about 3 random contacts each, exact friction",
          "AcaryBremondHuber2018",
          "contacts (n = dimension times them)",
          20,
          1,
          1000000,
          KnownOutcome::kSolvable,
          true,
          scene_parameters(),
          [](const FamilyRequest& r, Problem& facts) -> ProblemData {
            const FrictionContactOptions options = options_of(r);
            return friction_contact(random_pile(r.size, r.seed, options.planar, r["mass_ratio"]),
                                    options, facts);
          }};
}

Family friction_granular_family() {
  return {"friction-granular",
          "random packings of spheres of radius 0.04 to 0.06 m, exact friction, sparse",
          "VisscherBolsterli1972",
          "contacts (n = 3 a contact)",
          100,
          1,
          1000000,
          KnownOutcome::kSolvable,
          true,
          {kMu, kAgitation, kOperator},
          [](const FamilyRequest& r, Problem& facts) -> ProblemData {
            FrictionContactOptions options;
            options.mu = r["mu"];
            options.operator_form = r["operator"] != 0.0;
            return friction_contact(settled_spheres(r.size, r.seed, r["agitation"]), options,
                                    facts);
          }};
}

Family compliant_pile_family() {
  return {"compliant-pile",
          "the packings of friction-granular with points that give way: strictly convex, sparse",
          "CastroPermenterHan2022",
          "contacts (n = 6 a sphere, about two a contact)",
          100,
          1,
          1000000,
          KnownOutcome::kSolvable,
          true,
          {kMu,
           kAgitation,
           {"step", 0.01, "time step, s", 1e-9},
           {"compliance", 0.0, "of a point, m/N; 0: as stiff as the step can resolve", 0.0},
           {"dissipation", 0.01, "relaxation time of a compliant point, s", 0.0},
           {"overlap", 0.0, "at every point, m", -1.0},
           {"sigma", 1e-3, "regularisation of friction", 1e-12},
           {"beta", 1.0, "time scale of near-rigid points over the step", 1e-6}},
          build_compliant_pile};
}

Family painleve_rods_family() {
  return {"painleve-rods",
          "sliding rods whose friction wedges them against the ground: up to three solutions each",
          "Painleve1895",
          "rods (n = 2 a rod)",
          1,
          1,
          1000000,
          KnownOutcome::kSolvable,
          true,
          {{"mu", 2.0, "Coulomb coefficient; the paradox asks for more than 4/3", 0.0}},
          build_rods};
}

}  // namespace perp
