#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

#include "case/read_case.hpp"
#include "python/in_memory/live_solver.hpp"

// In an MPI test, use EXPECT_*, not ASSERT_*: a rank that leaves early leaves the others waiting in
// their next collective call.

namespace isotherm::test {
namespace {

constexpr std::string_view bar_case = R"toml(
[grid]
points = [513, 1]
[equation]
type = "laplace"
[boundary]
x_lower = { type = "dirichlet", value = 1.0 }
x_upper = { type = "dirichlet", value = 0.0 }
y = { type = "periodic" }
[initial]
value = "1 - x + 0.5*sin(pi*x) + 0.3*sin(100*pi*x)"
[method]
name = "jacobi"
iterations = 20000
check_every = 20
tolerance = 3e-4
[run]
device = "cpu"
)toml";

struct Verdict {
  bool of_solver = false;
  bool of_check = false;
};

/// Solves the case in memory, like an embedding program.
/// @param is_checked  multigrid checks claims of convergence
Verdict verdict_on(std::vector<std::string> const& overrides, bool is_checked = true) {
  Case const chosen = parse_case_file(std::string(bar_case), "bar.toml", overrides);
  LiveSolver solver(mpi::Communicator::world(), chosen, {});
  if (!is_checked) solver.solver().check_claims_by({});
  solver.advance_to(chosen.method.iterations, [] { return false; });
  return {solver.solver().converged(), solver.has_converged()};
}

/// The decay of rough modes of the initial field hides the smooth error, but the heat balance
/// reveals it.
TEST(LiveConvergence, RefusedIfTheHeatBalanceExceedsItsBound) {
  Verdict const verdict = verdict_on({}, false);
  EXPECT_TRUE(verdict.of_solver);
  EXPECT_FALSE(verdict.of_check);
}

TEST(LiveConvergence, NotClaimedIfMultigridFindsALargerError) {
  EXPECT_FALSE(verdict_on({}).of_solver);
}

TEST(LiveConvergence, ConfirmedIfTheHeatBalanceCloses) {
  EXPECT_TRUE(verdict_on({"method.name=multigrid", "!method.check_every"}).of_check);
}

TEST(LiveConvergence, NotClaimedWithoutATolerance) {
  EXPECT_FALSE(verdict_on({"method.iterations=20", "!method.tolerance"}).of_check);
}

}  // namespace
}  // namespace isotherm::test
