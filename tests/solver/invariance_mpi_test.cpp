#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <map>
#include <memory>
#include <numbers>
#include <ostream>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "solver/discretise/flux/heat_flow_meter.hpp"
#include "solver/time/ftcs.hpp"
#include "tests/solver/images.hpp"
#include "tests/support/backends.hpp"
#include "tests/support/bodies.hpp"
#include "tests/support/fields.hpp"

// Solvers preserve the symmetries of the equations. If a problem is written in other units, if a
// constant is added to its values, or if its axes are mirrored, permuted or shifted, its solution
// and boundary fluxes change in the same way, and the run takes as many iterations. In an MPI test,
// use EXPECT_*, not ASSERT_*: a rank that leaves early leaves the others waiting in their next
// collective call.

namespace isotherm::test {
namespace {

using enum BoundaryKind;

// --- Problems --------------------------------------------------------------------------------

/// Coordinates with few digits, so those of a mirrored or shifted axis are exact, too.
std::vector<double> uneven(std::int64_t points, double lower, double length, double strength) {
  std::vector<double> all;
  for (std::int64_t i = 0; i < points; ++i) {
    double const share = static_cast<double>(i) / static_cast<double>(points - 1);
    double const bent = std::expm1(strength * share) / std::expm1(strength);
    all.push_back(lower + length * std::round(bent * 0x1p16) * 0x1p-16);
  }
  return all;
}

/// The period of the y axis, if it is periodic.
constexpr double period = 0.5;

/// A function that has no symmetry and the period of the y axis. Mild enough to be resolved.
auto wave(double a, double b, double phase, double rate = 0.0) {
  return [=](double x, double y, double z, double t) {
    double const round = 2 * std::numbers::pi * y / period;
    return a + b * std::sin(3 * x + round + 2 * z + phase) + x * z - 0.3 * x + rate * t;
  };
}
/// The same as a function of the problem.
ScalarFunction given(bool transient, double a, double b, double phase) {
  if (transient) return varying(wave(a, b, phase, 20.0));
  auto const function = wave(a, b, phase);
  return steady([=](double x, double y, double z) { return function(x, y, z, 0.0); });
}

/// Constant coefficients, equal gaps, a Dirichlet and a Neumann face; y is periodic.
Problem plain(Equation equation, int dimension, bool transient) {
  Problem problem;
  problem.equation = equation;
  problem.grid = make_grid(dimension, {9, 8, dimension == 3 ? 6 : 1}, {0.5, 0, -0.25},
                           {1.0, period, 0.375}, {false, true, false});
  problem.boundary[{0, false}] = {dirichlet, given(transient, 1.5, 0.5, 0.3)};
  problem.boundary[{0, true}] = {neumann, given(transient, 0.7, 1.0, 1.1)};
  set_axis(problem, 1, {periodic});
  if (dimension == 3) {
    problem.boundary[{2, false}] = {neumann, given(false, -0.4, 0.6, 2.0)};
    problem.boundary[{2, true}] = {neumann, 0.9};
  }
  problem.source = given(transient, 3.0, 9.0, 0.8);
  problem.initial.value = given(false, 1.0, 0.7, 2.2);
  problem.initial.boxes.push_back({{0.66, 0.16, 0.06}, {0.9, 0.41, 0.31}, 2.5});
  problem.initial.gaussians.push_back({{0.8, 0.25, 0.1}, 0.2, 1.5});
  if (equation == Equation::diffusion) problem.diffusivity = 0.4;
  return problem;
}

/// No Dirichlet or Robin face: the solution is determined up to a constant.
Problem closed(Equation equation, int dimension, bool transient) {
  Problem problem = plain(equation, dimension, transient);
  problem.boundary[{0, false}] = {neumann, given(transient, -0.2, 0.6, 0.5)};
  problem.mean = 0.75;
  problem.project = true;
  return problem;
}

/// Conductivities that differ along the axes, on graded axes, behind Robin faces.
Problem layered(Equation equation, int dimension, bool transient) {
  Problem problem = plain(equation, dimension, transient);
  int const other = dimension - 1;
  if (dimension == 2) {
    problem.grid.periodic[1] = false;
    problem.initial.boxes.clear();
  }
  problem.grid = with_coordinates(problem.grid, 0, uneven(9, 0.5, 0.5, 1.2));
  problem.grid = with_coordinates(problem.grid, other, uneven(7, -0.25, 0.625, -0.8));
  problem.medium.conductivity = {1.7, 0.6, 2.6};
  problem.boundary[{0, false}] = {robin, given(transient, 1.5, 0.5, 0.3), 4.0};
  problem.boundary[{0, true}] = {robin, given(transient, -0.5, 0.2, 0.3), 0.8};
  problem.boundary[{other, false}] = {robin, given(false, 2.0, 0.2, 0.9), 2.2};
  problem.boundary[{other, true}] = {neumann, given(false, 0.6, 0.5, 1.9)};
  if (equation == Equation::diffusion) problem.medium.capacity = 1.6;
  return problem;
}

/// Conductivities that differ from point to point, patches, a fixed and an insulated region.
Problem medium(Equation equation, int dimension, bool transient) {
  Problem problem = plain(equation, dimension, transient);
  problem.grid = with_coordinates(problem.grid, 0, uneven(9, 0.5, 0.5, 1.2));
  if (dimension == 3)
    problem.grid = with_coordinates(problem.grid, 2, uneven(7, -0.25, 0.625, -0.8));
  auto const conductivity = [](double x, double y, double z) {
    double const round = std::cos(2 * std::numbers::pi * y / period - 0.4);
    return std::exp(0.7 * round + z + x) * (x > 0.72 && round > 0.1 ? 4.0 : 1.0);
  };
  problem.medium.conductivity[0] = steady(conductivity);
  problem.medium.conductivity[1] =
      steady([=](double x, double y, double z) { return 0.5 * conductivity(x, y, z) + x; });
  problem.medium.conductivity[2] = 0.7;
  if (equation == Equation::diffusion) problem.medium.capacity = given(false, 2.0, 0.4, 1.3);
  problem.boundary[{0, true}] = {robin, given(transient, -0.5, 0.2, 0.3),
                                 given(false, 3.0, 0.8, 1.4)};
  problem.patches.push_back({{0, false},
                             region([](double, double y, double) { return y > 0.2 && y < 0.41; }),
                             {neumann, given(transient, 0.5, 0.5, 0.7)}});
  if (dimension == 3) {
    problem.boundary[{2, false}] = {robin, given(false, 2.0, 0.2, 0.9),
                                    given(false, 2.0, 0.7, 0.2)};
    problem.patches.push_back(
        {{2, true},
         region([](double x, double y, double) { return x > 0.7 && y > 0.3; }),
         {dirichlet, given(transient, 0.4, 0.3, 2.5)}});
  }
  problem.medium.fixed.push_back(
      {region([](double x, double y, double) { return std::hypot(x - 0.85, y - 0.21) < 0.11; }),
       given(transient, 2.6, 0.2, 1.7)});
  problem.medium.insulated.push_back(region([](double x, double y, double z) {
    return x > 0.54 && x < 0.73 && y > 0.3 && y < 0.5 && z < 0.3;
  }));
  return problem;
}

struct Kind {
  char const* name;
  Problem (*make)(Equation, int dimension, bool transient);
};
constexpr std::array<Kind, 4> kinds{
    {{"plain", plain}, {"closed", closed}, {"layered", layered}, {"medium", medium}}};

// --- Solutions -------------------------------------------------------------------------------

/// A test case: a problem and a method.
struct Trial {
  Kind kind;
  char const* method;
  int dimension;
  Precision precision;

