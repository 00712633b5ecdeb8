#include <perp/bench/collection/facts.hpp>

#include <fmt/format.h>
#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <perp/bench/data/data_files.hpp>
#include <perp/bench/harness/structure_json.hpp>
#include <perp/problems/standard/mcp_function.hpp>
#include <utility>

namespace perp {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

namespace {

constexpr int kLargest = 600;        // rows plus columns; of a symmetric matrix rows alone
constexpr double kCounting = 1e-10;  // singular values below this share of the largest are rounding

std::string text_member(const Problem& problem, std::string_view name) {
  const json::Value* member = problem.source.find(name);
  const std::string* text = member ? member->get_if<std::string>() : nullptr;
  return text ? *text : std::string();
}

// Joins the words of a title or the parts of a path to one name for a file.
std::string as_one_word(std::string text) {
  for (char& c : text) {
    if (c == ' ' || c == '/' || c == ':') c = '-';
  }
  return text;
}

// The path relative to a folder; empty if the path leads out of the folder.
std::optional<std::string> below(const fs::path& path, const fs::path& folder) {
  const fs::path way = fs::weakly_canonical(path).lexically_relative(fs::weakly_canonical(folder));
  if (way.empty() || *way.begin() == "..") return {};
  return way.generic_string();
}

std::string stored_path(const std::string& path, const std::string& recipe) {
  if (const auto way = below(path, data_root() / "problems")) return *way;
  if (const auto way = below(path, fs::absolute(recipe).parent_path())) return *way;
  return fs::path(path).filename().string();
}

// SCENE key=value FORMULATION event-driven h=0.1 as the suite names it, then step and stage: they
// follow the name of the scene in the name of the problem.
std::string name_of_step(const Instance& instance, const Problem& problem) {
  std::string name = instance.sequence;
  const std::string scene = text_member(problem, "scene");
  const std::string formulation = text_member(problem, "formulation");
  const std::string word = fmt::format(" {}", formulation);
  if (name.find(word) == std::string::npos) name += word;
  return as_one_word(name + problem.name.substr(std::min(problem.name.size(), scene.size())));
}

DenseMatrix jacobian_at(const Mcp& mcp, const Vector& z) {
  McpFunction function(mcp);
  SparseMatrix jacobian = function.pattern();
  Vector f;
  function.evaluate(z, f, jacobian.valuePtr());
  return DenseMatrix(jacobian);
}

// Name of the matrix whose condition matters, and the matrix; null for an mcp.
std::pair<std::string, const Matrix*> matrix_of(const ProblemData& data) {
  if (const auto* lcp = std::get_if<Lcp>(&data)) return {"M", &lcp->M};
  if (const auto* mlcp = std::get_if<Mlcp>(&data)) return {"M", &mlcp->M};
  if (const auto* box = std::get_if<BoxQp>(&data)) return {"H", &box->H};
  if (const auto* conic = std::get_if<ConicQp>(&data)) return {"A", &conic->A};
  if (const auto* convex = std::get_if<ConvexContact>(&data)) return {"A", &convex->A};
  const auto* friction = std::get_if<FrictionContact>(&data);
  if (friction && friction->is_operator()) return {"J", &friction->J};
  if (friction) return {"W", &friction->W};
  return {"F'", nullptr};
}

Vector eigenvalues_of(const DenseMatrix& symmetric) {
  return Eigen::SelfAdjointEigenSolver<DenseMatrix>(symmetric, Eigen::EigenvaluesOnly)
      .eigenvalues();
}

// Singular values, the largest first; none if they would cost too much. Those of a matrix A that is
// not symmetric are the upper half of the eigenvalues of [0 A; A' 0]. A'A would lose the small ones
// to rounding.
std::vector<double> singular_values(const DenseMatrix& a) {
  Vector values;
  const auto least = static_cast<std::size_t>(std::min(a.rows(), a.cols()));
  if (a.rows() == a.cols() && a == a.transpose()) {
    if (a.rows() > kLargest) return {};
    values = eigenvalues_of(a).cwiseAbs();
  } else {
    if (a.rows() + a.cols() > kLargest) return {};
    DenseMatrix both = DenseMatrix::Zero(a.rows() + a.cols(), a.rows() + a.cols());
    both.topRightCorner(a.rows(), a.cols()) = a;
    both.bottomLeftCorner(a.cols(), a.rows()) = a.transpose();
    values = eigenvalues_of(both);
  }
  std::vector<double> sorted(values.begin(), values.end());
  std::sort(sorted.rbegin(), sorted.rend());
  sorted.resize(least);
  return sorted;
}

// Asked before a dense matrix is made.
bool is_too_large(int rows, int cols) { return std::max(rows, cols) > kLargest; }

}  // namespace

Origin origin_of(const Instance& instance, const Problem& problem, const std::string& recipe) {
  if (!instance.family.empty()) {
    const std::string prefix = instance.member.empty() ? "" : instance.family + "-";
    return {"family", "", prefix + problem.name};
  }
  if (instance.path.empty()) return {"scene", "", name_of_step(instance, problem)};
  const std::string path = stored_path(instance.path, recipe);
  std::string folder = fs::path(path).parent_path().generic_string();
  if (folder.starts_with("collections/")) folder.erase(0, folder.find('/') + 1);
  std::string name = instance.name;
  if (name.ends_with(".mof")) name.resize(name.size() - 4);  // NAME.mof.json is another format
  return {"file", path, as_one_word(folder.empty() ? name : folder + "-" + name)};
}

std::optional<ConditionEstimate> condition_of(const Problem& problem, const Vector& z) {
  auto [name, matrix] = matrix_of(problem.data);
  DenseMatrix dense;
  if (matrix) {
    if (is_too_large(matrix->rows(), matrix->cols())) return {};
    dense = matrix->to_dense();
  } else {
    if (z.size() != problem.size() || is_too_large(problem.size(), problem.size())) return {};
    dense = jacobian_at(std::get<Mcp>(problem.data), z);
  }
  if (dense.size() == 0 || !dense.allFinite()) return {};
  const std::vector<double> values = singular_values(dense);
  if (values.empty() || !(values[0] > 0) || !std::isfinite(values[0])) return {};
  ConditionEstimate condition{std::move(name), 1.0, 0};
  for (const double value : values) {
    if (!(value > kCounting * values[0])) break;
    condition.estimate = values[0] / value;
    ++condition.rank;
  }
  return condition;
}

Json facts_to_json(const Problem& problem, const Vector& z) {
  Json facts = structure_to_json(analyse(problem));
  const std::optional<ConditionEstimate> condition = condition_of(problem, z);
  facts["condition"] = nullptr;
  if (condition) {
    facts["condition"] = {
        {"of", condition->of}, {"estimate", condition->estimate}, {"rank", condition->rank}};
  }
  return facts;
}

}  // namespace perp
