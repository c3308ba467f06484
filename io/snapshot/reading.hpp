#pragma once

#include <filesystem>
#include <string>

#include "io/hdf5/hdf5.hpp"
#include "io/hdf5/own_data.hpp"
#include "io/hdf5/stored_bytes.hpp"
#include "io/hdf5/turn.hpp"
#include "io/snapshot/checks/block_grid.hpp"

/// Opening and reading HDF5 files defensively: every failure becomes an InputError of one line that
/// names the file. Files may be damaged, truncated, or written by other programs.
///
///   SnapshotInfo const info = reading(path, in_description, [&] {
///     hdf5::File const file = open_for_reading(path);
///     return read_description(file);  // may throw Error: HDF5 failed, so the file is damaged
///   });

namespace isotherm {

/// Opens an HDF5 file for reading, by this rank only. Not collective.
/// @throws InputError  if the file does not exist, cannot be read, is not HDF5, or is truncated
hdf5::File open_for_reading(std::filesystem::path const& path);

/// Returns the part of a message of the hdf5 functions that quotes HDF5.
std::string reason_of(Error const& error);

/// Returns advice for files whose data are stored in other files.
std::string advice_about_own_data();

/// The part of a file that is being read, for messages: everything except the values.
inline constexpr char const* in_description = "in its description: ";

/// Runs `work`, which reads one of isotherm's files, `path`. If HDF5 fails, the file is damaged. If
/// its data are outside the file, another program has changed it.
///
/// `work` runs while this thread holds its turn to use HDF5 (hdf5::Turn). So `work` must not wait
/// for other ranks.
/// @param where  the part of the file that is read, for messages; may be empty
/// @throws InputError
template <class Work>
auto reading(std::filesystem::path const& path, std::string const& where, Work&& work) {
  hdf5::Turn const turn;
  hdf5::QuietErrors const quiet;
  try {
    return work();
  } catch (NotOwnData const& found) {
    throw InputError(path.string() + ": " + found.what() +
                     ", but isotherm's files contain their own data");
  } catch (hdf5::UnknownFilter const& found) {
    throw InputError(path.string() + ": " + found.what() +
                     " (supported are shuffle, deflate and Fletcher-32, each once): rewrite the "
                     "file with h5repack -f NONE");
  } catch (Error const& error) {
    throw InputError(path.string() + " is damaged: " + where + reason_of(error));
  }
}

/// Runs `work`, which reads the values of `box` in a field of `points` on a grid, which may be
/// null. If it fails, the points are appended to the message.
template <class Work>
void naming_points(GlobalBox box, Extent3 points, Grid const* grid, Work&& work) {
  try {
    work();
  } catch (Error const& damage) {
    throw Error(std::string(damage.what()) + " (that of " + name_of_points(box, points, grid) + ")",
                damage.place());
  }
}

/// Returns "512 x 512 x 1": points in the order x, y, z.
std::string to_text(Extent3 points);

/// Reads a box of a dataset's values by HDF5, dense, x fastest, converted to Real. Serial.
/// @param rank  number of the dataset's axes: 2 (y, x), 3 (z, y, x) or 4 (vectors: the box counts
///              numbers and contains all components of its points)
template <class Real>
void read_box(hdf5::Dataset const& dataset, int rank, GlobalBox box, Real* values);

}  // namespace isotherm
