#include <perp/solvers/enumeration/enumerate.hpp>

#include <perp/problems/standard/extended.hpp>
#include <perp/problems/standard/reductions.hpp>
#include <perp/problems/standard/residuals.hpp>

#include <fmt/format.h>
#include <Eigen/QR>
#include <cmath>
#include <limits>
#include <perp/problems/matrix/infinity.hpp>
#include <perp/solvers/enumeration/recession_cone.hpp>
#include <perp/solvers/linear_algebra/dense_equilibration.hpp>
#include <stdexcept>

namespace perp {

namespace {

// Rank tolerances of a scaled matrix: with the first, rows that are nearly dependent count as
// dependent; with the second, only those that surely are. Both are tried.
constexpr double kRankTolerance = 1e-10, kLeastRankTolerance = 1e-15;
constexpr double kNullTolerance = 1e-13;  // pivots of a scaled basis that are 0 but for rounding
constexpr double kTermRounding =
    4 * std::numeric_limits<double>::epsilon();  // over a term of a sum

enum class Place : unsigned char { kLower, kUpper, kBetween };

class Enumerator {
 public:
  Enumerator(const Mlcp& p, double tolerance, double time_limit, Observer* observer)
      : p_(p),
        m_(p.M.to_dense()),
        absolute_(m_.cwiseAbs()),
        tolerance_(tolerance),
        deadline_(time_limit),
        observer_(observer),
        place_(p.size()),
        at_(p.size()),
        z_(p.size()) {}

  Enumeration run() {
    choose(0);
    if (result_.complete) find_continua();
    return std::move(result_);
  }

 private:
  void choose(int i) {
    if (!result_.complete) return;
    if (i == p_.size()) {
      result_.interrupted = !tell();
      result_.complete = !result_.interrupted && !deadline_.passed();
      if (result_.complete) examine();
      return;
    }
    const bool below = p_.lower[i] > -kInfinity, above = p_.upper[i] < kInfinity;
    for (const Place place : {Place::kLower, Place::kUpper, Place::kBetween}) {
      if (place == Place::kLower && !below) continue;
      if (place == Place::kUpper && (!above || p_.lower[i] == p_.upper[i])) continue;
      if (place == Place::kBetween && p_.lower[i] == p_.upper[i]) continue;
      place_[i] = place;
      choose(i + 1);
    }
  }

  // @return false if the observer ends the enumeration; it is asked at every kTold-th basis
  bool tell() {
    constexpr long kTold = 1024;
    if (!observer_ || result_.bases % kTold != 0) return true;
    IterationRecord record;
    record.iteration = static_cast<int>(result_.bases);
    record.step_type = "bases";
    return observer_->on_iteration(record);
  }

  // Examines one complementary basis: the rows and columns of the variables between their bounds.
  void examine() {
    ++result_.bases;
    rows_.clear();
    others_.clear();
    for (int i = 0; i < p_.size(); ++i) {
      if (place_[i] == Place::kBetween) {
        rows_.push_back(i);
        z_[i] = 0.0;
      } else {
        others_.push_back(i);
        z_[i] = place_[i] == Place::kLower ? p_.lower[i] : p_.upper[i];
      }
    }
    columns_ = rows_;
    const int nullity = solve_rows();
    if (nullity > 0) add_rows(0, nullity);
  }

  // Adds up to `count` further rows that are set to zero.
  void add_rows(std::size_t from, int count) {
    for (std::size_t k = from; k < others_.size(); ++k) {
      rows_.push_back(others_[k]);
      solve_rows();
      if (count > 1) add_rows(k + 1, count - 1);
      rows_.pop_back();
    }
  }

  // Solves F_rows = 0 for the variables of the columns; records what solves the problem.
  // @return the nullity
  int solve_rows() {
    const int k = static_cast<int>(columns_.size()), r = static_cast<int>(rows_.size());
    for (const int j : columns_) z_[j] = 0.0;
    const Vector f = m_ * z_ + p_.q;
    DenseMatrix a(r, k);
    Vector b(r);
    for (int i = 0; i < r; ++i) {
      b[i] = -f[rows_[i]];
      for (int j = 0; j < k; ++j) a(i, j) = m_(rows_[i], columns_[j]);
    }
    if (k == 0) {
      take(Vector());
      return 0;
    }
    equilibrate(a, row_scale_, column_scale_);
    b = b.cwiseProduct(row_scale_);
    const int nullity = solve_scaled(a, b, kRankTolerance);
    if (nullity > 0) solve_scaled(a, b, kLeastRankTolerance);
    return nullity;
  }

