#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "decomposition/ranks/mpi.hpp"

namespace isotherm {

/// The device that a rank computes on.
struct RankDevice {
  std::string host;
  std::string uuid;  ///< DeviceInfo::uuid; empty if the rank computes on its host's cores

  // NOLINTNEXTLINE(modernize-use-nullptr): clang-tidy 14 finds a 0 in what the compiler generates
  auto operator<=>(RankDevice const&) const = default;
};

/// The devices of all ranks in the order of their numbers, the same list on every rank. Device
/// numbers and CUDA_VISIBLE_DEVICES do not identify a device: a launcher may show each rank another
/// GPU under the same number, and say so by cgroups only. Collective.
/// @param uuid  of this rank's device
std::vector<RankDevice> gather_devices(mpi::Communicator const& ranks, std::string const& uuid);

/// Number of ranks, `rank` itself included, that compute on the same device as `rank`.
int count_sharers(std::vector<RankDevice> const& devices, int rank);

/// The first two ranks that share a device; none if each rank has its own.
std::optional<std::pair<int, int>> first_sharers(std::vector<RankDevice> const& devices);

}  // namespace isotherm
