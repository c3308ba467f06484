#include "jobs/python/lifetime.hpp"

#include <sstream>
#include <utility>

#include "kernels/core/error.hpp"

namespace isotherm {
namespace {

using Numbered = std::map<std::int64_t, std::unique_ptr<LiveSolver>>;

std::optional<mpi::Session>& own_session() {
  static auto* const session = new std::optional<mpi::Session>;  // ends when it is told to
  return *session;
}

std::string text_of(Numbered const& solvers) {
  std::string text;
  for (auto const& [number, solver] : solvers) text += std::to_string(number) + ' ';
  return text;
}

}  // namespace

void require_mpi() { require(!mpi::has_ended(), "MPI has ended: nothing can be solved any more"); }

void start_mpi() {
  require_mpi();
  if (mpi::is_running()) return;
  static int no_arguments = 0;
  static char** none = nullptr;
  own_session().emplace(no_arguments, none);
}

void end_mpi() {
  if (mpi::is_running()) own_session().reset();
}

MPI_Comm communicator(std::optional<std::uintptr_t> address) {
  start_mpi();
  if (address) return *reinterpret_cast<MPI_Comm*>(*address);
  mpi::check_launcher(mpi::Communicator(MPI_COMM_WORLD));
  return MPI_COMM_WORLD;
}

void LostSolvers::add(std::int64_t number, std::unique_ptr<LiveSolver> solver) {
  std::lock_guard const lock(mutex_);
  if (number == 0) return (void)solver.release();
  lost_.emplace(number, std::move(solver));
}

void LostSolvers::bury() {
  mpi::Communicator const all(MPI_COMM_WORLD);
  Numbered mine;
  {
    std::lock_guard const lock(mutex_);
    mine.swap(lost_);
  }
  std::int64_t const count = all.sum(static_cast<std::int64_t>(mine.size()));
  if (count == 0) return;
  std::map<std::int64_t, int> losers;
  for (std::string const& numbers : all.all_gather(text_of(mine))) {
    std::istringstream words(numbers);
    for (std::int64_t number = 0; words >> number;) ++losers[number];
  }
  for (auto const& [number, ranks] : losers) {
    if (ranks == all.size()) mine.erase(number);
  }
  for (auto& [number, solver] : mine) add(number, std::move(solver));
}

void LostSolvers::forget() {
  std::lock_guard const lock(mutex_);
  for (auto& [number, solver] : lost_) (void)solver.release();
  lost_.clear();
}

LostSolvers& lost_solvers() {
  static auto* const lost = new LostSolvers;
  return *lost;
}

}  // namespace isotherm
