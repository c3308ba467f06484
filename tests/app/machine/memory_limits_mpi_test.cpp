#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <limits>
#include <string>
#include <sys/resource.h>
#include <unistd.h>
#include <vector>

#include "app/bench/measure/bench_timing.hpp"
#include "app/machine/host_memory.hpp"
#include "app/machine/memory_limits.hpp"
#include "kernels/core/error.hpp"

// The memory available to a rank, and the refusal of runs that exceed it.

namespace isotherm::app {
namespace {

/// A GPU that two ranks share, as choose_device() would describe it.
Device shared_gpu(std::size_t free_bytes) {
  Device device;
  device.backend = Backend::cuda;
  device.info.free_bytes = free_bytes;
  device.sharers = 2;
  return device;
}

TEST(MemoryLimits, ShareFreeMemoryAmongRanks) {
  mpi::Communicator const ranks(MPI_COMM_WORLD);

  MemoryLimits const on_gpu = memory_limits(ranks, shared_gpu(1001));
  EXPECT_EQ(on_gpu.device, 500U);
  EXPECT_GT(on_gpu.host, 0U);
  EXPECT_LE(on_gpu.host, 2 * available_host_bytes() / static_cast<std::size_t>(ranks.size()));

  MemoryLimits const on_cpu = memory_limits(ranks, Device{});
  EXPECT_EQ(on_cpu.device, on_cpu.host);
}

/// `ulimit -v` holds for each process, however many ranks share the host.
TEST(MemoryLimits, KeepWithinTheAddressSpaceOfTheProcess) {
  mpi::Communicator const ranks(MPI_COMM_WORLD);
  constexpr std::size_t room = std::size_t{64} << 20;
  std::size_t pages = 0;
  std::ifstream("/proc/self/statm") >> pages;
  rlimit before{};
  ASSERT_EQ(getrlimit(RLIMIT_AS, &before), 0);
  rlimit tight = before;
  tight.rlim_cur = pages * static_cast<std::size_t>(sysconf(_SC_PAGESIZE)) + room;

  ASSERT_EQ(setrlimit(RLIMIT_AS, &tight), 0);
  MemoryLimits const limits = memory_limits(ranks, Device{});
  ASSERT_EQ(setrlimit(RLIMIT_AS, &before), 0);

  // The process may have released a little memory in between.
  EXPECT_LE(limits.host, room + (std::size_t{1} << 20));
  EXPECT_GT(limits.host, room / 2);
}

TEST(MemoryLimits, CombineHostAndDeviceNeedsOnCpusOnly) {
  EXPECT_TRUE(fits(Backend::cpu, {60, 40}, {100, 100}));
  EXPECT_FALSE(fits(Backend::cpu, {60, 41}, {100, 100}));
  EXPECT_FALSE(fits(Backend::cpu, {101, 0}, {100, 100}));

  EXPECT_TRUE(fits(Backend::cuda, {60, 100}, {60, 100}));
  EXPECT_FALSE(fits(Backend::cuda, {61, 0}, {60, 100}));
  EXPECT_FALSE(fits(Backend::cuda, {0, 101}, {60, 100}));
}

TEST(MemoryLimits, RefuseNeedsWhoseSumOverflows) {
  constexpr std::size_t maximum = std::numeric_limits<std::size_t>::max();

  EXPECT_FALSE(fits(Backend::cpu, {maximum, 2}, {100, 100}));
  EXPECT_FALSE(fits(Backend::cpu, {2, maximum}, {100, 100}));
}

TEST(MemoryLimits, SameDecisionOnAllRanks) {
  mpi::Communicator const ranks(MPI_COMM_WORLD);
  bool const last = ranks.rank() == ranks.size() - 1;

  EXPECT_TRUE(fits_on_all(ranks, shared_gpu(100), {50, 0}));
  EXPECT_FALSE(fits_on_all(ranks, shared_gpu(100), {last ? 51U : 50U, 0}));
}

TEST(MemoryLimits, RefuseOnAllRanksIfAnyStepDoesNotFit) {
  mpi::Communicator const ranks(MPI_COMM_WORLD);
  bool const last = ranks.rank() == ranks.size() - 1;
  auto const said = [&](std::vector<MemoryNeed> const& steps) -> std::string {
    try {
      require_memory(ranks, shared_gpu(100), steps, "smooth", "use more hosts");
    } catch (InputError const& refusal) {
      return refusal.what();
    }
    return "";
  };

  EXPECT_EQ(said({{50, 0}, {49, 1}}), "");
  EXPECT_EQ(said({{50, 0}, {last ? 51U : 50U, 0}}),
            "smooth needs 51 B of GPU memory per rank, but only 50 B are free: use more hosts");
}

/// A benchmark requires the memory of a run with the deepest halo of its plans.
TEST(BenchMemory, MatchesTheSolverWithItsDeepestPlan) {
  mpi::Communicator const ranks(MPI_COMM_WORLD);
  Problem const problem =
      unit_problem({20, 20, 64}, Precision::float64, Equation::laplace, BoundaryKind::dirichlet);
  Execution execution;
  execution.parts = {1, 1, ranks.size()};
  std::vector<SweepPlan> const plans = possible_plans(ranks, problem, execution);
  std::size_t maximum = 0;
  for (SweepPlan const& plan : plans) {
    execution.plan = plan.name;
    MethodSettings const method = endless_method(problem);
    SolverPlan const solver = plan_solver(ranks, problem, method, execution);
    maximum = std::max(maximum, solver_bytes(problem, method, solver));
  }
  auto const needed = static_cast<std::size_t>(ranks.max(static_cast<double>(maximum)));
  auto const fits_into = [&](std::size_t bytes) {
    return solver_fits(ranks, shared_gpu(2 * bytes), problem, execution, plans, 1);
  };

  ASSERT_GT(plans.size(), 1U);
  EXPECT_TRUE(fits_into(needed));
  EXPECT_FALSE(fits_into(needed - 1));
}

}  // namespace
}  // namespace isotherm::app
