#include "app/machine/placement.hpp"

#include <algorithm>
#include <iterator>
#include <sched.h>
#include <set>
#include <sstream>
#include <unistd.h>

#include "decomposition/ranks/host_name.hpp"

namespace isotherm::app {

namespace {

/// Returns the cores of the affinity mask; all cores that are online if the mask is not available.
std::string usable_cores() {
  cpu_set_t mask;
  CPU_ZERO(&mask);
  bool const known = sched_getaffinity(0, sizeof mask, &mask) == 0;
  long const all = known ? CPU_SETSIZE : sysconf(_SC_NPROCESSORS_ONLN);
  std::string cores;
  for (int core = 0; core < all; ++core) {
    if (!known || CPU_ISSET(core, &mask)) {
      cores.append(cores.empty() ? "" : " ").append(std::to_string(core));
    }
  }
  return cores;
}

/// Parses numbers that are separated by blanks.
std::vector<int> numbers(std::string const& text) {
  std::istringstream stream(text);
  return {std::istream_iterator<int>(stream), {}};
}

}  // namespace

Placement own_placement() { return {host_name(), usable_cores()}; }

std::vector<Placement> gather_placements(mpi::Communicator const& ranks, Placement const& own) {
  std::vector<std::string> const hosts = ranks.all_gather(own.host);
  std::vector<std::string> const cores = ranks.all_gather(own.cores);
  std::vector<Placement> placements;
  for (std::size_t rank = 0; rank < hosts.size(); ++rank) {
    placements.push_back({hosts[rank], cores[rank]});
  }
  return placements;
}

int count_hosts(std::vector<Placement> const& placements) {
  std::set<std::string> hosts;
  for (Placement const& placement : placements) {
    hosts.insert(placement.host);
  }
  return static_cast<int>(hosts.size());
}

int count_cores_in_use(std::vector<Placement> const& placements, int rank) {
  std::set<int> cores;
  for (Placement const& placement : placements) {
    // A set, since the masks of several ranks may overlap.
    if (placement.host == placements[static_cast<std::size_t>(rank)].host) {
      std::vector<int> const usable = numbers(placement.cores);
      cores.insert(usable.begin(), usable.end());
    }
  }
  return static_cast<int>(cores.size());
}

int fair_threads(std::vector<Placement> const& placements, int rank) {
  Placement const& own = placements[static_cast<std::size_t>(rank)];
  // C of the formula: the sum over ranks of the cores that each may use. It exceeds the number of
  // cores if masks overlap.
  std::size_t claims = 0;
  for (Placement const& placement : placements) {
    claims += placement.host == own.host ? numbers(placement.cores).size() : 0;
  }
  auto const in_use = static_cast<std::size_t>(count_cores_in_use(placements, rank));
  return static_cast<int>(std::max<std::size_t>(
      1, numbers(own.cores).size() * in_use / std::max<std::size_t>(1, claims)));
}

}  // namespace isotherm::app
