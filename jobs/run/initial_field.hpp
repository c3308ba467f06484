#pragma once

#include <optional>
#include <string>
#include <vector>

#include "io/snapshot/snapshot.hpp"
#include "jobs/case/case.hpp"
#include "solver/problem/values.hpp"

namespace isotherm {

/// What a case's [initial] file holds.
struct InitialField {
  Grid grid{};                             ///< whose points the values belong to
  std::string name;                        ///< of the field in a snapshot, else of the dataset
  std::optional<SnapshotInfo> snapshot{};  ///< where the file is one of isotherm's
  std::optional<Resampling> resampling{};  ///< from that grid to the case's
  std::vector<std::string> warnings{};
};

/// Looks at the file without reading its values; serial.
/// @throws InputError  where the case cannot begin with it: names the key, and what would be right
InitialField find_initial_field(Case const& chosen);

/// What reading it takes on this rank, beside the values of its part.
std::size_t bytes_to_read(InitialField const& initial, GlobalBox owned, Precision precision);

/// Reads the values of this rank's part, or interpolates them. Collective.
/// @throws InputError  on every rank, where the file is damaged
void read_initial_field(mpi::Communicator const& ranks, Case const& chosen,
                        InitialField const& initial, Subdomain const& part, HostValues& values);

}  // namespace isotherm
