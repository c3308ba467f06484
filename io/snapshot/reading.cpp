#include "io/snapshot/reading.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <fmt/format.h>
#include <system_error>
#include <unistd.h>

#include "io/files/presence.hpp"
#include "io/hdf5/file_access.hpp"
#include "io/snapshot/datasets/components.hpp"

namespace isotherm {
namespace {}  // namespace

hdf5::File open_for_reading(std::filesystem::path const& path) {
  hdf5::Turn const turn;
  hdf5::QuietErrors const quiet;
  require_readable_file(path);  // HDF5 does not name its causes
  if (H5Fis_hdf5(path.c_str()) <= 0) {
    throw InputError(fmt::format(
        "{} is not an HDF5 file{}", path.string(),
        path.extension() == ".toml" ? ", but a case: give the output directory of its run" : ""));
  }
  hdf5::PropertyList const access = hdf5::plain_reading();
  hdf5::File file(H5Fopen(path.c_str(), H5F_ACC_RDONLY, access.get()));
  if (file.get() >= 0) {
    return file;
  }
  // HDF5's error stack is read before the next call of HDF5 clears it.
  std::string const reason = hdf5::error_text();
  // HDF5 compares the length of the file with the one in its superblock.
  bool const truncated = reason.find("truncated") != std::string::npos;
  throw InputError(fmt::format("{} is {}: {}", path.string(),
                               truncated ? "truncated: a part of it is missing" : "damaged",
                               reason));
}

std::string reason_of(Error const& error) {
  std::string const text = error.what();
  std::size_t const begin = text.find("HDF5: ");
  return text.substr(begin != std::string::npos ? begin : 0);
}

std::string advice_about_own_data() {
  return "make a copy that contains the values, for example with h5py: "
         "copy[\"u\"] = file[\"u\"][...]";
}

std::string to_text(Extent3 points) {
  return fmt::format("{} x {} x {}", points.x, points.y, points.z);
}

template <class Real>
void read_box(hdf5::Dataset const& dataset, int rank, GlobalBox box, Real* values) {
  int const skipped = std::max(0, 3 - rank);  // a dataset (y, x) has no z
  int const components = rank == 4 ? vector_components : scalar_components;
  // Converts numbers along x to points along x, and appends the axis of the components. Datasets of
  // lower rank use the end of the array.
  auto const axes = [&](Index3 xyz, int of_component) {
    auto const zyx = hdf5::to_zyx({xyz.x / components, xyz.y, xyz.z});
    return std::array{zyx[0], zyx[1], zyx[2], static_cast<hsize_t>(of_component)};
  };
  // A hyperslab of the file is read into a dense array of the same shape.
  auto const start = axes(box.lower, 0);
  auto const count = axes(box.extent(), components);
  hdf5::Dataspace const file(hdf5::check(H5Dget_space(dataset.get())));
  hdf5::Dataspace const memory(
      hdf5::check(H5Screate_simple(rank, count.data() + skipped, nullptr)));
  hdf5::check(H5Sselect_hyperslab(file.get(), H5S_SELECT_SET, start.data() + skipped, nullptr,
                                  count.data() + skipped, nullptr));
  hdf5::check(H5Dread(dataset.get(), hdf5::memory_type<Real>(), memory.get(), file.get(),
                      H5P_DEFAULT, values));
}

template void read_box(hdf5::Dataset const&, int, GlobalBox, float*);
template void read_box(hdf5::Dataset const&, int, GlobalBox, double*);

}  // namespace isotherm
