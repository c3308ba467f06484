#pragma once

namespace isotherm {

/// From here on HDF5 prints nothing in the whole program; its messages are in our exceptions.
/// Otherwise it would complain, at the end of a program that read a damaged file, about what it
/// could not close.
void silence_hdf5();

}  // namespace isotherm
