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

/// @throws Error  where MPI has ended
void require_mpi();
/// Starts MPI where Python has not started it before, until end_mpi().
void start_mpi();
/// Ends MPI where start_mpi() started it.
void end_mpi();

/// Of an mpi4py communicator, by the address of its handle; all ranks where none is given.
MPI_Comm communicator(std::optional<std::uintptr_t> address);

/// Solvers of all ranks that Python no longer has. To end one is work that all its ranks do
/// together, and each of them may lose it at another time; so they end those that all have lost
/// when they make the next one.
class LostSolvers {
 public:
  /// @param number  the same on all ranks; 0 of a solver of some ranks, which stays
  void add(std::int64_t number, std::unique_ptr<LiveSolver> solver);
  /// Collective over all ranks.
  void bury();
  /// They are as they are when the process ends.
  void forget();

 private:
  std::mutex mutex_;
  std::map<std::int64_t, std::unique_ptr<LiveSolver>> lost_;
};

LostSolvers& lost_solvers();

}  // namespace isotherm
