#include "jobs/run/initial_field.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <vector>

#include "jobs/basics/text.hpp"
#include "jobs/case/key_at_fault.hpp"
#include "kernels/core/byte_count.hpp"
#include "kernels/core/text.hpp"

namespace isotherm {

namespace {

constexpr char const* way_out = "resample = true interpolates";

std::string points_of(Grid const& grid) { return format_extent(grid.points, grid.dimension); }

/// "0 to 1"
std::string reach_of(Grid const& grid, int axis) {
  return shortest(grid.lower[axis]) + " to " + shortest(grid.upper(axis));
}

/// The name of the field that is meant, where it is one of the snapshot's own, by its place in
/// VTK's image or in the file's root.
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

/// The values of another program's, which are taken to span the case's grid.
InitialField find_dataset(InitialFile const& file, Grid const& grid) {
  if (!file.resample) {
    check_dataset(file.path, file.dataset, grid);
    return {grid, file.dataset};
  }
  Extent3 const points = dataset_points(file.path, file.dataset, grid.dimension);
  try {
    return {with_points(grid, points), file.dataset};
  } catch (InputError const& fault) {
    throw InputError(
        fmt::format("{}, dataset \"{}\": {}", file.path.string(), file.dataset, fault.what()));
  }
}

InitialField find_field(InitialFile const& file, Grid const& grid) {
  // A dataset that is named is taken as it is, point by point, whoever wrote it.
  bool const told = !file.dataset.empty();
  if (!told && !is_snapshot(file.path)) {
    throw InputError(file.path.string() +
                     R"( is none of isotherm's own files: name its dataset, as in dataset = "/u")");
  }
  if (!told || (file.resample && is_snapshot(file.path))) {
    SnapshotInfo const info = read_snapshot_info(file.path);
    if (auto const field = field_meant(file, info)) return {info.grid, *field, info};
  }
  return find_dataset(file, grid);
}

void check_points(InitialFile const& file, Grid const& found, Grid const& wanted) {
  if (found.dimension != wanted.dimension) {
    throw InputError(fmt::format("{} is in {}D, the case's grid in {}D", file.path.string(),
                                 found.dimension, wanted.dimension));
  }
  if (!file.resample && found.points != wanted.points) {
    throw OtherShape(fmt::format("{} holds {} points, the grid has {}", file.path.string(),
                                 points_of(found), points_of(wanted)));
  }
}

/// Of what lies beyond a box on an axis that is not periodic the outermost values say something,
/// but nothing of a grid all of which lies there.
void check_reach(InitialFile const& file, Grid const& wanted, InitialField& initial) {
  Grid const& found = initial.grid;
  for (int axis = 0; axis < wanted.dimension; ++axis) {
    double const slack = 1e-9 * std::min(narrowest_gap(found, axis), narrowest_gap(wanted, axis));
    double const last = wanted.coordinate(axis, wanted.points[axis] - 1);
    if (found.periodic[axis] ||
        (wanted.lower[axis] >= found.lower[axis] - slack && last <= found.upper(axis) + slack)) {
      continue;
    }
    std::string const where =
        fmt::format("reaches from {} on the {} axis", reach_of(found, axis), "xyz"[axis]);
    if (wanted.lower[axis] > found.upper(axis) || last < found.lower[axis]) {
      throw InputError(
          fmt::format("{} {}, and the case's grid from {}: they have nothing in common",
                      file.path.string(), where, reach_of(wanted, axis)));
    }
    initial.warnings.push_back(
        fmt::format("[initial] file {} {}: beyond that, where the grid from {} has points, its "
                    "outermost values go on",
                    file.path.string(), where, reach_of(wanted, axis)));
  }
}

void warn_of_other_places(InitialFile const& file, Grid const& wanted, InitialField& initial) {
  for (int axis = 0; axis < wanted.dimension; ++axis) {
    double const slack = 1e-9 * narrowest_gap(wanted, axis);
    std::int64_t const last = wanted.points[axis] - 1;
    auto const apart = [&](std::int64_t i) {
      return std::abs(initial.grid.coordinate(axis, i) - wanted.coordinate(axis, i)) > slack;
    };
    if (apart(0) || apart(last)) {
      initial.warnings.push_back(fmt::format(
          "[initial] file {} reaches from {} on the {} axis, the case's grid from {}: its "
          "values are taken point by point ({})",
          file.path.string(), reach_of(initial.grid, axis), "xyz"[axis], reach_of(wanted, axis),
          way_out));
      return;
    }
    bool const graded = initial.grid.is_graded(axis) || wanted.is_graded(axis);
    std::int64_t inner = 1;
    while (graded && inner < last && !apart(inner)) ++inner;
    if (!graded || inner >= last) continue;
    initial.warnings.push_back(fmt::format(
        "[initial] file {} has other coordinates on the {} axis than the case's grid ({} where "
        "that has {}): its values are taken point by point",
        file.path.string(), "xyz"[axis], shortest(initial.grid.coordinate(axis, inner)),
        shortest(wanted.coordinate(axis, inner))));
    return;
  }
}

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
    throw InputError(file.path.string() + ": its or the grid's " + obstacle);
  }
  check_reach(file, grid, initial);
  try {
    initial.resampling = plan_resampling(initial.grid, grid, *file.resample);
  } catch (InputError const& fault) {
    throw InputError(file.path.string() + ": its points and those of the grid " + fault.what());
  }
  return initial;
}

/// The points that this rank reads.
GlobalBox points_read(InitialField const& initial, GlobalBox owned) {
  return initial.resampling ? initial.resampling->needed(owned) : owned;
}

template <class Real>
void read_box(mpi::Communicator const& ranks, InitialFile const& file, InitialField const& initial,
              GlobalBox box, Real* values) {
  if (initial.snapshot) {
    read_snapshot_box(ranks, file.path, *initial.snapshot, initial.name, box, values);
  } else {
    read_dataset(ranks, file.path, initial.name, initial.grid, box, values);
  }
}

template <class T>
FieldView<T> dense_view(T* values, Extent3 n) {
  return {values, n.x, n.x * n.y, {{}, n}};
}

/// On the CPU, whatever the run computes on: the device's memory is the run's, and this is done
/// once.
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
      throw InputError(std::string(fault.what()) + " (" + way_out + ')');
    }
  });
}

std::size_t bytes_to_read(InitialField const& initial, GlobalBox owned, Precision precision) {
  if (!initial.resampling) return 0;
  GlobalBox const box = points_read(initial, owned);
  if (exceeds_any_memory(box)) return uncountable_bytes;
  return sum_of_bytes(
      bytes_in_all(static_cast<std::size_t>(box.point_count()), value_bytes(precision)),
      resampling_footprint(Backend::cpu, *initial.resampling, owned));
}

void read_initial_field(mpi::Communicator const& ranks, Case const& chosen,
                        InitialField const& initial, Subdomain const& part, HostValues& values) {
  InitialFile const& file = *chosen.initial_file;
  GlobalBox const owned = part.owned_global();
  GlobalBox const box = points_read(initial, owned);
  std::visit(
      [&]<class Real>(std::span<Real> numbers) {
        if (!initial.resampling) return read_box(ranks, file, initial, box, numbers.data());
        std::vector<Real> read(static_cast<std::size_t>(box.point_count()));
        read_box(ranks, file, initial, box, read.data());
        interpolate_box(*initial.resampling, box, read.data(), owned, numbers.data());
      },
      values.view());
}

}  // namespace isotherm
