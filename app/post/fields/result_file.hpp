#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "app/post/fields/derivation.hpp"
#include "io/snapshot/snapshot.hpp"

/// Input and output of the commands that make one field from another: smooth, project and resample.
///
///   SnapshotInfo info = open_operation(ranks, options.files);
///   // … read, compute …
///   write_result<Real>(ranks, options.files, info, part, values.data(), {"smoothed"});

namespace isotherm::app {

/// The files of an operation on a field. The output never replaces a file that is read.
struct FieldFiles {
  std::filesystem::path input;                     ///< a file, or a directory for its newest field
  std::filesystem::path output;                    ///< NAME.vtkhdf; the picture is NAME.png
  bool overwrite = false;                          ///< replace both if they exist
  std::vector<std::filesystem::path> also_read{};  ///< must not be replaced either
};

/// Checks the files of an operation and returns the input's description on every rank. If the input
/// is a directory, it is replaced in `files` by its newest field. Collective.
/// @throws InputError  if the input cannot be read, or if the output must not be written: it has
///                     another extension, is an input file, or exists already
SnapshotInfo open_operation(mpi::Communicator const& ranks, FieldFiles& files);

/// Writes a derived field and a picture of it, and prints the names of both. Collective.
/// @tparam Real  float or double; the file stores this type
/// @param info     of the original field, but with the subdomain's grid
/// @param owned    values of this rank's owned points, dense, x fastest
/// @param made_by  the operation, which the file keeps: no run can resume from it
/// @throws Error  on every rank, if a value is not finite or a file cannot be written. If only the
///                picture fails, the field has been written
template <class Real>
void write_result(mpi::Communicator const& ranks, FieldFiles const& files, SnapshotInfo info,
                  Subdomain const& subdomain, Real const* owned, Derivation const& made_by);

}  // namespace isotherm::app
