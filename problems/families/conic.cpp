#include <perp/problems/families/conic.hpp>

#include <perp/problems/standard/random.hpp>

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <vector>

namespace perp {

namespace {

const FamilyParameter kDegenerate{"degenerate", 0.0,
                                  "share of the cones in which strict complementarity fails", 0.0};
const FamilyParameter kRank{"rank", 0.5, "rank of P over n; 0: a linear objective", 0.0};
const FamilyParameter kDensity{"density", 0.0, "share of entries of A; 0: about 5 a row", 0.0};
const FamilyParameter kLargestCone{"largest_cone", 12.0, "rows of the largest second-order cone",
                                   2.0};

const FamilyParameter kNoInterior{
    "no_interior", 0.0, "1: no primal point is in the interior of all cones; 2: no dual one", 0.0};
const FamilyParameter kMargin{
    "margin", 1.0, "factor on slacks and multipliers of half of the cones, which are nearly active",
    0.0};
const FamilyParameter kDecades{
    "decades", 0.0,
    "rows and columns are multiplied by random powers of ten between -this and this", 0.0};

const FamilyParameter kOnBoundary{
    "boundary", 0.0, "share of the second-order cones on whose boundary the certificate lies", 0.0};

constexpr double kFineGrid = 0x1p-10,
                 kCoarseGrid = 0x1p-6;  // entries are multiples of these; P consists of products

// Zero rows n/5, nonnegative rows n/2, second-order cones of 2 to `largest` rows, n/2 in all.
std::vector<Cone> mixed_cones(Random& random, int n, int largest) {
  std::vector<Cone> cones;
  if (n >= 5) cones.push_back({ConeType::kZero, n / 5});
  cones.push_back({ConeType::kNonnegative, std::max(1, n / 2)});
  for (int rows = std::max(2, n / 2); rows >= 2;) {
    const int size = std::min(rows, 2 + random.index(std::max(1, largest - 1)));
    cones.push_back({ConeType::kSecondOrder, size});
    rows -= size;
  }
  return cones;
}

int count_rows(const std::vector<Cone>& cones) {
  int rows = 0;
  for (const Cone& cone : cones) rows += cone.size;
  return rows;
}

Matrix random_rows(Random& random, int rows, int n, double density) {
  const double share = density > 0 ? density : std::min(1.0, 5.0 / n);
  std::vector<Triplet> entries;
  for (int i = 0; i < rows; ++i) {
    entries.emplace_back(i, random.index(n), random.normal());  // no row is empty
    for (int j = 0; j < n; ++j) {
      if (random.uniform() < share) entries.emplace_back(i, j, random.normal());
    }
  }
  return Matrix::from_triplets(rows, n, entries);
}

// P = B B' / n with sparse columns of B, or dense ones if A is dense.
Matrix random_psd(Random& random, int n, double rank, double density) {
  const int columns = static_cast<int>(std::lround(rank * n));
  if (columns == 0) return Matrix::from_triplets(n, n, {});
  const SparseMatrix b =
      random_rows(random, columns, n, density > 0 ? density : std::min(1.0, 3.0 / n)).to_sparse();
  return SparseMatrix(b.transpose() * b);
}

// A vector of norm 1 with `size` entries.
Vector direction(Random& random, int size) {
  Vector v(size);
  do {
    for (double& x : v) x = random.normal();
  } while (!(v.norm() > 1e-3));
  return v / v.norm();
}

// What s and y of one cone are. Strictly complementary: s in the interior and y zero, s zero and y
// in the interior, or both on the boundary. Else: one is zero and the other on the boundary, or
// both are zero.
enum class Face { kInterior, kApex, kBoundary, kFlatPrimal, kFlatDual, kZero };

void plant_linear(Random& random, bool degenerate, double& s, double& y) {
  const double size = random.uniform(0.1, 1.0);
  const bool active = random.uniform() < 0.5;
  s = degenerate || active ? 0.0 : size;
  y = degenerate || !active ? 0.0 : size;
}

void plant_cone(Random& random, bool degenerate, Eigen::Ref<Vector> s, Eigen::Ref<Vector> y) {
  const int tail = static_cast<int>(s.size()) - 1;
  const int pick = random.index(3);
  const Face face = degenerate ? (pick == 0   ? Face::kFlatPrimal
                                  : pick == 1 ? Face::kFlatDual
                                              : Face::kZero)
                               : (pick == 0   ? Face::kInterior
                                  : pick == 1 ? Face::kApex
                                              : Face::kBoundary);
  const Vector axis = direction(random, tail);
  const double s_size = random.uniform(0.1, 1.0), y_size = random.uniform(0.1, 1.0);
  const double inside = random.uniform(0.2, 0.8);
  s.setZero();
  y.setZero();
  if (face == Face::kInterior || face == Face::kBoundary || face == Face::kFlatPrimal) {
    s[0] = s_size;
    s.tail(tail) = (face == Face::kInterior ? inside : 1.0) * s_size * axis;
  }
  if (face == Face::kApex || face == Face::kBoundary || face == Face::kFlatDual) {
    y[0] = y_size;
    y.tail(tail) = -(face == Face::kApex ? inside : 1.0) * y_size * axis;
  }
}

// Complementary s in K, y in K*.
void plant(Random& random, const std::vector<Cone>& cones, double degenerate, Vector& s,
           Vector& y) {
  int offset = 0;
  for (const Cone& cone : cones) {
    if (cone.type == ConeType::kSecondOrder) {
      const bool flat = random.uniform() < degenerate;
      plant_cone(random, flat, s.segment(offset, cone.size), y.segment(offset, cone.size));
    } else {
      for (int i = offset; i < offset + cone.size; ++i) {
        if (cone.type == ConeType::kZero) {
          s[i] = 0.0;
          y[i] = random.normal();
        } else {
          plant_linear(random, random.uniform() < degenerate, s[i], y[i]);
        }
      }
    }
    offset += cone.size;
  }
}

// A point of K (of K* if `dual`) with small integers, so that what is planted with it holds without
// rounding: about half of the nonnegative rows and a third of the second-order cones are zero, a
// share `boundary` of the others on the boundary. The first nonnegative row is 1.
Vector cone_point(Random& random, const std::vector<Cone>& cones, bool dual, double boundary) {
  Vector v(count_rows(cones));
  int offset = 0;
  for (const Cone& cone : cones) {
    auto part = v.segment(offset, cone.size);
    const bool on_boundary = random.uniform() < boundary;
    const auto small = [&](int largest) {
      return static_cast<double>(random.index(2 * largest + 1) - largest);
    };
    if (cone.type == ConeType::kSecondOrder) {
      auto tail = part.tail(cone.size - 1);
      for (double& x : tail) x = small(2);
      part[0] = std::ceil(tail.norm()) + 1;
      if (on_boundary) {  // (1 + |w|^2, 2 w, |w|^2 - 1) is on it for all w
        auto w = tail.head(cone.size - 2);
        const double squares = w.squaredNorm();
        w *= 2;
        tail[cone.size - 2] = squares - 1;
        part[0] = squares + 1;
      }
      if (random.index(3) == 0) part.setZero();
    } else {
      for (double& x : part) {
        if (cone.type == ConeType::kZero) x = dual ? small(3) : 0.0;
        if (cone.type == ConeType::kNonnegative) x = std::max(0.0, small(3));
      }
      if (cone.type == ConeType::kNonnegative) part[0] = 1.0;
    }
    offset += cone.size;
  }
  return v;
}

int first_nonnegative_row(const std::vector<Cone>& cones) {
  int offset = 0;
  for (const Cone& cone : cones) {
    if (cone.type == ConeType::kNonnegative) break;
    offset += cone.size;
  }
  return offset;
}

// Multiples of a power of two, so that sums of products of them are exact.
SparseMatrix on_grid(const Matrix& a, double grid) {
  SparseMatrix rounded = a.to_sparse();
  for (double& value : Eigen::Map<Vector>(rounded.valuePtr(), rounded.nonZeros()))
    value = std::round(value / grid) * grid;
  return rounded;
}

Vector gaussian_vector(Random& random, int n) {
  Vector v(n);
  for (double& x : v) x = random.normal();
  return v;
}

// Column j of A changed in one row, in which y is 1, so that y'A e_j = 0.
void make_orthogonal(SparseMatrix& a, const Vector& y, int row) {
  for (int j = 0; j < a.cols(); ++j) {
    double product = 0.0;
    for (SparseMatrix::InnerIterator it(a, j); it; ++it) {
      if (it.row() != row) product += it.value() * y[it.row()];
    }
    if (product != 0.0 || a.coeff(row, j) != 0.0) a.coeffRef(row, j) = -product;
  }
  a.makeCompressed();
}

// A planted problem: its rows, its solution x and its complementary s and y.
struct Planted {
  std::vector<Cone> cones;
  SparseMatrix a, p;
  Vector x, s, y;
};

// Slacks and multipliers of half of the cones (of single rows, if they are linear) times `margin`.
void make_nearly_active(Random& random, double margin, Planted& q) {
  int offset = 0;
  for (const Cone& cone : q.cones) {
    const int part = cone.type == ConeType::kSecondOrder ? cone.size : 1;
    for (int i = offset; i < offset + cone.size; i += part) {
      if (cone.type == ConeType::kZero || random.uniform() < 0.5) continue;
      q.s.segment(i, part) *= margin;
      q.y.segment(i, part) *= margin;
    }
    offset += cone.size;
  }
}

// The first row of every second-order cone up to its sign in the second one, and nothing in the
// others: s = (l, +-l, 0, ...) is on the boundary for every x. Every second nonnegative row is the
// negative of the one before it: both slacks are 0.
void flatten_primal(Random& random, Planted& q) {
  std::vector<Triplet> entries;
  Eigen::SparseMatrix<double, Eigen::RowMajor, int> rows = q.a;
  const auto copy = [&](int from, int to, double factor) {
    for (decltype(rows)::InnerIterator it(rows, from); it; ++it)
      entries.emplace_back(to, static_cast<int>(it.col()), factor * it.value());
  };
  int offset = 0;
  for (const Cone& cone : q.cones) {
    if (cone.type == ConeType::kSecondOrder) {
      const double sign = random.uniform() < 0.5 ? -1.0 : 1.0;
      copy(offset, offset, 1.0);
      copy(offset, offset + 1, sign);
      auto s = q.s.segment(offset, cone.size), y = q.y.segment(offset, cone.size);
      s.setZero();
      y.setZero();
      s[0] = random.uniform(0.1, 1.0);
      y[0] = random.uniform(0.1, 1.0);
      s[1] = sign * s[0];
      y[1] = -sign * y[0];
    } else {
      for (int i = offset; i < offset + cone.size; ++i) {
        const bool opposite = cone.type == ConeType::kNonnegative && (i - offset) % 2 == 1;
        copy(opposite ? i - 1 : i, i, opposite ? -1.0 : 1.0);
        if (opposite) q.s[i - 1] = q.s[i] = 0.0;
      }
    }
    offset += cone.size;
  }
  q.a.setFromTriplets(entries.begin(), entries.end());
}

// A tenth of the unknowns, one at least: -A e_j is in K, in rows in which y is 0, and P e_j = 0. So
// every dual point has y'A e_j = 0, with y = 0 or on the boundary in these rows.
void flatten_dual(Random& random, Planted& q) {
  const int n = static_cast<int>(q.x.size());
  std::vector<char> ray(static_cast<std::size_t>(n), 0);
  for (int k = 0; k < std::max(1, n / 10); ++k) ray[static_cast<std::size_t>(random.index(n))] = 1;
  const auto of_ray = [&](auto i) { return ray[static_cast<std::size_t>(i)] != 0; };
  q.p.prune([&](int i, int j, double) { return !of_ray(i) && !of_ray(j); });
  std::vector<Triplet> entries;
  for (int j = 0; j < n; ++j) {
    for (SparseMatrix::InnerIterator it(q.a, j); it && !of_ray(j); ++it)
      entries.emplace_back(static_cast<int>(it.row()), j, it.value());
  }
  for (int j = 0; j < n; ++j) {
    int offset = 0;
    for (const Cone& cone : q.cones) {
      const bool whole = cone.type == ConeType::kSecondOrder;
      for (int i = offset; i < offset + cone.size; i += whole ? cone.size : 1) {
        const bool open = q.y.segment(i, whole ? cone.size : 1).norm() == 0.0;
        if (of_ray(j) && open && cone.type != ConeType::kZero && random.uniform() < 0.3)
          entries.emplace_back(i, j, -random.uniform(0.5, 2.0));
      }
      offset += cone.size;
    }
  }
  q.a.setFromTriplets(entries.begin(), entries.end());
}

// Multiplies the unknowns and the cones by powers of ten.
void scale_badly(Random& random, double decades, Planted& q) {
  const auto factor = [&] { return std::pow(10.0, random.uniform(-decades, decades)); };
  Vector rows(q.s.size()), columns(q.x.size());
  for (double& value : columns) value = factor();
  int offset = 0;
  for (const Cone& cone : q.cones) {
    const double common = factor();
    for (int i = offset; i < offset + cone.size; ++i)
      rows[i] = cone.type == ConeType::kSecondOrder ? common : factor();
    offset += cone.size;
  }
  q.a = SparseMatrix(rows.asDiagonal() * q.a * columns.asDiagonal());
  q.p = SparseMatrix(columns.asDiagonal() * q.p * columns.asDiagonal());
  q.s = q.s.cwiseProduct(rows);
  q.y = q.y.cwiseQuotient(rows);
  q.x = q.x.cwiseQuotient(columns);
}

ProblemData build_socp(const FamilyRequest& r, Problem& facts) {
  Random random(r.seed);
  const int n = r.size;
  Planted q;
  q.cones = mixed_cones(random, n, static_cast<int>(r["largest_cone"]));
  const int m = count_rows(q.cones);
  q.a = random_rows(random, m, n, r["density"]).to_sparse();
  q.p = random_psd(random, n, r["rank"], r["density"]).to_sparse();
  q.x = gaussian_vector(random, n);
  q.s.resize(m);
  q.y.resize(m);
  plant(random, q.cones, r["degenerate"], q.s, q.y);
  const double side = r["no_interior"];
  if (side != 0.0 && side != 1.0 && side != 2.0)
    throw std::invalid_argument("no_interior: is 0, 1 or 2");
  if (side == 1.0) flatten_primal(random, q);
  if (side == 2.0) flatten_dual(random, q);
  if (r["margin"] != 1.0) make_nearly_active(random, r["margin"], q);
  if (r["decades"] > 0.0) scale_badly(random, r["decades"], q);
  ConicQp p;
  p.cones = q.cones;
  p.A = q.a;
  p.P = q.p;
  p.b = p.A.multiply(q.x) + q.s;
  p.c = -p.P.multiply(q.x) - p.A.multiply_transposed(q.y);
  facts.solution = KnownSolution{q.x, q.y};
  return p;
}

}  // namespace

Family socp_family() {
  return {"socp",
          "random conic QPs over mixed cones with a planted primal-dual solution",
          "BoydVandenberghe2004",
          "n, unknowns",
          50,
          2,
          30000,
          KnownOutcome::kSolvable,
          true,
          {kRank, kDensity, kLargestCone, kDegenerate, kNoInterior, kMargin, kDecades},
          build_socp};
}

Family socp_infeasible_family() {
  // y in K*, A'y = 0, b'y = -1, with y on the boundary of some cones.
  return {"socp-infeasible",
          "conic QPs over mixed cones without feasible point, with a planted certificate",
          "BoydVandenberghe2004",
          "n, unknowns",
          50,
          2,
          30000,
          KnownOutcome::kInfeasible,
          true,
          {kRank, kDensity, kLargestCone, kOnBoundary},
          [](const FamilyRequest& r, Problem&) -> ProblemData {
            Random random(r.seed);
            const int n = r.size;
            ConicQp p;
            p.cones = mixed_cones(random, n, static_cast<int>(r["largest_cone"]));
            const int m = count_rows(p.cones);
            SparseMatrix a = on_grid(random_rows(random, m, n, r["density"]), kFineGrid);
            const Vector y = cone_point(random, p.cones, true, r["boundary"]);
            make_orthogonal(a, y, first_nonnegative_row(p.cones));
            p.A = a;
            p.P = random_psd(random, n, r["rank"], r["density"]);
            // Dual feasible at x, y2: there is no ray as well.
            const Vector x = gaussian_vector(random, n),
                         y2 = cone_point(random, p.cones, true, r["boundary"]);
            p.c = -p.P.multiply(x) - p.A.multiply_transposed(y2);
            p.b = gaussian_vector(random, m);
            p.b -= y * ((y.dot(p.b) + 1.0) / y.squaredNorm());
            return p;
          }};
}

Family socp_unbounded_family() {
  // d with Pd = 0, -Ad in K, c'd = -1; x feasible.
  return {"socp-unbounded",
          "feasible conic QPs over mixed cones whose objective has no lower bound",
          "BoydVandenberghe2004",
          "n, unknowns",
          50,
          2,
          30000,
          KnownOutcome::kNoSolution,
          true,
          {kRank, kDensity, kLargestCone, kOnBoundary},
          [](const FamilyRequest& r, Problem&) -> ProblemData {
            Random random(r.seed);
            const int n = r.size;
            ConicQp p;
            p.cones = mixed_cones(random, n, static_cast<int>(r["largest_cone"]));
            const int m = count_rows(p.cones);
            Vector d(n);
            for (double& x : d) x = random.index(5) - 2;
            const int column = random.index(n);
            d[column] = 1.0;
            const Vector u = cone_point(random, p.cones, false, r["boundary"]);
            // Rows of A with A d = -u, and those of B with B d = 0, corrected in a column with d_j
            // = 1; exactly so, for all numbers are on grids.
            const auto corrected = [&](int rows, double density, double grid,
                                       const Vector& target) {
              const Matrix a = on_grid(random_rows(random, rows, n, density), grid);
              Vector others = d;
              others[column] = 0.0;
              const Vector product = a.multiply(others);
              SparseMatrix sparse = a.to_sparse();
              for (int i = 0; i < rows; ++i) sparse.coeffRef(i, column) = target[i] - product[i];
              sparse.makeCompressed();
              return sparse;
            };
            p.A = corrected(m, r["density"], kFineGrid, -u);
            const int rank = static_cast<int>(std::lround(r["rank"] * n));
            const SparseMatrix b = corrected(rank, r["density"], kCoarseGrid, Vector::Zero(rank));
            p.P = SparseMatrix(b.transpose() * b);
            p.b = p.A.multiply(gaussian_vector(random, n)) +
                  cone_point(random, p.cones, false, r["boundary"]);
            p.c = gaussian_vector(random, n);
            p.c -= d * ((d.dot(p.c) + 1.0) / d.squaredNorm());
            return p;
          }};
}

}  // namespace perp
