#include "decomposition/ranks/device_sharing.hpp"

#include <algorithm>
#include <map>

#include "decomposition/ranks/host_name.hpp"

namespace isotherm {

std::vector<RankDevice> gather_devices(mpi::Communicator const& ranks, std::string const& uuid) {
  // Two collective calls: every rank makes both.
  std::vector<std::string> const hosts = ranks.all_gather(host_name());
  std::vector<std::string> const uuids = ranks.all_gather(uuid);
  std::vector<RankDevice> devices;
  for (std::size_t rank = 0; rank < hosts.size(); ++rank) {
    devices.push_back({hosts[rank], uuids[rank]});
  }
  return devices;
}

int count_sharers(std::vector<RankDevice> const& devices, int rank) {
  return static_cast<int>(std::ranges::count(devices, devices[static_cast<std::size_t>(rank)]));
}

std::optional<std::pair<int, int>> first_sharers(std::vector<RankDevice> const& devices) {
  std::map<RankDevice, int> owners;  // the first rank that computes on each device
  int rank = 0;
  for (RankDevice const& device : devices) {
    // An existing entry has the lower rank number, since ranks are visited in order.
    auto const [owner, is_new] = owners.emplace(device, rank);
    if (!is_new) return std::pair(owner->second, rank);
    ++rank;
  }
  return std::nullopt;
}

}  // namespace isotherm
