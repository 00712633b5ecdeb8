#include <perp/formulations/stepping/theta_method/free_motion_recorder.hpp>

#include <perp/problems/expression/expr.hpp>

namespace perp {

namespace {

using Input = FreeMotionInput;

constexpr double kTinyShare = 1e-9;  // of the length of a spring at rest: its direction is none

ExprQuaternion product(const ExprQuaternion& a, const ExprQuaternion& b) {
  const ExprVector3 u(a[1], a[2], a[3]), v(b[1], b[2], b[3]);
  const ExprVector3 w = a[0] * v + b[0] * u + cross(u, v);
  return {a[0] * b[0] - dot(u, v), w[0], w[1], w[2]};
}

class FreeMotionRecorder {
 public:
  explicit FreeMotionRecorder(const Scene& scene) : scene_(scene), coordinates_(scene) {
    for (std::size_t b = 0; b < scene.bodies.size(); ++b)
      bodies_.push_back(body(static_cast<int>(b)));
  }

  RecordedFreeMotion record() {
    for (const Load& load : scene_.loads) add_load(load);
    for (const Spring& spring : scene_.springs) add_spring(spring);
    for (const Joint& joint : scene_.joints) {
      if (joint.has_spring()) add_joint_spring(joint);
    }
    std::vector<Expr> rows;
    for (std::size_t b = 0; b < bodies_.size(); ++b) add_balance(static_cast<int>(b), rows);
    RecordedFreeMotion recorded;
    recorded.graph = std::make_shared<const ExpressionGraph>(recorder_.graph(rows));
    recorded.parameters = std::move(parameters_);
    return recorded;
  }

 private:
  /// A body within the step, and the forces on it.
  struct RecordedBody {
    ExprVector3 change, spin_change;  // v - v_0
    ExprVector3 position, moved;      // p^theta and p^theta - p_0
    ExprQuaternion turn;              // 1 + theta_q h/2 omega^theta_vq: q^theta = turn q_0, scaled
    Expr size = 1.0;                  // |turn|^2
    ExprVector3 velocity, spin;       // v^theta
    ExprVector3 force = ExprVector3::Zero(), moment = ExprVector3::Zero();
  };

  template <class Function>
  Expr parameter(Function value) {
    parameters_.emplace_back(std::move(value));
    return recorder_.parameter(static_cast<int>(parameters_.size()) - 1);
  }
  template <class Function>
  ExprVector3 parameters(Function value) {
    ExprVector3 v;
    for (int k = 0; k < 3; ++k)
      v[k] = parameter([value, k](const Input& s) { return static_cast<double>(value(s)[k]); });
    return v;
  }

  /// Components of (v, omega) of a body, with v = reference + unit z; z of fixed bodies is 0.
  template <class Function>
  ExprVector3 components(int at, bool angular, Function entry) {
    ExprVector3 v = ExprVector3::Zero();
    if (at < 0) return v;
    const bool plane = scene_.dimension == 2;
    for (int k = 0; k < 3; ++k) {
      if (plane && angular != (k == 2)) continue;
      v[k] = entry(at + (plane ? k : k + (angular ? 3 : 0)));
    }
    return v;
  }

  RecordedBody body(int index) {
    const auto i = static_cast<std::size_t>(index);
    const int at = coordinates_.offset(index), per_body = coordinates_.per_body();
    RecordedBody b;
    const auto start = [i](const Input& s) { return s.state.bodies[i].position; };
    b.moved = b.velocity = b.spin = b.change = b.spin_change = ExprVector3::Zero();
    b.turn = {1.0, 0.0, 0.0, 0.0};
    b.position = at < 0 ? ExprVector3(scene_.bodies[i].position.cast<Expr>()) : parameters(start);
    if (at < 0) return b;
    const auto change = [&](int k) {
      const Expr from = parameter([k](const Input& s) { return s.reference[k] - s.initial[k]; });
      const Expr unit = parameter([k, per_body](const Input& s) { return s.unit(k, per_body); });
      return from + unit * recorder_.variable(k);
    };
    const auto initial = [&](int k) {
      return parameter([k](const Input& s) { return s.initial[k]; });
    };
    b.change = components(at, false, change);
    b.spin_change = components(at, true, change);
    const ExprVector3 v_0 = components(at, false, initial), w_0 = components(at, true, initial);
    const Expr theta_v = parameter([](const Input& s) { return s.theta.v; });
    const Expr theta_vq = parameter([](const Input& s) { return s.theta.vq; });
    const Expr step = parameter([](const Input& s) { return s.theta.q * s.h; });
    b.velocity = v_0 + theta_v * b.change;
    b.spin = w_0 + theta_v * b.spin_change;
    b.moved = step * (v_0 + theta_vq * b.change);
    b.position += b.moved;
    // (1 - theta_q h/2 omega) q^theta = q_0, so q^theta is along (1 + theta_q h/2 omega) q_0.
    const ExprVector3 half = 0.5 * step * (w_0 + theta_vq * b.spin_change);
    b.turn = {1.0, half[0], half[1], half[2]};
    b.size = 1.0 + dot(half, half);
    return b;
  }

