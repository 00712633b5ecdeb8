// Solvers of Siconos numerics (Apache License 2.0) for LCPs, mixed LCPs and frictional contact.
#include <siconos/numerics/FrictionContactProblem.h>
#include <siconos/numerics/Friction_cst.h>
#include <siconos/numerics/LCP_Solvers.h>
#include <siconos/numerics/LinearComplementarityProblem.h>
#include <siconos/numerics/MLCP_Solvers.h>
#include <siconos/numerics/MixedLinearComplementarityProblem.h>
#include <siconos/numerics/NonSmoothDrivers.h>
#include <siconos/numerics/NumericsMatrix.h>
#include <siconos/numerics/NumericsSparseMatrix.h>
#include <siconos/numerics/SolverOptions.h>
#include <siconos/numerics/SparseBlockMatrix.h>
#include <siconos/numerics/lcp_cst.h>
#include <siconos/numerics/mlcp_cst.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <perp/bench/peers/nonnegative_form.hpp>
#include <perp/bench/peers/peer.hpp>
#include <stdexcept>

namespace {

using namespace perp;

// Siconos numbers of a method; 0 if it has none for the kind.
struct Method {
  int lcp, mlcp, friction;
  int max_iterations;  // 0: default of Siconos
};

const std::map<std::string, Method>& methods() {
  constexpr int kSweeps = 100'000;  // most iterations, pivots or sweeps
  static const std::map<std::string, Method> list = {
      {"siconos-lemke", {SICONOS_LCP_LEMKE, SICONOS_MLCP_LCP_LEMKE, 0, kSweeps}},
      {"siconos-avi", {SICONOS_LCP_AVI_CAOFERRIS, 0, 0, kSweeps}},
      {"siconos-newton-fb", {SICONOS_LCP_NEWTON_FB_FBLSA, SICONOS_MLCP_FB, 0, 0}},
      {"siconos-newton-min-fb", {SICONOS_LCP_NEWTON_MIN_FBLSA, 0, 0, 0}},
      {"siconos-newton-min", {SICONOS_LCP_NEWTONMIN, 0, 0, 0}},
      {"siconos-pathsearch", {SICONOS_LCP_PATHSEARCH, 0, 0, 0}},
      {"siconos-pgs", {SICONOS_LCP_PGS, SICONOS_MLCP_PGS, 0, kSweeps}},
      {"siconos-rpgs", {SICONOS_LCP_RPGS, SICONOS_MLCP_RPGS, 0, kSweeps}},
      {"siconos-cpg", {SICONOS_LCP_CPG, 0, 0, kSweeps}},
      {"siconos-latin", {SICONOS_LCP_LATIN, 0, 0, kSweeps}},
      {"siconos-nsgs", {0, 0, SICONOS_FRICTION_3D_NSGS, kSweeps}},
      {"siconos-prox", {0, 0, SICONOS_FRICTION_3D_PROX, 0}},
      {"siconos-nsn-ac", {0, 0, SICONOS_FRICTION_3D_NSN_AC, 0}},
      {"siconos-nsn-fb", {0, 0, SICONOS_FRICTION_3D_NSN_FB, 0}},
      {"siconos-admm", {0, 0, SICONOS_FRICTION_3D_ADMM, kSweeps}},
  };
  return list;
}

// Deletes data that Siconos allocated.
struct Delete {
  void operator()(SolverOptions* options) const { solver_options_delete(options); }
};
using Options = std::unique_ptr<SolverOptions, Delete>;

// Options of a solver. @param tolerance in the solver's own measure
Options options_of(int id, const Method& method, const peer::Request& request, double tolerance) {
  Options options(solver_options_create(id));
  options->dparam[SICONOS_DPARAM_TOL] = tolerance;
  const int limit = request.max_iterations > 0 ? request.max_iterations : method.max_iterations;
  if (limit > 0) options->iparam[SICONOS_IPARAM_MAX_ITER] = limit;
  return options;
}

peer::Answer answer_of(Vector z, int info, const SolverOptions& options) {
  return {std::move(z), info == 0 ? "solved" : "stalled", options.iparam[SICONOS_IPARAM_ITER_DONE],
          "info " + std::to_string(info)};
}

// A NumericsMatrix that uses the dense columns of M, which the caller keeps.
NumericsMatrix* dense_matrix(DenseMatrix& M) {
  return NM_create_from_data(NM_DENSE, static_cast<int>(M.rows()), static_cast<int>(M.cols()),
                             M.data());
}

// LCP and MLCP, in the form with the free unknowns first and the others nonnegative.
class LinearSolver final : public peer::Solver {
 public:
  LinearSolver(const peer::Request& request, const Method& method)
      : request_(request), method_(method), form_(peer::as_mlcp(request.problem)) {
    id_ = form_.free == 0 ? method.lcp : method.mlcp;
    if (id_ == 0) throw std::invalid_argument(request.solver + " does not accept free unknowns");
    // Siconos compares the 2-norm of its natural residual, divided by the 2-norm of q.
    const double norm = form_.q.norm();
    tolerance_ = 0.5 * request.tolerance / (norm > 0 ? norm : 1.0);
  }