  // The least-squares solution of least norm. If it nearly solves the problem, it is refined with
  // exact residuals, since most of a row may cancel.
  int solve_scaled(const DenseMatrix& a, const Vector& b, double tolerance) {
    constexpr int kRefinements = 3;
    qr_.setThreshold(tolerance);
    qr_.compute(a);
    const int nullity = static_cast<int>(a.cols() - qr_.rank());
    Vector x = qr_.solve(b);
    x += qr_.solve(b - a * x);
    for (int k = 0; !take(x.cwiseProduct(column_scale_)); ++k) {
      if (k == kRefinements && misses_by_at_most(term_rounding())) result_.doubtful = true;
      if (k == kRefinements || !nearly_solves()) break;
      for (std::size_t j = 0; j < columns_.size(); ++j)
        z_[columns_[j]] =
            x[static_cast<Eigen::Index>(j)] * column_scale_[static_cast<Eigen::Index>(j)];
      sum_of({AffineTerm::product(p_.M, z_), AffineTerm::vector(p_.q)}, p_.size(), work_, exact_);
      Vector residual(a.rows());
      for (int i = 0; i < a.rows(); ++i)
        residual[i] =
            -row_scale_[i] * static_cast<double>(exact_.values[rows_[static_cast<std::size_t>(i)]]);
      x += qr_.solve(residual);
    }
    return nullity;
  }

  // Records the point with these values in the columns, projected on the bounds, if it solves the
  // problem.
  bool take(const Vector& x) {
    for (int j = 0; j < x.size(); ++j) {
      const int v = columns_[static_cast<std::size_t>(j)];
      z_[v] = std::min(std::max(x[j], p_.lower[v]), p_.upper[v]);
    }
    if (!misses_by_at_most(term_rounding()) || evaluate_residuals(p_, z_).natural > tolerance_)
      return false;
    record();
    return true;
  }

  double term_rounding() const { return kTermRounding * (p_.size() + 2); }

  bool nearly_solves() {
    constexpr double kNear = 1e-6;
    return misses_by_at_most(kNear);
  }

  // Whether every row exceeds the tolerance by at most this share of the sizes of its terms. With
  // the share that rounding can cause, nearly all bases fail here; the exact residual, which costs
  // many times as much, is then not needed.
  bool misses_by_at_most(double part) {
    f_.noalias() = m_ * z_;
    f_ += p_.q;
    size_.noalias() = absolute_ * z_.cwiseAbs();
    size_ += p_.q.cwiseAbs();
    for (int i = 0; i < p_.size(); ++i) {
      const double r = std::abs(mid(z_[i] - p_.lower[i], z_[i] - p_.upper[i], f_[i]));
      if (r - part * size_[i] > tolerance_) return false;
    }
    return true;
  }

  // Which pieces of the solution set hold a solution z is known from z: a variable between its
  // bounds is in the basis, one at a bound with F != 0 is not, and a biactive one may be. Where z
  // can be left within a piece there is a continuum.
  void find_continua() {
    std::vector<Vector> extreme;
    std::vector<Vector> kept = std::move(result_.solutions);
    for (const Vector& z : kept) {
      z_ = z;
      if (is_extreme()) extreme.push_back(z);
    }
    // Scales of 1e15 within a problem hide the ends of a piece: then no point seems to be one.
    result_.solutions = std::move(extreme.empty() ? kept : extreme);
  }

