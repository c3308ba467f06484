#include "io/snapshot/datasets/dataset_read.hpp"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <utility>

#include "decomposition/ranks/collective_errors.hpp"
#include "io/snapshot/checks/dataset_checks.hpp"
#include "io/snapshot/chunks/chunked_read.hpp"
#include "io/snapshot/reading.hpp"
#include "kernels/core/byte_count.hpp"
#include "kernels/core/error.hpp"

namespace isotherm {
namespace {

/// Returns the shapes that hold a grid's points: (z, y, x), and in 2D also (y, x), which comes
/// first in messages.
std::vector<Shape> shapes_of(Grid const& grid) {
  auto const zyx = hdf5::to_zyx(grid.points);
  std::vector<Shape> shapes{{zyx.begin(), zyx.end()}};
  if (grid.dimension == 2) {
    shapes.insert(shapes.begin(), Shape{zyx[1], zyx[2]});
  }
  return shapes;
}

/// Checks that a dataset has the grid's shape. @throws OtherShape
/// @return  number of the dataset's axes
int check_shape(hdf5::Dataset const& dataset, Grid const& grid, std::string const& where) {
  Shape const found = hdf5::shape_of(dataset);
  std::vector<Shape> const fitting = shapes_of(grid);
  for (Shape const& shape : fitting) {
    if (found == shape) {
      return static_cast<int>(shape.size());
    }
  }
  // A type of its own: the caller may then interpolate, or give better advice.
  throw OtherShape(fmt::format("{}: its shape is {}, the grid's is {} ({})", where,
                               shape_text(found), shape_text(fitting.front()),
                               grid.dimension == 2 ? "y, x" : "z, y, x"));
}

/// Returns the points of a dataset of unknown extent; bounds them before anybody allocates memory.
Extent3 points_of(hdf5::Dataset const& dataset, int dimension, std::string const& where) {
  Shape shape = hdf5::shape_of(dataset);
  // A shape (y, x) is treated as (z, y, x) with one point in z.
  if (dimension == 2 && shape.size() == 2) shape.insert(shape.begin(), 1);
  bool const fits = shape.size() == 3 && (dimension == 3 || shape[0] == 1);
  if (!fits) {
    throw InputError(fmt::format("{}: its shape is {} (in {}D it must be {})", where,
                                 shape_text(hdf5::shape_of(dataset)), dimension,
                                 dimension == 2 ? "(y, x)" : "(z, y, x)"));
  }
  // The limit is beyond any memory. Lengths up to it fit into signed integers, and
  // exceeds_any_memory() multiplies them as doubles.
  constexpr hsize_t maximum = hsize_t{1} << 48;
  bool const countable =
      std::ranges::all_of(shape, [](hsize_t n) { return n >= 1 && n <= maximum; });
  Extent3 const points = countable ? hdf5::from_zyx({shape[0], shape[1], shape[2]}) : Extent3{};
  if (!countable || exceeds_any_memory(GlobalBox{{}, points})) {
    throw InputError(fmt::format("{}: its shape is {}, which has {} values than can be read", where,
                                 shape_text(hdf5::shape_of(dataset)),
                                 std::ranges::count(shape, 0) > 0 ? "fewer" : "more"));
  }
  return points;
}

/// A dataset that has a value for each point of a grid.
struct Checked {
  hdf5::Dataset dataset;
  int rank;  ///< number of axes
};

Checked open_checked(hdf5::File const& file, Grid const& grid, std::string const& where,
                     std::string const& name) {
  hdf5::Dataset dataset = open_named(file, where, name);
  check_real_numbers(dataset, where);
  int const rank = check_shape(dataset, grid, where);
  check_chunks(dataset, rank, where);
  return {std::move(dataset), rank};
}

}  // namespace

void check_dataset(std::filesystem::path const& path, std::string const& dataset,
                   Grid const& grid) {
  reading(path, "", [&] {
    (void)open_checked(open_for_reading(path), grid, place_of(path, dataset), dataset);
  });
}

Extent3 dataset_points(std::filesystem::path const& path, std::string const& dataset,
                       int dimension) {
  return reading(path, "", [&] {
    std::string const where = place_of(path, dataset);
    hdf5::File const file = open_for_reading(path);
    hdf5::Dataset const values = open_named(file, where, dataset);
    check_real_numbers(values, where);
    return points_of(values, dimension, where);
  });
}

std::vector<double> read_list(std::filesystem::path const& path, std::string const& dataset) {
  return reading(path, "", [&] {
    std::string const where = place_of(path, dataset);
    hdf5::File const file = open_for_reading(path);
    hdf5::Dataset const stored = open_named(file, where, dataset);
    check_real_numbers(stored, where);
    Shape const shape = hdf5::shape_of(stored);
    // 32 MiB of values: lists are coordinates of axes and the like.
    constexpr hsize_t maximum = hsize_t{1} << 22;
    if (shape.size() != 1 || shape[0] > maximum) {
      throw InputError(fmt::format("{}: its shape is {} (needs one axis, of at most {} values)",
                                   where, shape_text(shape), maximum));
    }
    check_chunks(stored, 1, where);
    // HDF5 converts the file's type to double.
    std::vector<double> values(shape[0]);
    hdf5::check(H5Dread(stored.get(), hdf5::memory_type<double>(), H5S_ALL, H5S_ALL, H5P_DEFAULT,
                        values.data()));
    return values;
  });
}

template <class Real>
void read_dataset(mpi::Communicator const& ranks, std::filesystem::path const& path,
                  std::string const& dataset, Subdomain const& subdomain, Real* owned) {
  read_dataset(ranks, path, dataset, subdomain.grid(), subdomain.owned_global(), owned);
}

template <class Real>
void read_dataset(mpi::Communicator const& ranks, std::filesystem::path const& path,
                  std::string const& name, Grid const& grid, GlobalBox box, Real* values) {
  // Each rank opens the file and reads its own box. A failure on one rank throws on all.
  rethrow_on_all_ranks(ranks, [&] {
    reading(path, "", [&] {
      hdf5::File const file = open_for_reading(path);
      Checked const stored = open_checked(file, grid, place_of(path, name), name);
      read_values(stored.dataset, stored.rank, place_of(path, name), box, values);
    });
  });
}

template void read_dataset(mpi::Communicator const&, std::filesystem::path const&,
                           std::string const&, Subdomain const&, float*);
template void read_dataset(mpi::Communicator const&, std::filesystem::path const&,
                           std::string const&, Subdomain const&, double*);
template void read_dataset(mpi::Communicator const&, std::filesystem::path const&,
                           std::string const&, Grid const&, GlobalBox, float*);
template void read_dataset(mpi::Communicator const&, std::filesystem::path const&,
                           std::string const&, Grid const&, GlobalBox, double*);

}  // namespace isotherm
