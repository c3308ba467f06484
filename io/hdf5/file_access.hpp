#pragma once

#include "io/files/descriptor.hpp"
#include "io/hdf5/hdf5.hpp"

namespace isotherm::hdf5 {

/// Returns access properties for reading a file with isotherm's own file driver, which turns every
/// read of HDF5 into one pread() and refuses to write.
///
/// HDF5's own drivers combine reads of neighbouring metadata. In version 1.10 that writes out of
/// bounds if a damaged file contains wrong offsets. Those drivers also lock files. Some shared file
/// systems cannot do that, and files that are renamed into place do not need it.
PropertyList plain_reading();

/// Returns the descriptor that a file opened with plain_reading() is read through. It is valid as
/// long as the file is open.
Descriptor const& descriptor_of(File const& file);

}  // namespace isotherm::hdf5
