#pragma once

#include "io/hdf5/hdf5.hpp"

namespace isotherm {

/// Whether a dataset's chunks have passed deflate.
bool is_deflated(hdf5::Dataset const& dataset);

/// Reads the box of a chunked dataset's values, dense, x fastest, converted to Real. Not with
/// H5Dread: a chunk of a few bytes can be deflated from any number of them, and HDF5 makes room for
/// all; here a chunk gets as much as its values need. Serial.
/// @param rank    axes of the dataset, 2 (y, x), 3 (z, y, x) or 4 (of vectors; the box counts
///                numbers)
/// @throws Error  if a chunk is damaged; hdf5::UnknownFilter if it has passed other filters than
///                shuffle, deflate and Fletcher-32, each at most once
template <class Real>
void read_chunked_box(hdf5::Dataset const& dataset, int rank, GlobalBox box, Real* values);

}  // namespace isotherm
