#pragma once

namespace isotherm {

/// Turns off HDF5's own output for the whole program; its messages are in our exceptions. Otherwise
/// HDF5 would complain on exit, after a damaged file was read, about objects it could not close.
void silence_hdf5();

}  // namespace isotherm