  // Examines all pieces that hold z. @return false if z lies between two other points of one
  bool is_extreme() {
    constexpr double kZero = 1e-9;
    bool extreme = true;
    std::vector<int> biactive;
    misses_by_at_most(0.0);  // computes F
    const double size = kZero * std::max(1.0, z_.lpNorm<Eigen::Infinity>());
    for (int i = 0; i < p_.size(); ++i) {
      at_[i] = {z_[i] - p_.lower[i] <= size, p_.upper[i] - z_[i] <= size,
                std::abs(f_[i]) <= std::max(tolerance_, kZero * size_[i])};
      place_[i] = at_[i].lower ? Place::kLower : at_[i].upper ? Place::kUpper : Place::kBetween;
      const bool fixed = at_[i].lower && at_[i].upper;
      if (place_[i] != Place::kBetween && at_[i].zero && !fixed) biactive.push_back(i);
    }
    const std::vector<Place> places = place_;
    for (unsigned long chosen = 0; chosen < 1ul << biactive.size(); ++chosen) {
      if (deadline_.passed()) result_.complete = false;
      if (!result_.complete) break;
      place_ = places;
      for (std::size_t k = 0; k < biactive.size(); ++k)
        if (chosen >> k & 1) place_[biactive[k]] = Place::kBetween;
      extreme &= examine_piece();
    }
    return extreme;
  }

  // @return false if z lies between two other points of the piece, and not on a line of it
  bool examine_piece() {
    const DenseMatrix null = null_space_of_basis();
    if (null.cols() == 0) return true;
    const auto stop = [this] { return deadline_.passed(); };
    const ConeRays near = rays_of_cone(limits_along(null, true), stop);
    if (near.rays.empty()) return true;
    result_.continuum = true;
    const ConeRays far = rays_of_cone(limits_along(null, false), stop);
    for (const Vector& t : far.rays) record_ray(null * t);
    return near.lines == far.lines;
  }

  // L, so that L t >= 0 keeps what z + null t must not fall below: of the bounds and the signs of
  // F, those that z is at, or all.
  DenseMatrix limits_along(const DenseMatrix& null, bool at_z) {
    const DenseMatrix change = m_ * null;
    DenseMatrix limits(2 * p_.size(), null.cols());
    int count = 0;
    const auto limit = [&](const auto& row, double size, double sign) {
      if (row.cwiseAbs().maxCoeff() > kRankTolerance * size) limits.row(count++) = sign * row;
    };
    for (int i = 0; i < p_.size(); ++i) {
      const At& at = at_[i];
      if (place_[i] != Place::kBetween) {
        const double sign = place_[i] == Place::kLower ? 1.0 : -1.0;
        const bool fixed = at.lower && at.upper;
        if (!fixed && (at.zero || !at_z)) limit(change.row(i), absolute_.row(i).maxCoeff(), sign);
        continue;
      }
      if (at_z ? at.lower : p_.lower[i] > -kInfinity) limit(null.row(i), 1.0, 1.0);
      if (at_z ? at.upper : p_.upper[i] < kInfinity) limit(null.row(i), 1.0, -1.0);
    }
    return limits.topRows(count);
  }

  // Columns d, of largest entry 1, with d = 0 beside the basis and (M d)_B = 0.
  DenseMatrix null_space_of_basis() {
    std::vector<int> basis;
    for (int i = 0; i < p_.size(); ++i)
      if (place_[i] == Place::kBetween) basis.push_back(i);
    DenseMatrix a = m_(basis, basis);
    equilibrate(a, row_scale_, column_scale_);
    const DenseMatrix kernel = null_space(a, kNullTolerance);
    DenseMatrix null = DenseMatrix::Zero(p_.size(), kernel.cols());
    null(basis, Eigen::all) = column_scale_.asDiagonal() * kernel;
    for (auto column : null.colwise()) column /= column.cwiseAbs().maxCoeff();
    return null;
  }

  // Only directions along which z + d still solves the problem.
  void record_ray(Vector d) {
    constexpr double kSame = 1e-7, kNear = 1e-9;
    d /= d.cwiseAbs().maxCoeff();
    const Vector from = z_;
    z_ += std::max(1.0, from.cwiseAbs().maxCoeff()) * d;
    const bool solves = misses_by_at_most(kNear);
    z_ = from;
    if (!solves) return;
    for (const Vector& known : result_.rays) {
      if ((known - d).cwiseAbs().maxCoeff() <= kSame) return;
    }
    result_.rays.push_back(std::move(d));
  }

