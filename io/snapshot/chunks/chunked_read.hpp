#pragma once

#include "io/hdf5/hdf5.hpp"

/// Reading compressed values without HDF5's filter pipeline: with bounded memory, and in parallel.

namespace isotherm {

/// Returns true if a dataset's chunks have passed the filter deflate.
bool is_deflated(hdf5::Dataset const& dataset);

/// Reads a box of a chunked dataset, dense, x fastest, converted to Real. Chunks are unpacked on
/// several threads. Serial over ranks.
///
/// H5Dread is avoided because a chunk of a few bytes can inflate to any size, and HDF5 allocates
/// memory for all of it. Here a chunk gets exactly the memory that its values need.
/// @param rank    number of the dataset's axes: 2 (y, x), 3 (z, y, x) or 4 (vectors: the box counts
///                numbers)
/// @throws Error  if a chunk is damaged; hdf5::UnknownFilter if it has passed filters other than
///                shuffle, deflate and Fletcher-32, each at most once
template <class Real>
void read_chunked_box(hdf5::Dataset const& dataset, int rank, GlobalBox box, Real* values);

}  // namespace isotherm
