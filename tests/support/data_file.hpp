#pragma once

#include <array>
#include <filesystem>
#include <string>
#include <vector>

#include "decomposition/grid/grid.hpp"
#include "io/hdf5/hdf5.hpp"
#include "tests/support/functions.hpp"

namespace isotherm::test {

/// An HDF5 file as another program might write it. Datasets are added one by one.
class DataFile {
 public:
  explicit DataFile(std::filesystem::path const& path)
      : file_(hdf5::check(H5Fcreate(path.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT))) {}

  /// @param shape  extents, slowest axis first
  /// @param chunk  chunk extents of a compressed dataset; empty: contiguous
  void add(std::string const& name, std::vector<hsize_t> const& shape,
           std::vector<double> const& values, hid_t type = H5T_IEEE_F64LE,
           std::vector<hsize_t> const& chunk = {}) {
    hdf5::PropertyList const creation(hdf5::check(H5Pcreate(H5P_DATASET_CREATE)));
    if (!chunk.empty()) {
      hdf5::check(H5Pset_chunk(creation.get(), static_cast<int>(chunk.size()), chunk.data()));
      hdf5::check(H5Pset_deflate(creation.get(), 1));
    }
    hdf5::Dataspace const space(
        hdf5::check(H5Screate_simple(static_cast<int>(shape.size()), shape.data(), nullptr)));
    hdf5::Dataset const dataset(hdf5::check(H5Dcreate2(file_.get(), name.c_str(), type, space.get(),
                                                       H5P_DEFAULT, creation.get(), H5P_DEFAULT)));
    if (H5Tget_class(type) == H5T_STRING) return;
    if (H5Tget_class(type) == H5T_ENUM) return add_truths(dataset, type, values);
    hdf5::check(
        H5Dwrite(dataset.get(), H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data()));
  }

  void add_group(std::string const& name) {
    hdf5::Group const made(
        hdf5::check(H5Gcreate2(file_.get(), name.c_str(), H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT)));
  }

  /// Adds the values of a function at all points of a grid.
  void add(std::string const& name, Grid const& grid, Function const& function,
           hid_t type = H5T_IEEE_F64LE, std::vector<hsize_t> const& chunk = {}) {
    auto const zyx = hdf5::to_zyx(grid.points);
    std::vector<hsize_t> const shape(zyx.begin() + (grid.dimension == 2 ? 1 : 0), zyx.end());
    add(name, shape, values_on<double>(grid, grid.box(), function), type, chunk);
  }

  /// Adds the values of a function at the points of a face.
  void add(std::string const& name, Grid const& grid, Face face, Function const& function) {
    GlobalBox box = grid.box();
    (face.upper ? box.lower : box.upper)[face.axis] = face.upper ? grid.points[face.axis] - 1 : 1;
    std::vector<hsize_t> shape;
    for (int axis = grid.dimension - 1; axis >= 0; --axis) {
      if (axis != face.axis) shape.push_back(static_cast<hsize_t>(grid.points[axis]));
    }
    add(name, shape, values_on<double>(grid, box, function));
  }

 private:
  static void add_truths(hdf5::Dataset const& dataset, hid_t type,
                         std::vector<double> const& values) {
    std::vector<signed char> truths;
    for (double const value : values) truths.push_back(static_cast<signed char>(value != 0.0));
    hdf5::check(H5Dwrite(dataset.get(), type, H5S_ALL, H5S_ALL, H5P_DEFAULT, truths.data()));
  }

  hdf5::File file_;
};

/// Returns the type with which h5py stores arrays of bool.
inline hdf5::Datatype truths() {
  hdf5::Datatype type(hdf5::check(H5Tenum_create(H5T_NATIVE_INT8)));
  for (auto const truth : std::array<signed char, 2>{0, 1}) {
    hdf5::check(H5Tenum_insert(type.get(), truth == 0 ? "FALSE" : "TRUE", &truth));
  }
  return type;
}

}  // namespace isotherm::test
