#include "io/snapshot/datasets/value_dataset.hpp"

#include <algorithm>
#include <array>
#include <fmt/format.h>

#include "io/snapshot/checks/dataset_checks.hpp"
#include "io/snapshot/chunks/chunked_read.hpp"
#include "io/snapshot/reading.hpp"

namespace isotherm {
namespace {

/// Returns HDF5's lengths as signed numbers.
std::vector<std::int64_t> lengths_of(Shape const& shape) { return {shape.begin(), shape.end()}; }

/// Returns the extent of a chunk; one value for contiguous datasets.
Extent3 chunk_of(hdf5::Dataset const& dataset, int rank) {
  hdf5::PropertyList const creation = hdf5::creation_of(dataset);
  if (H5Pget_layout(creation.get()) != H5D_CHUNKED) return {1, 1, 1};
  Shape chunk(static_cast<std::size_t>(rank));
  hdf5::check(H5Pget_chunk(creation.get(), rank, chunk.data()));
  return in_order(lengths_of(chunk));
}

bool fits_float32(hdf5::Dataset const& dataset) {
  hdf5::Datatype const type(hdf5::check(H5Dget_type(dataset.get())));
  std::size_t const bytes = H5Tget_size(type.get());
  // float32 has 24 significant bits, so it represents all integers of 16 bits.
  return H5Tget_class(type.get()) == H5T_FLOAT ? bytes <= sizeof(float) : bytes <= 2;
}

}  // namespace

/// HDF5's handles, kept out of the header.
struct ValueDataset::Open {
  hdf5::File file;
  hdf5::Dataset dataset;
  int rank;
  Extent3 points;
  Extent3 chunk;
  bool fits_float32;
};

std::vector<std::string> names_in_root(std::filesystem::path const& path) {
  constexpr hsize_t maximum = 100;
  try {
    return reading(path, "", [&] {
      hdf5::File const file = open_for_reading(path);
      hdf5::Group const root(hdf5::check(H5Gopen2(file.get(), "/", H5P_DEFAULT)));
      return hdf5::link_names(root, maximum);
    });
  } catch (InputError const&) {
    return {};
  }
}

ValueDataset::ValueDataset(std::filesystem::path const& path, std::string const& name,
                           RequiredShape const& wanted)
    : path_(path), where_(place_of(path, name)) {
  reading(path, "", [&] {
    std::string const& where = where_;
    // All checks precede the construction of `open_`, so an object always has a usable dataset.
    hdf5::File file = open_for_reading(path);
    hdf5::Dataset dataset = open_named(file, where, name);
    check_numbers_or_truths(dataset, where);
    Shape const shape = hdf5::shape_of(dataset);
    check_shape(lengths_of(shape), wanted, where);
    auto const rank = static_cast<int>(shape.size());
    check_chunks(dataset, rank, where);
    // These properties are kept, so later queries need not call HDF5.
    Extent3 const chunk = chunk_of(dataset, rank);
    bool const narrow = isotherm::fits_float32(dataset);
    open_ = std::make_unique<Open>(Open{std::move(file), std::move(dataset), rank,
                                        in_order(lengths_of(shape)), chunk, narrow});
  });
}

ValueDataset::~ValueDataset() = default;

Extent3 ValueDataset::points() const { return open_->points; }
Extent3 ValueDataset::chunk() const { return open_->chunk; }
bool ValueDataset::fits_float32() const { return open_->fits_float32; }

template <class Real>
void ValueDataset::read_as(GlobalBox box, Real* values) const {
  if (box.empty()) return;
  reading(path_, "", [&] { read_values(open_->dataset, open_->rank, where_, box, values); });
}

template void ValueDataset::read_as(GlobalBox, float*) const;
template void ValueDataset::read_as(GlobalBox, double*) const;

}  // namespace isotherm
