#include <perp/solvers/interior_point/cone_product.hpp>

#include <perp/problems/standard/friction_cone.hpp>

#include <algorithm>
#include <cmath>
#include <perp/problems/matrix/infinity.hpp>

namespace perp {

namespace {

double tail_norm(const Vector& v, ConeProduct::Block b) {
  return v.segment(b.offset + 1, b.size - 1).norm();
}

// v_0^2 - ||v_1||^2 without cancellation of squares.
double determinant(const Vector& v, ConeProduct::Block b) {
  const double tail = tail_norm(v, b);
  return (v[b.offset] - tail) * (v[b.offset] + tail);
}

// Largest alpha <= limit with (v + alpha d)_0 >= ||(v + alpha d)_1||: the first positive root of
// a alpha^2 + 2 b alpha + c, c > 0.
double boundary_step(const Vector& v, const Vector& d, ConeProduct::Block block, double limit) {
  const int o = block.offset, k = block.size - 1;
  const double a = determinant(d, block);
  const double b = v[o] * d[o] - v.segment(o + 1, k).dot(d.segment(o + 1, k));
  const double c = determinant(v, block);
  if (!(c > 0)) return 0.0;
  const double disc = b * b - a * c;
  if (a >= 0 && b >= 0) return limit;
  const double square_root = std::sqrt(std::max(disc, 0.0));
  return std::min(limit, b <= 0 ? c / (square_root - b) : -(b + square_root) / a);
}

}  // namespace

void ConeProduct::build(const std::vector<Cone>& cones) {
  kind_.clear();
  linear_.clear();
  blocks_.clear();
  for (const Cone& cone : cones) {
    const int offset = rows();
    const bool half_line = cone.type == ConeType::kSecondOrder && cone.size == 1;
    const Row kind = cone.type == ConeType::kZero                       ? Row::kZero
                     : cone.type == ConeType::kNonnegative || half_line ? Row::kHalfLine
                                                                        : Row::kSecondOrder;
    kind_.insert(kind_.end(), cone.size, kind);
    if (kind == Row::kSecondOrder) blocks_.push_back({offset, cone.size});
    if (kind != Row::kHalfLine) continue;
    for (int i = 0; i < cone.size; ++i) linear_.push_back(offset + i);
  }
}

double ConeProduct::smallest_eigenvalue(const Vector& v) const {
  double smallest = kInfinity;
  for (int i : linear_) smallest = std::min(smallest, v[i]);
  for (const Block& b : blocks_) smallest = std::min(smallest, v[b.offset] - tail_norm(v, b));
  return smallest;
}

void ConeProduct::add_identity(double alpha, Vector& v) const {
  for (int i : linear_) v[i] += alpha;
  for (const Block& b : blocks_) v[b.offset] += alpha;
}

double ConeProduct::step_to_boundary(const Vector& v, const Vector& d, double limit) const {
  for (int i : linear_) {
    if (d[i] < 0) limit = std::min(limit, -v[i] / d[i]);
  }
  for (const Block& b : blocks_) limit = boundary_step(v, d, b, limit);
  return limit;
}

void ConeProduct::product(const Vector& a, const Vector& b, Vector& r) const {
  r.setZero(rows());
  for (int i : linear_) r[i] = a[i] * b[i];
  for (const Block& block : blocks_) {
    const int o = block.offset, k = block.size - 1;
    r[o] = a.segment(o, k + 1).dot(b.segment(o, k + 1));
    r.segment(o + 1, k) = a[o] * b.segment(o + 1, k) + b[o] * a.segment(o + 1, k);
  }
}

void ConeProduct::divide(const Vector& a, const Vector& d, Vector& r) const {
  if (&r != &d) r = d;
  for (int i : linear_) r[i] = d[i] / a[i];
  for (const Block& block : blocks_) {
    const int o = block.offset, k = block.size - 1;
    const auto tail = a.segment(o + 1, k);
    r[o] = (a[o] * d[o] - tail.dot(d.segment(o + 1, k))) / determinant(a, block);
    r.segment(o + 1, k) = (d.segment(o + 1, k) - r[o] * tail) / a[o];
  }
}

double ConeProduct::dot(const Vector& a, const Vector& b) const {
  double sum = 0.0;
  for (int i : linear_) sum += a[i] * b[i];
  for (const Block& block : blocks_)
    sum += a.segment(block.offset, block.size).dot(b.segment(block.offset, block.size));
  return sum;
}

void ConeProduct::project(Vector& v, bool primal) const {
  for (int i = 0; primal && i < rows(); ++i) {
    if (kind_[i] == Row::kZero) v[i] = 0.0;
  }
  for (int i : linear_) v[i] = std::max(v[i], 0.0);
  for (const Block& b : blocks_) project_on_cone(1.0, b.size, &v[b.offset]);
}

void ConeMatrix::resize(const ConeProduct& cones) {
  diagonal.setZero(cones.rows());
  axis.setZero(cones.rows());
  spectrum.assign(cones.second_order().size(), {1.0, 1.0, 1.0});
}

void ConeMatrix::set_identity(const ConeProduct& cones) {
  resize(cones);
  for (int i : cones.linear()) diagonal[i] = 1.0;
  for (const auto& b : cones.second_order()) axis[b.offset + 1] = 1.0;
}

// With s, z divided by the roots of their determinants: w = (s + Jz) / sqrt(2 (1 + s'z)),
// W = eta (2 v v' - J) for the v with v v' of w; its eigenvalues are eta (w_0 +- ||w_1||) and eta.
bool ConeMatrix::set_scaling(const ConeProduct& cones, const Vector& s, const Vector& z) {
  for (int i : cones.linear()) {
    if (!(s[i] > 0 && z[i] > 0)) return false;
    diagonal[i] = std::sqrt(s[i] / z[i]);
  }
  for (std::size_t k = 0; k < cones.second_order().size(); ++k) {
    const auto& block = cones.second_order()[k];
    const int o = block.offset, tail = block.size - 1;
    const double det_s = determinant(s, block), det_z = determinant(z, block);
    if (!(det_s > 0 && det_z > 0 && s[o] > 0 && z[o] > 0)) return false;
    const double root_s = std::sqrt(det_s), root_z = std::sqrt(det_z);
    const double eta = std::sqrt(root_s / root_z);
    const double product = s.segment(o, block.size).dot(z.segment(o, block.size));
    const double gamma = std::sqrt(0.5 * (1.0 + product / (root_s * root_z)));
    auto direction = axis.segment(o + 1, tail);
    direction = (s.segment(o + 1, tail) / root_s - z.segment(o + 1, tail) / root_z) / (2 * gamma);
    const double length = direction.norm();
    if (length > 0) {
      direction /= length;
    } else {
      direction.setZero();
      direction[0] = 1.0;
    }
    const double growth = length + std::sqrt(1.0 + length * length);
    spectrum[k] = {eta * growth, eta, eta / growth};
    if (!std::isfinite(growth) || !(eta > 0)) return false;
  }
  return true;
}

void ConeMatrix::set_square(const ConeProduct& cones, const ConeMatrix& other) {
  for (int i : cones.linear()) diagonal[i] = other.diagonal[i] * other.diagonal[i];
  axis = other.axis;
  for (std::size_t k = 0; k < spectrum.size(); ++k) {
    const Spectrum& e = other.spectrum[k];
    spectrum[k] = {e.plus * e.plus, e.tangent * e.tangent, e.minus * e.minus};
  }
}

namespace {

void apply(const ConeProduct& cones, const ConeMatrix& m, bool inverse, const Vector& x,
           Vector& r) {
  const auto value = [inverse](double e) { return inverse ? 1.0 / e : e; };
  if (&r != &x) r.setZero(cones.rows());
  for (int i = 0; &r == &x && i < cones.rows(); ++i) {
    if (cones.kind(i) == ConeProduct::Row::kZero) r[i] = 0.0;
  }
  for (int i : cones.linear()) r[i] = value(m.diagonal[i]) * x[i];
  for (std::size_t k = 0; k < m.spectrum.size(); ++k) {
    const auto& block = cones.second_order()[k];
    const int o = block.offset, tail = block.size - 1;
    const auto axis = m.axis.segment(o + 1, tail);
    const double along = axis.dot(x.segment(o + 1, tail)), head = x[o];
    const double plus = 0.5 * value(m.spectrum[k].plus) * (head + along);
    const double minus = 0.5 * value(m.spectrum[k].minus) * (head - along);
    const double tangent = value(m.spectrum[k].tangent);
    r.segment(o + 1, tail) =
        tangent * (x.segment(o + 1, tail) - along * axis) + (plus - minus) * axis;
    r[o] = plus + minus;
  }
}

}  // namespace

void ConeMatrix::multiply(const ConeProduct& cones, const Vector& x, Vector& r) const {
  apply(cones, *this, false, x, r);
}

void ConeMatrix::divide(const ConeProduct& cones, const Vector& x, Vector& r) const {
  apply(cones, *this, true, x, r);
}

}  // namespace perp
