#include <perp/formulations/gap/nearest_points/closest_points.hpp>

namespace perp {

namespace {

struct Point {
  int first;
  ExprVector3 x;
};

Point new_point(StepRecorder& step, const std::string& name, std::uint64_t key) {
  static const char* const kAxes[] = {".x", ".y", ".z"};
  Point p{-1, ExprVector3::Zero()};
  for (int k = 0; k < step.scene().dimension; ++k) {
    const int index = step.free_unknown(name + kAxes[k], key + static_cast<std::uint64_t>(k));
    if (k == 0) p.first = index;
    p.x[k] = step.unknown(index);
  }
  return p;
}

}  // namespace

RecordedPoints record_closest_points(StepRecorder& step, ClosestPointForm form, GapFunction gap,
                                     const std::string& name, std::uint64_t key,
                                     const RecordedSolid& a, const RecordedSolid& b, double length,
                                     const ExprVector3& reference_t,
                                     const ExprVector3& reference_o) {
  const int dimension = step.scene().dimension;
  const Point a1 = new_point(step, name + ".a1", key), a2 = new_point(step, name + ".a2", key + 3);
  const RecordedSurface f = record_surface(*a.shape, length, a.pose, a1.x);
  const RecordedSurface g = record_surface(*b.shape, length, b.pose, a2.x);
  const ExprVector3 normal_f = unit(f.gradient), apart = a1.x - a2.x;
  const bool of_a = gap == GapFunction::kOfA;
  // [ChakrabortyBerardAkellaTrinkle2007, Eq. 6]
  const Expr value = of_a ? record_surface(*a.shape, length, a.pose, a2.x).value
                          : record_surface(*b.shape, length, b.pose, a1.x).value;
  RecordedPoints pair{{a1.first, a2.first}, a1.x, a2.x, -normal_f, value};
  if (form == ClosestPointForm::kMultiplier) {
    pair.unknowns.l1 = step.nonnegative_unknown(name + ".l1", key + 6);
    pair.unknowns.l2 = step.nonnegative_unknown(name + ".l2", key + 7);
    const Expr l1 = step.unknown(pair.unknowns.l1), l2 = step.unknown(pair.unknowns.l2);
    // [ChakrabortyBerardAkellaTrinkle2007, Eqs. 7-8]. The second equation has its own factor, so
    // that it does not vanish when the points meet. The multiplier l1 belongs to the body whose
    // function is the gap: else a point inside both bodies would be a solution, because l1 = 0
    // makes the points equal and no row would make the function of that body 0 there.
    const RecordedSurface &first = of_a ? f : g, &second = of_a ? g : f;
    const ExprVector3 parallel = first.gradient + l2 * second.gradient;
    const ExprVector3 meeting = apart + (of_a ? l1 : -l1) * first.gradient;
    for (int k = 0; k < dimension; ++k) {
      step.set_row(a1.first + k, parallel[k]);
      step.set_row(a2.first + k, meeting[k]);
    }
    step.set_row(pair.unknowns.l1, -first.value);
    step.set_row(pair.unknowns.l2, -second.value);
    return pair;
  }
  const ExprVector3 normal_g = unit(g.gradient);
  ExprVector3 t = reference_t, o = reference_o, meeting, parallel;
  if (form == ClosestPointForm::kUnitNormal) {
    meeting = apart + norm(apart) * normal_f;  // [ChakrabortyBerardAkellaTrinkle2007, Eq. 9]
    parallel = normal_f + normal_g;
  } else {
    RecordedContact frame;
    frame.n = pair.n;
    set_tangents(reference_t, dimension, frame);
    t = frame.t;
    o = frame.o;
    meeting = apart;
    parallel = normal_g;
  }
  int row = a1.first;
  step.set_row(row++, dot(t, meeting));
  if (dimension == 3) step.set_row(row++, dot(o, meeting));
  step.set_row(row, f.value);
  row = a2.first;
  step.set_row(row++, dot(t, parallel));
  if (dimension == 3) step.set_row(row++, dot(o, parallel));
  step.set_row(row, g.value);
  return pair;
}

}  // namespace perp
