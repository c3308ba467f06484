#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "kernels/core/error.hpp"
#include "kernels/sweep/resident.hpp"
#include "solver/discretise/boundary.hpp"
#include "tests/support/backends.hpp"
#include "tests/support/oracles/problem_oracle.hpp"
#include "tests/support/rounding.hpp"
#include "tests/support/solving.hpp"

// Solvers against the problem oracle, for all pairs of boundary conditions on all pairs of axes.

namespace isotherm::test {
namespace {

/// The boundary kinds at the two ends of an axis.
struct Ends {
  BoundaryKind lower, upper;
};
constexpr std::array<Ends, 5> all_ends{{{BoundaryKind::dirichlet, BoundaryKind::dirichlet},
                                        {BoundaryKind::neumann, BoundaryKind::neumann},
                                        {BoundaryKind::periodic, BoundaryKind::periodic},
                                        {BoundaryKind::dirichlet, BoundaryKind::neumann},
                                        {BoundaryKind::neumann, BoundaryKind::dirichlet}}};

/// Extents: thin, prime, and one more than sweeps process at a time.
constexpr std::array<Extent3, 5> extents_2d{
    {{3, 3, 1}, {17, 31, 1}, {33, 4, 1}, {131, 67, 1}, {5, 65, 1}}};
constexpr std::array<Extent3, 5> extents_3d{
    {{3, 3, 3}, {7, 13, 11}, {33, 5, 9}, {67, 17, 6}, {19, 18, 35}}};

struct Kind {
  Equation equation;
  int dimension;
  Precision precision;
  bool changes_in_time;
};

/// 0 … 24: the ends of the axes. All pairs of axes have all pairs of ends.
constexpr int mixes = 25;

/// A smooth boundary value, different on each face.
ScalarFunction face_value(int face, bool changes_in_time) {
  double const phase = 0.3 * face;
  if (changes_in_time && face % 2 == 0) {
    return varying([phase](double x, double y, double z, double t) {
      return std::cos(x + 2.0 * y - z + phase + 40.0 * t);
    });
  }
  return steady(
      [phase](double x, double y, double z) { return std::sin(2.0 * x - y + z + phase); });
}

void set_boundary(Problem& problem, PerAxis<std::size_t> const& ends, bool changes_in_time) {
  for (Face const face : faces(problem.grid)) {
    Ends const& both = all_ends[ends[face.axis]];
    BoundaryCondition& condition = problem.boundary[face];
    condition.kind = face.upper ? both.upper : both.lower;
    if (condition.kind != BoundaryKind::periodic) {
      condition.value = face_value(face.index(), changes_in_time);
    }
  }
}

void set_source(Problem& problem, bool changes_in_time) {
  if (problem.equation == Equation::laplace) return;
  auto const f = [](double x, double y, double z, double t) {
    return 3.0 * std::cos(3.0 * x + y) - z + std::sin(30.0 * t);
  };
  problem.source = changes_in_time
                       ? varying(f)
                       : steady([f](double x, double y, double z) { return f(x, y, z, 0.0); });
}

/// Returns the ends of the axes in a mix.
PerAxis<std::size_t> ends_of(int mix) {
  auto const number = static_cast<std::size_t>(mix);
  return {number % 5, number / 5, (number % 5 + 2 * (number / 5)) % 5};
}

std::string ends_names(int mix, int dimension) {
  constexpr std::array<char const*, 5> names{"DD", "NN", "PP", "DN", "ND"};
  std::string all;
  for (int axis = 0; axis < dimension; ++axis) {
    all += names[ends_of(mix)[axis]];
  }
  return all;
}

Problem problem_of(Kind const& kind, int mix) {
  auto const number = static_cast<std::size_t>(mix);
  PerAxis<std::size_t> const ends = ends_of(mix);
  PerAxis<bool> periodic{};
  for (int axis = 0; axis < kind.dimension; ++axis) {
    periodic[axis] = all_ends[ends[axis]].lower == BoundaryKind::periodic;
  }
  Problem problem;
  problem.equation = kind.equation;
  problem.precision = kind.precision;
  problem.diffusivity = 0.7;
  problem.grid = make_grid(kind.dimension,
                           kind.dimension == 2 ? extents_2d[number % 5] : extents_3d[number % 5],
                           {-0.5, 0.25, 1.0}, {0.5, 1.75, 3.0}, periodic);
  set_boundary(problem, ends, kind.changes_in_time);
  set_source(problem, kind.changes_in_time);
  problem.initial.value = steady([](double x, double y, double z) { return x * y + 0.5 * z * x; });
  problem.initial.boxes = {{{-0.2, 0.5, 1.5}, {0.3, 1.25, 2.5}, -1.5}};
  return problem;
}

double largest_value(auto const& values) {
  double largest = 0.0;
  for (auto const value : values)
    largest = std::fmax(largest, std::abs(static_cast<double>(value)));
  return largest;
}

/// Expects residuals of every fourth iteration, so checks fall inside passes of several steps.
template <class Real>
void expect_residuals(std::vector<Residual> const& found, std::vector<double> const& wanted,
                      ProblemOracle<Real> const& oracle, Norm norm) {
  EXPECT_EQ(found.size(), wanted.size());
  double const per_value = rounding_tolerance<Real>(largest_value(oracle.values()), 12.0);
  for (std::size_t i = 0; i < std::min(found.size(), wanted.size()); ++i) {
    EXPECT_EQ(found[i].iteration, static_cast<std::int64_t>(4 * i));
    double const sums_differ = norm == Norm::max ? 0.0 : 1e-12 * wanted[i];
    EXPECT_NEAR(found[i].value, wanted[i], oracle.residual_factor() * per_value + sums_differ);
  }
}

constexpr std::int64_t sweeps = 11;

template <class Real>
void expect_oracle(Problem const& problem, MethodSettings method, SweepPlan const& plan) {
  mpi::Communicator const ranks(MPI_COMM_WORLD);
  Execution how = execution(problem, ranks);
  how.plan = plan.name;
  ProblemOracle<Real> oracle(problem, method.time_step_s);
  std::vector<double> residuals;

  auto const solver = make_solver(ranks, problem, method, how);
  solver->advance_to(sweeps);
  std::vector<Real> const u = field_of<Real>(*solver);

  for (std::int64_t step = 0; step < sweeps; ++step) {
    oracle.step();
    if (step % method.check_every == 0) residuals.push_back(oracle.residual(method.norm));
  }
  double difference = 0.0;
  for_each_owned(solver->subdomain(), [&](Index3 p, std::size_t number) {
    double const here =
        std::abs(static_cast<double>(u[number]) - static_cast<double>(oracle.at(p)));
    difference = here <= difference ? difference : here;
  });
  EXPECT_LE(difference,
            rounding_tolerance<Real>(largest_value(oracle.values()), static_cast<double>(sweeps)));
  expect_residuals(solver->take_residuals(), residuals, oracle, method.norm);
}

/// Chooses among the plans that a problem can run with: the least tested one, and of those the
/// deepest.
class Turns {
 public:
  SweepPlan next(std::vector<SweepPlan> const& usable, int max_steps) {
    std::optional<SweepPlan> chosen;
    for (SweepPlan const& plan : usable) {
      if (plan.steps > max_steps) continue;
      int const times = times_[plan.name];  // 0 at first
      int const minimum = chosen ? times_[chosen->name] : times + 1;
      if (times < minimum || (times == minimum && plan.steps > chosen->steps)) chosen = plan;
    }
    if (!chosen) throw Error("no plan takes one step per pass");
    ++times_[chosen->name];
    return *chosen;
  }
  [[nodiscard]] int times(SweepPlan const& plan) const {
    auto const found = times_.find(plan.name);
    return found == times_.end() ? 0 : found->second;
  }
  [[nodiscard]] std::size_t plans_usable() const { return times_.size(); }
  [[nodiscard]] std::size_t plans_met() const {
    auto const met = [](auto const& plan) { return plan.second > 0; };
    return static_cast<std::size_t>(std::ranges::count_if(times_, met));
  }

