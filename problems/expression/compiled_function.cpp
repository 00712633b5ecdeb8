#include <perp/problems/expression/compiled_function.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <numeric>
#include <perp/problems/expression/builder.hpp>
#include <perp/problems/expression/differentiation.hpp>
#include <perp/problems/expression/kernels.hpp>
#include <utility>

namespace perp {

namespace {

// Up to this exponent, products are as accurate as pow and several times as fast.
constexpr double kLargestExpandedExponent = 8.0;

int expand_power(GraphBuilder& builder, int base, int exponent) {
  int result = kNoNode;
  for (int square = base, k = exponent; k > 0; k /= 2) {
    if (k % 2 == 1) {
      result = result == kNoNode ? square : builder.apply(Operation::kMultiply, result, square);
    }
    if (k > 1) square = builder.apply(Operation::kMultiply, square, square);
  }
  return result;
}

// The graph's nodes in the builder, with small integer powers written out.
std::vector<int> rebuild(const ExpressionGraph& graph, GraphBuilder& builder) {
  builder.keep_domain(true);
  std::vector<int> image, operands;
  for (const ExpressionGraph::Node& n : graph.nodes) {
    operands.clear();
    for (const int operand : graph.operands_of(n)) operands.push_back(image[operand]);
    if (n.operation == Operation::kConstant) {
      image.push_back(builder.constant(n.value));
    } else if (n.operation == Operation::kVariable) {
      image.push_back(builder.variable(n.first));
    } else if (n.operation == Operation::kParameter) {
      image.push_back(builder.parameter(n.first));
    } else if (n.operation == Operation::kPow && builder.is_constant(operands[1])) {
      const double exponent = builder.node(operands[1]).value, size = std::abs(exponent);
      if (size != std::floor(size) || size < 1 || size > kLargestExpandedExponent) {
        image.push_back(builder.apply(n.operation, operands));
        continue;
      }
      const int power = expand_power(builder, operands[0], static_cast<int>(size));
      image.push_back(
          exponent > 0 ? power : builder.apply(Operation::kDivide, builder.constant(1.0), power));
    } else {
      image.push_back(builder.apply(n.operation, operands));
    }
  }
  std::vector<int> outputs;
  for (const int output : graph.outputs) outputs.push_back(image[output]);
  builder.keep_domain(false);
  return outputs;
}

struct Cursor {
  const double* values;
  const int* arguments;
  double* out;
};

template <Operation operation, class Operands>
void run_kernel(const Operands* at, int count, const Cursor& cursor) {
  const double* const values = cursor.values;
  double* const out = cursor.out;
  for (int k = 0; k < count; ++k) {
    if constexpr (operation == Operation::kNorm) {
      const int* const arguments = cursor.arguments + at[k].a;
      out[k] = norm_of(at[k].b, [&](int i) { return values[arguments[i]]; });
    } else {
      out[k] = kernel<operation>(values[at[k].a], values[at[k].b]);
    }
  }
}

template <class Operands, std::size_t... I>
constexpr auto run_kernels(std::index_sequence<I...>) {
  using RunKernel = void (*)(const Operands*, int, const Cursor&);
  return std::array<RunKernel, sizeof...(I)>{run_kernel<static_cast<Operation>(I), Operands>...};
}

}  // namespace

// Puts the nodes of the finished graph into parts and gives every node its position.
class CompiledFunction::Scheduler {
 public:
  Scheduler(CompiledFunction& function, const ExpressionGraph& graph)
      : f_(function), graph_(graph), position_(graph.nodes.size(), kNoNode) {
    place_leaves();
  }

  void mark(const std::vector<int>& targets, Part* part_of_variable_nodes) {
    if (part_.empty()) {
      part_.assign(graph_.nodes.size(), nullptr);
      find_variable_nodes();
    }
    std::vector<char> needed(graph_.nodes.size(), 0);
    for (const int target : targets) needed[target] = 1;
    for (std::size_t v = graph_.nodes.size(); v-- > 0;) {
      const ExpressionGraph::Node& n = graph_.nodes[v];
      if (!needed[v] || n.count == 0 || part_[v] != nullptr) continue;
      part_[v] = varies_[v] ? part_of_variable_nodes : &f_.parameter_part_;
      for (const int operand : graph_.operands_of(n)) needed[operand] = 1;
    }
  }

  // List scheduling: of the operations that are ready, the most frequent one comes next.
  void schedule(Part& part) {
    part.position = f_.size_;
    std::vector<int> waiting(graph_.nodes.size(), 0);
    std::array<std::vector<int>, kOperations> ready;
    std::vector<std::vector<int>> users(graph_.nodes.size());
    for (int v = 0; v < static_cast<int>(graph_.nodes.size()); ++v) {
      if (part_[v] != &part) continue;
      for (const int operand : graph_.operands_of(graph_.nodes[v])) {
        if (part_[operand] != &part) continue;
        users[operand].push_back(v);
        ++waiting[v];
      }
      if (waiting[v] == 0) ready[operation(v)].push_back(v);
    }
    while (true) {
      const auto longest = std::ranges::max_element(ready, {}, &std::vector<int>::size);
      if (longest->empty()) break;
      const auto chosen = static_cast<Operation>(longest - ready.begin());
      std::vector<int>& queue = *longest;
      for (std::size_t k = 0; k < queue.size(); ++k) {  // grows while it runs
        const int v = queue[k];
        emit(v, part);
        for (const int user : users[v]) {
          if (--waiting[user] == 0) ready[operation(user)].push_back(user);
        }
      }
      part.runs.push_back({chosen, static_cast<int>(queue.size())});
      queue.clear();
    }
  }