  peer::Answer solve() override {
    const Options options = options_of(id_, method_, request_, tolerance_);
    Vector z = Vector::Zero(form_.q.size()), w = z;
    if (request_.problem.start) z = form_.map_forward(*request_.problem.start);
    const int info = form_.free == 0 ? lcp(z, w, *options) : mlcp(z, w, *options);
    return answer_of(form_.map_back(z), info, *options);
  }

 private:
  int lcp(Vector& z, Vector& w, SolverOptions& options) {
    LinearComplementarityProblem problem{static_cast<int>(form_.q.size()), dense_matrix(form_.M),
                                         form_.q.data()};
    return linearComplementarity_driver(&problem, z.data(), w.data(), &options);
  }

  int mlcp(Vector& z, Vector& w, SolverOptions& options) {
    const int size = static_cast<int>(form_.q.size()), n = form_.free, m = size - n;
    MixedLinearComplementarityProblem problem{};
    int rows[] = {0, n, size}, complementarity[] = {0, 1};
    problem.isStorageType1 = 1;
    problem.n = n;
    problem.m = m;
    problem.blocksRows = rows;
    problem.blocksIsComp = complementarity;
    problem.M = dense_matrix(form_.M);
    problem.q = form_.q.data();
    // Some methods read the blocks of M: A and C are the rows of equations, D and B the others.
    DenseMatrix A = form_.M.topLeftCorner(n, n), C = form_.M.topRightCorner(n, m);
    DenseMatrix D = form_.M.bottomLeftCorner(m, n), B = form_.M.bottomRightCorner(m, m);
    Vector a = form_.q.head(n), b = form_.q.tail(m);
    problem.isStorageType2 = 1;
    problem.A = A.data();
    problem.B = B.data();
    problem.C = C.data();
    problem.D = D.data();
    problem.a = a.data();
    problem.b = b.data();
    mlcp_driver_init(&problem, &options);
    const int info = mlcp_driver(&problem, z.data(), w.data(), &options);
    mlcp_driver_reset(&problem, &options);
    return info;
  }

  const peer::Request& request_;
  const Method& method_;
  peer::NonnegativeForm form_;  // some methods change it
  int id_ = 0;
  double tolerance_ = 0.0;
};

// Exact Coulomb friction in 3D with W given as a matrix.
class FrictionSolver final : public peer::Solver {
 public:
  FrictionSolver(const peer::Request& request, const Method& method)
      : request_(request), method_(method) {
    const auto* problem = std::get_if<FrictionContact>(&request.problem.data);
    if (!problem || problem->dimension != 3 || problem->is_operator())
      throw std::invalid_argument(request.solver + " needs a friction_contact in 3D with W");
    given_ = problem;
    const int n = problem->size();
    q_ = given_->q;
    mu_ = given_->mu;
    if (problem->W.is_sparse() && n > kDense) {
      fill_blocks();
      return;
    }
    W_ = given_->W.to_dense();
    if (given_->compliance.size() > 0) W_.diagonal() += given_->compliance;
  }

  peer::Answer solve() override {
    // Siconos measures like the verifier: the natural map relative to the 2-norm of q.
    const Options options =
        options_of(method_.friction, method_, request_, 0.5 * request_.tolerance);
    Vector r = Vector::Zero(q_.size()), u = Vector::Zero(q_.size());
    if (request_.problem.start) r = *request_.problem.start;
    FrictionContactProblem problem{};
    problem.dimension = 3;
    problem.numberOfContacts = static_cast<int>(mu_.size());
    problem.M = blocks_ ? blocks_ : dense_matrix(W_);
    problem.q = q_.data();
    problem.mu = mu_.data();
    const int info = fc3d_driver(&problem, r.data(), u.data(), options.get());
    return answer_of(r, info, *options);
  }

 private:
  void fill_blocks() {
    const int n = given_->size();
    NumericsMatrix* triplets = NM_create(NM_SPARSE, n, n);
    NM_triplet_alloc(triplets, given_->W.stored() + n);
    triplets->matrix2->origin = NSM_TRIPLET;
    for (int j = 0; j < n; ++j) {
      given_->W.for_column(j, [&](int i, double value) { NM_entry(triplets, i, j, value); });
      if (given_->compliance.size() > 0) NM_entry(triplets, j, j, given_->compliance[j]);
    }
    SparseBlockStructuredMatrix* blocks = SBM_new();
    SBM_from_csparse(3, NM_csc(triplets), blocks);
    blocks_ = NM_new_SBM(n, n, blocks);
    NM_free(triplets);
  }

  // unknowns; up to this size problems are faster with a dense W
  static constexpr int kDense = 200;

  const peer::Request& request_;
  const Method& method_;
  const FrictionContact* given_ = nullptr;
  NumericsMatrix* blocks_ = nullptr;  // blocks of 3 x 3 if W is sparse; never freed
  DenseMatrix W_;
  Vector q_, mu_;
};

std::unique_ptr<peer::Solver> make(const peer::Request& request) {
  const auto it = methods().find(request.solver);
  if (it == methods().end()) throw std::invalid_argument(request.solver + ": no such solver");
  if (it->second.friction != 0) return std::make_unique<FrictionSolver>(request, it->second);
  return std::make_unique<LinearSolver>(request, it->second);
}

}  // namespace

int main(int argc, char** argv) { return peer::run(argc, argv, make); }
