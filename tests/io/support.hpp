#pragma once

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

#include "decomposition/grid/subdomain.hpp"
#include "io/snapshot/snapshot.hpp"

namespace isotherm::test {

/// A directory that all ranks share, initially empty and removed at the end.
class SharedDirectory {
 public:
  explicit SharedDirectory(mpi::Communicator const& ranks) : ranks_(ranks) {
    std::string name = testing::TempDir() + "isotherm_io_XXXXXX";
    if (ranks.is_root() && mkdtemp(name.data()) == nullptr) {
      throw Error("cannot make " + name);
    }
    path_ = ranks.broadcast(name);
  }
  ~SharedDirectory() {
    ranks_.barrier();
    if (ranks_.is_root()) {
      std::error_code ignored;
      std::filesystem::remove_all(path_, ignored);
    }
  }
  SharedDirectory(SharedDirectory const&) = delete;
  SharedDirectory& operator=(SharedDirectory const&) = delete;

  [[nodiscard]] std::filesystem::path path() const { return path_; }
  [[nodiscard]] std::filesystem::path operator/(std::string const& name) const {
    return path_ / name;
  }

 private:
  mpi::Communicator const& ranks_;
  std::filesystem::path path_;
};

/// A value that identifies its point and distinguishes the axes.
template <class Real>
Real value_at(Index3 global) {
  auto const spread = static_cast<double>((7 * global.x + 13 * global.y + 29 * global.z) % 97);
  return static_cast<Real>(static_cast<double>(global.x) + 1e2 * static_cast<double>(global.y) +
                           1e4 * static_cast<double>(global.z) + 1e-3 * spread);
}

/// The values of a rank's points, dense, x fastest.
template <class Real>
std::vector<Real> values_of(Subdomain const& subdomain, double factor = 1.0) {
  std::vector<Real> values;
  Extent3 const n = subdomain.extent();
  for (std::int64_t k = 0; k < n.z; ++k) {
    for (std::int64_t j = 0; j < n.y; ++j) {
      for (std::int64_t i = 0; i < n.x; ++i) {
        values.push_back(static_cast<Real>(factor) *
                         value_at<Real>(subdomain.to_global(Index3{i, j, k})));
      }
    }
  }
  return values;
}

/// A grid with different spacings, not at the origin of coordinates.
inline Grid grid_of(Extent3 points) {
  int const dimension = points.z == 1 ? 2 : 3;
  return {dimension, points, {-1.0, 0.5, dimension == 2 ? 0.0 : 2.0}, {0.25, 0.5, 0.125}, {}};
}

/// Decompositions of `grid` for `ranks` ranks: the automatic one, and one along each axis that can
/// be divided.
inline std::vector<Extent3> decompositions(Grid const& grid, int ranks) {
  std::vector<Extent3> ways{choose_decomposition(grid, ranks)};
  for (int axis = 0; axis < 3; ++axis) {
    if (grid.points[axis] >= ranks) {
      Extent3 parts{1, 1, 1};
      parts[axis] = ranks;
      ways.push_back(parts);
    }
  }
  return ways;
}

/// A snapshot's description with something in every field.
inline SnapshotInfo some_info() {
  SnapshotInfo info;
  info.iteration = 1234;
  info.time_s = 0.1;
  info.is_checkpoint = true;
  info.case_text = "title = \"täst\"\n[grid]\n";
  info.fingerprint = R"({"grid": [1, 2]})";
  info.state = R"({"iteration": 1234})";
  info.version = "0.1.0";
  return info;
}

/// Returns the message of the exception of type `Expected` that `work` throws; empty if it throws
/// none.
template <class Expected, class Work>
std::string message_of(Work&& work) {
  try {
    work();
  } catch (Expected const& error) {
    return error.what();
  }
  return {};
}

}  // namespace isotherm::test