  [[nodiscard]] bool in_time() const {
    return method != std::string("jacobi") && method != std::string("multigrid");
  }
  [[nodiscard]] bool is(char const* name) const { return method == std::string(name); }
  [[nodiscard]] bool is_implicit() const { return in_time() && !is("ftcs") && !is("rkl2"); }
  /// True if the problem has variable coefficients.
  [[nodiscard]] bool has_coefficients() const {
    return kind.make == layered || kind.make == medium;
  }
  [[nodiscard]] double rounding() const {
    return precision == Precision::float32 ? 0x1p-24 : 0x1p-53;
  }
  [[nodiscard]] Problem problem(bool transient) const {
    Problem result = kind.make(in_time() ? Equation::diffusion : Equation::poisson, dimension,
                               transient && in_time());
    result.precision = precision;
    return result;
  }
};
std::string name_of(Trial const& trial) {
  return std::string(trial.method) + '_' + trial.kind.name + '_' + std::to_string(trial.dimension) +
         "d_" + name(trial.precision);
}
void PrintTo(Trial const& trial, std::ostream* out) { *out << name_of(trial); }

/// A time step. That of rkl2 and of implicit methods exceeds the stability limit of ftcs.
double time_step(Trial const& trial, Problem const& problem) {
  return (trial.is("ftcs") ? 0.7 : 6.0) * largest_stable_time_step(problem);
}

/// A fixed number of sweeps or steps. Multigrid iterates down to the rounding floor.
MethodSettings few_steps(Trial const& trial, Problem const& problem) {
  MethodSettings method;
  method.name = trial.method;
  method.check_every = 0;
  method.iterations = trial.is("multigrid") ? 16 : trial.is("jacobi") || trial.is("ftcs") ? 15 : 3;
  if (trial.is("multigrid")) method.tolerance = trial.rounding();
  if (trial.is("multigrid")) method.check_every = 1;
  method.step_tolerance = trial.precision == Precision::float32 ? 1e-5 : 1e-11;
  method.multigrid.coarsest = 5;  // gives several levels
  if (trial.in_time()) method.time_step_s = time_step(trial, problem);
  return method;
}

/// Settings that iterate until the tolerance is reached.
MethodSettings to_tolerance(Trial const& trial, Problem const& problem) {
  MethodSettings method = few_steps(trial, problem);
  bool const sweeps = trial.is("jacobi") || trial.is("ftcs");
  method.iterations = sweeps ? 20000 : 400;
  method.check_every = sweeps ? 20 : 1;
  method.tolerance = trial.precision == Precision::float32 ? 1e-2 : 1e-3;
  if (trial.is_implicit()) method.time_step_s *= 4.0;
  method.step_tolerance = trial.precision == Precision::float32 ? 1e-5 : 1e-8;
  return method;
}

/// The end of a run, the same on every rank.
struct Ended {
  Grid grid{};
  std::vector<double> field{};  ///< all of it, x fastest
  HeatFlows flows{};
  std::int64_t iterations = 0;
  bool converged = false;

