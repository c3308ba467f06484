#include "io/snapshot/checks/dataset_checks.hpp"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <numeric>

#include "io/snapshot/reading.hpp"

namespace isotherm {

std::string shape_text(Shape const& shape) { return fmt::format("({})", fmt::join(shape, ", ")); }

namespace {

void check_real_numbers(hdf5::Datatype const& type, std::string const& where) {
  H5T_class_t const kind = H5Tget_class(type.get());
  constexpr std::size_t widest = 16;  // bytes: those of long double
  if ((kind != H5T_FLOAT && kind != H5T_INTEGER) || H5Tget_size(type.get()) > widest) {
    throw InputError(fmt::format("{}: its values are not real numbers", where));
  }
}

}  // namespace

namespace {

/// Reports that the name belongs to a group, if it does.
void refuse_group(hdf5::File const& file, std::string const& where, std::string const& name) {
  // A name that cannot be opened as a group does not exist at all; the caller reports that.
  try {
    (void)open_group(file.get(), name, AllowedLinks::inside);
  } catch (Error const&) {
    return;
  }
  throw InputError(fmt::format("{}: this is a group (needs a dataset)", where));
}

}  // namespace

hdf5::Dataset open_named(hdf5::File const& file, std::string const& where,
                         std::string const& name) {
  try {
    return open_dataset(file.get(), name, AllowedLinks::inside);
    // The dataset exists, but its values are in another file or dataset. The message explains how
    // to make a copy.
  } catch (NotOwnData const& found) {
    throw InputError(fmt::format("{}: {} ({})", where, found.what(), advice_about_own_data()));
  } catch (Error const&) {
    refuse_group(file, where, name);
    throw NoSuchDataset(fmt::format("{}: there is no such dataset in the file", where));
  }
}

void check_real_numbers(hdf5::Dataset const& dataset, std::string const& where) {
  hdf5::Datatype const type(hdf5::check(H5Dget_type(dataset.get())));
  check_real_numbers(type, where);
}

void check_numbers_or_truths(hdf5::Dataset const& dataset, std::string const& where) {
  hdf5::Datatype type(hdf5::check(H5Dget_type(dataset.get())));
  if (H5Tget_class(type.get()) == H5T_ENUM) {
    // The integer type on which the enumeration is based.
    type = hdf5::Datatype(hdf5::check(H5Tget_super(type.get())));
  }
  check_real_numbers(type, where);
}

void check_filters_known(hdf5::Dataset const& dataset, std::string const& where) {
  hdf5::PropertyList const creation = hdf5::creation_of(dataset);
  unsigned number = 0;
  // H5Zfilter_avail() also loads filters from plugins, so only filters without a plugin are
  // rejected.
  for (H5Z_filter_t const filter : hdf5::filters_of(creation)) {
    if (H5Zfilter_avail(filter) <= 0) {
      throw InputError(
          fmt::format("{}: its values were written with filter {}, which this HDF5 library does "
                      "not have (write them with gzip or uncompressed)",
                      where, hdf5::filter_name(creation, number)));
    }
    ++number;
  }
}

void check_chunks(hdf5::Dataset const& dataset, int rank, std::string const& where) {
  hdf5::PropertyList const creation = hdf5::creation_of(dataset);
  if (H5Pget_layout(creation.get()) != H5D_CHUNKED) {
    return;
  }
  std::array<hsize_t, 3> chunk{};
  hdf5::check(H5Pget_chunk(creation.get(), rank, chunk.data()));
  // Products are formed as doubles: the sizes in a damaged file may overflow 64-bit integers.
  auto const values = [](double product, hsize_t size) {
    return product * static_cast<double>(size);
  };
  Shape const shape = hdf5::shape_of(dataset);
  constexpr double harmless = 1 << 22;  // values: small chunks are accepted for any dataset
  if (std::accumulate(chunk.begin(), chunk.begin() + rank, 1.0, values) >
      std::max(harmless, std::accumulate(shape.begin(), shape.end(), 1.0, values))) {
    throw InputError(fmt::format("{}: its chunks, {}, are larger than its shape, {}", where,
                                 shape_text({chunk.begin(), chunk.begin() + rank}),
                                 shape_text(shape)));
  }
}

std::string place_of(std::filesystem::path const& path, std::string const& dataset) {
  return fmt::format("{}, dataset \"{}\"", path.string(), dataset);
}

}  // namespace isotherm
