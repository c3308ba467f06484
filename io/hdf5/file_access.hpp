#pragma once

#include "io/hdf5/hdf5.hpp"

namespace isotherm::hdf5 {

/// Access properties for opening a file to read it, in the plainest way: every read of HDF5 becomes
/// one of the system's. HDF5's own drivers gather metadata that lie close together, which in 1.10
/// writes beyond its memory where a damaged file says that they are somewhere else; and they lock
/// files, which some shared file systems cannot, and files that are renamed into place need not be.
PropertyList plain_reading();

}  // namespace isotherm::hdf5
