#pragma once

namespace isotherm {

/// Turns off HDF5's own output for the whole program. isotherm's exceptions contain HDF5's
/// messages. Without this call, HDF5 prints errors at exit if it could not close objects of a
/// damaged file.
void silence_hdf5();

}  // namespace isotherm