  void record() {
    for (const Vector& known : result_.solutions) {
      if (is_same(known)) return;
    }
    result_.solutions.push_back(z_);
  }

  // Whether z is this solution but for the rounding of a basis. One large unknown hides the
  // difference of small ones; then two solutions are the same if what lies between solves too.
  bool is_same(const Vector& known) const {
    constexpr double kRounding = 1e-13, kClose = 1e-7;
    const double apart = (known - z_).cwiseAbs().maxCoeff(),
                 size = std::max(1.0, z_.cwiseAbs().maxCoeff());
    if (apart <= kRounding * size || apart > kClose * size) return apart <= kRounding * size;
    return evaluate_residuals(p_, Vector(0.5 * known + 0.5 * z_)).natural <= tolerance_;
  }

  const Mlcp& p_;
  DenseMatrix m_, absolute_;
  double tolerance_;
  Deadline deadline_;
  Observer* observer_;
  struct At {
    bool lower, upper, zero;  // zero: F
  };
  std::vector<Place> place_;
  std::vector<At> at_;  // of a solution
  std::vector<int> rows_, columns_, others_;
  Vector z_, f_, size_, row_scale_, column_scale_;
  SumWorkspace work_;
  AffineSum exact_;
  Eigen::CompleteOrthogonalDecomposition<DenseMatrix> qr_;
  Enumeration result_;
};

}  // namespace

Enumeration enumerate_solutions(const Mlcp& problem, double tolerance, double time_limit,
                                Observer* observer) {
  validate(problem);
  if (problem.size() > kMaxEnumerationSize) {
    throw std::invalid_argument(
        fmt::format("problem: enumeration takes at most {} unknowns, not {}", kMaxEnumerationSize,
                    problem.size()));
  }
  return Enumerator(problem, tolerance, time_limit, observer).run();
}

const SolverTraits& Enumerate::traits() const {
  static const SolverTraits traits{
      "enumerate",           "all solutions of a small problem by its complementary bases",
      "CottlePangStone2009", {"lcp", "mlcp"},
      kMaxEnumerationSize,   false};
  return traits;
}

std::optional<std::string> Enumerate::do_refusal(const Problem& problem) const {
  if (problem.size() <= settings.most_unknowns) return {};
  return fmt::format("enumerate takes at most {} unknowns (most_unknowns), not {}",
                     settings.most_unknowns, problem.size());
}

void Enumerate::do_prepare(const Problem& problem) {
  const auto* lcp = std::get_if<Lcp>(&problem.data);
  problem_ = lcp ? to_mlcp(*lcp) : std::get<Mlcp>(problem.data);
}

void Enumerate::do_solve(const Start&, Observer* observer, Result& result) {
  Enumeration found = enumerate_solutions(problem_, limits.tolerance, deadline().left(), observer);
  result.iterations = static_cast<int>(found.bases);
  result.statistics.emplace_back("solutions", static_cast<double>(found.solutions.size()));
  result.statistics.emplace_back("continuum", found.continuum ? 1.0 : 0.0);
  if (!found.solutions.empty()) {
    result.status = found.interrupted ? Status::kInterrupted : Status::kSolved;
    result.z = found.solutions.front();
    result.message = fmt::format(
        "{} solution{}{}", found.solutions.size(), found.solutions.size() > 1 ? "s" : "",
        found.interrupted ? " found before the end"
        : !found.complete ? " found before the time limit"
        : found.continuum ? " found; a singular basis holds one, so there may be more"
                          : "");
    result.solutions = std::move(found.solutions);
    return;
  }
  result.z = Vector::Zero(problem_.size()).cwiseMax(problem_.lower).cwiseMin(problem_.upper);
  if (!found.complete) {
    result.status = found.interrupted ? Status::kInterrupted : Status::kTimeLimit;
    return;
  }
  result.status = Status::kStalled;
  result.message = found.doubtful ? "no complementary basis gives a solution in double precision"
                                  : "no complementary basis gives a solution";
}

}  // namespace perp
