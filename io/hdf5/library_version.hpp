#pragma once

#include <string>

namespace isotherm {

/// The version of the HDF5 library that this process runs with: "1.10.8".
std::string hdf5_version();

}  // namespace isotherm
