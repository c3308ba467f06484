#include "app/bench/bench_medium.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <memory>
#include <vector>

#include "kernels/core/cpu/splitmix64.hpp"
#include "solver/level/medium/layered_medium.hpp"

namespace isotherm::app {

namespace {

/// Returns a pseudo-random number in [0, 1) that is constant within each of several equal blocks.
/// Numbers come from splitmix64 of the block's number, so every rank and every machine computes the
/// same medium. Points on the upper boundary belong to the last block. Cost: O(1), without stored
/// state.
/// @param blocks   along each axis
/// @param x, y, z  coordinates in the unit cube
double random_number_of_block(Extent3 blocks, double x, double y, double z) {
  auto const part = [](std::int64_t count, double at) {
    auto const n = static_cast<double>(count);
    return static_cast<std::uint64_t>(std::max(0.0, std::min(n - 1.0, std::floor(n * at))));
  };
  auto const nx = static_cast<std::uint64_t>(blocks.x);
  auto const ny = static_cast<std::uint64_t>(blocks.y);
  std::uint64_t const block = part(blocks.x, x) + nx * (part(blocks.y, y) + ny * part(blocks.z, z));
  return static_cast<double>(splitmix64(block * splitmix64_step) >> 11U) * 0x1p-53;
}

/// Returns the conductivity κ at a point of the unit cube. The extremes of `smooth` are 10^(±1/2),
/// so their ratio is at most 10. The other media are discontinuous.
/// @param points  of the grid; `pores` has a random number for each
double conductivity(BenchConductivity kind, Extent3 points, double x, double y, double z) {
  switch (kind) {
    case BenchConductivity::constant:
      break;
    case BenchConductivity::smooth:
      return std::exp(0.5 * std::log(10.0) * std::sin(3 * x) * std::cos(2 * y + z));
    case BenchConductivity::ball:
      return std::hypot(x - 0.5, y - 0.5, z - 0.5) < 0.3 ? 100.0 : 1.0;
    case BenchConductivity::layers:
      return y < 0.37 ? 100.0 : 1.0;
    case BenchConductivity::blocks:
      return random_number_of_block({9, 9, 9}, x, y, z) < 0.5 ? 1000.0 : 1.0;
    case BenchConductivity::strips: {
      double const at = 3.0 * (x + y);
      return at - std::floor(at) < 0.2 ? 1e6 : 1.0;
    }
    case BenchConductivity::pores:
      return random_number_of_block(points, x, y, z) < 0.6 ? 1.0 : 1e-6;
  }
  return 1.0;
}

}  // namespace

// The function captures no reference, so the problem can be copied freely. `text` identifies it in
// fingerprints.
void set_conductivity(Problem& problem, BenchConductivity kind) {
  if (kind == BenchConductivity::constant) return;
  ScalarFunction function;
  function.evaluate = [kind, points = problem.grid.points](double x, double y, double z, double) {
    return conductivity(kind, points, x, y, z);
  };
  function.text = name(kind);
  if (kind == BenchConductivity::layers) function.varies_along = {false, true, false};
  if (kind == BenchConductivity::strips) function.varies_along = {true, true, false};
  problem.medium.conductivity = {function, function, function};
  // All axes share one function: an isotropic medium.
  problem.medium.isotropic = true;
  problem.medium.layer_search = std::make_shared<LayerSearch>();
}

// Two-sided tanh stretching (Vinokur, 1983): x(s) = L/2 (1 + tanh(b s) / tanh b) for s from -1 to
// 1. The density of points is inversely proportional to dx/ds, which is smallest at both ends.
void grade_axes(Problem& problem) {
  constexpr double bend = 2.18;  // 1 / cosh²(bend) = 1 / 20: the ratio of gaps
  for (int axis = 0; axis < problem.grid.dimension; ++axis) {
    std::int64_t const n = problem.grid.points[axis];
    if (problem.grid.periodic[axis] || n < 3) continue;
    double const length = problem.grid.length(axis);
    std::vector<double> coordinates;
    for (std::int64_t i = 0; i < n; ++i) {
      // From -1 to 1 along the axis.
      double const way = 2.0 * static_cast<double>(i) / static_cast<double>(n - 1) - 1.0;
      coordinates.push_back(length * (0.5 + 0.5 * std::tanh(bend * way) / std::tanh(bend)));
    }
    problem.grid = with_coordinates(problem.grid, axis, coordinates);
  }
}

char const* name(BenchConductivity kind) {
  switch (kind) {
    case BenchConductivity::constant:
      return "constant";
    case BenchConductivity::smooth:
      return "smooth";
    case BenchConductivity::ball:
      return "ball";
    case BenchConductivity::layers:
      return "layers";
    case BenchConductivity::blocks:
      return "blocks";
    case BenchConductivity::strips:
      return "strips";
    case BenchConductivity::pores:
      return "pores";
  }
  return "unknown";
}

}  // namespace isotherm::app
