// Ipopt (Eclipse Public License): an interior-point method for nonlinear programs, used on convex
// problems.
#include <cmath>
#include <coin/IpIpoptApplication.hpp>
#include <coin/IpSolveStatistics.hpp>
#include <coin/IpTNLP.hpp>
#include <optional>
#include <perp/bench/peers/peer.hpp>
#include <perp/problems/standard/conic_qp.hpp>
#include <stdexcept>
#include <vector>

namespace {

using namespace perp;
using Ipopt::Index;
using Ipopt::Number;

struct Entry {
  int row, column;
  double value;
};

// The entries of a matrix, or those of its lower triangle only.
std::vector<Entry> entries_of(const Matrix& matrix, bool lower_only) {
  std::vector<Entry> entries;
  for (int j = 0; j < matrix.cols(); ++j)
    matrix.for_column(j, [&](int i, double value) {
      if (value != 0.0 && (!lower_only || i >= j)) entries.push_back({i, j, value});
    });
  return entries;
}

// min 1/2 x'P x + c'x, lower <= x <= upper, row_lower <= A x + [s] <= row_upper; the unknowns s
// belong to the rows of second-order cones (t, u), each with 1/2 (t^2 - u'u) >= 0 and t >= 0. This
// form is usual because Ipopt needs smooth functions and the norm is not smooth. At t = 0 no
// constraint qualification holds.
struct Program {
  int n = 0;                               // number of unknowns x
  std::vector<Entry> P, A;                 // P: lower triangle
  Vector c, row_lower, row_upper;          // row_lower, row_upper: bounds of the rows of A
  Vector lower, upper, start;              // of x and s
  std::vector<int> row_of_slack;           // the row that contains s_k
  std::vector<std::pair<int, int>> cones;  // first s and size of each second-order cone

  int slacks() const { return static_cast<int>(row_of_slack.size()); }
  int unknowns() const { return n + slacks(); }
  int rows() const { return static_cast<int>(row_lower.size()); }
};

// above 1e19, from which on Ipopt takes bounds as infinite by default
constexpr double kIpoptInfinity = 2e19;

double bounded(double bound) {
  return std::isinf(bound) ? std::copysign(kIpoptInfinity, bound) : bound;
}

Program box_program(const peer::Request& request) {
  const Mlcp problem = peer::as_mlcp(request.problem);
  if (!problem.M.is_symmetric(1e-12))
    throw std::invalid_argument("ipopt needs a symmetric M in mixed LCPs");
  Program program;
  program.n = problem.size();
  program.P = entries_of(problem.M, true);
  program.c = problem.q;
  program.lower = problem.lower.unaryExpr(&bounded);
  program.upper = problem.upper.unaryExpr(&bounded);
  program.start = request.problem.start.value_or(Vector::Zero(program.n));
  return program;
}

Program conic_program(const peer::Request& request, const ConicQp& problem) {
  Program program;
  program.n = problem.size();
  program.P = entries_of(problem.P, true);
  program.c = problem.c;
  program.A = entries_of(problem.A, false);
  program.row_lower = program.row_upper = problem.b;
  int row = 0;
  for (const Cone& cone : problem.cones) {
    if (cone.type == ConeType::kNonnegative)
      program.row_lower.segment(row, cone.size).setConstant(-kIpoptInfinity);
    if (cone.type == ConeType::kSecondOrder) {
      program.cones.emplace_back(program.slacks(), cone.size);
      for (int k = 0; k < cone.size; ++k) program.row_of_slack.push_back(row + k);
    }
    row += cone.size;
  }
  const int unknowns = program.unknowns();
  program.lower = Vector::Constant(unknowns, -kIpoptInfinity);
  program.upper = Vector::Constant(unknowns, kIpoptInfinity);
  for (const auto& [first, size] : program.cones) program.lower[program.n + first] = 0.0;
  program.start = Vector::Zero(unknowns);
  if (const auto& start = request.problem.start) {
    program.start.head(program.n) = *start;
    const Vector slack = problem.b - problem.A.multiply(*start);
    for (int k = 0; k < program.slacks(); ++k)
      program.start[program.n + k] = slack[program.row_of_slack[static_cast<std::size_t>(k)]];
  }
  return program;
}

class Functions final : public Ipopt::TNLP {
 public:
  explicit Functions(const Program& program) : program_(program) {}

