#include <gtest/gtest.h>

#include <exception>
#include <iostream>

#if defined(__SANITIZE_ADDRESS__)
#include <sanitizer/lsan_interface.h>
#endif

#include "decomposition/ranks/mpi.hpp"
#include "tests/support/lone_thread.hpp"
#include "tests/support/verdict.hpp"

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

/// Runs the tests on this rank. @returns the verdict over all ranks, the same on each
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

/// For an exception that left a test on this rank: the other ranks may wait for it in a call, so
/// the job ends here, with a word about where.
void report(std::exception const& error) {
  auto const* const test = testing::UnitTest::GetInstance()->current_test_info();
  if (test != nullptr) {
    std::cerr << test->test_suite_name() << '.' << test->name() << " threw: ";
  }
  std::cerr << error.what() << std::endl;
}

int run_with_mpi(int argc, char** argv) {
  isotherm::mpi::Session const session(argc, argv);
  testing::InitGoogleTest(&argc, argv);
  GTEST_FLAG_SET(catch_exceptions, false);
  return run(isotherm::mpi::Communicator(MPI_COMM_WORLD));
}

/// Asked for here, and not by the sanitizer itself at exit (LSAN_OPTIONS): it stops all threads to
/// look at them, and dies where one of MPI's goes away meanwhile.
bool leaks() {
#if defined(__SANITIZE_ADDRESS__)
  if (isotherm::test::becomes_lone_thread()) return __lsan_do_recoverable_leak_check() != 0;
  std::cerr << "other threads go on: nobody looked for leaks" << std::endl;
#endif
  return false;
}

}  // namespace

/// Runs the same tests on every rank and returns one verdict: failed if they failed, or if none
/// was found, on any rank; skipped if all were, or those of a backend that is missing: in words,
/// since mpirun takes seconds to end a job whose ranks end with a code. Rank 0 prints everything,
/// others their failures.
int main(int argc, char** argv) try {
  int const verdict = run_with_mpi(argc, argv);
  return leaks() ? 1 : verdict;
} catch (std::exception const& error) {
  report(error);
  isotherm::mpi::abort_job(1);
}
