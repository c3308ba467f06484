#include <gtest/gtest.h>
#include <mpi.h>

#include <atomic>
#include <cstddef>
#include <dlfcn.h>

#include "decomposition/transport/transport.hpp"
#include "solver/time/ftcs.hpp"
#include "tests/support/bodies.hpp"
#include "tests/support/solving.hpp"

// Compares solver_bytes() with the memory that is actually allocated on the CPU. The test
// intercepts the two allocation calls of buffers and MPI windows and counts their bytes.

namespace {

std::atomic<std::size_t> taken_bytes{0};

}  // namespace

extern "C" void* aligned_alloc(std::size_t alignment, std::size_t bytes) noexcept {
  static auto* const next =
      reinterpret_cast<void* (*)(std::size_t, std::size_t)>(dlsym(RTLD_NEXT, "aligned_alloc"));
  if (alignment >= 256) taken_bytes += bytes;  // of a Buffer
  return next(alignment, bytes);
}

extern "C" int MPI_Win_allocate_shared(MPI_Aint bytes, int unit, MPI_Info info, MPI_Comm ranks,
                                       void* memory, MPI_Win* window) {
  taken_bytes += static_cast<std::size_t>(bytes);
  return PMPI_Win_allocate_shared(bytes, unit, info, ranks, memory, window);
}

namespace isotherm::test {
namespace {

constexpr std::size_t mebibyte = std::size_t{1} << 20;

std::vector<Problem> problems() {
  std::vector<Problem> all;
  Problem plate = box_problem(Equation::laplace, 2, {65, 97, 1}, {});
  plate.initial.gaussians = {{{0.5, 0.5, 0.0}, 0.1, 1.0}};
  all.push_back(plate);
  Problem torus = box_problem(Equation::diffusion, 2, {48, 80, 1}, {BoundaryKind::periodic, {}});
  torus.precision = Precision::float32;
  all.push_back(torus);
  Problem box = box_problem(Equation::poisson, 3, {33, 40, 44}, {});
  box.source = 1.0;
  all.push_back(box);
  Problem large = box_problem(Equation::laplace, 3, {112, 114, 116}, {});  // huge pages
  set_axis(large, 1, {BoundaryKind::neumann, 0.5});
  all.push_back(large);
  return all;
}

class SolverBytes : public testing::Test {
 protected:
  mpi::Communicator const ranks{MPI_COMM_WORLD};

  [[nodiscard]] SolverPlan plan_of(Problem const& problem, std::string const& plan,
                                   TransportKind kind = TransportKind::automatic) const {
    Execution how = execution(problem, ranks);
    how.plan = plan;
    how.transport = kind;
    MethodSettings method = method_for(problem, 12);
    return plan_solver(ranks, problem, method, how);
  }

  void expect_bound(Problem const& problem, std::string const& plan_name,
                    TransportKind kind) const {
    SolverPlan const plan = plan_of(problem, plan_name, kind);
    MethodSettings method = method_for(problem, 12);
    method.check_every = 0;  // lets a resident grid take all steps in one launch
    taken_bytes = 0;
    try {
      make_solver(ranks, problem, method, plan)->advance_to(method.iterations);
    } catch (InputError const&) {  // a transport that is not available
      return;
    }
    std::size_t const promised = solver_bytes(problem, method, plan);
    EXPECT_GE(promised, taken_bytes) << plan_name << ", " << name(kind);
    EXPECT_LE(promised, taken_bytes + 4 * mebibyte) << plan_name << ", " << name(kind);
  }