  Vector x, dual;  // the last point, multipliers of the rows of A
  int iterations = 0;

  bool get_nlp_info(Index& n, Index& m, Index& jacobian, Index& hessian,
                    IndexStyleEnum& style) override {
    n = program_.unknowns();
    m = program_.rows() + static_cast<int>(program_.cones.size());
    jacobian = static_cast<Index>(program_.A.size()) + 2 * program_.slacks();
    hessian = static_cast<Index>(program_.P.size()) + program_.slacks();
    style = C_STYLE;
    return true;
  }

  bool get_bounds_info(Index n, Number* lower, Number* upper, Index m, Number* row_lower,
                       Number* row_upper) override {
    std::copy_n(program_.lower.data(), n, lower);
    std::copy_n(program_.upper.data(), n, upper);
    const int rows = program_.rows();
    std::copy_n(program_.row_lower.data(), rows, row_lower);
    std::copy_n(program_.row_upper.data(), rows, row_upper);
    std::fill(row_lower + rows, row_lower + m, 0.0);
    std::fill(row_upper + rows, row_upper + m, kIpoptInfinity);
    return true;
  }

  bool get_starting_point(Index n, bool, Number* start, bool, Number*, Number*, Index, bool,
                          Number*) override {
    std::copy_n(program_.start.data(), n, start);
    return true;
  }

  bool eval_f(Index, const Number* at, bool, Number& value) override {
    value = 0.0;
    for (int i = 0; i < program_.n; ++i) value += program_.c[i] * at[i];
    for (const Entry& e : program_.P)
      value += (e.row == e.column ? 0.5 : 1.0) * e.value * at[e.row] * at[e.column];
    return true;
  }

  bool eval_grad_f(Index n, const Number* at, bool, Number* gradient) override {
    std::fill_n(gradient, n, 0.0);
    std::copy_n(program_.c.data(), program_.n, gradient);
    for (const Entry& e : program_.P) {
      gradient[e.row] += e.value * at[e.column];
      if (e.row != e.column) gradient[e.column] += e.value * at[e.row];
    }
    return true;
  }

  bool eval_g(Index, const Number* at, bool, Index m, Number* g) override {
    std::fill_n(g, m, 0.0);
    const Number* s = at + program_.n;
    for (const Entry& e : program_.A) g[e.row] += e.value * at[e.column];
    for (int k = 0; k < program_.slacks(); ++k) g[row_of(k)] += s[k];
    Number* cone = g + program_.rows();
    for (const auto& [first, size] : program_.cones) {
      *cone = s[first] * s[first];
      for (int k = first + 1; k < first + size; ++k) *cone -= s[k] * s[k];
      *cone++ *= 0.5;
    }
    return true;
  }

  bool eval_jac_g(Index, const Number* at, bool, Index, Index, Index* rows, Index* columns,
                  Number* values) override {
    std::size_t put = 0;
    const auto add = [&](int row, int column, double value) {
      if (values) {
        values[put] = value;
      } else {
        rows[put] = row;
        columns[put] = column;
      }
      ++put;
    };
    for (const Entry& e : program_.A) add(e.row, e.column, e.value);
    for (int k = 0; k < program_.slacks(); ++k) add(row_of(k), program_.n + k, 1.0);
    int row = program_.rows();
    for (const auto& [first, size] : program_.cones) {
      for (int k = first; k < first + size; ++k) {
        const double s = at ? at[program_.n + k] : 0.0;
        add(row, program_.n + k, k == first ? s : -s);
      }
      ++row;
    }
    return true;
  }

