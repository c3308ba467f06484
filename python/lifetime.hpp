#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "decomposition/ranks/mpi.hpp"
#include "python/in_memory/live_solver.hpp"

// Lifetimes in a Python process. MPI may belong to mpi4py, to isotherm or to nobody, and threads
// may call it in turn. Solvers are garbage-collected on each rank at a different time, although
// destroying one is collective.

namespace isotherm {

/// Checks that MPI can be used.
/// @throws Error  if MPI has ended, or this process is a fork of the one in which MPI was started
void require_mpi();
/// Starts MPI, unless it is running in this process already. end_mpi() ends it. The environment is
/// unchanged afterwards, so child processes can be MPI programs.
void start_mpi();
/// Ends MPI if start_mpi() started it in this process.
void end_mpi();

/// The right of this thread to call MPI. Without MPI_THREAD_MULTIPLE one thread at a time has it. A
/// thread that has it may acquire it again.
///
///   MpiTurn const turn;
///   turn.check();
///   ranks.sum(1.0);
class MpiTurn {
 public:
  /// Tries to acquire the right; does not wait.
  MpiTurn();
  /// Releases it.
  ~MpiTurn();
  MpiTurn(MpiTurn const&) = delete;
  MpiTurn& operator=(MpiTurn const&) = delete;
  /// Returns true if this thread may call MPI.
  [[nodiscard]] bool is_ours() const { return ours_; }
  /// @throws Error  if another thread has the right
  void check() const;

 private:
  bool one_at_a_time_;  ///< MPI was started without MPI_THREAD_MULTIPLE
  bool ours_;
};

/// Excludes a second run with output in the same process.
///
/// Such a run installs signal handlers. If two runs overlapped, the process could be left with
/// handlers that are not the original ones.
class OnlyRun {
 public:
  /// Tries to become the only run; does not wait.
  OnlyRun();
  ~OnlyRun();
  OnlyRun(OnlyRun const&) = delete;
  OnlyRun& operator=(OnlyRun const&) = delete;
  /// Collective.
  /// @throws Error  on every rank, if another thread of some rank has such a run
  void check(mpi::Communicator const& ranks) const;

 private:
  bool ours_;
};

/// Returns a duplicate of a communicator, for calls of several threads. Collective.
/// @param address  address of an mpi4py communicator's handle; none for all ranks
mpi::Communicator communicator(std::optional<std::uintptr_t> address);

/// Solvers that nothing on this rank refers to any more.
///
/// Destroying a solver is collective over its ranks, but Python's garbage collector drops it on
/// each rank at another time. So lost solvers are kept here. When the ranks next create or close a
/// solver, they destroy all those that every rank has lost.
class LostSolvers {
 public:
  /// Adds a solver.
  /// @param name  unique name of the solver, the same on all its ranks
  void add(std::string const& name, std::unique_ptr<LiveSolver> solver);
  /// Destroys the solvers whose ranks are all in `ranks` and have all lost them. Collective.
  void destroy_lost_on_all_ranks(mpi::Communicator const& ranks);
  /// Leaks all lost solvers. For the end of the process, when collective work is no longer
  /// possible.
  void forget();

 private:
  std::mutex mutex_;                                         ///< guards lost_
  std::map<std::string, std::unique_ptr<LiveSolver>> lost_;  ///< by name
};

/// Returns the lost solvers of this process.
LostSolvers& lost_solvers();

/// Returns a shared pointer to a new solver. When nothing on this rank refers to it any more, the
/// solver is destroyed or added to lost_solvers(). Collective over the solver's ranks.
std::shared_ptr<LiveSolver> until_lost(std::unique_ptr<LiveSolver> solver);

}  // namespace isotherm
