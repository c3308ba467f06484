#include "jobs/output_sizes.hpp"

#include <algorithm>
#include <cmath>
#include <system_error>

#include "jobs/with_precision.hpp"

namespace isotherm {

namespace {

/// The nearest folder that exists at or above `path`.
std::filesystem::path existing_folder(std::filesystem::path path) {
  path = std::filesystem::absolute(path);
  std::error_code ignored;
  while (!std::filesystem::is_directory(path, ignored) && path != path.root_path()) {
    path = path.parent_path();
  }
  return path;
}

double points_in_snapshot(Case const& chosen) {
  Grid const& grid = chosen.problem.grid;
  return static_cast<double>(chosen.output.cut ? cut_box(grid, *chosen.output.cut).point_count()
                                               : grid.point_count());
}

/// Snapshots come at iteration 0 and at the multiples of snapshot_every before the last iteration.
std::int64_t snapshots_left(Case const& chosen, std::int64_t from) {
  std::int64_t const every = chosen.output.snapshot_every;
  if (every == 0) {
    return 0;
  }
  std::int64_t const last = std::max<std::int64_t>(from, chosen.method.iterations - 1);
  return last / every - from / every + (from == 0 ? 1 : 0);
}

bool takes_checkpoints(CheckpointSettings const& settings) {
  return settings.every > 0 || settings.every_minutes > 0.0;
}

}  // namespace

OutputSizes output_sizes(Case const& chosen, std::int64_t from, double to_be_freed) {
  auto const fields = static_cast<double>(chosen.output.fields.size());
  auto const whole = static_cast<double>(value_bytes(chosen.problem.precision));
  double const stored = chosen.output.as_float32 ? sizeof(float) : whole;
  OutputSizes sizes;
  sizes.file_bytes = fields * whole * static_cast<double>(chosen.problem.grid.point_count());
  sizes.snapshot_bytes = fields * stored * points_in_snapshot(chosen);
  sizes.snapshots = snapshots_left(chosen, from);
  sizes.whole_files = 1 + (takes_checkpoints(chosen.checkpoint) ? chosen.checkpoint.keep + 1 : 0);
  sizes.total_bytes = sizes.snapshot_bytes * static_cast<double>(sizes.snapshots) +
                      sizes.file_bytes * static_cast<double>(sizes.whole_files);
  auto const space = std::filesystem::space(existing_folder(chosen.output.directory));
  sizes.free_bytes = static_cast<double>(space.available) + to_be_freed;
  return sizes;
}

GlobalBox cut_box(Grid const& grid, std::array<std::array<double, 3>, 2> const& cut) {
  constexpr double slack = 1e-9;
  GlobalBox box = grid.box();
  for (int axis = 0; axis < grid.dimension; ++axis) {
    auto const d = static_cast<std::size_t>(axis);
    double const first = std::ceil((cut[0][d] - grid.lower[d]) / grid.spacing[d] - slack);
    double const last = std::floor((cut[1][d] - grid.lower[d]) / grid.spacing[d] + slack);
    auto const points = static_cast<double>(grid.points[axis]);
    box.lower[axis] = static_cast<std::int64_t>(std::clamp(first, 0.0, points));
    box.upper[axis] = static_cast<std::int64_t>(std::clamp(last + 1.0, 0.0, points));
  }
  if (box.empty()) {
    throw InputError("holds no point of the grid (it must reach over at least one)");
  }
  return box;
}

}  // namespace isotherm
