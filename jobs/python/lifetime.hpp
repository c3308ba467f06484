#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "decomposition/ranks/mpi.hpp"
#include "jobs/live/live_solver.hpp"

namespace isotherm {

/// @throws Error  if MPI has ended, or this process is a fork of the one that MPI was started in
void require_mpi();
/// Starts MPI, until end_mpi(), if nothing in this process has started it. The environment stays as
/// it was, so child processes can be MPI programs.
void start_mpi();
/// Ends MPI if start_mpi() started it, in this process.
void end_mpi();

/// This thread's right to call MPI: where MPI was not started for several threads at once
/// (MPI_THREAD_MULTIPLE) one has it at a time. Who has it may take it again.
class MpiTurn {
 public:
  MpiTurn();
  ~MpiTurn();
  MpiTurn(MpiTurn const&) = delete;
  MpiTurn& operator=(MpiTurn const&) = delete;
  [[nodiscard]] bool is_ours() const { return ours_; }
  /// @throws Error  where it is another thread's
  void check() const;

 private:
  bool one_at_a_time_;
  bool ours_;
};

/// The process's one run that writes to a directory, which listens to its signals: one that began
/// before another and ended after it would leave it with handlers of neither's former ones.
class OnlyRun {
 public:
  OnlyRun();
  ~OnlyRun();
  OnlyRun(OnlyRun const&) = delete;
  OnlyRun& operator=(OnlyRun const&) = delete;
  /// @throws Error  on every rank, where another thread of one of them has one. Collective
  void check(mpi::Communicator const& ranks) const;

 private:
  bool ours_;
};

/// A duplicate of an mpi4py communicator, given by the address of its handle, or of all ranks if
/// there is no address. Several threads may call it at once. Collective.
mpi::Communicator communicator(std::optional<std::uintptr_t> address);

/// Solvers that nobody on this rank has any more. To end one is work that all its ranks do
/// together, and each of them may lose it at another time; so they end those that all have lost
/// when they make or close the next one.
class LostSolvers {
 public:
  /// @param name  the same on all ranks of the solver, and no other one's
  void add(std::string const& name, std::unique_ptr<LiveSolver> solver);
  /// Ends those whose ranks are all among these and have all lost it. Collective.
  void bury(mpi::Communicator const& ranks);
  /// They are as they are when the process ends.
  void forget();

 private:
  std::mutex mutex_;
  std::map<std::string, std::unique_ptr<LiveSolver>> lost_;
};

LostSolvers& lost_solvers();

/// Of a solver that was just made: it ends, or is lost, when nobody on this rank has it any more.
/// Collective over its ranks.
std::shared_ptr<LiveSolver> until_lost(std::unique_ptr<LiveSolver> solver);

}  // namespace isotherm
