#pragma once

#include <optional>
#include <string>
#include <vector>

#include "case/case.hpp"
#include "io/snapshot/snapshot.hpp"
#include "solver/problem/values.hpp"

namespace isotherm::app {

/// The contents of the [initial] file of a case, known from its description without reading values.
struct InitialField {
  Grid grid{};                             ///< the grid that the values belong to
  std::string name;                        ///< field of a snapshot, or else dataset
  std::optional<SnapshotInfo> snapshot{};  ///< set if isotherm wrote the file
  std::optional<Resampling> resampling{};  ///< interpolation to the case's grid
  std::vector<std::string> warnings{};
};

/// Examines the file without reading its values. Serial.
/// @throws InputError  if the case cannot start from it. The message names the key and a remedy
InitialField find_initial_field(Case const& chosen);

/// Returns the bytes of host memory that read_initial_field() allocates on this rank, in addition
/// to the values of its part; uncountable_bytes if no memory can hold them. Not collective.
/// @param owned      points that this rank owns
/// @param precision  of the case, to which the values of the file are converted
std::size_t bytes_to_read(InitialField const& initial, GlobalBox owned, Precision precision);

/// Reads the values of this rank's part, interpolated if [initial] resample is set. Interpolation
/// runs on the CPU, also if the run uses a GPU. Collective.
/// @param[out] values  as many as the rank's owned points, x fastest
/// @throws InputError  on every rank, if the file is damaged
void read_initial_field(mpi::Communicator const& ranks, Case const& chosen,
                        InitialField const& initial, Subdomain const& part, HostValues& values);

}  // namespace isotherm::app
