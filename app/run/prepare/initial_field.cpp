#include "app/run/prepare/initial_field.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <vector>

#include "case/basics/text/text.hpp"
#include "case/key_at_fault.hpp"
#include "decomposition/field/regrid/linear_part.hpp"
#include "kernels/core/byte_count.hpp"
#include "kernels/core/number_text.hpp"
#include "kernels/core/text.hpp"
#include "solver/problem/conditions.hpp"

// An initial field may come from a snapshot of isotherm, whose grid is known. It may also come from
// a dataset of another program, for which only the numbers of points are known. Its values are used
// point by point, or interpolated if the case has `resample`.

namespace isotherm::app {

namespace {

/// The remedy for a grid that differs, as several messages name it.
constexpr char const* resample_advice = "set resample = true to interpolate";

/// Returns the numbers of points for messages: "100 x 100".
std::string points_of(Grid const& grid) { return format_extent(grid.points, axis_count(grid)); }

/// Returns the coordinates of both ends of an axis for messages: "0 to 1".
std::string reach_of(Grid const& grid, int axis) {
  return six_digits(grid.lower[axis]) + " to " + six_digits(grid.upper(axis));
}

/// Returns the name of the field if the dataset is one of the snapshot's own fields. A dataset may
/// be named by its path in VTK's image, or by its name in the file's root.
std::optional<std::string> field_meant(InitialFile const& file, SnapshotInfo const& info) {
  if (file.dataset.empty()) return info.field;
  std::string const named = file.dataset.starts_with('/') ? file.dataset : '/' + file.dataset;
  auto const means = [&](std::string const& field) {
    return named == dataset_of(info, field) || named == '/' + field;
  };
  if (means(info.field)) return info.field;
  for (std::string const& field : info.extra_fields) {
    if (means(field)) return field;
  }
  return std::nullopt;
}

/// Examines a dataset of another program. Its values are assumed to span the case's grid, because
/// such a file contains no coordinates.
InitialField find_dataset(InitialFile const& file, Grid const& grid) {
  if (!file.resample) {
    check_dataset(file.path, file.dataset, grid);
    return {grid, file.dataset};
  }
  Extent3 const points = dataset_points(file.path, file.dataset, grid.dimension);
  try {
    return {with_points(grid, points), file.dataset};
  } catch (InputError const& fault) {
    // The numbers of points do not make a grid; the message names file and dataset.
    throw InputError(
        fmt::format("{}, dataset \"{}\": {}", file.path.string(), file.dataset, fault.what()));
  }
}

/// Examines a snapshot or a dataset of another program.
InitialField find_field(InitialFile const& file, Grid const& grid) {
  // A named dataset is used point by point, whichever program wrote it. The grid of a snapshot
  // matters only for resampling.
  bool const names_dataset = !file.dataset.empty();
  if (!names_dataset && !is_snapshot(file.path)) {
    throw InputError(file.path.string() +
                     R"( was not written by isotherm: name its dataset, as in dataset = "/u")");
  }
  if (!names_dataset || (file.resample && is_snapshot(file.path))) {
    SnapshotInfo const info = read_snapshot_info(file.path);
    if (auto const field = field_meant(file, info)) return {info.grid, *field, info};
  }
  return find_dataset(file, grid);
}

/// Checks dimension and, without resampling, the number of points.
void check_points(InitialFile const& file, Grid const& found, Grid const& wanted) {
  if (found.dimension != wanted.dimension) {
    throw InputError(fmt::format("{} is {}D, but the grid of the case is {}D", file.path.string(),
                                 axis_count(found), axis_count(wanted)));
  }
  if (!file.resample && found.points != wanted.points) {
    throw OtherShape(fmt::format("{} has {} points, but the grid has {}", file.path.string(),
                                 points_of(found), points_of(wanted)));
  }
}

/// Checks that the file's grid overlaps the case's grid, and warns of extrapolation. On an axis
/// that is not periodic, the outermost values are extended beyond the grid. That is acceptable for
/// some points, but not if the whole grid lies there.
void check_reach(InitialFile const& file, Grid const& wanted, InitialField& initial) {
  Grid const& found = initial.grid;
  for (int axis = 0; axis < wanted.dimension; ++axis) {
    // Coordinates are compared up to rounding: a small share of the narrowest gap.
    double const slack = 1e-9 * std::min(narrowest_gap(found, axis), narrowest_gap(wanted, axis));
    double const last = wanted.coordinate(axis, wanted.points[axis] - 1);
    if (found.periodic[axis] ||
        (wanted.lower[axis] >= found.lower[axis] - slack && last <= found.upper(axis) + slack)) {
      continue;
    }
    std::string const where =
        fmt::format("extends from {} on the {} axis", reach_of(found, axis), "xyz"[axis]);
    if (wanted.lower[axis] > found.upper(axis) || last < found.lower[axis]) {
      throw InputError(fmt::format("{} {}, but the grid of the case from {}: they do not overlap",
                                   file.path.string(), where, reach_of(wanted, axis)));
    }
    initial.warnings.push_back(
        fmt::format("[initial] file {} {}, but the grid from {}: points beyond the file get its "
                    "outermost values",
                    file.path.string(), where, reach_of(wanted, axis)));
  }
}

/// Warns if the values are used point by point although the points of the two grids have different
/// coordinates. At most one warning, for the first axis that differs.
void warn_of_other_places(InitialFile const& file, Grid const& wanted, InitialField& initial) {
  for (int axis = 0; axis < wanted.dimension; ++axis) {
    double const slack = 1e-9 * narrowest_gap(wanted, axis);
    std::int64_t const last = wanted.points[axis] - 1;
    auto const apart = [&](std::int64_t i) {
      return std::abs(initial.grid.coordinate(axis, i) - wanted.coordinate(axis, i)) > slack;
    };
    // A uniform axis is determined by its ends; a graded one is compared point by point.
    if (apart(0) || apart(last)) {
      initial.warnings.push_back(
          fmt::format("[initial] file {} extends from {} on the {} axis, but the grid from {}: "
                      "values are copied by index, not by coordinate ({})",
                      file.path.string(), reach_of(initial.grid, axis), "xyz"[axis],
                      reach_of(wanted, axis), resample_advice));
      return;
    }
    bool const graded = initial.grid.is_graded(axis) || wanted.is_graded(axis);
    std::int64_t inner = 1;
    while (graded && inner < last && !apart(inner)) ++inner;
    if (!graded || inner >= last) continue;
    initial.warnings.push_back(
        fmt::format("[initial] file {} has other coordinates on the {} axis than the grid ({} "
                    "instead of {}): values are copied by index, not by coordinate",
                    file.path.string(), "xyz"[axis], shortest(initial.grid.coordinate(axis, inner)),
                    shortest(wanted.coordinate(axis, inner))));
    return;
  }
}

/// Like find_initial_field(), but messages do not yet name the key.
InitialField find(Case const& chosen) {
  InitialFile const& file = *chosen.initial_file;
  Grid const& grid = chosen.problem.grid;
  InitialField initial = find_field(file, grid);
  check_points(file, initial.grid, grid);
  if (!file.resample) {
    if (initial.snapshot) warn_of_other_places(file, grid, initial);
    return initial;
  }
  if (auto const obstacle = obstacle_to_resampling(initial.grid, grid); !obstacle.empty()) {
    throw InputError(file.path.string() + ": in the file or the grid " + obstacle);
  }
  check_reach(file, grid, initial);
  try {
    initial.resampling = plan_resampling(initial.grid, grid, *file.resample);
  } catch (InputError const& fault) {
    throw InputError(file.path.string() + ": the points of the file and the grid " + fault.what());
  }
  return initial;
}

/// Returns the points of the file that this rank reads: its own, or all that the interpolation
/// needs.
GlobalBox points_read(InitialField const& initial, GlobalBox owned) {
  return initial.resampling ? initial.resampling->needed(owned) : owned;
}

/// Reads a box of values, from a snapshot or from a dataset of another program. Collective.
template <class Real>
void read_box(mpi::Communicator const& ranks, InitialFile const& file, InitialField const& initial,
              GlobalBox box, Real* values) {
  if (initial.snapshot) {
    read_snapshot_box(ranks, file.path, *initial.snapshot, initial.name, box, values);
  } else {
    read_dataset(ranks, file.path, initial.name, initial.grid, box, values);
  }
}

/// Returns a view of a dense array of n.x · n.y · n.z values, x fastest.
template <class T>
FieldView<T> dense_view(T* values, Extent3 n) {
  return {values, n.x, n.x * n.y, {{}, n}};
}

/// Interpolates on the CPU, whatever backend the run uses: the device's memory belongs to the run,
/// and this happens once.
template <class Real>
void interpolate_box(Resampling const& resampling, GlobalBox box, Real const* from, GlobalBox owned,
                     Real* to) {
  Queue host(Backend::cpu);
  resample_box<Real>(host, resampling, owned, dense_view(from, box.extent()),
                     dense_view(to, owned.extent()));
  host.wait();
}

}  // namespace

InitialField find_initial_field(Case const& chosen) {
  return blaming(chosen, "initial.file", [&] {
    try {
      return find(chosen);
    } catch (OtherShape const& fault) {
      // Resampling would help here, so the message suggests it.
      throw InputError(std::string(fault.what()) + " (" + resample_advice + ')');
    }
  });
}

std::size_t bytes_to_read(InitialField const& initial, GlobalBox owned, Precision precision) {
  if (!initial.resampling) return 0;
  GlobalBox const box = points_read(initial, owned);
  // point_count() would overflow.
  if (exceeds_any_memory(box)) return uncountable_bytes;
  return sum_of_bytes(
      product_of_bytes(static_cast<std::size_t>(box.point_count()), value_bytes(precision)),
      resampling_footprint(Backend::cpu, *initial.resampling, owned));
}

void read_initial_field(mpi::Communicator const& ranks, Case const& chosen,
                        InitialField const& initial, Subdomain const& part, HostValues& values) {
  InitialFile const& file = *chosen.initial_file;
  // A mean gradient is left out while the field is interpolated, so it continues beyond the ends.
  PerAxis<double> slopes;
  for (int axis = 0; axis < 3; ++axis) {
    if (!initial.grid.periodic[axis]) continue;
    slopes[axis] = gain_over_period(chosen.problem, axis) / chosen.problem.grid.length(axis);
  }
  // Without resampling the values are read to their final place; no copy is needed.
  GlobalBox const owned = part.owned_global();
  GlobalBox const box = points_read(initial, owned);
  std::visit(
      [&]<class Real>(std::span<Real> numbers) {
        if (!initial.resampling) return read_box(ranks, file, initial, box, numbers.data());
        std::vector<Real> read(static_cast<std::size_t>(box.point_count()));
        // The values around this rank's part are needed, too, so they get memory of their own.
        read_box(ranks, file, initial, box, read.data());
        PerAxis<double> const origin = initial.grid.lower;
        add_linear_part(initial.grid, box, slopes, origin, -1.0, read.data());
        interpolate_box(*initial.resampling, box, read.data(), owned, numbers.data());
        add_linear_part(part.grid(), owned, slopes, origin, 1.0, numbers.data());
      },
      values.view());
}

}  // namespace isotherm::app
