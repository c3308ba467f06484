#pragma once

namespace isotherm {

/// From here on HDF5 prints nothing by itself, in the whole program: what it has to say is in our
/// exceptions. At the end of a program that met a damaged file it would complain of what it could
/// not close.
void silence_hdf5();

}  // namespace isotherm
