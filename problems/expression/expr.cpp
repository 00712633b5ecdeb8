#include <perp/problems/expression/expr.hpp>

#include <atomic>
#include <cmath>
#include <stdexcept>

namespace perp {

namespace {

thread_local Recorder* active_recorder = nullptr;
std::atomic<unsigned> recorders_made{0};

}  // namespace

// Numbers need no recorder: constants may be computed before there is one.
Expr Expr::record(Operation operation, std::span<const Expr> operands) {
  std::vector<double> values;
  for (const Expr& operand : operands) {
    if (operand.node_ >= 0) return Recorder::current().apply(operation, operands);
    values.push_back(operand.value_);
  }
  return evaluate(operation, values);
}

Expr Expr::record(Operation operation, std::initializer_list<Expr> operands) {
  return record(operation, std::span<const Expr>(operands.begin(), operands.size()));
}

Expr& Expr::operator+=(Expr b) { return *this = *this + b; }
Expr& Expr::operator-=(Expr b) { return *this = *this - b; }
Expr& Expr::operator*=(Expr b) { return *this = *this * b; }
Expr& Expr::operator/=(Expr b) { return *this = *this / b; }

Expr operator+(Expr a, Expr b) { return Expr::record(Operation::kAdd, {a, b}); }
Expr operator-(Expr a, Expr b) { return Expr::record(Operation::kSubtract, {a, b}); }
Expr operator*(Expr a, Expr b) { return Expr::record(Operation::kMultiply, {a, b}); }
Expr operator/(Expr a, Expr b) { return Expr::record(Operation::kDivide, {a, b}); }
Expr operator-(Expr a) { return Expr::record(Operation::kNegate, {a}); }
Expr pow(Expr base, Expr exponent) { return Expr::record(Operation::kPow, {base, exponent}); }
Expr sqrt(Expr a) { return Expr::record(Operation::kSqrt, {a}); }
Expr exp(Expr a) { return Expr::record(Operation::kExp, {a}); }
Expr log(Expr a) { return Expr::record(Operation::kLog, {a}); }
Expr sin(Expr a) { return Expr::record(Operation::kSin, {a}); }
Expr cos(Expr a) { return Expr::record(Operation::kCos, {a}); }
Expr tan(Expr a) { return Expr::record(Operation::kTan, {a}); }
Expr atan(Expr a) { return Expr::record(Operation::kAtan, {a}); }
Expr tanh(Expr a) { return Expr::record(Operation::kTanh, {a}); }
Expr abs(Expr a) { return Expr::record(Operation::kAbs, {a}); }
Expr min(Expr a, Expr b) { return Expr::record(Operation::kMin, {a, b}); }
Expr max(Expr a, Expr b) { return Expr::record(Operation::kMax, {a, b}); }
Expr norm(std::span<const Expr> v) { return Expr::record(Operation::kNorm, v); }

Expr dot(const ExprVector3& a, const ExprVector3& b) {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

ExprVector3 cross(const ExprVector3& a, const ExprVector3& b) {
  return {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
}

Expr norm(const ExprVector3& v) { return norm(std::span<const Expr>(v.data(), 3)); }

ExprVector3 unit(const ExprVector3& v) {
  const Expr length = norm(v);
  return {v[0] / length, v[1] / length, v[2] / length};
}

ExprVector3 rotate(const ExprQuaternion& q, const ExprVector3& v) {
  const ExprVector3 u(q[1], q[2], q[3]);
  const ExprVector3 t = cross(u, v), s = cross(u, t);
  ExprVector3 turned;
  for (int i = 0; i < 3; ++i) turned[i] = v[i] + 2.0 * (q[0] * t[i] + s[i]);
  return turned;
}

ExprVector3 rotate_homogeneous(const ExprQuaternion& q, const ExprVector3& v) {
  const ExprVector3 u(q[1], q[2], q[3]);
  const Expr scale = q[0] * q[0] - dot(u, u), along = 2.0 * dot(u, v), twice = 2.0 * q[0];
  const ExprVector3 t = cross(u, v);
  ExprVector3 turned;
  for (int i = 0; i < 3; ++i) turned[i] = scale * v[i] + along * u[i] + twice * t[i];
  return turned;
}

ExprQuaternion conjugate(const ExprQuaternion& q) { return {q[0], -q[1], -q[2], -q[3]}; }

Recorder::Recorder() : outer_(active_recorder), id_(++recorders_made) { active_recorder = this; }

Recorder::~Recorder() { active_recorder = outer_; }

Recorder& Recorder::current() {
  if (active_recorder == nullptr)
    throw std::logic_error("expression: no Recorder is active on this thread");
  return *active_recorder;
}

Expr Recorder::expr_of(int node) const {
  Expr a;
  if (builder_.is_constant(node)) {
    a.value_ = builder_.node(node).value;
  } else {
    a.node_ = node;
    a.recorder_ = id_;
  }
  return a;
}

int Recorder::node_of(Expr a) {
  if (a.is_constant()) return builder_.constant(a.value_);
  if (a.recorder_ != id_) {
    throw std::logic_error("expression: an operand belongs to another Recorder");
  }
  return a.node_;
}

Expr Recorder::variable(int index) { return expr_of(builder_.variable(index)); }
Expr Recorder::parameter(int index) { return expr_of(builder_.parameter(index)); }

ExprVector Recorder::variables(int count) {
  ExprVector leaves(count);
  for (int i = 0; i < count; ++i) leaves[i] = variable(i);
  return leaves;
}

ExprVector Recorder::parameters(int count) {
  ExprVector leaves(count);
  for (int i = 0; i < count; ++i) leaves[i] = parameter(i);
  return leaves;
}

Expr Recorder::apply(Operation operation, std::span<const Expr> operands) {
  std::vector<int> nodes;
  for (const Expr& operand : operands) nodes.push_back(node_of(operand));
  return expr_of(builder_.apply(operation, nodes));
}

std::vector<Expr> Recorder::call(const ExpressionGraph& function, std::span<const Expr> variables,
                                 std::span<const Expr> parameters) {
  std::vector<int> z, p;
  for (const Expr& a : variables) z.push_back(node_of(a));
  for (const Expr& a : parameters) p.push_back(node_of(a));
  std::vector<Expr> outputs;
  for (const int node : builder_.call(function, z, p)) outputs.push_back(expr_of(node));
  return outputs;
}

ExpressionGraph Recorder::graph(std::span<const Expr> outputs) {
  std::vector<int> nodes;
  for (const Expr& output : outputs) nodes.push_back(node_of(output));
  return builder_.extract(nodes);
}

ExpressionGraph Recorder::graph(std::initializer_list<Expr> outputs) {
  return graph(std::span<const Expr>(outputs.begin(), outputs.size()));
}

ExpressionGraph Recorder::graph(const ExprVector& outputs) {
  return graph(std::span<const Expr>(outputs.data(), static_cast<std::size_t>(outputs.size())));
}

}  // namespace perp
