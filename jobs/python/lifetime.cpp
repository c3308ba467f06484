#include "jobs/python/lifetime.hpp"

#include <atomic>
#include <fmt/format.h>
#include <sstream>
#include <utility>

#include "kernels/core/error.hpp"

namespace isotherm {
namespace {

using Named = std::map<std::string, std::unique_ptr<LiveSolver>>;

std::optional<mpi::Session>& own_session() {
  static auto* const session = new std::optional<mpi::Session>;  // ends when it is told to
  return *session;
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

/// Other ranks may still have theirs, and MPI may have ended.
void lose(std::string const& name, std::unique_ptr<LiveSolver> solver) {
  if (!mpi::is_running()) {
    (void)solver.release();
  } else if (solver->ranks().size() > 1) {
    lost_solvers().add(name, std::move(solver));
  }
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
