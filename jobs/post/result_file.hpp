#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "io/snapshot/snapshot.hpp"

namespace isotherm {

/// From which file to which an operation on a field leads.
struct FieldFiles {
  std::filesystem::path input;   ///< or a directory: its newest field
  std::filesystem::path output;  ///< NAME.vtkhdf; the picture beside it is NAME.png
  bool overwrite = false;        ///< replaces the two
  std::vector<std::filesystem::path> also_read{};  ///< like the input not to be replaced
};

/// What the input's description says, on every rank; of a directory `files` has its field then.
/// Collective.
/// @throws InputError  where it cannot be read, or the output may not be written: it has another
///                     ending, is read, or is there already
SnapshotInfo open_operation(mpi::Communicator const& ranks, FieldFiles& files);

/// Writes a field that was made of another one, and a picture of it, and says so. Collective.
/// @param info     of the field that it was made of, on the subdomain's grid
/// @param made_by  "smoothed": nobody can resume from such a field
template <class Real>
void write_result(mpi::Communicator const& ranks, FieldFiles const& files, SnapshotInfo info,
                  Subdomain const& subdomain, Real const* owned, std::string const& made_by);

}  // namespace isotherm
