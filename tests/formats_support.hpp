// What the tests of formats share: refusals, and a global friction problem.
#pragma once

#include "support.hpp"

#include <Eigen/LU>

namespace perp::test {

// The complaint about a text, which must name the file and these words.
template <class Read>
void expect_refusal(Read read, std::initializer_list<const char*> words) {
  try {
    read();
    ADD_FAILURE() << "read without complaint";
  } catch (const InputError& error) {
    const std::string text = error.what();
    EXPECT_EQ(text.find('\n'), std::string::npos) << text;
    EXPECT_NE(text.find("file.x"), std::string::npos) << text;
    for (const char* word : words) EXPECT_NE(text.find(word), std::string::npos) << text;
  }
}

// Two contacts of dimension 2 on a chain of three masses: M v = H r + f, u = H'v + w.
struct Chain {
  SparseMatrix M = matrix(3, 3, {2, -1, 0, -1, 3, -1, 0, -1, 4}).sparseView();
  SparseMatrix H = matrix(3, 4, {1, 0, 0, 0, -1, 1, 0, 1, 0, 0, 1, 2}).sparseView();
  Vector f = vector({1, -2, 3}), w = vector({-1, 0.5, 0, 0.25}), mu = vector({0.5, 0.3});

  // u for some r, by hand.
  Vector velocity(const Vector& r) const {
    const Vector v = DenseMatrix(M).inverse() * (H * r + f);
    return H.transpose() * v + w;
  }
};

}  // namespace perp::test
