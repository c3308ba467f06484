#include <gtest/gtest.h>

#include <exception>
#include <iostream>

#if defined(__SANITIZE_ADDRESS__)
#include <sanitizer/lsan_interface.h>
#endif

#include "decomposition/ranks/mpi.hpp"
#include "tests/main/lone_thread.hpp"
#include "tests/main/select_source.hpp"
#include "tests/main/verdict.hpp"

namespace {

class FailuresOnly : public testing::EmptyTestEventListener {
 public:
  explicit FailuresOnly(int rank) : rank_(rank) {}
  void OnTestPartResult(testing::TestPartResult const& result) override {
    if (result.failed()) {
      std::cerr << "[rank " << rank_ << "] " << result << std::endl;
    }
  }

 private:
  int rank_;
};

void print_only_failures(int rank) {
  auto& listeners = testing::UnitTest::GetInstance()->listeners();
  delete listeners.Release(listeners.default_result_printer());
  listeners.Append(new FailuresOnly(rank));
}

/// Runs the tests on this rank.
/// @returns  the verdict over all ranks, the same on each
int run(isotherm::mpi::Communicator const& world) {
  if (!world.is_root()) {
    print_only_failures(world.rank());
  }
  int const status = RUN_ALL_TESTS();
  if (world.any(status != 0 || isotherm::test::ran_nothing())) {
    if (world.is_root()) {
      std::cerr << "verdict: FAILED on at least one rank" << std::endl;
    }
    return 1;
  }
  if (world.any(isotherm::test::skipped()) && world.is_root()) {
    std::cout << isotherm::test::skipped_verdict << std::endl;
  }
  return 0;
}

/// Reports an exception that escaped from a test on this rank, with its place. The other ranks may
/// wait for this one in a collective call, so the job ends here.
void report(std::exception const& error) {
  auto const* const test = testing::UnitTest::GetInstance()->current_test_info();
  if (test != nullptr) {
    std::cerr << test->test_suite_name() << '.' << test->name() << " threw: ";
  }
  std::cerr << error.what() << std::endl;
}

int run_with_mpi(int argc, char** argv) {
  isotherm::mpi::Session const session(argc, argv, isotherm::mpi::Daemon::none);
  testing::InitGoogleTest(&argc, argv);
  isotherm::test::select_source(argc, argv);
  GTEST_FLAG_SET(catch_exceptions, false);
  return run(isotherm::mpi::Communicator(MPI_COMM_WORLD));
}

/// Runs the leak check here rather than at exit (LSAN_OPTIONS). The check stops all threads, and
/// crashes if a thread of MPI ends meanwhile.
bool leaks() {
#if defined(__SANITIZE_ADDRESS__)
  if (isotherm::test::becomes_lone_thread()) return __lsan_do_recoverable_leak_check() != 0;
  std::cerr << "other threads go on: nobody looked for leaks" << std::endl;
#endif
  return false;
}

}  // namespace

/// Runs the same tests on every rank and returns one verdict. It is "failed" if tests failed, or
/// none was found, on any rank; "skipped" if all were skipped, or those of a missing backend. The
/// verdict is printed, because mpirun takes seconds to end a job whose ranks exit with a code. Rank
/// 0 prints everything, other ranks only their failures.
int main(int argc, char** argv) try {
  int const verdict = run_with_mpi(argc, argv);
  return leaks() ? 1 : verdict;
} catch (std::exception const& error) {
  report(error);
  isotherm::mpi::abort_job(1);
}
