// Solvers of DART (BSD 2-Clause licence) for LCPs with bounds.
#include "dart_side.hpp"

#include <perp/bench/peers/peer.hpp>
#include <stdexcept>

namespace {

using namespace perp;

constexpr int kSweeps = 100'000;  // most sweeps of projected Gauss-Seidel

std::vector<double> list(const Vector& v) { return {v.begin(), v.end()}; }

// DART solves A x = b + w with lower <= x <= upper. This is perp's problem with A = M and b = -q.
class DartSolver final : public peer::Solver {
 public:
  explicit DartSolver(const peer::Request& request)
      : dantzig_(request.solver == "dart-dantzig"),
        sweeps_(request.max_iterations > 0 ? request.max_iterations : kSweeps),
        change_(0.1 * request.tolerance) {
    if (!dantzig_ && request.solver != "dart-pgs")
      throw std::invalid_argument(request.solver + ": no such solver");
    const Mlcp problem = peer::as_mlcp(request.problem);
    if ((problem.lower.array() > 0).any() || (problem.upper.array() < 0).any())
      throw std::invalid_argument(request.solver + " needs bounds with zero between them");
    const int n = problem.size();
    const auto width = static_cast<std::size_t>(dart_side::row_length(n));
    problem_.n = n;
    problem_.A.assign(static_cast<std::size_t>(n) * width, 0.0);
    for (int j = 0; j < n; ++j)
      problem.M.for_column(j, [&](int i, double value) {
        problem_.A[static_cast<std::size_t>(i) * width + static_cast<std::size_t>(j)] = value;
      });
    problem_.b = list(-problem.q);
    problem_.lower = list(problem.lower);
    problem_.upper = list(problem.upper);
    start_ = list(request.problem.start.value_or(Vector::Zero(n)));
  }

  peer::Answer solve() override {
    std::vector<double> x = start_;
    const bool solved = dantzig_ ? dart_side::dantzig(problem_, x)
                                 : dart_side::projected_gauss_seidel(problem_, sweeps_, change_, x);
    peer::Answer answer;
    answer.z = Eigen::Map<const Vector>(x.data(), static_cast<Eigen::Index>(x.size()));
    answer.status = solved ? "solved" : "stalled";
    return answer;
  }

 private:
  bool dantzig_;
  int sweeps_;
  double change_;
  dart_side::BoxedLcp problem_;
  std::vector<double> start_;
};

}  // namespace

int main(int argc, char** argv) {
  return peer::run(argc, argv, [](const peer::Request& request) {
    return std::make_unique<DartSolver>(request);
  });
}