  bool eval_h(Index, const Number*, bool, Number factor, Index, const Number* lambda, bool, Index,
              Index* rows, Index* columns, Number* values) override {
    std::size_t put = 0;
    for (const Entry& e : program_.P) {
      if (values) {
        values[put] = factor * e.value;
      } else {
        rows[put] = e.row;
        columns[put] = e.column;
      }
      ++put;
    }
    int row = program_.rows();
    for (const auto& [first, size] : program_.cones) {
      for (int k = first; k < first + size; ++k, ++put) {
        if (values) {
          values[put] = k == first ? lambda[row] : -lambda[row];
        } else {
          rows[put] = columns[put] = program_.n + k;
        }
      }
      ++row;
    }
    return true;
  }

  void finalize_solution(Ipopt::SolverReturn, Index, const Number* at, const Number*, const Number*,
                         Index, const Number*, const Number* lambda, Number,
                         const Ipopt::IpoptData*, Ipopt::IpoptCalculatedQuantities*) override {
    x = Eigen::Map<const Vector>(at, program_.n);
    if (program_.rows() > 0) dual = Eigen::Map<const Vector>(lambda, program_.rows());
  }

 private:
  int row_of(int slack) const { return program_.row_of_slack[static_cast<std::size_t>(slack)]; }

  const Program& program_;
};

class IpoptSolver final : public peer::Solver {
 public:
  explicit IpoptSolver(const peer::Request& request)
      : conic_(request.problem.kind() == "conic_qp"),
        program_(conic_ ? conic_program(request, std::get<ConicQp>(request.problem.data))
                        : box_program(request)),
        application_(IpoptApplicationFactory()) {
    auto& options = *application_->Options();
    const double aim = 0.1 * request.tolerance;
    for (const char* name : {"tol", "dual_inf_tol", "constr_viol_tol"})
      options.SetNumericValue(name, aim);
    // This one bounds a product of two factors. If both go to zero together, each is its square
    // root.
    options.SetNumericValue("compl_inf_tol", aim * aim);
    // Residuals are used as they are. By default Ipopt divides them by the size of the multipliers,
    // scales rows and objective, moves bounds by 1e-8 and in the end accepts an answer with 1e-6.
    options.SetNumericValue("s_max", 1e100);
    options.SetStringValue("nlp_scaling_method", "none");
    options.SetNumericValue("bound_relax_factor", 0.0);
    options.SetIntegerValue("acceptable_iter", 0);
    options.SetStringValue("linear_solver", "mumps");
    options.SetIntegerValue("print_level", 0);
    options.SetStringValue("sb", "yes");
    options.SetStringValue("jac_d_constant", program_.cones.empty() ? "yes" : "no");
    options.SetStringValue("hessian_constant", program_.cones.empty() ? "yes" : "no");
    if (request.max_iterations > 0) options.SetIntegerValue("max_iter", request.max_iterations);
    if (application_->Initialize() != Ipopt::Solve_Succeeded)
      throw std::runtime_error("Ipopt does not start");
  }

  peer::Answer solve() override {
    const Ipopt::SmartPtr<Functions> functions = new Functions(program_);
    const Ipopt::ApplicationReturnStatus status = application_->OptimizeTNLP(GetRawPtr(functions));
    peer::Answer answer;
    answer.z = functions->x;
    if (conic_) answer.dual = functions->dual;
    if (IsValid(application_->Statistics()))
      answer.iterations = application_->Statistics()->IterationCount();
    // Ipopt's "infeasible" is local and proves nothing.
    answer.status = status == Ipopt::Solve_Succeeded               ? "solved"
                    : status == Ipopt::Maximum_Iterations_Exceeded ? "iteration_limit"
                    : status == Ipopt::Invalid_Number_Detected     ? "numerical_error"
                                                                   : "stalled";
    answer.message = "Ipopt's status " + std::to_string(static_cast<int>(status));
    return answer;
  }

 private:
  bool conic_;
  Program program_;
  Ipopt::SmartPtr<Ipopt::IpoptApplication> application_;
};

}  // namespace

int main(int argc, char** argv) {
  return peer::run(argc, argv, [](const peer::Request& request) {
    if (request.solver != "ipopt") throw std::invalid_argument(request.solver + ": no such solver");
    return std::make_unique<IpoptSolver>(request);
  });
}
