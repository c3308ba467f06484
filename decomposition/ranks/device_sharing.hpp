#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "decomposition/ranks/mpi.hpp"

namespace isotherm {

/// The device that a rank computes on, identified across hosts. Two ranks share a device if these
/// objects are equal.
struct RankDevice {
  std::string host;  ///< as host_name()
  std::string uuid;  ///< DeviceInfo::uuid; empty if the rank computes on its host's cores

  // NOLINTNEXTLINE(modernize-use-nullptr): clang-tidy 14 finds a 0 in what the compiler generates
  auto operator<=>(RankDevice const&) const = default;
};

/// Returns the devices of all ranks, by rank; the same list on every rank. Collective.
///
/// Device numbers and CUDA_VISIBLE_DEVICES do not identify a device. A launcher may give each rank
/// another GPU under the same number by means of cgroups, without setting the variable.
/// @param uuid  of this rank's device
std::vector<RankDevice> gather_devices(mpi::Communicator const& ranks, std::string const& uuid);

/// Returns the number of ranks that compute on the device of `rank`, including `rank` itself.
/// @param devices  as gather_devices() returned it
int count_sharers(std::vector<RankDevice> const& devices, int rank);

/// Returns the first two ranks that share a device, or nullopt if each rank has its own.
std::optional<std::pair<int, int>> first_sharers(std::vector<RankDevice> const& devices);

}  // namespace isotherm
