#include <gtest/gtest.h>

#include "app/run/report/run_report.hpp"
#include "solver/solver.hpp"
#include "tests/case/case_texts.hpp"
#include "tests/io/support.hpp"

// The report at the end of a run.

namespace isotherm::test {
using namespace app;
namespace {

TEST(RunReport, UnwrittenFieldIsReportedWithKnownFiles) {
  mpi::Communicator const world(MPI_COMM_WORLD);
  SharedDirectory const directory(world);
  Case chosen = parse_case(std::string(laplace_case), "case.toml");
  chosen.output.directory = directory.path();
  Execution execution;
  execution.parts = choose_decomposition(chosen.problem.grid, world.size());
  auto const solver = make_solver(world, chosen.problem, chosen.method, execution);
  std::vector<double> const values = values_of<double>(solver->subdomain());
  write_snapshot<double>(world, snapshot_path(directory.path(), "u", 1234), some_info(),
                         solver->subdomain(), values.data(), {}, {});
  RunLog log(world, RunLog::Loudness::quiet);
  FieldWriter writer(world, chosen, *solver, log, false);
  Summary summary;

  std::string const said = message_of<Error>([&] { describe_result(*solver, writer, summary); });

  EXPECT_EQ(said.find("the field of iteration 0") == 0, world.is_root()) << said;
  writer.write_final();
  describe_result(*solver, writer, summary);
  EXPECT_EQ(summary.final_file, world.is_root() ? "u_000000.vtkhdf" : "");
}

}  // namespace
}  // namespace isotherm::test
