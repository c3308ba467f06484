// write_samples DIRECTORY
//
// Writes series of snapshots of u = x + 10 y + 100 z + 1000 t. read_with_vtk.py reads them with an
// independent reader, and contains the same table of samples.

#include <filesystem>
#include <iostream>
#include <string>
#include <vector>

#include "decomposition/grid/subdomain.hpp"
#include "io/snapshot/snapshot.hpp"

namespace isotherm {
namespace {

struct Sample {
  char const* name;
  Grid grid;
  bool steady = false;
  StorageOptions options{};
};

/// A copy of the grid with gaps along one axis that widen by the same amount from each to the next.
Grid graded(Grid grid, int axis) {
  std::vector<double> coordinates;
  for (std::int64_t i = 0; i < grid.points[axis]; ++i) {
    coordinates.push_back(grid.coordinate(axis, i * i));
  }
  return with_coordinates(grid, axis, coordinates);
}

std::vector<Sample> samples() {
  Grid const box{3, {41, 30, 19}, {-1.0, 0.5, 2.0}, {0.25, 0.5, 0.125}, {}};
  Grid const plane{2, {37, 21, 1}, {0.25, -3.0, 0.0}, {0.5, 0.125, 1.0}, {true, true, false}};
  Grid const even_plane{2, plane.points, plane.lower, plane.spacing, {}};
  Grid const graded_box = graded(graded(box, 0), 2);
  return {{"box", box},
          {"graded", graded_box},
          {"graded_plane", graded(even_plane, 0)},
          {"graded_cut",
           graded_box,
           false,
           {.deflate_level = 1, .cut = GlobalBox{{0, 7, 0}, {41, 8, 19}}}},
          {"plane", plane},
          {"steady", box, true},
          {"compressed", box, false, {.deflate_level = 4}},
          {"rounded", plane, false, {.deflate_level = 1, .as_float32 = true}},
          {"cut", box, false, {.cut = GlobalBox{{3, 4, 5}, {20, 21, 12}}}},
          {"slice", box, false, {.cut = GlobalBox{{0, 7, 0}, {41, 8, 19}}}},
          {"side", box, false, {.cut = GlobalBox{{5, 2, 3}, {6, 30, 17}}}},
          {"strip", plane, false, {.cut = GlobalBox{{4, 1, 0}, {30, 20, 1}}}},
          {"line", box, false, {.cut = GlobalBox{{0, 7, 9}, {41, 8, 10}}}}};
}

template <class Real>
std::vector<Real> values_at(Subdomain const& subdomain, double time) {
  std::vector<Real> values;
  Grid const& grid = subdomain.grid();
  GlobalBox const box = subdomain.owned_global();
  for (std::int64_t k = box.lower.z; k < box.upper.z; ++k) {
    for (std::int64_t j = box.lower.y; j < box.upper.y; ++j) {
      for (std::int64_t i = box.lower.x; i < box.upper.x; ++i) {
        values.push_back(static_cast<Real>(grid.coordinate(0, i) + 10 * grid.coordinate(1, j) +
                                           100 * grid.coordinate(2, k) + 1000 * time));
      }
    }
  }
  return values;
}

/// Vectors of the values times 1, -2 and 4, which distinguish the components.
template <class Real>
std::vector<Real> vectors_of(std::vector<Real> const& u) {
  std::vector<Real> vectors;
  for (Real const value : u) {
    for (int const factor : {1, -2, 4}) vectors.push_back(static_cast<Real>(factor) * value);
  }
  return vectors;
}

template <class Real>
void write_sample(mpi::Communicator const& ranks, std::filesystem::path const& directory,
                  Sample const& sample) {
  Subdomain const subdomain(sample.grid, choose_decomposition(sample.grid, ranks.size()),
                            ranks.rank());
  if (ranks.is_root()) {
    std::filesystem::create_directories(directory);
  }
  ranks.barrier();
  for (std::int64_t const iteration : {0, 10, 25}) {
    SnapshotInfo info;
    info.iteration = iteration;
    info.time_s = 0.1 * static_cast<double>(iteration);
    auto const u = values_at<Real>(subdomain, info.time_s);
    auto const source = values_at<Real>(subdomain, -1.0);
    auto const vectors = vectors_of(u);
    write_snapshot<Real>(ranks, snapshot_path(directory, "u", iteration), info, subdomain, u.data(),
                         {{"source", source.data()}, {"flux", vectors.data(), 3}}, sample.options);
  }
  if (ranks.is_root()) {
    write_series(directory, "u", list_snapshots(directory, "u"), sample.steady);
  }
}

void write_samples(std::filesystem::path const& directory) {
  mpi::Communicator const ranks(MPI_COMM_WORLD);
  for (Sample const& sample : samples()) {
    write_sample<float>(ranks, directory / "float32" / sample.name, sample);
    write_sample<double>(ranks, directory / "float64" / sample.name, sample);
  }
}

}  // namespace
}  // namespace isotherm

int main(int argc, char** argv) try {
  isotherm::mpi::Session const session(argc, argv);
  if (argc != 2) {
    std::cerr << "write_samples DIRECTORY\n";
    return 2;
  }
  isotherm::write_samples(argv[1]);
  return 0;
} catch (std::exception const& error) {
  std::cerr << error.what() << std::endl;
  isotherm::mpi::abort_job(1);
}
