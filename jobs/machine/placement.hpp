#pragma once

#include <string>
#include <vector>

#include "decomposition/ranks/mpi.hpp"

namespace isotherm {

/// Where a rank runs.
struct Placement {
  std::string host;
  std::string cores;  ///< processor numbers this rank may use: "0 1 5"
};

/// The placements of all ranks, the same list on every rank. Collective.
std::vector<Placement> gather_placements(mpi::Communicator const& ranks, Placement const& own);

/// This process's host and the cores that it may use.
Placement own_placement();

int count_hosts(std::vector<Placement> const& placements);
/// Cores of `rank`'s host that at least one rank may use.
int count_cores_in_use(std::vector<Placement> const& placements, int rank);

/// The threads that are `rank`'s fair share of the cores that it and the other ranks of its host
/// may use: all cores are used where the masks overlap, none is counted twice. At least 1.
int fair_threads(std::vector<Placement> const& placements, int rank);

}  // namespace isotherm
