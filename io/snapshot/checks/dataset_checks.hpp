#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "io/hdf5/hdf5.hpp"
#include "io/snapshot/chunks/chunked_read.hpp"
#include "io/snapshot/datasets/value_dataset.hpp"
#include "io/snapshot/reading.hpp"

namespace isotherm {

/// Checks of a dataset that another program wrote, before its values are read. All functions throw
/// InputError; the message begins with `where`.
///
///   hdf5::Dataset const dataset = open_named(file, where, "/u");
///   check_real_numbers(dataset, where);
///   check_chunks(dataset, rank, where);
///   read_values(dataset, rank, where, box, values);  // now safe

/// The lengths of a dataset's axes, slowest axis first.
using Shape = std::vector<hsize_t>;

/// Returns "(20, 30)".
std::string shape_text(Shape const& shape);

/// Returns `u.h5, dataset "/u"`, for messages.
std::string place_of(std::filesystem::path const& path, std::string const& dataset);

/// Opens a dataset whose values are in the file itself. @throws NoSuchDataset  if there is none
hdf5::Dataset open_named(hdf5::File const& file, std::string const& where, std::string const& name);

/// Rejects types other than integers and floating-point numbers of at most 16 bytes.
void check_real_numbers(hdf5::Dataset const& dataset, std::string const& where);
/// Like check_real_numbers(), but also accepts Booleans, which h5py stores as an enumeration of
/// integers.
void check_numbers_or_truths(hdf5::Dataset const& dataset, std::string const& where);

/// Rejects values that passed through a filter which this HDF5 lacks. Such a filter is noticed only
/// when reading fails.
void check_filters_known(hdf5::Dataset const& dataset, std::string const& where);

/// Reads the values of a box by the method that suits their storage: deflated chunks by
/// read_chunked_box(), everything else by HDF5. @param rank  number of the dataset's axes
template <class Real>
void read_values(hdf5::Dataset const& dataset, int rank, std::string const& where, GlobalBox box,
                 Real* values) try {
  if (is_deflated(dataset)) {
    read_chunked_box(dataset, rank, box, values);
  } else {
    read_box(dataset, rank, box, values);
  }
} catch (Error const&) {
  check_filters_known(dataset, where);
  throw;
}

/// Rejects chunks that are larger than the whole dataset. HDF5 allocates memory for whole chunks,
/// and no program writes such chunks on purpose.
void check_chunks(hdf5::Dataset const& dataset, int rank, std::string const& where);

}  // namespace isotherm