  RecordedBody& at(int body) { return bodies_[static_cast<std::size_t>(body)]; }

  /// A vector at the time of q^theta that moves with a body and is given at the beginning of the
  /// step.
  template <class Function>
  ExprVector3 carried(int body, Function at_beginning) {
    return rotate_homogeneous(at(body).turn, parameters(at_beginning)) / at(body).size;
  }
  ExprVector3 carried_arm(int body, const Vector3d& anchor) {
    const auto b = static_cast<std::size_t>(body);
    return carried(body, [&scene = scene_, body, b, anchor](const Input& s) {
      return Vector3d(carried_point(scene, s.state, body, anchor) - s.state.bodies[b].position);
    });
  }
  ExprVector3 velocity_at(int body, const ExprVector3& arm) {
    return at(body).velocity + cross(at(body).spin, arm);
  }

  void push(int body, const ExprVector3& arm, const ExprVector3& force, double sign) {
    RecordedBody& b = at(body);
    b.force += Expr(sign) * force;
    b.moment += Expr(sign) * cross(arm, force);
  }

  // At the time of q^theta.
  void add_load(const Load& load) {
    const auto at_time = [](const std::array<TimeFunction, 3>& f) {
      return [f](const Input& s) {
        const double t = s.state.time + s.theta.q * s.h;
        return Vector3d(f[0](t), f[1](t), f[2](t));
      };
    };
    at(load.body).force += parameters(at_time(load.force));
    at(load.body).moment += parameters(at_time(load.moment));
  }

  void add_spring(const Spring& s) {
    const ExprVector3 arm_a = carried_arm(s.body_a, s.anchor_a),
                      arm_b = carried_arm(s.body_b, s.anchor_b);
    // Uses the difference of the centres at the beginning, so that few digits are lost far from 0.
    const auto a = static_cast<std::size_t>(s.body_a), b = static_cast<std::size_t>(s.body_b);
    const ExprVector3 between = parameters([a, b](const Input& in) {
      return Vector3d(in.state.bodies[a].position - in.state.bodies[b].position);
    });
    const ExprVector3 apart = between + at(s.body_a).moved - at(s.body_b).moved + arm_a - arm_b;
    const ExprVector3 rate = velocity_at(s.body_a, arm_a) - velocity_at(s.body_b, arm_b);
    ExprVector3 force;
    if (s.length == 0) {
      force = -(Expr(s.stiffness) * apart + Expr(s.damping) * rate);
    } else {
      // A spring of no length has no direction, so no force. The square of a tiny length, which
      // rounds away beside any other, keeps the quotient finite there.
      const double tiny = kTinyShare * s.length;
      const Expr length = sqrt(dot(apart, apart) + tiny * tiny);
      const ExprVector3 n = apart / length;
      force = -(s.stiffness * (length - s.length) + s.damping * dot(n, rate)) * n;
    }
    push(s.body_a, arm_a, force, 1.0);
    push(s.body_b, arm_b, force, -1.0);
  }

