#pragma once

#include <cmath>
#include <memory>
#include <numbers>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "solver/discretise/flux/energy_meter.hpp"
#include "solver/discretise/flux/heat_flow_meter.hpp"
#include "tests/support/solving.hpp"

namespace isotherm::test {

inline void make_isotropic(Problem& problem, ScalarFunction const& conductivity) {
  problem.medium.conductivity = {conductivity, conductivity, conductivity};
  problem.medium.isotropic = true;
}

/// A region that is the set of the grid points inside it.
inline Region region(Region::Contains contains) {
  return {std::move(contains), "a test's region", std::nullopt, true};
}

inline std::unique_ptr<Solver> solved(Problem const& problem, MethodSettings const& method,
                                      std::string const& plan = "auto") {
  mpi::Communicator const ranks(MPI_COMM_WORLD);
  Execution where = execution(problem, ranks);
  where.plan = plan;
  auto solver = make_solver(ranks, problem, method, where);
  solver->advance_to(method.iterations);
  return solver;
}

/// Returns the heat flows of the solver's present field. Collective.
inline HeatFlows flows_of(Solver& solver, Problem const& problem) {
  mpi::Communicator const ranks(MPI_COMM_WORLD);
  HeatFlows flows;
  std::visit(
      [&]<class Real>(FieldView<Real const> field) {
        HeatFlowMeter<Real> meter(ranks, solver.queue(), solver.subdomain(), problem);
        flows = meter.read(field, solver.time_s());
      },
      solver.field_view());
  return flows;
}

/// Returns the energy of the solver's present field. Collective.
inline double energy_of(Solver& solver, Problem const& problem) {
  mpi::Communicator const ranks(MPI_COMM_WORLD);
  return std::visit(
      [&]<class Real>(FieldView<Real const> field) {
        return EnergyMeter<Real>(ranks, solver.queue(), solver.subdomain(), problem).energy(field);
      },
      solver.field_view());
}

/// Returns the largest difference of two fields on this rank.
template <class Real>
double difference(Solver& one, Solver& other) {
  std::vector<Real> const a = field_of<Real>(one);
  std::vector<Real> const b = field_of<Real>(other);
  double largest = 0.0;
  for (std::size_t n = 0; n < a.size(); ++n) {
    double const error = std::abs(static_cast<double>(a[n]) - static_cast<double>(b[n]));
    largest = std::isnan(largest) || error <= largest ? largest : error;
  }
  return largest;
}

/// A problem with all kinds of faces, a source, and unequal spacings.
inline Problem mixed_problem(Equation equation, Precision precision, int dimension) {
  using enum BoundaryKind;
  Problem problem;
  problem.equation = equation;
  problem.precision = precision;
  Extent3 const n{19, 14, dimension == 3 ? 11 : 1};
  problem.grid = make_grid(dimension, n, {0, 0, 0}, {1.0, 1.3, 0.6}, {false, false, true});
  if (dimension == 2) problem.grid.periodic[2] = false;
  problem.boundary[{0, false}] = {dirichlet, steady([](double, double y, double z) {
                                    return 1.0 + std::sin(3 * y) * (z + 1);
                                  })};
  problem.boundary[{0, true}] = {neumann, steady([](double, double y, double) { return 2 * y; })};
  set_axis(problem, 1, {neumann, 0.3});
  if (dimension == 3) set_axis(problem, 2, {periodic});
  if (equation != Equation::laplace) {
    problem.source = steady([](double x, double y, double) { return 4 * x - y; });
  }
  problem.initial.value = steady([](double x, double y, double z) {
    return std::cos(5 * x) + y * y * std::sin(2 * std::numbers::pi * z / 0.6);
  });
  return problem;
}

/// The same problem on a grid with graded x and y axes, with gaps that differ by up to 20 : 1.
inline Problem graded(Problem problem) {
  for (int const axis : {0, 1}) {
    double const length = problem.grid.length(axis);
    auto const last = static_cast<double>(problem.grid.points[axis] - 1);
    std::vector<double> coordinates;
    for (std::int64_t i = 0; i < problem.grid.points[axis]; ++i) {
      double const share = static_cast<double>(i) / last;
      double const bent = axis == 0 ? std::expm1(3 * share) / std::expm1(3.0)
                                    : 0.5 + 0.5 * std::tanh(2 * (2 * share - 1)) / std::tanh(2.0);
      coordinates.push_back(i + 1 == problem.grid.points[axis] ? length : length * bent);
    }
    problem.grid = with_coordinates(problem.grid, axis, coordinates);
  }
  return problem;
}

/// A heterogeneous medium with conductivities of all magnitudes, fixed and insulated regions,
/// patches, Robin faces, and a heat capacity.
inline Problem everything(Equation equation, Precision precision, int dimension) {
  using enum BoundaryKind;
  Problem problem = mixed_problem(equation, precision, dimension);
  auto const conductivity = [](double x, double y, double z) {
    return std::exp(2 * std::sin(7 * x + 3 * y) + z) * (x > 0.45 && y < 0.6 ? 50.0 : 1.0);
  };
  problem.medium.conductivity[0] = steady(conductivity);
  problem.medium.conductivity[1] =
      steady([=](double x, double y, double z) { return 3 * conductivity(x, y, z) + x; });
  problem.medium.conductivity[2] = 0.7;
  if (equation == Equation::diffusion) {
    problem.medium.capacity = steady([](double x, double, double z) { return 1 + x + z * z; });
  }
  problem.boundary[{1, false}] = {robin, steady([](double x, double, double) { return 4 + x; }),
                                  2.5};
  problem.boundary[{0, true}] = {robin, -1.0, steady([](double, double y, double) { return y; })};
  problem.patches.push_back(
      {{0, false}, region([](double, double y, double) { return y > 0.8; }), {neumann, 0.25}});
  problem.patches.push_back(
      {{1, true},
       region([](double x, double, double) { return x > 0.5; }),
       {dirichlet, steady([](double x, double, double z) { return x - z; })}});
  problem.medium.fixed.push_back(
      {region([](double x, double y, double) { return std::hypot(x - 0.6, y - 0.7) < 0.12; }),
       steady([](double x, double, double) { return 5 * x; })});
  problem.medium.insulated.push_back(
      region([](double x, double y, double) { return x > 0.2 && x < 0.4 && y > 0.3 && y < 0.9; }));
  return problem;
}

/// Returns decompositions of a grid into this number of parts: along each axis, and a square one.
inline std::vector<Extent3> cuts_of(Grid const& grid, int ranks) {
  std::int64_t const all = ranks;
  std::vector<Extent3> cuts{{all, 1, 1}, {1, all, 1}};
  if (grid.dimension == 3) cuts.push_back({1, 1, all});
  if (all == 4) cuts.push_back({2, 2, 1});
  return cuts;
}

}  // namespace isotherm::test
