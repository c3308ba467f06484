#pragma once

#include <string>
#include <vector>

#include "decomposition/ranks/mpi.hpp"

namespace isotherm::app {

/// The host and the cores on which a rank runs. Lists of placements are indexed by rank.
struct Placement {
  std::string host;
  std::string cores;  ///< numbers of the cores that this rank may use: "0 1 5"
};

/// Returns the placements of all ranks, the same list on every rank. Collective.
std::vector<Placement> gather_placements(mpi::Communicator const& ranks, Placement const& own);

/// Returns the placement of this process, from its affinity mask (sched_getaffinity).
Placement own_placement();

/// Returns the number of different hosts.
int count_hosts(std::vector<Placement> const& placements);
/// Returns how many cores of `rank`'s host at least one rank may use.
int count_cores_in_use(std::vector<Placement> const& placements, int rank);

/// Returns the number of threads that is `rank`'s fair share of its host's cores; at least 1.
///
/// The result is c n / C, rounded down. Here c is the number of cores that the rank may use, and C
/// is the sum of these numbers over the host's ranks. n is the number of different cores among
/// them. If affinity masks overlap, all cores are used and none is counted twice.
int fair_threads(std::vector<Placement> const& placements, int rank);

}  // namespace isotherm::app
