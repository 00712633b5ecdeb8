#include <perp/problems/families/mcp_classics/classic.hpp>
#include <perp/problems/families/mcp_classics/program_data.hpp>

namespace perp::classics {

const ColvilleData& colville_data() {
  static const ColvilleData data = {{{-16, 2, 0, 1, 0},
                                     {0, -2, 0, 0.4, 2},
                                     {-3.5, 0, 2, 0, 0},
                                     {0, -2, 0, -4, -1},
                                     {0, -9, -2, 1, -2.8},
                                     {2, 0, -4, 0, 0},
                                     {-1, -1, -1, -1, -1},
                                     {-1, -2, -3, -2, -1},
                                     {1, 2, 3, 4, 5},
                                     {1, 1, 1, 1, 1}},
                                    {-40, -2, -0.25, -4, -4, -1, -40, -60, 5, 1},
                                    {{30, -20, -10, 32, -10},
                                     {-20, 39, -6, -31, 32},
                                     {-10, -6, 10, -6, -10},
                                     {32, -31, -6, 39, -20},
                                     {-10, 32, -10, -20, 30}},
                                    {4, 8, 10, 6, 2},
                                    {-15, -27, -36, -18, -12}};
  return data;
}

Vector hs66_solution() {
  return vector_of(
      {0.18412648792284766, 1.2021678731970429, 3.3273223225990955, 0.66546446451981911, 0.2});
}

Vector hs71_solution() {
  return vector_of({1, 4.7429996372644174, 3.8211499841848742, 1.3794082931726723,
                    -0.16146856677050589, 0.55229366012072689});
}

Vector hs76_solution() { return vector_of({3. / 11, 23. / 11, 0, 6. / 11, 5. / 11, 0, 0}); }

Vector hs86_solution() {
  return vector_of({0.3, 0.33346760653460711, 0.4, 0.42831010478169873, 0.22396487356079811, 0, 0,
                    5.1740407276981752, 0, 3.0611086877584501, 11.839545664800733, 0, 0,
                    0.10389619077061593, 0});
}

Vector hs110_solution() { return Vector::Constant(10, 9.3502658330693844); }

// The multipliers of each program are the unknowns of the other.
Vector hs117_solution() {
  const Vector primal = hs86_solution();
  Vector z(20);
  z << primal.tail(10), primal.head(5), primal.head(5);
  return z;
}

}  // namespace perp::classics
