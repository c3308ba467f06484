#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "decomposition/grid/grid.hpp"
#include "io/hdf5/file_image.hpp"
#include "io/snapshot/snapshot.hpp"

/// The axes of a file's fields, for other programs: HDF5's dimension scales, which h5py, netCDF and
/// xarray understand. isotherm itself reads the grid in /isotherm instead.
///
/// A dimension scale is a dataset of coordinates (/x, /y, /z). Each field refers to its scales by
/// the attribute DIMENSION_LIST, and each scale refers to its fields by REFERENCE_LIST. HDF5 stores
/// such references in global heaps, which have no checksum. This file therefore adds one checksum
/// of the coordinates and the heaps.
namespace isotherm::field_axes {

/// Returns true if a file gets its axes. Coordinates are assembled in the root's memory. For grids
/// with extremely long axes that would need too much memory, so they are omitted.
bool are_stored(Grid const& grid);

/// Writes the coordinates of the stored points: /x, /y and /z. Also writes the scalar coordinates
/// /time and /iteration, by which several files can be concatenated. If a field is a vector field,
/// /component is added: netCDF libraries reject datasets of which only some axes have names.
/// @throws Error
void write(hid_t file, SnapshotInfo const& info);

/// Connects fields and axes by references in both directions. Also adds a link to each field in the
/// root, since netCDF and xarray open the root by default.
/// @param vectors  the names of those `fields` that are vector fields
/// @pre  no chunk will be placed any more, because HDF5 writes the references as it writes values
/// @throws Error
void attach(hid_t file, std::string const& group_of_values, std::vector<std::string> const& fields,
            std::vector<std::string> const& vectors);

/// Adds the checksum of coordinates and references to /isotherm. HDF5 keeps no checksum of them.
/// @pre  both are in the image
/// @throws Error
void write_checksum(hdf5::FileImage& image, hid_t own);

/// Returns true if another program, such as h5repack, has rewritten the whole file. Then the
/// version of HDF5's superblock differs from the one that isotherm writes. @throws Error
bool is_rewritten(hdf5::File const& file, std::filesystem::path const& path);

/// Checks that the axes are as these functions wrote them. Files up to version 0.2 have none, and
/// pass. The scalar coordinates are compared with the description.
///
/// In a rewritten file the references have other values in other places, so their checksum does not
/// hold. Then the coordinates are compared with those of the grid, and the references are not
/// checked. Data whose damage HDF5 would not notice are not read through HDF5.
/// @param own  the group /isotherm. @throws Error
void check(hdf5::File const& file, hid_t own, SnapshotInfo const& info,
           std::filesystem::path const& path);

}  // namespace isotherm::field_axes