  void add_joint_spring(const Joint& j) {
    const ExprVector3 axis = carried(j.body_b, [&scene = scene_, j](const Input& s) {
      return carried_direction(scene, s.state, j.body_b, j.axis);
    });
    const Expr start = parameter(
        [&scene = scene_, j](const Input& s) { return joint_extension(scene, s.state, j); });
    if (j.type == JointType::kRevolute) {
      // Rotation of a against b since the beginning, as seen at the beginning.
      const ExprQuaternion turn = product(conjugate(at(j.body_b).turn), at(j.body_a).turn);
      const ExprVector3 axis_0 = parameters([&scene = scene_, j](const Input& s) {
        return carried_direction(scene, s.state, j.body_b, j.axis);
      });
      const Expr x =
          start + 2.0 * atan(dot(ExprVector3(turn[1], turn[2], turn[3]), axis_0) / turn[0]);
      const Expr rate = dot(axis, ExprVector3(at(j.body_a).spin - at(j.body_b).spin));
      const Expr torque = -(j.stiffness * x + j.damping * rate);
      at(j.body_a).moment += torque * axis;
      at(j.body_b).moment -= torque * axis;
      return;
    }
    const ExprVector3 arm_a = carried_arm(j.body_a, j.anchor_a),
                      anchor_b = carried_arm(j.body_b, j.anchor_b);
    const ExprVector3 at_a = at(j.body_a).position + arm_a;
    const ExprVector3 arm_b = at_a - at(j.body_b).position;  // to the same point
    const Expr x = dot(axis, ExprVector3(arm_b - anchor_b)) + (j.displacement - j.rest);
    const Expr rate =
        dot(axis, ExprVector3(velocity_at(j.body_a, arm_a) - velocity_at(j.body_b, arm_b)));
    const ExprVector3 force = -(j.stiffness * x + j.damping * rate) * axis;
    push(j.body_a, arm_a, force, 1.0);
    push(j.body_b, arm_b, force, -1.0);
  }

  void add_balance(int index, std::vector<Expr>& rows) {
    const int first = coordinates_.offset(index), per_body = coordinates_.per_body();
    if (first < 0) return;
    const auto i = static_cast<std::size_t>(index);
    const RecordedBody& b = bodies_[i];
    const Body& given = scene_.bodies[i];
    const Expr h = parameter([](const Input& s) { return s.h; });
    const ExprVector3 gravity = scene_.gravity.cast<Expr>();
    const ExprVector3 linear = given.mass * (b.change - h * gravity) - h * b.force;
    ExprVector3 angular;
    if (scene_.dimension == 2) {
      angular = ExprVector3(0.0, 0.0, given.inertia.z() * b.spin_change[2]) - h * b.moment;
    } else {
      ExprMatrix3 axes;
      for (int k = 0; k < 3; ++k)
        axes.col(k) = carried(index, [i, k](const Input& s) {
          return Vector3d(s.state.bodies[i].orientation * Vector3d::Unit(k));
        });
      const auto momentum = [&](const ExprVector3& w) {
        ExprVector3 sum = ExprVector3::Zero();
        for (int k = 0; k < 3; ++k) {
          const ExprVector3 axis = axes.col(k);
          sum += given.inertia[k] * dot(axis, w) * axis;
        }
        return sum;
      };
      angular = momentum(b.spin_change) - h * (b.moment - cross(b.spin, momentum(b.spin)));
    }
    for (int k = first; k < first + per_body; ++k) {
      const int part = k - first;
      const Expr row = scene_.dimension == 2 ? (part == 2 ? angular[2] : linear[part])
                                             : (part < 3 ? linear[part] : angular[part - 3]);
      rows.push_back(
          row * parameter([k, per_body](const Input& s) { return 1.0 / s.row_unit(k, per_body); }));
    }
  }

  using ExprMatrix3 = Eigen::Matrix<Expr, 3, 3>;

  const Scene& scene_;
  Coordinates coordinates_;
  Recorder recorder_;
  std::vector<RecordedBody> bodies_;
  std::vector<std::function<double(const Input&)>> parameters_;
};

bool is_angular(int i, int per_body) { return i % per_body >= per_body / 2 + (per_body == 3); }

}  // namespace

double FreeMotionInput::unit(int i, int per_body) const {
  return is_angular(i, per_body) ? change / length : change;
}

double FreeMotionInput::row_unit(int i, int per_body) const {
  return is_angular(i, per_body) ? impulse * length : impulse;
}

RecordedFreeMotion record_free_motion(const Scene& scene) {
  return FreeMotionRecorder(scene).record();
}

}  // namespace perp
