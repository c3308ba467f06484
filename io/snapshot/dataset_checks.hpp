#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "io/hdf5/hdf5.hpp"
#include "io/snapshot/chunked_read.hpp"
#include "io/snapshot/reading.hpp"
#include "io/snapshot/value_dataset.hpp"

namespace isotherm {

/// What is asked of a dataset of another program's before its values are read. All throw
/// InputError, which begins with `where`.

/// The axes of a dataset, slowest first.
using Shape = std::vector<hsize_t>;

/// "(20, 30)"
std::string shape_text(Shape const& shape);

/// `u.h5, dataset "/u"`.
std::string place_of(std::filesystem::path const& path, std::string const& dataset);

/// Opens a dataset that holds its values itself. @throws NoSuchDataset  where there is none
hdf5::Dataset open_named(hdf5::File const& file, std::string const& where, std::string const& name);

/// Refuses types that are no real numbers.
void check_real_numbers(hdf5::Dataset const& dataset, std::string const& where);
/// The same, but for truths, which are an enumeration of whole numbers in files of h5py.
void check_numbers_or_truths(hdf5::Dataset const& dataset, std::string const& where);

/// Refuses values that passed a filter which this HDF5 lacks, as is found when they are not read.
void check_filters_known(hdf5::Dataset const& dataset, std::string const& where);

/// The values of a box, read by the way that is best for how they are stored. @param rank  its axes
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

/// HDF5 takes memory for whole chunks: those that are larger than all the values are nothing that a
/// program writes.
void check_chunks(hdf5::Dataset const& dataset, int rank, std::string const& where);

}  // namespace isotherm
