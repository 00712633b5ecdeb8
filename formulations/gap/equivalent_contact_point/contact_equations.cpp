#include <perp/formulations/gap/equivalent_contact_point/contact_equations.hpp>

#include <fmt/format.h>

namespace perp {

namespace {

constexpr std::uint64_t kFirstKey = 16;  // first key of the unknowns of the geometry

// Multipliers l_i >= 0 with  0 <= l_i  complementary to  -f_i(y) >= 0   [Eqs. 15, 16].
int add_multipliers(StepRecorder& recorder, const std::string& name, std::uint64_t key,
                    const std::vector<ConvexInequality>& f, const ExprVector3& y) {
  const int first = recorder.unknowns();
  for (std::size_t i = 0; i < f.size(); ++i) {
    const int index = recorder.nonnegative_unknown(fmt::format("{}{}", name, i), key + i);
    recorder.set_row(index, -f[i].value(y));
  }
  return first;
}

// A gap in units of the way that the change of velocity of a step makes: so it is of the order of
// the change that an impulse of order 1 makes, whatever the length of the step.
Expr in_steps(StepRecorder& recorder, const Expr& gap) {
  return gap * recorder.parameter(
                   [](const StepInput& s) { return s.scales.length / (s.h * s.scales.change); });
}

// The lowest point of a body above a plane n.x = level: a smaller form of Eqs. 13 to 17.
RecordedContact record_plane(StepRecorder& recorder, const RecordedPair& pair) {
  const Scene& scene = recorder.scene();
  const int a = pair.pair.a, b = pair.pair.b, number = pair.number;
  const RecordedBody& body = recorder.body(a);
  const std::vector<ConvexInequality> f = scaled_inequalities(scene, a);
  const Body& ground = scene.bodies[static_cast<std::size_t>(b)];
  const auto& space = std::get<HalfSpace>(ground.shape);
  const Vector3d n = ground.orientation * space.normal;
  const double level = n.dot(ground.position) + space.offset;
  const ContactFrame frame = contact_frame(n, scene.dimension, scene.properties(a, b).direction);

  const int first = recorder.free_point(pair.name + ".y", pair.key + kFirstKey);
  const ExprVector3 y = recorder.point(first);
  const int l = add_multipliers(recorder, pair.name + ".l", pair.key + kFirstKey + 3, f, y);
  RecordedContact contact;
  contact.a = a;
  contact.b = b;
  contact.n = frame.n.cast<Expr>();
  contact.t = frame.t.cast<Expr>();
  contact.o = frame.o.cast<Expr>();
  // n + sum l_i grad f_i(a1) = 0, in the frame of the body.
  ExprVector3 rows = body.axes.transpose() * contact.n;
  for (std::size_t i = 0; i < f.size(); ++i)
    rows += recorder.unknown(l + static_cast<int>(i)) * f[i].gradient(y);
  recorder.set_rows(first, rows);
  contact.arm_a = body.axes * y;
  // The half-space is fixed: the place where it is touched does not matter.
  contact.arm_b = ExprVector3::Zero();
  const Expr height = recorder.parameter([number, n, level](const StepInput& s) {
    const auto i = static_cast<std::size_t>(s.contacts[static_cast<std::size_t>(number)].a);
    return (n.dot(s.free_position[i]) - level) / s.scales.length;
  });
  contact.gap = in_steps(recorder, height + dot(contact.n, body.shift + contact.arm_a));
  return contact;
}

// A normal of F at a1 (of any length), and the distance of a1 and a2 in units of its length.
struct Outward {
  ExprVector3 gradient;
  Expr distance;
};

// grad C(F, a1) = grad f_k + sum over i != k of l_i grad f_i, and l_k. The number k of the face is
// a parameter of the step.
Outward face_gradient(StepRecorder& recorder, int number, const std::vector<ConvexInequality>& f,
                      const ExprVector3& y, int l) {
  Outward outward{ExprVector3::Zero(), 0.0};
  for (std::size_t i = 0; i < f.size(); ++i) {
    const Expr is_k = recorder.parameter([number, i](const StepInput& s) {
      return s.contacts[static_cast<std::size_t>(number)].face == static_cast<int>(i) ? 1.0 : 0.0;
    });
    const Expr l_i = recorder.unknown(l + static_cast<int>(i));
    outward.gradient += (is_k + (Expr(1.0) - is_k) * l_i) * f[i].gradient(y);
    outward.distance += is_k * l_i;
  }
  return outward;
}

ExprVector3 cone_gradient(StepRecorder& recorder, const std::vector<ConvexInequality>& f,
                          const ExprVector3& y, int l) {
  ExprVector3 sum = ExprVector3::Zero();
  for (std::size_t i = 0; i < f.size(); ++i)
    sum += recorder.unknown(l + static_cast<int>(i)) * f[i].gradient(y);
  return sum;
}

// Closest points of F and G: Eqs. 13 to 17, or the form with the distance.
RecordedContact record_general(StepRecorder& recorder, const RecordedPair& pair) {
  const Scene& scene = recorder.scene();
  const bool first_is_a = pair.pair.form != static_cast<int>(EcpForm::kFirstIsB);
  const bool by_distance = pair.pair.form == static_cast<int>(EcpForm::kDistance);
  const int a = pair.pair.a, b = pair.pair.b, number = pair.number;
  const int one = first_is_a ? a : b, two = first_is_a ? b : a;
  const RecordedBody &body1 = recorder.body(one), &body2 = recorder.body(two);
  const std::vector<ConvexInequality> f = scaled_inequalities(scene, one),
                                      g = scaled_inequalities(scene, two);

  const std::uint64_t key = pair.key + kFirstKey;
  const int apart = recorder.free_point(pair.name + ".d", key);
  const int first2 = recorder.free_point(pair.name + ".y2", key + 3);
  const ExprVector3 d = recorder.point(apart), y2 = recorder.point(first2);
  // All positions are relative to the place to which free motion would lead F.
  const ExprVector3 centre1 = body1.shift, centre2 = recorder.free_offset(one, two) + body2.shift;
  const ExprVector3 arm2 = body2.axes * y2, a2 = centre2 + arm2, arm1 = a2 - d - centre1;
  const ExprVector3 y1 = body1.axes.transpose() * arm1;
  const int l1 = add_multipliers(recorder, pair.name + ".f", key + 6, f, y1);
  const int l2 = add_multipliers(recorder, pair.name + ".g", key + 6 + f.size(), g, y2);

  Outward outward;
  if (by_distance) {
    // N = sum l_i grad f_i(a1); its length is fixed by N.n = 1 with the guessed normal n.
    const int distance =
        recorder.free_unknown(pair.name + ".distance", key + 6 + f.size() + g.size());
    outward = {body1.axes * cone_gradient(recorder, f, y1, l1), recorder.unknown(distance)};
    const ExprVector3 guess = recorder.parameters([number](const StepInput& s) {
      return Vector3d(-s.contacts[static_cast<std::size_t>(number)].normal);
    });
    // With this sign l and the distance are a saddle point, as the other pairs are.
    recorder.set_row(distance, 1.0 - dot(guess, outward.gradient));
  } else {
    outward = face_gradient(recorder, number, f, y1, l1);
    outward.gradient = body1.axes * outward.gradient;
  }

  // [XieChakraborty2020, Eqs. 13, 14], the second one in the frame of G. So rows are in the
  // directions of their unknowns: a proximal term acts as a compliance against tilting, whatever
  // the orientations, and it does not separate the points where the bodies push each other.
  recorder.set_rows(apart, d - outward.distance * outward.gradient);
  recorder.set_rows(first2,
                    body2.axes.transpose() * outward.gradient + cone_gradient(recorder, g, y2, l2));

  RecordedContact contact;
  contact.a = a;
  contact.b = b;
  const ExprVector3 normal = unit(outward.gradient);
  contact.n = first_is_a ? ExprVector3(-normal) : normal;
  set_tangents(recorder.reference(number), scene.dimension, contact);
  contact.arm_a = first_is_a ? arm1 : arm2;
  contact.arm_b = first_is_a ? arm2 : arm1;
  if (by_distance) {
    contact.gap = in_steps(recorder, outward.distance);
    return contact;
  }
  // max f_i(a2)   [XieChakraborty2020, Eq. 17]
  const ExprVector3 a2_in_1 = y1 + body1.axes.transpose() * d;
  contact.gap = f[0].value(a2_in_1);
  for (std::size_t i = 1; i < f.size(); ++i) contact.gap = max(contact.gap, f[i].value(a2_in_1));
  contact.gap = in_steps(recorder, contact.gap);
  return contact;
}

}  // namespace

std::vector<ConvexInequality> scaled_inequalities(const Scene& scene, int body) {
  const double length = length_scale(scene);
  std::vector<ConvexInequality> f =
      convex_inequalities(scene.bodies[static_cast<std::size_t>(body)].shape);
  for (ConvexInequality& i : f) i = i.in_units_of(length);
  return f;
}

GeneralUnknowns general_unknowns(const Scene& scene, const RecordedPair& pair) {
  const bool first_is_a = pair.pair.form != static_cast<int>(EcpForm::kFirstIsB);
  const auto faces = [&](int body) {
    return static_cast<int>(
        convex_inequalities(scene.bodies[static_cast<std::size_t>(body)].shape).size());
  };
  const int l1 = pair.first + 6, l2 = l1 + faces(first_is_a ? pair.pair.a : pair.pair.b);
  return {pair.first, pair.first + 3, l1, l2, l2 + faces(first_is_a ? pair.pair.b : pair.pair.a)};
}

RecordedContact record_ecp_contact(StepRecorder& recorder, const RecordedPair& pair) {
  return pair.pair.form == static_cast<int>(EcpForm::kPlane) ? record_plane(recorder, pair)
                                                             : record_general(recorder, pair);
}

}  // namespace perp
