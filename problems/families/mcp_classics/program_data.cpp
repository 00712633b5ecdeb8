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

Vector hs66_solution() { return vector_of({0.1841264879, 1.202167873, 3.327322322, 0.66, 0.2}); }

Vector hs71_solution() { return vector_of({1, 4.742994, 3.8211503, 1.3794082, -0.16, 0.55}); }

Vector hs76_solution() { return vector_of({3. / 11, 23. / 11, 0, 6. / 11, 5. / 11, 0, 0}); }

Vector hs86_solution() {
  return vector_of({0.3, 0.33346761, 0.4, 0.4283101, 0.22396487, 0, 0, 5, 0, 3, 11, 0, 0, 0, 0});
}

Vector hs110_solution() { return Vector::Constant(10, 9.35026583); }

Vector hs117_solution() {
  return vector_of({0,   0,          5,   0,         3,          11, 0,  0,  0,   0,
                    0.3, 0.33346761, 0.4, 0.4283101, 0.22396487, .3, .3, .4, .43, .22});
}

}  // namespace perp::classics
