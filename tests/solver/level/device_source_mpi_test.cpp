#include <gtest/gtest.h>

#include <limits>
#include <vector>

#include "solver/discretise/compiled_function.hpp"
#include "solver/level/device_source.hpp"
#include "solver/level/source.hpp"
#include "tests/support/solving.hpp"

// Sources in t that the backend evaluates, compared with those that the host evaluates.

namespace isotherm::test {
namespace {

using expressions::Operation;
using expressions::Program;

class DeviceSources : public BackendTest {
 protected:
  mpi::Communicator const ranks{MPI_COMM_WORLD};

  /// sin(3 x + y)·exp(−t)
  static ScalarFunction source_in_t() {
    ScalarFunction source;
    source.evaluate = CompiledFunction{std::make_shared<Program const>(
        std::vector<double>{3.0},
        std::vector<expressions::Instruction>{{Operation::multiply, 7, {0, 6}},
                                              {Operation::add, 7, {7, 1}},
                                              {Operation::sine, 7, {7}},
                                              {Operation::negate, 8, {3}},
                                              {Operation::exponential, 8, {8}},
                                              {Operation::multiply, 7, {7, 8}}})};
    source.varies_in_time = true;
    source.text = "sin(3*x + y)*exp(-t)";
    return source;
  }

  /// Returns the source terms of all owned points at two times and for two step lengths.
  template <class Real>
  [[nodiscard]] std::vector<Real> terms(Problem const& problem, bool on_backend) const {
    Queue queue = make_queue(ranks.local_rank());
    Execution const where = execution(problem, ranks);
    Subdomain const subdomain(problem.grid, where.parts, ranks.rank());
    HaloShape halo;
    halo.depth = 1;
    FieldSpace<Real> space(ranks, subdomain, queue, halo, TransportKind::automatic);
    Scheme scheme{{0.1, 0.2, 0.0}, 0.3, 1.0, 0.01, 0.0};
    SourceField<Real> source(problem, scheme, space, on_backend);
    std::vector<Real> all;
    auto const append = [&] {
      std::vector<Real> values(static_cast<std::size_t>(subdomain.owned().point_count()));
      source.field().read(values);
      all.insert(all.end(), values.begin(), values.end());
    };
    append();
    source.set_time(0.7);
    append();
    scheme.source_factor = 0.11;
    source.set_scheme(scheme, 1.3);
    append();
    EXPECT_FALSE(source.take_fault());
    return all;
  }

  void expect_same(Problem const& problem) const {
    ASSERT_TRUE(device_can_evaluate_source(problem));
    EXPECT_EQ(terms<double>(problem, true), terms<double>(problem, false));
    EXPECT_EQ(terms<float>(problem, true), terms<float>(problem, false));
  }
};

TEST_F(DeviceSources, HaveTheBitsOfTheHost) {
  Problem problem = box_problem(Equation::diffusion, 2, {23, 14, 1}, {});
  problem.source = source_in_t();
  expect_same(problem);
  // Fluxes through faces, constant and varying.
  problem.boundary[{0, true}] = {BoundaryKind::neumann, 0.7};
  problem.boundary[{1, false}] = {BoundaryKind::neumann, source_in_t()};
  expect_same(problem);
}

TEST_F(DeviceSources, HaveTheBitsOfTheHostInHeterogeneousMedia) {
  Problem problem = box_problem(Equation::diffusion, 3, {11, 9, 6}, {});
  problem.source = source_in_t();
  problem.medium.capacity = steady([](double x, double, double) { return 1.0 + x; });
  expect_same(problem);
  problem.boundary[{2, true}] = {BoundaryKind::robin, 0.7, 2.0};
  expect_same(problem);
}

TEST_F(DeviceSources, OtherSourcesAreLeftToTheHost) {
  Problem problem = box_problem(Equation::diffusion, 2, {9, 9, 1}, {});
  problem.source = varying([](double x, double, double, double t) { return x * t; });
  EXPECT_FALSE(device_can_evaluate_source(problem));
  EXPECT_EQ(terms<double>(problem, true), terms<double>(problem, false));
}

}  // namespace
}  // namespace isotherm::test
