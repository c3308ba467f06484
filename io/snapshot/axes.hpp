#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "decomposition/grid/grid.hpp"
#include "io/hdf5/file_image.hpp"
#include "io/snapshot/snapshot.hpp"

/// The axes of a file's fields as other programs look for them: HDF5's dimension scales, which
/// h5py, netCDF and xarray know. isotherm itself reads the grid in /isotherm instead.
namespace isotherm::field_axes {

/// Whether a file gets its axes. Coordinates are put together in the root's memory, of which the
/// longest axes would take too much: of such grids they are left out.
bool are_stored(Grid const& grid);

/// Adds the coordinates of the points that are stored: /x, /y and /z; if a field is one of vectors,
/// /component as well, since libraries for netCDF take no dataset of which only some axes have
/// names; and the scalar coordinates /time and /iteration, by which several files are put together.
/// @throws Error
void write(hid_t file, SnapshotInfo const& info);

/// Says of each field which axes it has and of each axis which fields, and adds a link to each
/// field beside them, as netCDF and xarray open a file's root by default. No chunk may be placed
/// any more: HDF5 writes the references as it writes values. @throws Error
/// @param vectors  those of the fields that hold vectors
void attach(hid_t file, std::string const& group_of_values, std::vector<std::string> const& fields,
            std::vector<std::string> const& vectors);

/// Adds to /isotherm the checksum of all this, once it is in the image, since HDF5 keeps none of
/// the numbers and of the references. @throws Error
void write_checksum(hdf5::FileImage& image, hid_t own);

/// True if another program, such as h5repack, has written the whole file anew: HDF5's superblock is
/// of another version than isotherm's. @throws Error
bool is_rewritten(hdf5::File const& file, std::filesystem::path const& path);

/// Makes sure that what these wrote is as it was; files up to version 0.2 have nothing of it. In a
/// rewritten file, references have other values in other places, and their checksum does not hold:
/// there the coordinates are compared with those of the grid, and the references are not checked.
/// Reads nothing through HDF5 whose damage HDF5 does not find. The scalar coordinates are compared
/// with what the description says.
/// @param own  the group /isotherm. @throws Error
void check(hdf5::File const& file, hid_t own, SnapshotInfo const& info,
           std::filesystem::path const& path);

}  // namespace isotherm::field_axes
