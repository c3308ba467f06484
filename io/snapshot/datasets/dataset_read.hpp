#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "decomposition/grid/subdomain.hpp"
#include "decomposition/ranks/mpi.hpp"
#include "kernels/core/error.hpp"

namespace isotherm {

/// Thrown if a dataset has another number of points than the grid.
class OtherShape : public InputError {
 public:
  using InputError::InputError;
};

/// Checks that read_dataset() would accept a dataset. Reads no values. Serial. @throws InputError
void check_dataset(std::filesystem::path const& path, std::string const& dataset, Grid const& grid);

/// Returns the points of a dataset whose shape is (z, y, x), or in 2D (y, x). Reads no values.
/// Serial.
/// @throws InputError  if the dataset is missing, has other axes, holds no real numbers or none at
///                     all, or if its values are not in this file
Extent3 dataset_points(std::filesystem::path const& path, std::string const& dataset,
                       int dimension);

/// Returns the values of a one-dimensional dataset of any HDF5 file and real number type; at most
/// 2^22 values. Serial. @throws InputError  if it is missing, of another shape, or its values are
/// not in this file
std::vector<double> read_list(std::filesystem::path const& path, std::string const& dataset);

/// Reads this rank's part of a dataset of any HDF5 file and converts it to Real. The shape must be
/// (z, y, x), or in 2D also (y, x); any real number type is accepted. Symbolic links within the
/// file are followed. Collective.
///
///     read_dataset(ranks, "measured.h5", "/u", subdomain, u.data());
///
/// @throws InputError  on every rank, naming file, dataset and both shapes, if it is missing, of
///                     another shape (OtherShape), or its values are not in this file
template <class Real>
void read_dataset(mpi::Communicator const& ranks, std::filesystem::path const& path,
                  std::string const& dataset, Subdomain const& subdomain, Real* owned);
/// Reads any box of a grid's points, each rank another one; otherwise like the function above.
template <class Real>
void read_dataset(mpi::Communicator const& ranks, std::filesystem::path const& path,
                  std::string const& dataset, Grid const& grid, GlobalBox box, Real* values);

}  // namespace isotherm
