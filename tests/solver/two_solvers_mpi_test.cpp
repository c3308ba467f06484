#include <gtest/gtest.h>

#include <memory>

#include "tests/support/backends.hpp"
#include "tests/support/solving.hpp"

// In an MPI test, use EXPECT_*, not ASSERT_*: a rank that leaves early leaves the others waiting in
// their next collective call.

namespace isotherm::test {
namespace {

/// Two solvers that exist at the same time, on separate devices if there are several.
class TwoSolvers : public BackendTest {
 protected:
  static Problem plate() {
    Problem problem = box_problem(Equation::poisson, 2, {65, 47, 1}, {});
    problem.source = steady([](double x, double y, double) { return x - 2.0 * y; });
    return problem;
  }
  static Problem block() {
    Problem problem = box_problem(Equation::diffusion, 3, {24, 31, 18}, {});
    problem.precision = Precision::float32;
    problem.initial.gaussians = {{{0.5, 0.5, 0.5}, 0.2, 1.0}};
    return problem;
  }

  std::unique_ptr<Solver> solver(Problem const& problem, int number) const {
    Execution how = execution(problem, ranks_);
    if (int const devices = cuda_device_count(); devices > 0) {
      how.device = (how.device + number) % devices;
    }
    return make_solver(ranks_, problem, method_for(problem, 100), how);
  }

  std::vector<double> plate_alone() const {
    auto const alone = solver(plate(), 0);
    alone->advance_to(57);
    return field_of<double>(*alone);
  }
  std::vector<float> block_alone() const {
    auto const alone = solver(block(), 1);
    alone->advance_to(41);
    return field_of<float>(*alone);
  }

  mpi::Communicator ranks_{MPI_COMM_WORLD};
};

TEST_F(TwoSolvers, DoNotDisturbEachOther) {
  std::vector<double> const plate_wanted = plate_alone();
  std::vector<float> const block_wanted = block_alone();
  auto const first = solver(plate(), 0);
  auto const second = solver(block(), 1);

  first->advance_to(20);
  second->advance_to(17);
  first->advance_to(57);
  second->advance_to(41);

  EXPECT_EQ(field_of<double>(*first), plate_wanted);
  EXPECT_EQ(field_of<float>(*second), block_wanted);
}

TEST_F(TwoSolvers, MayBeDestroyedInAnyOrder) {
  std::vector<double> const plate_wanted = plate_alone();
  auto first = solver(plate(), 0);
  auto second = solver(block(), 1);
  second->advance_to(5);
  first->advance_to(30);
  second.reset();  // frees its memory while the other device is busy
  first->advance_to(57);

  EXPECT_EQ(field_of<double>(*first), plate_wanted);
}

}  // namespace
}  // namespace isotherm::test
