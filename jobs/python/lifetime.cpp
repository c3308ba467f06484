#include "jobs/python/lifetime.hpp"

#include <atomic>
#include <cstdlib>
#include <fmt/format.h>
#include <map>
#include <sstream>
#include <string>
#include <thread>
#include <unistd.h>
#include <utility>

#include "kernels/core/error.hpp"

namespace isotherm {
namespace {

using Named = std::map<std::string, std::unique_ptr<LiveSolver>>;

std::optional<mpi::Session>& own_session() {
  static auto* const session = new std::optional<mpi::Session>;  // ends when it is told to
  return *session;
}

std::atomic<bool> a_run_is_on{false};

/// The process that MPI was started in, as far as isotherm knows; 0 before that.
std::atomic<pid_t> mpi_process{0};

using Environment = std::map<std::string, std::string>;

/// A copy of the process's environment.
Environment environment_now() {
  Environment variables;
  for (char** entry = environ; entry != nullptr && *entry != nullptr; ++entry) {
    std::string const text(*entry);
    if (auto const end = text.find('='); end != std::string::npos) {
      variables.emplace(text.substr(0, end), text.substr(end + 1));
    }
  }
  return variables;
}

/// Makes the process's environment equal to the copy.
void restore(Environment const& wanted) {
  Environment const now = environment_now();
  for (auto const& [name, value] : now) {
    if (!wanted.contains(name)) unsetenv(name.c_str());
  }
  for (auto const& [name, value] : wanted) {
    auto const found = now.find(name);
    if (found == now.end() || found->second != value) setenv(name.c_str(), value.c_str(), 1);
  }
}

/// The thread that calls MPI, where that is one at a time.
class Caller {
 public:
  bool enter() {
    std::lock_guard const lock(mutex_);
    if (depth_ > 0 && thread_ != std::this_thread::get_id()) return false;
    thread_ = std::this_thread::get_id();
    ++depth_;
    return true;
  }
  void leave() {
    std::lock_guard const lock(mutex_);
    --depth_;
  }

 private:
  std::mutex mutex_;
  std::thread::id thread_{};
  int depth_ = 0;
};

Caller& caller() {
  static auto* const only = new Caller;
  return *only;
}

std::string text_of(Named const& solvers) {
  std::string text;
  for (auto const& [name, solver] : solvers) text += name + ' ';
  return text;
}

/// The root counts its solvers, and no other rank has its number. Collective.
std::string new_name(mpi::Communicator const& ranks) {
  static std::atomic<std::int64_t> last{0};
  std::string name;
  if (ranks.is_root()) name = fmt::format("{}.{}", mpi::rank_in_job(), ++last);
  return ranks.broadcast(name);
}

/// Ends a solver that nothing on this rank refers to any more, or keeps it until the other ranks
/// have lost theirs. After the end of MPI, and in a forked process, its memory is not given back.
void lose(std::string const& name, std::unique_ptr<LiveSolver> solver) {
  if (mpi_process != getpid() || !mpi::is_running()) {
    (void)solver.release();
  } else if (MpiTurn const turn; solver->ranks().size() > 1 || !turn.is_ours()) {
    lost_solvers().add(name, std::move(solver));
  } else {
    solver.reset();  // in our turn
  }
}

}  // namespace

void require_mpi() {
  require(mpi_process == 0 || mpi_process == getpid(),
          "this process was forked from one in which isotherm had started MPI, and neither MPI nor "
          "OpenMP works in both: start processes by another method, as with "
          "multiprocessing.get_context(\"spawn\")");
  require(!mpi::has_ended(), "MPI has ended: nothing can be solved any more");
}

void start_mpi() {
  require_mpi();
  mpi_process = getpid();
  if (mpi::is_running()) return;
  static int no_arguments = 0;
  static char** none = nullptr;
  // Without mpirun, Open MPI describes this process in the environment. An mpirun that inherits the
  // description takes itself for a part of this job, and fails without a message.
  Environment const before = environment_now();
  own_session().emplace(no_arguments, none);
  restore(before);
}

void end_mpi() {
  if (mpi_process == getpid() && mpi::is_running()) own_session().reset();
}

MpiTurn::MpiTurn()
    : one_at_a_time_(mpi::is_running() && !mpi::all_threads_may_call()),
      ours_(!one_at_a_time_ || (mpi::this_thread_may_call() && caller().enter())) {}

MpiTurn::~MpiTurn() {
  if (one_at_a_time_ && ours_) caller().leave();
}

void MpiTurn::check() const {
  require(ours_,
          "MPI was not started for calls of several threads at once (MPI_THREAD_MULTIPLE), and "
          "another thread calls it: work with solvers in one thread");
}

OnlyRun::OnlyRun() : ours_(!a_run_is_on.exchange(true)) {}

OnlyRun::~OnlyRun() {
  if (ours_) a_run_is_on = false;
}

void OnlyRun::check(mpi::Communicator const& ranks) const {
  require(!ranks.any(!ours_),
          "run() with a directory is at work in another thread: a process does one at a time (in "
          "memory, without a directory, it may do several)");
}

mpi::Communicator communicator(std::optional<std::uintptr_t> address) {
  mpi::check_launcher();
  return address ? mpi::Communicator::from_address(*address) : mpi::Communicator::world();
}

void LostSolvers::add(std::string const& name, std::unique_ptr<LiveSolver> solver) {
  std::lock_guard const lock(mutex_);
  lost_.emplace(name, std::move(solver));
}

void LostSolvers::bury(mpi::Communicator const& ranks) {
  Named mine;
  {
    std::lock_guard const lock(mutex_);
    mine.swap(lost_);
  }
  if (ranks.any(!mine.empty())) {
    std::map<std::string, int> losers;
    for (std::string const& names : ranks.all_gather(text_of(mine))) {
      std::istringstream words(names);
      for (std::string name; words >> name;) ++losers[name];
    }
    std::erase_if(mine, [&](auto const& lost) {  // in the same order on all ranks
      return losers.at(lost.first) == lost.second->ranks().size();
    });
  }
  for (auto& [name, solver] : mine) add(name, std::move(solver));
}

void LostSolvers::forget() {
  std::lock_guard const lock(mutex_);
  for (auto& [name, solver] : lost_) (void)solver.release();
  lost_.clear();
}

LostSolvers& lost_solvers() {
  static auto* const lost = new LostSolvers;
  return *lost;
}

std::shared_ptr<LiveSolver> until_lost(std::unique_ptr<LiveSolver> solver) {
  std::string const name = new_name(solver->ranks());
  return {solver.release(),
          [name](LiveSolver* lost) { lose(name, std::unique_ptr<LiveSolver>(lost)); }};
}

}  // namespace isotherm