 private:
  std::map<std::string, int> times_{};
};

class SolverAgainstOracle : public OnTestedBackend<testing::TestWithParam<Kind>> {
 protected:
  void compare(Problem const& problem, int mix, SweepPlan const& plan) {
    MethodSettings method = method_for(problem, sweeps);
    method.check_every = 4;
    method.norm = mix % 2 == 0 ? Norm::l2 : Norm::max;
    problem.precision == Precision::float32 ? expect_oracle<float>(problem, method, plan)
                                            : expect_oracle<double>(problem, method, plan);
  }

  /// Returns the maximum number of steps per pass that the problem allows on this number of ranks.
  [[nodiscard]] int max_steps(Problem const& problem) const {
    if (GetParam().changes_in_time) return 1;
    mpi::Communicator const ranks(MPI_COMM_WORLD);
    Extent3 const parts = choose_decomposition(problem.grid, ranks.size());
    return deepest_halo(problem, Subdomain(problem.grid, parts, ranks.rank()));
  }

  /// Returns true if no mix of this kind can run with the plan on this number of ranks.
  static bool has_no_use(Kind const& kind, SweepPlan const& plan) {
    return (kind.changes_in_time && plan.steps > 1) ||
           (plan.name == resident_plan &&
            (kind.changes_in_time || mpi::Communicator(MPI_COMM_WORLD).size() > 1));
  }
};

/// Each mix of ends is run once, with the plans in turn. AnyPlan (ranks_mpi_test.cpp) shows that
/// all plans give the same bits.
TEST_P(SolverAgainstOracle, FieldAndResidualsMatchPlainLoops) {
  Kind const kind = GetParam();
  std::vector<SweepPlan> known = sweep_plans(tested_backend(), kind.dimension, kind.precision);
  if (kind.dimension == 2) known.push_back({resident_plan, 1});
  Turns turns;
  int refused = 0;
  int compared = 0;
  for (int mix = 0; mix < mixes; ++mix) {
    Problem const problem = problem_of(kind, mix);
    SCOPED_TRACE("mix " + ends_names(mix, kind.dimension));
    if (kind.equation != Equation::diffusion && !has_dirichlet_face(problem)) {
      EXPECT_THROW(check_solvable(problem, jacobi(1)), InputError);
      ++refused;
      continue;
    }
    SweepPlan const plan = turns.next(plans(problem), max_steps(problem));
    SCOPED_TRACE(plan.name);
    compare(problem, mix, plan);
    ++compared;
  }
  // Mixes without Dirichlet faces: NN or PP on each axis.
  int const singular = kind.equation == Equation::diffusion ? 0 : kind.dimension == 2 ? 4 : 1;
  EXPECT_EQ(refused, singular);
  EXPECT_EQ(compared, mixes - singular);
  if (tested_backend() == Backend::cuda) {  // some plans of devices are for larger grids
    EXPECT_GE(2 * turns.plans_met(), turns.plans_usable());
    return;
  }
  for (SweepPlan const& plan : known) {
    EXPECT_EQ(turns.times(plan) == 0, has_no_use(kind, plan)) << plan.name;
  }
}

std::vector<Kind> kinds() {
  std::vector<Kind> all;
  for (int const dimension : {2, 3})
    for (Precision const precision : {Precision::float32, Precision::float64}) {
      all.push_back({Equation::laplace, dimension, precision, false});
      all.push_back({Equation::poisson, dimension, precision, false});
      all.push_back({Equation::diffusion, dimension, precision, false});
      all.push_back({Equation::diffusion, dimension, precision, true});
    }
  return all;
}

std::string kind_name(testing::TestParamInfo<Kind> const& info) {
  Kind const& kind = info.param;
  return std::string(name(kind.equation)) + std::to_string(kind.dimension) + "D_" +
         name(kind.precision) + (kind.changes_in_time ? "_in_time" : "");
}

INSTANTIATE_TEST_SUITE_P(Mixes, SolverAgainstOracle, testing::ValuesIn(kinds()), kind_name);

}  // namespace
}  // namespace isotherm::test
