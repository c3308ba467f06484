#include <gtest/gtest.h>

#include "tests/support/backends.hpp"
#include "tests/support/solving.hpp"

// States that cannot be restored.

namespace isotherm::test {
namespace {

class RestoreRefusal : public BackendTest {};

TEST_F(RestoreRefusal, StateOutsideTheRunChangesNothing) {
  mpi::Communicator const ranks(MPI_COMM_WORLD);
  Problem problem = box_problem(Equation::laplace, 2, {9, 9, 1}, {});
  problem.initial.value = 1.0;
  auto const solver = make_solver(ranks, problem, jacobi(10), execution(problem, ranks));
  std::vector<double> const before = field_of<double>(*solver);
  std::vector<double> const zeros(before.size());

  for (auto const& [iteration, number] : {std::pair(-1L, "-1"), std::pair(11L, "11")}) {
    try {
      solver->restore(std::span(zeros), {.iteration = iteration});
      FAIL() << "iteration " << number << " was taken";
    } catch (Error const& error) {
      std::string const said = error.what();
      EXPECT_NE(said.find("iteration " + std::string(number)), std::string::npos) << said;
      EXPECT_NE(said.find("0 to 10"), std::string::npos) << said;
    }
  }
  EXPECT_EQ(solver->iteration(), 0);
  EXPECT_EQ(field_of<double>(*solver), before);

  EXPECT_NO_THROW(solver->restore(std::span(zeros), {.iteration = 10}));
  EXPECT_EQ(solver->iteration(), 10);
}

}  // namespace
}  // namespace isotherm::test
