#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "solver/discretise/finite_volumes.hpp"
#include "solver/discretise/point_constraints.hpp"
#include "solver/level/unknowns/connected_components.hpp"
#include "tests/support/backends.hpp"
#include "tests/support/bodies.hpp"

// Conservation of heat in the components of a heterogeneous medium, in implicit steps of any
// length.

namespace isotherm::test {
namespace {

using enum BoundaryKind;

constexpr char const* names[] = {"backward_euler", "crank_nicolson"};

MethodSettings implicit(std::string const& name, std::int64_t steps, double time_step_s,
                        double step_tolerance = 1e-10) {
  MethodSettings method = ftcs(steps, time_step_s);
  method.name = name;
  method.check_every = 0;
  method.step_tolerance = step_tolerance;
  return method;
}

class Components : public BackendTest {
 protected:
  mpi::Communicator ranks_{MPI_COMM_WORLD};

  /// Σ c V u of each component, on all ranks.
  std::vector<double> heat(Solver& solver, Problem const& problem) {
    Subdomain const& share = solver.subdomain();
    ConnectedComponents const components = find_connected_components(ranks_, problem, share);
    std::vector<double> u;
    if (problem.precision == Precision::float64) {
      u = field_of<double>(solver);
    } else {
      std::vector<float> const narrow = field_of<float>(solver);
      u.assign(narrow.begin(), narrow.end());
    }
    std::vector<double> sums(components.first.size());
    for_each_owned(share, [&](Index3 p, std::size_t n) {
      std::int32_t const component = components.of(static_cast<std::int64_t>(n));
      if (component < 0 || is_fixed_point(problem, p)) return;
      ScalarFunction const& capacity = problem.medium.capacity;
      double const c = capacity.is_constant() ? capacity.constant
                                              : capacity(problem.grid.coordinate(0, p.x),
                                                         problem.grid.coordinate(1, p.y),
                                                         problem.grid.coordinate(2, p.z), 0.0);
      sums[static_cast<std::size_t>(component)] += c * volume(problem.grid, {}, p) * u[n];
    });
    for (double& sum : sums) sum = ranks_.sum(sum);
    return sums;
  }
  /// Σ c V of each component.
  std::vector<double> capacities(Problem problem) {
    problem.initial.value = 1.0;
    auto const ones =
        make_solver(ranks_, problem, implicit("backward_euler", 1, 1.0), where(problem));
    return heat(*ones, problem);
  }
  [[nodiscard]] Execution where(Problem const& problem) const { return execution(problem, ranks_); }
};

/// A closed box, graded along x by a hyperbolic tangent.
Problem insulated_box(std::int64_t n) {
  Problem problem = box_problem(Equation::diffusion, 2, {n, n, 1}, {neumann, 0.0});
  std::vector<double> along;
  for (std::int64_t i = 0; i < n; ++i) {
    double const share = static_cast<double>(i) / static_cast<double>(n - 1);
    along.push_back(i + 1 == n ? 1.0 : 0.5 + 0.5 * std::tanh(2 * (2 * share - 1)) / std::tanh(2.0));
  }
  along[0] = 0.0;
  problem.grid = with_coordinates(problem.grid, 0, along);
  problem.initial.value = steady([](double x, double y, double) { return x + y * y; });
  return problem;
}

struct Case {
  std::string name;
  Problem problem;
};

std::vector<Case> insulated_cases(std::int64_t n = 33) {
  std::vector<Case> cases;
  cases.push_back({"alike", insulated_box(n)});
  Problem walls = insulated_box(n);
  make_isotropic(walls, steady([](double x, double, double) { return x < 0.5 ? 1.0 : 50.0; }));
  double const wall_x = walls.grid.coordinate(0, 3 * n / 8);
  double const wall_y = walls.grid.coordinate(1, 5 * n / 8);
  walls.medium.insulated.push_back(region(
      [=](double x, double y, double) { return x == wall_x || (y == wall_y && x > wall_x); }));
  cases.push_back({"three islands", walls});
  Problem layers = insulated_box(n);
  make_isotropic(layers, steady([](double, double y, double) {
                   return std::fmod(8 * y, 2.0) < 1.0 ? 1e3 : 1.0;
                 }));
  cases.push_back({"layers", layers});
  Problem capacity = insulated_box(n);
  capacity.medium.capacity = steady([](double, double y, double) { return y < 0.5 ? 1e4 : 1.0; });
  cases.push_back({"capacities", capacity});
  Problem halves = insulated_box(n);
  make_isotropic(halves, steady([](double x, double, double) { return x < 0.5 ? 1e9 : 1.0; }));
  cases.push_back({"halves", halves});
  return cases;
}

/// Bound on rounding errors, relative to Σ c V |u| of a component.
constexpr double float64_bound = 1e-13;
/// Each step rounds each value once more after the balance is set: by at most 2^-24 of it.
constexpr double float32_bound_of_a_step = 0x1p-24;

TEST_F(Components, ConserveHeatForAnyStepLength) {
  for (auto const& [what, problem] : insulated_cases()) {
    std::vector<double> const capacity = capacities(problem);
    for (char const* const name : names) {
      for (double const step : {1e-2, 1e2, 1e15, 1e40}) {
        if (step == 1e40 && what != "alike") continue;
        auto const solver = make_solver(ranks_, problem, implicit(name, 3, step), where(problem));
        std::vector<double> const before = heat(*solver, problem);
        solver->advance_to(3);
        std::vector<double> const after = heat(*solver, problem);
        for (std::size_t n = 0; n < before.size(); ++n) {
          EXPECT_NEAR(after[n] / before[n], 1.0, float64_bound)
              << what << ' ' << name << ' ' << step;
        }
        if (step < 1e9) continue;
        // Such a long step reduces each component to its mean.
        ConnectedComponents const components =
            find_connected_components(ranks_, problem, solver->subdomain());
        std::vector<double> const u = field_of<double>(*solver);
        for (std::size_t n = 0; n < u.size(); ++n) {
          std::int32_t const component = components.of(static_cast<std::int64_t>(n));
          if (component < 0) continue;
          auto const at = static_cast<std::size_t>(component);
          ASSERT_NEAR(u[n], before[at] / capacity[at], 1e-12) << what << ' ' << name << ' ' << step;
        }
      }
    }
  }
}

/// Rounding of values in good conductors does not keep bad conductors from converging. Each step is
/// solved to the rounding floor of the stored values; otherwise the run would end.
TEST_F(Components, SolvedToRoundingForAnyContrast) {
  for (std::int64_t const n : {13, 15, 17, 33}) {
    Problem const halves = insulated_cases(n).back().problem;
    for (char const* const name : names) {
      auto const solver = make_solver(ranks_, halves, implicit(name, 3, 1.0, 1e-15), where(halves));
      EXPECT_NO_THROW(solver->advance_to(3)) << n << ' ' << name;
    }
  }
}

/// Rows of a component that exceed the work of a warp are divided.
TEST_F(Components, LongRowsConserveHeat) {
  Problem problem = box_problem(Equation::diffusion, 2, {20001, 3, 1}, {neumann, 0.0});
  make_isotropic(problem, steady([](double x, double, double) { return 1.0 + x; }));
  problem.initial.value = steady([](double x, double y, double) { return 1.0 + x + y; });
  auto const solver =
      make_solver(ranks_, problem, implicit("backward_euler", 1, 1e6, 1e-4), where(problem));
  double const before = heat(*solver, problem)[0];
  solver->advance_to(1);
  EXPECT_NEAR(heat(*solver, problem)[0] / before, 1.0, float64_bound);
}

TEST_F(Components, ConserveHeatInFloat32WithinRounding) {
  for (auto [what, problem] : insulated_cases()) {
    if (what == "halves") continue;  // fluxes smaller by 1e-9 vanish in float32
    problem.precision = Precision::float32;
    for (double const step : {1e2, 1e15}) {
      auto const solver =
          make_solver(ranks_, problem, implicit("backward_euler", 3, step), where(problem));
      std::vector<double> const before = heat(*solver, problem);
      solver->advance_to(3);
      std::vector<double> const after = heat(*solver, problem);
      for (std::size_t n = 0; n < before.size(); ++n) {
        EXPECT_NEAR(after[n] / before[n], 1.0, 3 * float32_bound_of_a_step) << what << ' ' << step;
      }
    }
  }
}

/// The reference: a backward Euler step of a closed problem without a source, by Gaussian
/// elimination in long double on the whole grid.
std::vector<long double> eliminated_step(Problem const& problem, double time_step_s) {
  Grid const& grid = problem.grid;
  Extent3 const n = grid.points;
  auto const count = static_cast<std::size_t>(n.x * n.y);
  auto const number = [&](std::int64_t i, std::int64_t j) {
    return static_cast<std::size_t>(j * n.x + i);
  };
  auto const at = [&](ScalarFunction const& function, std::int64_t i, std::int64_t j) {
    return function.is_constant()
               ? function.constant
               : function(grid.coordinate(0, i), grid.coordinate(1, j), 0.0, 0.0);
  };
  std::vector<std::vector<long double>> a(count, std::vector<long double>(count));
  std::vector<long double> u(count);
  auto const link = [&](std::int64_t i, std::int64_t j, int axis) {
    Index3 const next{i + (axis == 0), j + (axis == 1), 0};
    if (is_fixed_point(problem, {i, j, 0}) || is_fixed_point(problem, next)) return;
    double const k = at(problem.medium.conductivity[axis], i, j);
    double const k_next = at(problem.medium.conductivity[axis], next.x, next.y);
    double const area = volume_width(grid, {}, 1 - axis, axis == 0 ? j : i);
    long double const g =
        2.0L * k * k_next / (k + k_next) * area / grid.gap(axis, axis == 0 ? i : j);
    std::size_t const p = number(i, j);
    std::size_t const q = number(next.x, next.y);
    a[p][p] += g;
    a[q][q] += g;
    a[p][q] -= g;
    a[q][p] -= g;
  };
  for (std::int64_t j = 0; j < n.y; ++j) {
    for (std::int64_t i = 0; i < n.x; ++i) {
      if (i + 1 < n.x) link(i, j, 0);
      if (j + 1 < n.y) link(i, j, 1);
      long double const per_step =
          at(problem.medium.capacity, i, j) * volume(grid, {}, {i, j, 0}) / time_step_s;
      a[number(i, j)][number(i, j)] += per_step;
      u[number(i, j)] = per_step * at(problem.initial.value, i, j);
    }
  }
  for (std::size_t p = 0; p < count; ++p) {
    for (std::size_t r = p + 1; r < count; ++r) {
      long double const factor = a[r][p] / a[p][p];
      if (factor == 0.0L) continue;
      for (std::size_t c = p; c < count; ++c) a[r][c] -= factor * a[p][c];
      u[r] -= factor * u[p];
    }
  }
  for (std::size_t p = count; p-- > 0;) {
    for (std::size_t c = p + 1; c < count; ++c) u[p] -= a[p][c] * u[c];
    u[p] /= a[p][p];
  }
  return u;
}

TEST_F(Components, FieldMatchesDirectElimination) {
  for (auto const& [what, problem] : insulated_cases(13)) {
    for (double const step : {1e-2, 1.0, 1e2}) {
      std::vector<long double> const wanted = eliminated_step(problem, step);
      for (double const tolerance : {1e-6, 1e-10}) {
        auto const solver = make_solver(
            ranks_, problem, implicit("backward_euler", 1, step, tolerance), where(problem));
        solver->advance_to(1);
        std::vector<double> const u = field_of<double>(*solver);
        double largest = 0.0;
        for_each_owned(solver->subdomain(), [&](Index3 p, std::size_t n) {
          if (is_fixed_point(problem, p)) return;
          auto const expected =
              static_cast<double>(wanted[static_cast<std::size_t>(p.y * 13 + p.x)]);
          largest = std::max(largest, std::abs(u[n] - expected));
        });
        // A conductivity of 1e9 carries rounding errors of its values into the region of
        // conductivity 1.
        double const bound = tolerance == 1e-6 ? 1e-5 : what == "halves" ? 1e-6 : 1e-9;
        EXPECT_LE(ranks_.max(largest), bound) << what << ' ' << step << ' ' << tolerance;
      }
    }
  }
}

/// Heat that flows into each component at time t: independent of the values, and through Robin
/// faces; and the sum of absolute flows.
struct Inflow {
  std::vector<double> of_components;
  double size = 0.0;
};

Inflow inflow(mpi::Communicator const& ranks, Solver& solver, Problem const& problem, double t) {
  ConnectedComponents const components =
      find_connected_components(ranks, problem, solver.subdomain());
  std::vector<double> const u = field_of<double>(solver);
  Grid const& grid = problem.grid;
  Inflow total{std::vector<double>(components.first.size())};
  for_each_owned(solver.subdomain(), [&](Index3 p, std::size_t n) {
    std::int32_t const component = components.of(static_cast<std::int64_t>(n));
    if (component < 0) return;
    auto const add = [&](double flow) {
      total.of_components[static_cast<std::size_t>(component)] += flow;
      total.size += std::abs(flow);
    };
    add(problem.source(grid.coordinate(0, p.x), grid.coordinate(1, p.y), grid.coordinate(2, p.z),
                       t) *
        volume(grid, {}, p));
    for (Face const face : faces(grid)) {
      if (!lies_on(grid, face, p)) continue;
      add(face_flow(problem, {}, face, p, t).at_zero);
      add(-robin_conductance(problem, {}, face, p) * u[n]);
    }
  });
  for (double& flow : total.of_components) flow = ranks.sum(flow);
  total.size = ranks.sum(total.size);
  return total;
}

/// A wall divides the box. Each part has a source, a Neumann and a Robin face that vary in time.
Problem heated_box(int dimension) {
  Problem problem = graded(box_problem(Equation::diffusion, dimension,
                                       {17, 15, dimension == 3 ? 41 : 1}, {neumann, 0.0}));
  make_isotropic(problem, steady([](double x, double y, double) {
                   return std::exp(3 * std::sin(7 * x)) * (y < 0.6 ? 40.0 : 1.0);
                 }));
  problem.medium.capacity = steady([](double x, double, double) { return x < 0.3 ? 200.0 : 1.0; });
  double const wall = problem.grid.coordinate(1, 8);
  problem.medium.insulated.push_back(region([=](double, double y, double) { return y == wall; }));
  problem.initial.value = steady([](double x, double y, double) { return 2 + x * y; });
  problem.source = varying([](double x, double y, double, double t) {
    return 3 * std::sin(5 * x + t) - y * std::cos(2 * t);
  });
  problem.boundary[{1, false}] = {
      neumann, varying([](double x, double, double, double t) { return x * std::sin(3 * t); })};
  problem.boundary[{0, true}] = {
      robin, varying([](double, double y, double, double t) { return 4 + y * std::cos(t); }),
      steady([](double, double y, double) { return 0.5 + y; })};
  return problem;
}

TEST_F(Components, HeatChangesByTheInflow) {
  for (int const dimension : {2, 3}) {
    for (double const coefficient : {1.0, 1e-9}) {
      if (dimension == 3 && coefficient == 1.0) continue;  // 2D suffices
      Problem problem = heated_box(dimension);
      if (coefficient != 1.0) problem.boundary[{0, true}].coefficient = coefficient;
      for (char const* const name : names) {
        bool const looks_back = std::string(name) == "crank_nicolson";
        for (double const step : {3e-3, 1.0, 1e6}) {
          auto const solver = make_solver(ranks_, problem, implicit(name, 3, step), where(problem));
          solver->advance_to(1);  // two half steps with crank_nicolson
          for (int n = 1; n < 3; ++n) {
            std::vector<double> const before = heat(*solver, problem);
            Inflow const last = inflow(ranks_, *solver, problem, solver->time_s());
            solver->advance_to(n + 1);
            std::vector<double> const after = heat(*solver, problem);
            Inflow const next = inflow(ranks_, *solver, problem, solver->time_s());
            for (std::size_t at = 0; at < before.size(); ++at) {
              double const flow = looks_back
                                      ? 0.5 * (last.of_components[at] + next.of_components[at])
                                      : next.of_components[at];
              double const size = std::abs(before[at]) + std::abs(after[at]) +
                                  step * std::max(last.size, next.size);
              EXPECT_NEAR(after[at] - before[at], step * flow, 1e-13 * size)
                  << dimension << ' ' << name << ' ' << step << ' ' << coefficient;
            }
          }
        }
      }
    }
  }
}

/// Returns the sum of conductances from unknowns to fixed points and to Robin faces, for an
/// isotropic medium in 2D.
double what_holds(Problem const& problem) {
  Grid const& grid = problem.grid;
  double sum = 0.0;
  for (std::int64_t j = 0; j < grid.points.y; ++j) {
    for (std::int64_t i = 0; i < grid.points.x; ++i) {
      Index3 const p{i, j, 0};
      if (is_fixed_point(problem, p)) continue;
      for (Face const face : faces(grid)) {
        bool const lies_there = lies_on(grid, face, p) && !grid.periodic[face.axis];
        if (lies_there) sum += robin_conductance(problem, {}, face, p);
        if (lies_there) continue;
        Index3 next = p;
        next[face.axis] += face.upper ? 1 : -1;
        double const gap = grid.gap(face.axis, face.upper ? p[face.axis] : next[face.axis]);
        next[face.axis] = grid.on_axis(face.axis, next[face.axis]);
        if (!is_fixed_point(problem, next)) continue;
        double const here = conductivity_at(problem, 0, p);
        double const there = conductivity_at(problem, 0, next);
        sum += 2 * here * there / (here + there) * face_area(grid, {}, face.axis, p) / gap;
      }
    }
  }
  return sum;
}

/// In a box that loses hardly any heat all points have one value u: C du/dt = G (given − u).
TEST_F(Components, WeaklyHeldIslandsRelaxToGivenValues) {
  constexpr double weak = 1e-12;
  constexpr double given = 3.0;
  Problem faces = insulated_box(33);
  faces.boundary[{0, false}] = {robin, given, weak};
  Problem skin = insulated_box(33);  // poorly conducting points on a Dirichlet face
  skin.boundary[{0, false}] = {dirichlet, given};
  make_isotropic(skin, steady([](double x, double, double) { return x == 0.0 ? weak : 1.0; }));
  // Walls of such points, next to part boundaries and across the ends of the axis.
  Problem walls = insulated_box(33);
  walls.grid = make_grid(2, {33, 33, 1}, {0, 0, 0}, {1, 1, 1}, {true, false, false});
  set_axis(walls, 0, {periodic});
  auto const in_wall = [](double x, double y, double) {
    auto const i = std::lround(33 * x);
    return (i == 0 || i == 11 || i == 17) && y > 0.2 && y < 0.9;
  };
  walls.medium.fixed.push_back({region(in_wall), given});
  make_isotropic(
      walls, steady([=](double x, double y, double z) { return in_wall(x, y, z) ? weak : 1.0; }));
  for (auto const& [what, problem] :
       {Case{"faces", faces}, Case{"skin", skin}, Case{"walls", walls}}) {
    double const held = what_holds(problem);
    double const capacity = capacities(problem)[0];
    Execution along_x = where(problem);
    along_x.parts = {ranks_.size(), 1, 1};
    for (double const step : {1e9, 1e12}) {
      auto const solver =
          make_solver(ranks_, problem, implicit("backward_euler", 3, step), along_x);
      double u = heat(*solver, problem)[0] / capacity;
      for (int n = 0; n < 3; ++n) {
        u = (capacity * u + step * held * given) / (capacity + step * held);
      }
      solver->advance_to(3);
      std::vector<double> const found = field_of<double>(*solver);
      for_each_owned(solver->subdomain(), [&](Index3 p, std::size_t n) {
        if (is_fixed_point(problem, p)) return;
        ASSERT_NEAR(found[n], u, 1e-9) << what << ' ' << step;
      });
    }
  }
}

}  // namespace
}  // namespace isotherm::test
