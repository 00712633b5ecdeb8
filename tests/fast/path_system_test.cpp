// The systems of the path of smoothing-continuation, against differences of its equations.
#include "friction_support.hpp"

#include <perp/solvers/friction/path_system.hpp>

namespace perp::test {
namespace {

class PathSystemTest : public ::testing::Test {
 protected:
  static constexpr int kContacts = 30, kSize = 3 * kContacts;

  PathSystemTest() : random_(5) {
    const DenseMatrix a = gaussian(random_, kSize, kSize);
    const DenseMatrix w = a * a.transpose() / kSize + 0.1 * DenseMatrix::Identity(kSize, kSize);
    problem_.build(contact_problem(w, gaussian(random_, kSize, 1), 0.4, 3),
                   ContactScaling::kContact);
    smoothed_.attach(problem_, 1e-3, 0.3);
    path_.attach(problem_, smoothed_, "auto");
    point_ = 0.3 * gaussian(random_, kSize, 1);
    smoothed_.evaluate(kSigma, 1.0, point_);
    path_.set_weights(smoothed_.weights());
    tangent_.r = gaussian(random_, kSize, 1);
    tangent_.z = gaussian(random_, kSize, 1);
    tangent_.log_sigma = -0.5;
    for (PathDirection* d : {&step_, &next_}) d->r = d->z = Vector::Zero(kSize);
  }

  Vector phi(double t, const PathDirection& d) {
    smoothed_.evaluate(kSigma * std::exp(t * d.log_sigma), 1.0, point_ + t * d.r);
    Vector value(kSize);
    for (int i = 0; i < kSize; ++i) value[i] = smoothed_.rows()[i / 3].phi[i % 3];
    return value;
  }
  /// J dr + b dln sigma by central differences.
  Vector derivative(const PathDirection& d) {
    constexpr double kStep = 1e-6;
    const Vector value = (phi(kStep, d) - phi(-kStep, d)) / (2 * kStep);
    smoothed_.evaluate(kSigma, 1.0, point_);
    return value;
  }

  static constexpr double kSigma = 0.05;
  Random random_;
  ContactProblem problem_;
  SmoothedContacts smoothed_;
  PathSystem path_;
  Vector point_;
  PathDirection tangent_, step_, next_;
};

TEST_F(PathSystemTest, StepAcrossTheTangentRemovesPhi) {
  ASSERT_TRUE(path_.solve_across(tangent_, step_));
  const Vector value = phi(0, step_);
  EXPECT_LE((derivative(step_) + value).norm(), 0.02 * value.norm());
  EXPECT_LE(std::abs(path_.product(tangent_, step_)), 1e-10 * path_.norm(tangent_));
}

TEST_F(PathSystemTest, TangentIsADirectionOfThePath) {
  ASSERT_TRUE(path_.solve_along_exactly(tangent_, next_));
  EXPECT_LE(derivative(next_).norm(), 1e-6 * (1 + next_.r.norm()));
  PathDirection change = next_;
  change.r -= tangent_.r;
  change.log_sigma -= tangent_.log_sigma;
  Vector u(kSize);
  problem_.multiply(change.r, u);
  u += smoothed_.shift() * change.r;
  smoothed_.change_of_z(change.r, u, change.z);
  EXPECT_LE(std::abs(path_.product(tangent_, change)), 1e-9 * path_.norm(change));
  step_ = next_;
  ASSERT_TRUE(path_.solve_along(tangent_, step_));
  EXPECT_LE((step_.r - next_.r).norm(), 0.1 * next_.r.norm());
}

// At other points the factors of the first one are enough until they are far away.
TEST_F(PathSystemTest, KeepsFactorsForPointsThatAreNear) {
  ASSERT_TRUE(path_.solve_across(tangent_, step_));
  EXPECT_EQ(path_.factors().factorisations, 1);
  const Vector first = point_, far = gaussian(random_, kSize, 1);
  for (const double distance : {1e-4, 1e-3, 1e-2}) {
    point_ = first + distance * far;
    const Vector value = phi(0, step_);
    ASSERT_TRUE(path_.solve_across(tangent_, step_));
    EXPECT_LE((derivative(step_) + value).norm(), 0.02 * value.norm()) << distance;
    EXPECT_EQ(path_.factors().factorisations, 1) << distance;
  }
  // If many steps were needed at one point, the next one gets new factors.
  for (const double distance : {10.0, 11.0}) {
    point_ = distance * far;
    const Vector value = phi(0, step_);
    ASSERT_TRUE(path_.solve_across(tangent_, step_));
    EXPECT_LE((derivative(step_) + value).norm(), 0.02 * value.norm());
  }
  EXPECT_EQ(path_.factors().factorisations, 2);
}

}  // namespace
}  // namespace perp::test
