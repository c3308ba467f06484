#include "jobs/machine/census.hpp"

#include <algorithm>
#include <iterator>
#include <sched.h>
#include <set>
#include <sstream>
#include <unistd.h>

#include "decomposition/ranks/host_name.hpp"

namespace isotherm {

namespace {

/// Every core that is online, where the mask cannot be had.
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

std::vector<int> numbers(std::string const& text) {
  std::istringstream stream(text);
  return {std::istream_iterator<int>(stream), {}};
}

std::string joined(std::vector<std::string> const& lines, char separator) {
  std::string all;
  for (std::string const& line : lines) {
    all.append(line).append(1, separator);
  }
  return all;
}

}  // namespace

Berth own_berth() { return {host_name(), usable_cores(), ""}; }

std::vector<Berth> take_census(mpi::Communicator const& ranks, Berth const& own) {
  std::string const mine = joined({own.host, own.cores, own.device}, '\t');
  std::istringstream all(ranks.broadcast(joined(ranks.gather(mine), '\n')));
  std::vector<Berth> census;
  Berth next;
  while (std::getline(all, next.host, '\t') && std::getline(all, next.cores, '\t') &&
         std::getline(all, next.device, '\t') && all.get() == '\n') {
    census.push_back(next);
  }
  return census;
}

int count_hosts(std::vector<Berth> const& census) {
  std::set<std::string> hosts;
  for (Berth const& berth : census) {
    hosts.insert(berth.host);
  }
  return static_cast<int>(hosts.size());
}

int count_cores_in_use(std::vector<Berth> const& census, int rank) {
  std::set<int> cores;
  for (Berth const& berth : census) {
    if (berth.host == census[static_cast<std::size_t>(rank)].host) {
      std::vector<int> const usable = numbers(berth.cores);
      cores.insert(usable.begin(), usable.end());
    }
  }
  return static_cast<int>(cores.size());
}

int count_sharers(std::vector<Berth> const& census, int rank) {
  Berth const& own = census[static_cast<std::size_t>(rank)];
  return static_cast<int>(std::count_if(census.begin(), census.end(), [&](Berth const& berth) {
    return berth.host == own.host && berth.device == own.device;
  }));
}

int fair_threads(std::vector<Berth> const& census, int rank) {
  Berth const& own = census[static_cast<std::size_t>(rank)];
  std::size_t claims = 0;
  for (Berth const& berth : census) {
    claims += berth.host == own.host ? numbers(berth.cores).size() : 0;
  }
  auto const in_use = static_cast<std::size_t>(count_cores_in_use(census, rank));
  return static_cast<int>(std::max<std::size_t>(
      1, numbers(own.cores).size() * in_use / std::max<std::size_t>(1, claims)));
}

}  // namespace isotherm