  int position(int node) const { return position_[node]; }

 private:
  std::size_t operation(int v) const { return static_cast<std::size_t>(graph_.nodes[v].operation); }

  void place_leaves() {
    for (std::size_t v = 0; v < graph_.nodes.size(); ++v) {
      if (graph_.nodes[v].operation != Operation::kConstant) continue;
      position_[v] = static_cast<int>(f_.constants_.size());
      f_.constants_.push_back(graph_.nodes[v].value);
    }
    const int constants = static_cast<int>(f_.constants_.size());
    for (std::size_t v = 0; v < graph_.nodes.size(); ++v) {
      const ExpressionGraph::Node& n = graph_.nodes[v];
      if (n.operation == Operation::kParameter) position_[v] = constants + n.first;
      if (n.operation == Operation::kVariable) position_[v] = constants + f_.parameters_ + n.first;
    }
    f_.size_ = constants + f_.parameters_ + f_.variables_;
  }

  void find_variable_nodes() {
    varies_.assign(graph_.nodes.size(), 0);
    for (std::size_t v = 0; v < graph_.nodes.size(); ++v) {
      varies_[v] = graph_.nodes[v].operation == Operation::kVariable;
      for (const int operand : graph_.operands_of(graph_.nodes[v])) varies_[v] |= varies_[operand];
    }
  }

  void emit(int v, Part& part) {
    const std::span<const int> operands = graph_.operands_of(graph_.nodes[v]);
    if (graph_.nodes[v].operation == Operation::kNorm) {
      part.instructions.push_back(
          {static_cast<int>(f_.arguments_.size()), static_cast<int>(operands.size())});
      for (const int operand : operands) f_.arguments_.push_back(position_[operand]);
    } else {
      part.instructions.push_back({position_[operands.front()], position_[operands.back()]});
    }
    position_[v] = f_.size_++;
  }

  CompiledFunction& f_;
  const ExpressionGraph& graph_;
  std::vector<int> position_;
  std::vector<Part*> part_;
  std::vector<char> varies_;
};

CompiledFunction::CompiledFunction(const ExpressionGraph& graph, int variables, int parameters,
                                   const Deadline& deadline)
    : variables_(variables), parameters_(parameters) {
  graph.check(variables, parameters);
  GraphBuilder builder;
  const std::vector<int> outputs = rebuild(graph, builder);
  const std::vector<JacobianEntry> jacobian = differentiate(builder, outputs, deadline);
  std::vector<int> entries;
  std::vector<Triplet> triplets;
  for (const JacobianEntry& entry : jacobian) {
    entries.push_back(entry.node);
    triplets.emplace_back(entry.row, entry.column, 0.0);
  }
  pattern_.resize(static_cast<int>(outputs.size()), variables);
  pattern_.setFromTriplets(triplets.begin(), triplets.end());

  Scheduler scheduler(*this, builder.graph());
  scheduler.mark(outputs, &function_part_);
  scheduler.mark(entries, &jacobian_part_);
  for (Part* part : {&parameter_part_, &function_part_, &jacobian_part_}) scheduler.schedule(*part);
  for (const int node : outputs) outputs_.push_back(scheduler.position(node));
  for (const int node : entries) entries_.push_back(scheduler.position(node));
}

CompiledFunction::Workspace CompiledFunction::workspace() const {
  Workspace workspace;
  workspace.values.assign(static_cast<std::size_t>(size_), 0.0);
  std::ranges::copy(constants_, workspace.values.begin());
  if (parameters_ == 0) run(parameter_part_, workspace.values.data());
  return workspace;
}

void CompiledFunction::set_parameters(const Vector& p, Workspace& workspace) const {
  std::copy_n(p.data(), parameters_, workspace.values.data() + constants_.size());
  run(parameter_part_, workspace.values.data());
  workspace.evaluated = false;
}

void CompiledFunction::run_function(const Vector& z, Workspace& workspace) const {
  double* const at = workspace.values.data() + constants_.size() + parameters_;
  const std::size_t bytes = sizeof(double) * static_cast<std::size_t>(variables_);
  if (workspace.evaluated && (bytes == 0 || std::memcmp(at, z.data(), bytes) == 0)) return;
  std::copy_n(z.data(), variables_, at);
  run(function_part_, workspace.values.data());
  workspace.evaluated = true;
}

void CompiledFunction::evaluate(const Vector& z, double* f, Workspace& workspace) const {
  run_function(z, workspace);
  for (std::size_t i = 0; i < outputs_.size(); ++i) f[i] = workspace.values[outputs_[i]];
}

void CompiledFunction::evaluate_jacobian(const Vector& z, double* values,
                                         Workspace& workspace) const {
  run_function(z, workspace);
  run(jacobian_part_, workspace.values.data());
  for (std::size_t k = 0; k < entries_.size(); ++k) values[k] = workspace.values[entries_[k]];
}

void CompiledFunction::run(const Part& part, double* values) const {
  static constexpr auto kRunKernels =
      run_kernels<Operands>(std::make_index_sequence<kOperations>());
  const Operands* at = part.instructions.data();
  Cursor cursor{values, arguments_.data(), values + part.position};
  for (const Run& r : part.runs) {
    kRunKernels[static_cast<std::size_t>(r.operation)](at, r.count, cursor);
    at += r.count;
    cursor.out += r.count;
  }
}

CompiledFunction::Counts CompiledFunction::counts() const {
  const auto size = [](const Part& part) { return static_cast<int>(part.instructions.size()); };
  return {size(parameter_part_), size(function_part_), size(jacobian_part_)};
}

}  // namespace perp
