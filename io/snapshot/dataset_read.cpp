#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <numeric>
#include <utility>

#include "decomposition/ranks/together.hpp"
#include "io/snapshot/chunked_read.hpp"
#include "io/snapshot/reading.hpp"
#include "io/snapshot/snapshot.hpp"
#include "kernels/core/byte_count.hpp"

namespace isotherm {
namespace {

using Shape = std::vector<hsize_t>;

/// Shapes that hold a grid's points: (z, y, x), in 2D also (y, x).
std::vector<Shape> shapes_of(Grid const& grid) {
  auto const zyx = hdf5::to_zyx(grid.points);
  std::vector<Shape> shapes{{zyx.begin(), zyx.end()}};
  if (grid.dimension == 2) {
    shapes.insert(shapes.begin(), Shape{zyx[1], zyx[2]});
  }
  return shapes;
}

/// "(20, 30)"
std::string to_text(Shape const& shape) { return fmt::format("({})", fmt::join(shape, ", ")); }

hdf5::Dataset open_named(hdf5::File const& file, std::string const& where,
                         std::string const& name) {
  try {
    return open_dataset(file.get(), name, Links::inside);
  } catch (NotOwnData const& found) {
    throw InputError(fmt::format("{}: {} ({})", where, found.what(), advice_about_own_data()));
  } catch (Error const&) {
    throw InputError(fmt::format("{}: there is no such dataset in the file", where));
  }
}

void check_type(hdf5::Dataset const& dataset, std::string const& where) {
  hdf5::Datatype const type(hdf5::check(H5Dget_type(dataset.get())));
  H5T_class_t const kind = H5Tget_class(type.get());
  constexpr std::size_t widest = 16;
  if ((kind != H5T_FLOAT && kind != H5T_INTEGER) || H5Tget_size(type.get()) > widest) {
    throw InputError(fmt::format("{}: its values are no real numbers", where));
  }
}

/// @return the dataset's number of axes
int check_shape(hdf5::Dataset const& dataset, Grid const& grid, std::string const& where) {
  Shape const found = hdf5::shape_of(dataset);
  std::vector<Shape> const fitting = shapes_of(grid);
  for (Shape const& shape : fitting) {
    if (found == shape) {
      return static_cast<int>(shape.size());
    }
  }
  throw OtherShape(fmt::format("{}: its shape is {}, the grid's is {} ({})", where, to_text(found),
                               to_text(fitting.front()), grid.dimension == 2 ? "y, x" : "z, y, x"));
}

Extent3 points_of(hdf5::Dataset const& dataset, int dimension, std::string const& where) {
  Shape shape = hdf5::shape_of(dataset);
  if (dimension == 2 && shape.size() == 2) shape.insert(shape.begin(), 1);
  bool const fits = shape.size() == 3 && (dimension == 3 || shape[0] == 1);
  if (!fits) {
    throw InputError(fmt::format("{}: its shape is {} (in {}D it has to be {})", where,
                                 to_text(hdf5::shape_of(dataset)), dimension,
                                 dimension == 2 ? "(y, x)" : "(z, y, x)"));
  }
  constexpr hsize_t most = hsize_t{1} << 48;  // beyond any memory, and their product can be told
  bool const countable = std::ranges::all_of(shape, [](hsize_t n) { return n >= 1 && n <= most; });
  Extent3 const points = countable ? hdf5::from_zyx({shape[0], shape[1], shape[2]}) : Extent3{};
  if (!countable || exceeds_any_memory(GlobalBox{{}, points})) {
    throw InputError(fmt::format("{}: its shape is {}, which is {} values than can be read", where,
                                 to_text(hdf5::shape_of(dataset)),
                                 std::ranges::count(shape, 0) > 0 ? "fewer" : "more"));
  }
  return points;
}

/// HDF5 takes memory for whole chunks: those that are larger than all the values are nothing that a
/// program writes.
void check_chunks(hdf5::Dataset const& dataset, int rank, std::string const& where) {
  hdf5::PropertyList const creation = hdf5::creation_of(dataset);
  if (H5Pget_layout(creation.get()) != H5D_CHUNKED) {
    return;
  }
  std::array<hsize_t, 3> chunk{};
  hdf5::check(H5Pget_chunk(creation.get(), rank, chunk.data()));
  auto const values = [](double product, hsize_t size) {
    return product * static_cast<double>(size);
  };
  Shape const shape = hdf5::shape_of(dataset);
  constexpr double harmless = 1 << 22;
  if (std::accumulate(chunk.begin(), chunk.begin() + rank, 1.0, values) >
      std::max(harmless, std::accumulate(shape.begin(), shape.end(), 1.0, values))) {
    throw InputError(fmt::format("{}: its chunks of {} are larger than its shape, {}", where,
                                 to_text({chunk.begin(), chunk.begin() + rank}), to_text(shape)));
  }
}

std::string place(std::filesystem::path const& path, std::string const& dataset) {
  return fmt::format("{}, dataset \"{}\"", path.string(), dataset);
}

/// A dataset that holds a value for each point of a grid.
struct Checked {
  hdf5::Dataset dataset;
  int rank;  ///< number of axes
};

Checked open_checked(hdf5::File const& file, Grid const& grid, std::string const& where,
                     std::string const& name) {
  hdf5::Dataset dataset = open_named(file, where, name);
  check_type(dataset, where);
  int const rank = check_shape(dataset, grid, where);
  check_chunks(dataset, rank, where);
  return {std::move(dataset), rank};
}

}  // namespace

void check_dataset(std::filesystem::path const& path, std::string const& dataset,
                   Grid const& grid) {
  reading(path, "",
          [&] { (void)open_checked(open_for_reading(path), grid, place(path, dataset), dataset); });
}

Extent3 dataset_points(std::filesystem::path const& path, std::string const& dataset,
                       int dimension) {
  return reading(path, "", [&] {
    std::string const where = place(path, dataset);
    hdf5::File const file = open_for_reading(path);
    hdf5::Dataset const values = open_named(file, where, dataset);
    check_type(values, where);
    return points_of(values, dimension, where);
  });
}

std::vector<double> read_list(std::filesystem::path const& path, std::string const& dataset) {
  return reading(path, "", [&] {
    std::string const where = place(path, dataset);
    hdf5::File const file = open_for_reading(path);
    hdf5::Dataset const stored = open_named(file, where, dataset);
    check_type(stored, where);
    Shape const shape = hdf5::shape_of(stored);
    constexpr hsize_t most = hsize_t{1} << 22;
    if (shape.size() != 1 || shape[0] > most) {
      throw InputError(fmt::format("{}: its shape is {} (needs one axis, of at most {} values)",
                                   where, to_text(shape), most));
    }
    check_chunks(stored, 1, where);
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
  together(ranks, [&] {
    reading(path, "", [&] {
      hdf5::File const file = open_for_reading(path);
      Checked const stored = open_checked(file, grid, place(path, name), name);
      if (is_deflated(stored.dataset)) {
        read_chunked_box(stored.dataset, stored.rank, box, values);
      } else {
        read_box(stored.dataset, stored.rank, box, values);
      }
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