  [[nodiscard]] double at(Index3 p) const {
    return field[static_cast<std::size_t>((p.z * grid.points.y + p.y) * grid.points.x + p.x)];
  }
  [[nodiscard]] double range() const {
    auto const [smallest, largest] = std::ranges::minmax(field);
    return largest - smallest;
  }
  [[nodiscard]] double magnitude() const {
    auto const [smallest, largest] = std::ranges::minmax(field);
    return std::max(std::abs(smallest), std::abs(largest));
  }
  [[nodiscard]] double largest_flow() const {
    double largest = std::abs(flows.source);
    for (double const flow : flows.faces) largest = std::max(largest, std::abs(flow));
    for (double const flow : flows.fixed) largest = std::max(largest, std::abs(flow));
    return largest;
  }
};

template <class Real>
void gather(mpi::Communicator const& ranks, Solver& solver, Ended& ended) {
  std::vector<Real> const own = field_of<Real>(solver);
  Extent3 const n = ended.grid.points;
  std::vector<std::uint64_t> bits(static_cast<std::size_t>(ended.grid.point_count()));
  for_each_owned(solver.subdomain(), [&](Index3 p, std::size_t number) {
    bits[static_cast<std::size_t>((p.z * n.y + p.y) * n.x + p.x)] =
        std::bit_cast<std::uint64_t>(static_cast<double>(own[number]));
  });
  bits = ranks.sum(bits);  // other ranks contribute zeros
  for (std::uint64_t const value : bits) ended.field.push_back(std::bit_cast<double>(value));
}

Ended end_of(Problem const& problem, MethodSettings const& method) {
  mpi::Communicator const ranks(MPI_COMM_WORLD);
  auto const solver = solved(problem, method);
  Ended ended{
      .grid = problem.grid, .iterations = solver->iteration(), .converged = solver->converged()};
  with_precision(problem.precision, [&]<class Real>(Real) { gather<Real>(ranks, *solver, ended); });
  ended.flows = flows_of(*solver, problem);
  return ended;
}

/// Bounds on differences caused by rounding and by the tolerance of steps.
struct Bounds {
  double field;  ///< in the unit of the image's field
  double flows;  ///< a share of the largest flow
};

/// Expects the field of the image to be the image of the field, and likewise the boundary fluxes.
void expect_image(Ended const& of_image, Ended const& original, Problem const& problem,
                  Image const& image, Bounds const& bounds) {
  double largest = 0.0;
  Index3 worst;
  for_each(LocalBox{{}, original.grid.points}, [&](std::int64_t i, std::int64_t j, std::int64_t k) {
    double const wanted = original.at({i, j, k}) * image.value + image.offset;
    double const found = of_image.at(image_of(Index3{i, j, k}, original.grid, image));
    double const error = std::abs(found - wanted);
    if (error <= largest || std::isnan(largest)) return;
    largest = error;  // also NaN
    worst = {i, j, k};
  });
  EXPECT_LE(largest, bounds.field)
      << "at (" << worst.x << ", " << worst.y << ", " << worst.z << ")";

  double const factor = flow_factor(problem, image);
  double const bound = bounds.flows * factor * original.largest_flow();
  for (Face const face : faces(original.grid)) {
    EXPECT_NEAR(of_image.flows.faces[image_of(face, image)], original.flows.faces[face] * factor,
                bound)
        << name(face);
  }
  for (std::size_t n = 0; n < original.flows.fixed.size(); ++n) {
    EXPECT_NEAR(of_image.flows.fixed[n], original.flows.fixed[n] * factor, bound) << n;
  }
  EXPECT_NEAR(of_image.flows.source, original.flows.source * factor, bound);
  EXPECT_NEAR(of_image.flows.balance, original.flows.balance * factor, bound);
}

class Invariance : public OnTestedBackend<testing::TestWithParam<Trial>> {
 protected:
  void SetUp() override {
    OnTestedBackend::SetUp();
    // Several ranks on shared cores are slow, and round as a single rank does.
    if (mpi::number_of_ranks() > 1 && trial_.precision == Precision::float32) GTEST_SKIP();
  }
  Trial const& trial_ = GetParam();

