// A contact LCP with friction pyramids of four edges, as blocks of three unknowns per contact.
#pragma once

#include <array>
#include <optional>
#include <perp/problems/standard/lcp.hpp>
#include <perp/solvers/box/row_problem.hpp>
#include <perp/solvers/friction/contact_problem.hpp>
#include <string>
#include <vector>

namespace perp {

/// The unknowns of one contact in an LCP of the form
///       ( W_nn  W_nd   0 )        ( c_n  )
///   M = ( W_dn  W_dd   E ),   z = ( beta ),
///       (  U    -E'    0 )        ( slip )
/// [StewartTrinkle1996], in any order: two impulses beta for each direction, forth and back.
struct PyramidContact {
  int normal = -1;  ///< c_n
  int slip = -1;    ///< -1: no friction
  double mu = 0.0;
  /// Of each direction the impulses forth and back, or -1 and -1.
  std::array<std::array<int, 2>, 2> edges = {{{-1, -1}, {-1, -1}}};

  bool has(int direction) const { return edges[direction][0] >= 0; }
};

/// The contacts of an LCP, in the order of their normals, or nullptr if M has another form. Every
/// contact with friction must have two or four edges, of which each is the negative of another. The
/// list lives until the next call on the same thread.
const std::vector<PyramidContact>* find_pyramid_contacts(const Lcp& problem);

/// The LCP with impulses r = (c_n, x_1, x_2) for each contact, x the difference of the impulses
/// forth and back, and the law
///   0 <= c_n  complementary to  u_n >= 0,   x minimises u_t'x over |x_1| + |x_2| <= mu c_n.
/// It has the same solutions: c_n, beta = (x^+, x^-), slip = max |u_i| if the contact slides, else
/// 0. A direction that a contact does not have gets W = 1 and q = 0, so that x = 0.
class PyramidProblem final : public ContactProblem {
 public:
  /// Why this LCP cannot be taken, or nothing if it can.
  static std::optional<std::string> refusal(const Problem& problem);
  /// Allocates only if sizes or blocks differ from those before.
  /// @throws std::invalid_argument if the LCP has another form.
  void build(const Problem& problem, ContactScaling scaling);

  /// The natural residual of the LCP at the point of (r, u), ||min(z, Mz + q)||_inf, with the
  /// slips that make it small.
  double measure(const Vector& r, const Vector& u) const override;
  /// The same for the z of to_lcp(), summed in extended precision as the verifier does.
  double measure(const Vector& r) const override;

  /// Change from the unknowns of the LCP to the scaled impulses, and back; c_n >= 0 there.
  void from_lcp(const Vector& z, Vector& r) const;
  void to_lcp(const Vector& r, Vector& z) const;
  int lcp_size() const { return lcp_.size(); }

 private:
  std::vector<PyramidContact> contacts_;
  RowProblem lcp_;
  std::vector<int> place_;    // of the unknowns of the LCP among the impulses r, or -1
  std::vector<int> unknown_;  // of the LCP for each impulse, or -1
  std::vector<int> former_;   // unknown_ of the problem before
  Vector mu_, q_;
  mutable Vector u_, z_;  // work space
};

}  // namespace perp
