#pragma once

#include "io/files/descriptor.hpp"
#include "io/hdf5/hdf5.hpp"

namespace isotherm::hdf5 {

/// Access properties for opening a file to read it in the plainest way: every read of HDF5 becomes
/// one system call. HDF5's own drivers combine reads of neighbouring metadata, which in 1.10 writes
/// out of bounds if a damaged file gives wrong places for them. They also lock files, which some
/// shared file systems cannot do, and which files that are renamed into place do not need.
PropertyList plain_reading();

/// What a file that was opened so is read through, as long as it is open.
Descriptor const& descriptor_of(File const& file);

}  // namespace isotherm::hdf5
