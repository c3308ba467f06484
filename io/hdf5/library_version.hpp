#pragma once

#include <string>

namespace isotherm {

/// Returns the version of the HDF5 library that this process runs with, such as "1.10.8". May be
/// called from any thread.
std::string hdf5_version();

}  // namespace isotherm
