#include <perp/solvers/enumeration/recession_cone.hpp>

#include <Eigen/LU>

namespace perp {

namespace {

constexpr double kRank = 1e-10;  // of rows whose largest entry is 1
constexpr double kSame = 1e-7;   // rays that differ by less are one

class RaySearch {
 public:
  RaySearch(const DenseMatrix& limits, const std::function<bool()>& stop)
      : limits_(limits), stop_(stop) {
    for (auto row : limits_.rowwise()) {
      const double largest = row.cwiseAbs().maxCoeff();
      if (largest > 0) row /= largest;
    }
  }

  ConeRays run() {
    const DenseMatrix lines = null_space(limits_, kRank);
    for (const auto& line : lines.colwise()) {
      take(line);
      take(-line);
    }
    // Edges are sought across the lines: there the cone has none.
    across_ = lines.transpose();
    choose(0, static_cast<int>(limits_.cols() - lines.cols()) - 1);
    return {std::move(rays_), static_cast<int>(lines.cols())};
  }

 private:
  // Chooses `count` further limits, from the i-th on, that are met with equality.
  void choose(int i, int count) {
    if (count < 0 || stop_()) return;
    if (count == 0) return examine();
    for (; i + count <= limits_.rows(); ++i) {
      active_.push_back(i);
      choose(i + 1, count - 1);
      active_.pop_back();
    }
  }

  void examine() {
    DenseMatrix rows(static_cast<Eigen::Index>(active_.size()) + across_.rows(), limits_.cols());
    rows << limits_(active_, Eigen::all), across_;
    const DenseMatrix edge = null_space(rows, kRank);
    if (edge.cols() != 1) return;
    for (const double sign : {1.0, -1.0}) {
      const Vector ray = sign / edge.cwiseAbs().maxCoeff() * edge.col(0);
      if ((limits_ * ray).minCoeff() >= -kRank) take(ray);
    }
  }

  void take(const Vector& direction) {
    const Vector ray = direction / direction.cwiseAbs().maxCoeff();
    for (const Vector& known : rays_) {
      if ((known - ray).cwiseAbs().maxCoeff() <= kSame) return;
    }
    rays_.push_back(ray);
  }

  DenseMatrix limits_, across_;
  const std::function<bool()>& stop_;
  std::vector<int> active_;
  std::vector<Vector> rays_;
};

}  // namespace

DenseMatrix null_space(const DenseMatrix& a, double tolerance) {
  if (a.size() == 0) return DenseMatrix::Identity(a.cols(), a.cols());
  Eigen::FullPivLU<DenseMatrix> lu(a);
  lu.setThreshold(tolerance);
  return lu.dimensionOfKernel() == 0 ? DenseMatrix(a.cols(), 0) : DenseMatrix(lu.kernel());
}

ConeRays rays_of_cone(const DenseMatrix& limits, const std::function<bool()>& stop) {
  return RaySearch(limits, stop).run();
}

}  // namespace perp
