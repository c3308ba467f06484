#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "tests/support/backends.hpp"
#include "tests/support/solving.hpp"

// Boundary values and sources that become non-finite during a run.

namespace isotherm::test {
namespace {

constexpr double inf = std::numeric_limits<double>::infinity();

class EvaluationFault : public BackendTest {
 protected:
  mpi::Communicator const ranks{MPI_COMM_WORLD};
  Problem problem = box_problem(Equation::diffusion, 2, {9, 17, 1}, {});
  MethodSettings method = method_for(problem, 40);

  [[nodiscard]] std::unique_ptr<Solver> solver() const {
    return make_solver(ranks, problem, method, execution(problem, ranks));
  }
  /// Returns the error message with which `work` ends on this rank; empty if it does not fail.
  template <class Work>
  static std::string failure(Work const& work) {
    try {
      work();
    } catch (Error const& error) {
      return error.what();
    }
    return {};
  }
  /// A function that is infinite at one point in step `step`, and zero everywhere else.
  [[nodiscard]] ScalarFunction infinite_once(double x, double y, int step) const {
    double const from = (step - 0.5) * method.time_step_s;
    double const to = (step + 0.5) * method.time_step_s;
    return varying([=](double at_x, double at_y, double, double t) {
      return at_x == x && at_y == y && t > from && t < to ? inf : 0.01 * t;
    });
  }
};

TEST_F(EvaluationFault, EndsTheRunOnEveryRankWithFacePlaceAndTime) {
  set_axis(problem, 0, {BoundaryKind::dirichlet, infinite_once(1.0, 0.25, 7)});
  for (std::int64_t const every : {5, 0}) {
    method.check_every = every;
    auto const run = solver();
    std::string const said = failure([&] {
      run->advance_to(30);
      (void)run->state();
    });

    EXPECT_EQ(said.find("the field is no longer finite: the value of the face x_upper is not a "
                        "finite number in float64 at x = 1, y = 0.25, t = 0.0"),
              0U)
        << said;
    EXPECT_EQ(run->iteration(), every == 5 ? 10 : 30);
  }
}

TEST_F(EvaluationFault, DistinguishesSourceAndNeumannFace) {
  set_axis(problem, 1, {BoundaryKind::neumann, infinite_once(0.5, 0.0, 3)});
  problem.source = infinite_once(0.5, 0.0, 9);
  std::string const of_face = failure([&] { solver()->advance_to(40); });
  EXPECT_NE(of_face.find("the face y_lower is not"), std::string::npos) << of_face;

  problem.source = infinite_once(0.5, 0.5, 2);
  std::string const of_source = failure([&] { solver()->advance_to(40); });
  EXPECT_NE(of_source.find("the source is not"), std::string::npos) << of_source;
  EXPECT_NE(of_source.find("at x = 0.5, y = 0.5, t ="), std::string::npos) << of_source;
}

TEST_F(EvaluationFault, IsDetectedAtUnusedPoints) {
  // No step reads the value at a corner.
  set_axis(problem, 0, {BoundaryKind::dirichlet, infinite_once(0.0, 0.0, 4)});
  EXPECT_NE(failure([&] { solver()->advance_to(40); }), "");
}

TEST_F(EvaluationFault, IsReportedOnce) {
  set_axis(problem, 0, {BoundaryKind::dirichlet, infinite_once(1.0, 0.25, 7)});
  auto const run = solver();
  std::vector<double> const start = field_of<double>(*run);
  EXPECT_NE(failure([&] { run->advance_to(40); }), "");

  run->restore(std::span(start), {.iteration = 8});
  EXPECT_EQ(failure([&] { run->advance_to(40); }), "");

  // A fault of a field that has been replaced since is not reported either.
  run->restore(std::span(start), {.iteration = 0});
  run->advance_to(8);
  run->restore(std::span(start), {.iteration = 8});
  EXPECT_EQ(failure([&] { run->advance_to(40); }), "");
}

}  // namespace
}  // namespace isotherm::test