  void expect_bound_of(char const* name, Problem const& problem) const {
    MethodSettings method = jacobi(2);
    method.name = name;
    SolverPlan const plan = plan_solver(ranks, problem, method, execution(problem, ranks));
    taken_bytes = 0;
    make_solver(ranks, problem, method, plan)->advance_to(method.iterations);
    std::size_t const promised = solver_bytes(problem, method, plan);
    EXPECT_GE(promised, taken_bytes);
    EXPECT_LE(promised, taken_bytes + 4 * mebibyte);
  }
};

TEST_F(SolverBytes, BoundTheAllocatedBytesTightly) {
  for (Problem const& problem : problems()) {
    for (SweepPlan const& plan : plans(problem)) {
      expect_bound(problem, plan.name, TransportKind::automatic);
    }
    for (TransportKind const kind : transport_kinds) expect_bound(problem, "auto", kind);
  }
}

/// Grids that ranks share, grids that each rank holds, and all kinds of transforms.
TEST_F(SolverBytes, BoundTheBytesOfDirectSolutions) {
  for (Extent3 const points : {Extent3{61, 60, 65}, Extent3{401, 301, 1}, Extent3{18, 15, 13}}) {
    int const dimension = points.z > 1 ? 3 : 2;
    Problem problem = box_problem(Equation::poisson, dimension, points, {});
    problem.source = 1.0;
    expect_bound_of("direct", problem);
    make_isotropic(problem, 2.0);
    expect_bound_of("direct", graded(problem));
  }
}

TEST_F(SolverBytes, BoundTheBytesOfMultigrid) {
  for (Problem const& problem : problems()) {
    if (problem.equation != Equation::diffusion) expect_bound_of("multigrid", problem);
  }
}

/// Includes levels that ranks share, levels that are redistributed, and the memory needed to make
/// them.
TEST_F(SolverBytes, BoundTheBytesOfMultigridInHeterogeneousMedia) {
  for (Extent3 const points : {Extent3{61, 60, 65}, Extent3{400, 301, 1}}) {
    int const dimension = points.z > 1 ? 3 : 2;
    Problem problem = box_problem(Equation::poisson, dimension, points, {});
    problem.source = 1.0;
    make_isotropic(problem, 2.0);
    for (bool const has_graded_axes : {false, true}) {
      if (has_graded_axes) problem = graded(problem);
      expect_bound_of("multigrid", problem);
    }
  }
}

TEST_F(SolverBytes, BoundTheBytesOfImplicitSteps) {
  for (Problem problem : problems()) {
    problem.equation = Equation::diffusion;
    MethodSettings method = ftcs(2, 0.01);
    method.name = "crank_nicolson";
    SolverPlan const plan = plan_solver(ranks, problem, method, execution(problem, ranks));
    taken_bytes = 0;
    make_solver(ranks, problem, method, plan)->advance_to(2);
    std::size_t const promised = solver_bytes(problem, method, plan);
    EXPECT_GE(promised, taken_bytes);
    EXPECT_LE(promised, taken_bytes + 4 * mebibyte);
  }
}

TEST_F(SolverBytes, BoundTheBytesOfSuperTimeSteps) {
  for (Problem problem : problems()) {
    problem.equation = Equation::diffusion;
    MethodSettings method = ftcs(2, 5.0 * largest_stable_time_step(problem));
    method.name = "rkl2";
    SolverPlan const plan = plan_solver(ranks, problem, method, execution(problem, ranks));
    taken_bytes = 0;
    make_solver(ranks, problem, method, plan)->advance_to(2);
    std::size_t const promised = solver_bytes(problem, method, plan);
    EXPECT_GE(promised, taken_bytes);
    EXPECT_LE(promised, taken_bytes + 4 * mebibyte);
  }
}

TEST_F(SolverBytes, IncludeBlocksSharedWithPeers) {
  Problem const torus =
      box_problem(Equation::diffusion, 3, {16, 16, 64}, {BoundaryKind::periodic, {}});
  auto const on_device = [&](TransportKind kind) {
    SolverPlan plan = plan_of(torus, "wavefront-4", kind);
    plan.execution.backend = Backend::cuda;
    return solver_bytes(torus, method_for(torus, 12), plan);
  };
  // One block for messages, one for the flags of sweeps that forward to neighbours.
  std::size_t const blocks = ranks.size() == 1 ? 1 : 2;
  std::size_t const messages = on_device(TransportKind::mpi);
  EXPECT_GE(on_device(TransportKind::automatic), messages + 2 * blocks * mebibyte);
  EXPECT_LE(on_device(TransportKind::automatic), messages + (2 * blocks + 1) * mebibyte);
}

TEST_F(SolverBytes, GrowWithSourceAndHaloAndShrinkWithRanks) {
  Problem problem = box_problem(Equation::poisson, 3, {256, 256, 256}, {});
  auto const field = static_cast<std::size_t>(problem.grid.point_count()) * sizeof(double);
  auto const bytes_of = [&](std::string const& plan) {
    return solver_bytes(problem, method_for(problem, 12), plan_of(problem, plan));
  };
  auto const share = static_cast<std::size_t>(ranks.size());

  std::size_t const plain = bytes_of("plain");
  EXPECT_GT(plain * share, 2 * field);
  EXPECT_LT(plain, 2 * field / share + field);
  EXPECT_GT(bytes_of(plans(problem).back().name), plain);
  problem.source = 1.0;
  EXPECT_GE(bytes_of("plain"), plain + field / share / 2);
}

}  // namespace
}  // namespace isotherm::test
