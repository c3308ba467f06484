#include "python/lifetime.hpp"

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

/// The session of MPI that isotherm started, if it did. Leaked on purpose: it ends in end_mpi(),
/// not with static objects.
std::optional<mpi::Session>& own_session() {
  static auto* const session = new std::optional<mpi::Session>;
  return *session;
}

/// True while an OnlyRun exists that succeeded.
std::atomic<bool> a_run_is_on{false};

/// The process in which MPI was started, as far as isotherm knows; 0 before that. Detects forks.
std::atomic<pid_t> mpi_process{0};

/// Variables of the environment by name.
using Environment = std::map<std::string, std::string>;

/// Returns a copy of the process's environment.
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

/// A recursive lock that does not wait: the thread that may call MPI, if only one may at a time.
class Caller {
 public:
  /// Returns false if another thread has the lock.
  bool enter() {
    std::lock_guard const lock(mutex_);
    if (depth_ > 0 && thread_ != std::this_thread::get_id()) return false;
    thread_ = std::this_thread::get_id();
    ++depth_;
    return true;
  }
  /// Releases one level of the lock.
  void leave() {
    std::lock_guard const lock(mutex_);
    --depth_;
  }

 private:
  std::mutex mutex_;
  std::thread::id thread_{};
  int depth_ = 0;  ///< levels of the lock; 0 if it is free
};

/// The lock of this process; leaked on purpose, since threads may outlive static objects.
Caller& caller() {
  static auto* const only = new Caller;
  return *only;
}

/// Returns the names, each followed by a blank.
std::string text_of(Named const& solvers) {
  std::string text;
  for (auto const& [name, solver] : solvers) text += name + ' ';
  return text;
}

/// Returns a name that no other solver has: the root's rank in the job and its count of solvers.
/// Collective.
std::string new_name(mpi::Communicator const& ranks) {
  static std::atomic<std::int64_t> last{0};
  std::string name;
  if (ranks.is_root()) name = fmt::format("{}.{}", mpi::rank_in_job(), ++last);
  return ranks.broadcast(name);
}

/// Destroys a solver that nothing on this rank refers to any more, or keeps it until the other
/// ranks have lost theirs. After the end of MPI, and in a forked process, it is leaked.
void lose(std::string const& name, std::unique_ptr<LiveSolver> solver) {
  if (mpi_process != getpid() || !mpi::is_running()) {
    (void)solver.release();
  } else if (MpiTurn const turn; solver->ranks().size() > 1 || !turn.is_ours()) {
    // With several ranks, or if another thread calls MPI now, the destruction has to wait.
    lost_solvers().add(name, std::move(solver));
  } else {
    solver.reset();  // this thread has the right to call MPI
  }
}

}  // namespace

void require_mpi() {
  require(mpi_process == 0 || mpi_process == getpid(),
          "this process was forked after isotherm had started MPI, and neither MPI nor OpenMP "
          "supports this: start processes with another method, for example "
          "multiprocessing.get_context(\"spawn\")");
  require(!mpi::has_ended(), "MPI has ended, so isotherm can no longer solve anything");
}

void start_mpi() {
  require_mpi();
  // MPI may have been started by mpi4py; the process is recorded in that case, too.
  mpi_process = getpid();
  if (mpi::is_running()) return;
  static int no_arguments = 0;
  static char** none = nullptr;
  // Without mpirun, Open MPI describes this process in the environment. An mpirun that inherits
  // these variables treats itself as a part of this job, and fails without a message.
  Environment const before = environment_now();
  own_session().emplace(no_arguments, none);
  restore(before);
}

void end_mpi() {
  if (mpi_process == getpid() && mpi::is_running()) own_session().reset();
}

MpiTurn::MpiTurn()
    : one_at_a_time_(mpi::is_running() && !mpi::all_threads_may_call()),
      // Short-circuit: the lock is not entered if it is not needed.
      ours_(!one_at_a_time_ || (mpi::this_thread_may_call() && caller().enter())) {}

MpiTurn::~MpiTurn() {
  if (one_at_a_time_ && ours_) caller().leave();
}

void MpiTurn::check() const {
  require(ours_,
          "another thread is calling MPI, which does not allow calls from several threads here (no "
          "MPI_THREAD_MULTIPLE): use solvers in one thread only");
}

OnlyRun::OnlyRun() : ours_(!a_run_is_on.exchange(true)) {}

OnlyRun::~OnlyRun() {
  if (ours_) a_run_is_on = false;
}

void OnlyRun::check(mpi::Communicator const& ranks) const {
  require(!ranks.any(!ours_),
          "run() with a directory is active in another thread: a process can do only one at a time "
          "(without a directory, several)");
}

mpi::Communicator communicator(std::optional<std::uintptr_t> address) {
  // Detects a launcher of another MPI library, which would start every rank as its own job.
  mpi::check_launcher();
  return address ? mpi::Communicator::from_address(*address) : mpi::Communicator::world();
}

void LostSolvers::add(std::string const& name, std::unique_ptr<LiveSolver> solver) {
  std::lock_guard const lock(mutex_);
  lost_.emplace(name, std::move(solver));
}

void LostSolvers::destroy_lost_on_all_ranks(mpi::Communicator const& ranks) {
  Named mine;
  {
    std::lock_guard const lock(mutex_);
    // Solvers that are lost from now on have their turn at the next call.
    mine.swap(lost_);
  }
  // The usual case, nothing lost on any rank, needs one reduction only.
  if (ranks.any(!mine.empty())) {
    std::map<std::string, int> losers;
    for (std::string const& names : ranks.all_gather(text_of(mine))) {
      std::istringstream words(names);
      for (std::string name; words >> name;) ++losers[name];
    }
    // The map is sorted, so all ranks destroy them in the same order.
    std::erase_if(mine, [&](auto const& lost) {
      return losers.at(lost.first) == lost.second->ranks().size();
    });
  }
  // Not lost on all ranks yet.
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