  /// A few roundings of the largest value, plus the error that the tolerance of a step allows.
  [[nodiscard]] Bounds bounds(Ended const& of_image, double range,
                              MethodSettings const& method) const {
    double const field = 50 * trial_.rounding() * of_image.magnitude() +
                         (trial_.is_implicit() ? 2 * method.step_tolerance * range : 0.0);
    return {field, 10 * field / range};
  }
  /// The end of the original problem. It is solved once and cached.
  [[nodiscard]] Ended const& original_end() const {
    static std::map<std::string, Ended> ends;
    auto const found = ends.find(name_of(trial_));
    if (found != ends.end()) return found->second;
    Problem const problem = trial_.problem(true);
    return ends.emplace(name_of(trial_), end_of(problem, few_steps(trial_, problem))).first->second;
  }
  void expect_same_steps(Image const& image) const {
    expect_same_steps(image, trial_.problem(true), original_end());
  }
  void expect_same_steps(Image const& image, Problem const& problem) const {
    expect_same_steps(image, problem, end_of(problem, few_steps(trial_, problem)));
  }
  void expect_same_steps(Image const& image, Problem const& problem, Ended const& original) const {
    MethodSettings const method = few_steps(trial_, problem);
    Ended const of_image = end_of(image_of(problem, image), image_of(method, image));
    expect_image(of_image, original, problem, image,
                 bounds(of_image, image.value * original.range(), method));
  }
  /// For units that are powers of two. A device sums inner products in arbitrary order, so its bits
  /// may differ.
  void expect_same_bits(Image const& image) const {
    if (tested_backend() == Backend::cuda) return expect_same_steps(image);
    Problem const problem = trial_.problem(true);
    MethodSettings const method = few_steps(trial_, problem);
    Ended const& original = original_end();
    Ended const of_image = end_of(image_of(problem, image), image_of(method, image));
    expect_image(of_image, original, problem, image, {0.0, 4 * 0x1p-53});
  }
  /// Expects a run to a tolerance to end after as many iterations, with the same result.
  void expect_same_end(Image const& image) const {
    bool const sweeps = trial_.is("jacobi") || trial_.is("ftcs");
    // Sweeps are slow in 3D and on ranks that share cores. Neither affects when a run ends.
    if ((sweeps && trial_.dimension == 3) || mpi::number_of_ranks() > 1) return;
    // A closed box with a source has no steady state.
    if (trial_.in_time() && trial_.kind.make == closed) return;
    Problem const problem = trial_.problem(false);
    MethodSettings const method = to_tolerance(trial_, problem);
    Ended const original = end_of(problem, method);
    Ended const of_image = end_of(image_of(problem, image), image_of(method, image));
    EXPECT_TRUE(original.converged);
    EXPECT_TRUE(of_image.converged);
    EXPECT_LE(std::abs(of_image.iterations - original.iterations), method.check_every)
        << original.iterations << ", " << of_image.iterations;
    double const share = 4 * method.tolerance;
    expect_image(of_image, original, problem, image,
                 {share * image.value * original.range(), 20 * share});
  }
};

// --- Units and levels ------------------------------------------------------------------------

TEST_P(Invariance, SameFieldInOtherUnits) {
  bool const coefficients = trial_.has_coefficients();
  expect_same_steps(
      {.length = 1e-9, .value = 1e12, .conductivity = coefficients ? 1e9 : 1.0, .time = 1e9});
  expect_same_steps(
      {.length = 1e9, .value = 1e-12, .conductivity = coefficients ? 1e-9 : 1.0, .time = 1e-9});
}

TEST_P(Invariance, SameBitsInUnitsThatArePowersOfTwo) {
  expect_same_bits({.length = 0x1p-30, .value = 0x1p40});
  if (trial_.has_coefficients()) expect_same_bits({.conductivity = 0x1p-30});
  if (trial_.in_time()) expect_same_bits({.time = 0x1p30});
}

TEST_P(Invariance, SameFieldWithAnOffset) {
  for (double const offset : {300.0, -1e6}) {
    if (trial_.precision == Precision::float32 && offset != 300.0) continue;
    SCOPED_TRACE(offset);
    expect_same_steps({.offset = offset});
  }
}

TEST_P(Invariance, SameIterationsWithAnOffset) {
  if (trial_.precision == Precision::float32) return expect_same_end({.offset = 3.0});
  for (double const offset : {300.0, 1e4, -1e6}) {
    if (trial_.dimension == 3 && offset > 0.0) continue;  // one suffices
    SCOPED_TRACE(offset);
    expect_same_end({.offset = offset});
  }
}

TEST_P(Invariance, SameIterationsInOtherUnits) {
  bool const coefficients = trial_.has_coefficients();
  expect_same_end(
      {.length = 1e9, .value = 1e-12, .conductivity = coefficients ? 1e9 : 1.0, .time = 1e6});
}

// --- Axes ------------------------------------------------------------------------------------

TEST_P(Invariance, MirroredFieldOnMirroredAxes) {
  for (int axis = 0; axis < trial_.dimension; ++axis) {
    SCOPED_TRACE(axis);
    Image image;
    image.mirrored[axis] = true;
    expect_same_steps(image);
  }
}

TEST_P(Invariance, RotatedFieldOnRotatedAxes) {
  if (trial_.dimension == 2) return expect_same_steps({.axis = {1, 0, 2}});
  expect_same_steps({.axis = {1, 2, 0}});
  expect_same_steps({.axis = {2, 0, 1}});
}

TEST_P(Invariance, SameIterationsOnRotatedAndMirroredAxes) {
  bool const flat = trial_.dimension == 2;
  expect_same_end({.axis = flat ? PerAxis<int>{1, 0, 2} : PerAxis<int>{1, 2, 0},
                   .mirrored = {true, false, !flat}});
}

TEST_P(Invariance, ShiftedFieldOnAShiftedPeriodicAxis) {
  Problem problem = trial_.problem(true);
  if (!problem.grid.periodic[1]) return;
  problem.initial = {problem.initial.value, {}, {}};
  expect_same_steps({.shifted = {0, 3, 0}}, problem);
}

/// A plate between insulated or periodic faces. The original problem is a cross-section of it.
Problem plate(Problem const& section, BoundaryKind faces_kind) {
  Problem problem = section;
  problem.grid.dimension = 3;
  problem.grid.points.z = 4;
  problem.grid.lower[2] = 2.0;
  problem.grid.spacing[2] = 1.5;
  problem.grid.periodic[2] = faces_kind == periodic;
  set_axis(problem, 2, {faces_kind, 0.0});
  problem.initial = {section.initial.value, {}, {}};
  for_each_function(problem, [](Role, ScalarFunction& function) {
    if (function.is_constant()) return;
    function.evaluate = [original = function.evaluate](double x, double y, double, double t) {
      return original(x, y, 0.0, t);
    };
  });
  auto const extrude = [](Region& region) {
    region.contains = [original = region.contains](double x, double y, double) {
      return original(x, y, 0.0);
    };
  };
  for (BoundaryPatch& patch : problem.patches) extrude(patch.where);
  for (FixedRegion& fixed : problem.medium.fixed) extrude(fixed.where);
  for (Region& insulated : problem.medium.insulated) extrude(insulated);
  return problem;
}

/// Extends the end of the cross-section to the plate.
Ended plate_of(Ended const& section, Grid const& grid) {
  Ended ended = section;
  ended.grid = grid;
  ended.field.clear();
  for (std::int64_t k = 0; k < grid.points.z; ++k) {
    ended.field.insert(ended.field.end(), section.field.begin(), section.field.end());
  }
  double const thickness = grid.length(2);
  for (double& flow : ended.flows.faces) flow *= thickness;
  for (double& flow : ended.flows.fixed) flow *= thickness;
  ended.flows.source *= thickness;
  ended.flows.balance *= thickness;
  return ended;
}

TEST_P(Invariance, SameFieldInEveryCrossSectionOfAPlate) {
  if (trial_.dimension == 3 || trial_.precision == Precision::float32) return;
  Problem section = trial_.problem(true);
  section.initial = {section.initial.value, {}, {}};
  for (BoundaryKind const kind : {neumann, periodic}) {
    Problem const whole = plate(section, kind);
    // Jacobi sweeps differ in 3D, so only converged fields can be compared. That is slow.
    bool const jacobi = trial_.is("jacobi");
    if (jacobi && kind == periodic) continue;
    MethodSettings const method =
        jacobi ? to_tolerance(trial_, section) : few_steps(trial_, section);
    Ended const wanted = plate_of(end_of(section, method), whole.grid);
    for (PerAxis<int> const& axis : {PerAxis<int>{0, 1, 2}, {1, 2, 0}, {2, 0, 1}}) {
      SCOPED_TRACE(name(kind) + std::to_string(axis[2]));
      Ended const found = end_of(image_of(whole, {.axis = axis}), method);
      double const share = 8 * method.tolerance;
      expect_image(found, wanted, whole, {.axis = axis},
                   jacobi ? Bounds{share * wanted.range(), 10 * share}
                          : bounds(found, wanted.range(), method));
    }
  }
}

// --- Sums ------------------------------------------------------------------------------------

/// The problem with data `a` times its own plus `b` times other data.
Problem with_sums(Problem problem, double a, double b) {
  int number = 0;
  for_each_function(problem, [&](Role role, ScalarFunction& function) {
    if (role != Role::value && role != Role::derivative && role != Role::source) return;
    ++number;
    function.evaluate = [=, original = function, other = wave(0.3 * number, 1.0, 1.7 * number)](
                            double x, double y, double z, double t) {
      return a * original(x, y, z, t) + b * other(x, y, z, t);
    };
  });
  problem.initial = {problem.initial.value, {}, {}};
  problem.mean = a * problem.mean + b * 0.4;
  return problem;
}

TEST_P(Invariance, SuperpositionHolds) {
  Problem const problem = trial_.problem(true);
  MethodSettings const method = few_steps(trial_, problem);
  double const a = 2.0, b = -3.0;
  Ended const one = end_of(with_sums(problem, 1, 0), method);
  Ended const other = end_of(with_sums(problem, 0, 1), method);
  Ended const sum = end_of(with_sums(problem, a, b), method);
  Ended wanted = one;
  auto const add = [&](double& of_one, double of_other) { of_one = a * of_one + b * of_other; };
  for (std::size_t n = 0; n < one.field.size(); ++n) add(wanted.field[n], other.field[n]);
  for (Face const face : faces(problem.grid))
    add(wanted.flows.faces[face], other.flows.faces[face]);
  for (std::size_t n = 0; n < one.flows.fixed.size(); ++n) {
    add(wanted.flows.fixed[n], other.flows.fixed[n]);
  }
  add(wanted.flows.source, other.flows.source);
  add(wanted.flows.balance, other.flows.balance);
  expect_image(sum, wanted, problem, {}, bounds(sum, 2 * one.range() + 3 * other.range(), method));
}

std::vector<Trial> trials() {
  std::vector<Trial> all;
  for (Kind const& kind : kinds) {
    for (char const* const method :
         {"jacobi", "ftcs", "rkl2", "multigrid", "backward_euler", "crank_nicolson"}) {
      if (kind.make == closed && method == std::string("jacobi")) continue;  // which is refused
      for (int const dimension : {2, 3}) {
        for (Precision const precision : {Precision::float32, Precision::float64}) {
          all.push_back({kind, method, dimension, precision});
        }
      }
    }
  }
  return all;
}
INSTANTIATE_TEST_SUITE_P(Methods, Invariance, testing::ValuesIn(trials()),
                         [](auto const& trial) { return name_of(trial.param); });

}  // namespace
}  // namespace isotherm::test
