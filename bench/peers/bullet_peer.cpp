// MLCP solvers of Bullet (zlib licence) in double precision.
#include <BulletDynamics/MLCPSolvers/btDantzigSolver.h>
#include <BulletDynamics/MLCPSolvers/btLemkeSolver.h>
#include <BulletDynamics/MLCPSolvers/btSolveProjectedGaussSeidel.h>
#include <cmath>
#include <perp/bench/peers/peer.hpp>
#include <stdexcept>

namespace {

using namespace perp;

constexpr int kSweeps = 100'000;  // most sweeps of projected Gauss-Seidel

// Bullet solves A x = b + w with lo <= x <= hi. This is perp's problem with A = M and b = -q.
class BulletSolver final : public peer::Solver {
 public:
  explicit BulletSolver(const peer::Request& request) {
    const Mlcp problem = peer::as_mlcp(request.problem);
    const int n = problem.size();
    A_.resize(n, n);
    b_.resize(n);
    lower_.resize(n);
    upper_.resize(n);
    for (int j = 0; j < n; ++j) {
      b_[j] = -problem.q[j];
      lower_[j] = bounded(problem.lower[j]);
      upper_[j] = bounded(problem.upper[j]);
      problem.M.for_column(j, [&](int i, double value) { A_.setElem(i, j, value); });
    }
    none_.resize(n, -1);
    x_.resize(n);
    x_.setZero();
    if (const auto& start = request.problem.start) {
      for (int i = 0; i < n; ++i) x_[i] = (*start)[i];
    }
    choose(request, problem);
  }

  peer::Answer solve() override {
    const bool solved = solver_->solveMLCP(A_, b_, x_, lower_, upper_, none_, sweeps_);
    peer::Answer answer;
    answer.z.resize(b_.rows());
    for (int i = 0; i < b_.rows(); ++i) answer.z[i] = x_[i];
    answer.status = solved ? "solved" : "stalled";
    return answer;
  }

 private:
  // Replaces infinity by Bullet's own.
  static double bounded(double bound) {
    return std::isinf(bound) ? std::copysign(SIMD_INFINITY, bound) : bound;
  }

  void choose(const peer::Request& request, const Mlcp& problem) {
    const int n = problem.size();
    if (request.solver == "bullet-dantzig") {
      if ((problem.lower.array() > 0).any() || (problem.upper.array() < 0).any())
        throw std::invalid_argument("bullet-dantzig needs bounds with zero between them");
      solver_ = std::make_unique<btDantzigSolver>();
    } else if (request.solver == "bullet-lemke") {
      if (request.problem.kind() != "lcp")
        throw std::invalid_argument("bullet-lemke takes lcp only");
      auto lemke = std::make_unique<btLemkeSolver>();
      lemke->m_useLoHighBounds = false;  // a plain LCP; no inverse of A
      lemke->m_maxLoops = request.max_iterations > 0 ? request.max_iterations : 1000 + 50 * n;
      lemke->m_maxValue = SIMD_INFINITY;  // Bullet rejects larger answers
      solver_ = std::move(lemke);
    } else if (request.solver == "bullet-pgs") {
      auto pgs = std::make_unique<btSolveProjectedGaussSeidel>();
      pgs->m_leastSquaresResidualThreshold = std::pow(0.1 * request.tolerance, 2);
      sweeps_ = request.max_iterations > 0 ? request.max_iterations : kSweeps;
      solver_ = std::move(pgs);
    } else {
      throw std::invalid_argument(request.solver + ": no such solver");
    }
  }

  btMatrixXu A_;
  btVectorXu b_, x_, lower_, upper_;
  btAlignedObjectArray<int> none_;  // no bound depends on another unknown, as friction bounds would
  std::unique_ptr<btMLCPSolverInterface> solver_;
  int sweeps_ = 0;
};

}  // namespace

int main(int argc, char** argv) {
  return peer::run(argc, argv, [](const peer::Request& request) {
    return std::make_unique<BulletSolver>(request);
  });
}
