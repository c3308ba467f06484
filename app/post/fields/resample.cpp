#include "app/post/fields/resample.hpp"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <type_traits>
#include <utility>

#include "app/machine/device_choice.hpp"
#include "app/machine/memory_limits.hpp"
#include "app/post/mean_gradient.hpp"
#include "case/basics/exit_code.hpp"
#include "decomposition/field/regrid/linear_part.hpp"
#include "decomposition/field/staging/host_staging.hpp"
#include "decomposition/ranks/collective_errors.hpp"
#include "kernels/core/byte_count.hpp"
#include "kernels/memories/texture_sampling.hpp"

namespace isotherm::app {

namespace {

/// Returns the grid to which the field is interpolated: by --points, by --like, or the source's own
/// if the field is only moved.
Grid target_grid(ResampleOptions const& options, Grid const& source) {
  if (options.points && options.like) {
    throw InputError("resample: give either --points or --like");
  }
  if (options.points) {
    // `64x64` has one point in z. That also suits a 3D field with one point in z.
    int const given = options.points->z == 1 ? 2 : 3;
    if (given != source.dimension && source.points.z != options.points->z) {
      constexpr std::array wanted{"x, and 1 along y", "x, y only", "x, y and z"};
      int const axes = axis_count(source);
      throw InputError(fmt::format("--points: {} is {}D (needs points along {})",
                                   options.files.input.string(), axes,
                                   wanted[static_cast<std::size_t>(axes - 1)]));
    }
    // with_points() rejects numbers that do not suit the axes; the message then begins with the
    // name of the option.
    try {
      return with_points(source, *options.points);
    } catch (InputError const& fault) {
      throw InputError("--points: " + std::string(fault.what()));
    }
  }
  if (!options.like) return source;
  // Only the description of the file is read, not its values.
  Grid like = read_snapshot_info(*options.like).grid;
  if (like.dimension != source.dimension) {
    throw InputError(fmt::format("--like {}: its grid is {}D, but {} is {}D",
                                 options.like->string(), axis_count(like),
                                 options.files.input.string(), axis_count(source)));
  }
  return like;
}

/// Rejects a shift along z of a 2D field.
void check_shift(ResampleOptions const& options, Grid const& grid) {
  if (grid.dimension == 3 || options.motion.shift[2] == 0.0) return;
  throw InputError(fmt::format("--shift: {} is 2D (needs numbers for x and y only)",
                               options.files.input.string()));
}

/// Plans the interpolation; errors name the options. @throws InputError
Resampling resampling_of(ResampleOptions const& options, Grid const& source, Grid const& target) {
  // For example, graded axes whose points differ between the grids.
  if (auto const obstacle = obstacle_to_resampling(source, target, options.motion);
      !obstacle.empty()) {
    throw InputError("resample: " + obstacle);
  }
  try {
    return plan_resampling(source, target, options.curve, options.edge_mode, options.motion);
  } catch (InputError const& fault) {
    throw InputError("--shift and --rotate, or the grid of --like, " + std::string(fault.what()));
  }
}

/// Checks that texture units can do what is asked. @throws InputError  if they cannot
void check_hardware(ResampleOptions const& options, Precision type, Grid const& source,
                    Grid const& target) {
  if (!options.hardware) return;
  std::string fault;
  if (options.curve == Curve::cubic || options.curve == Curve::spline) {
    fault = "texture units interpolate linearly, or take the nearest point (leave out --" +
            name(options.curve) + ")";
  } else if (type != Precision::float32) {
    fault = "texture units take float32, but " + options.files.input.string() + " is in float64";
  } else {
    fault = obstacle_to_texture(resampling_of(options, source, target).between);
    if (!fault.empty()) fault += " (choose --edges clamp, mirror or zero)";
  }
  if (!fault.empty()) throw InputError("--hardware: " + fault);
}

/// Returns the device. @throws InputError  on every rank, if --hardware lacks a GPU
Device device_of(mpi::Communicator const& ranks, ResampleOptions const& options) {
  if (!options.hardware) return choose_device(ranks, options.device);
  if (options.device == DeviceChoice::cpu) {
    throw InputError("--hardware: only GPUs have texture units (leave out --device cpu)");
  }
  return choose_device(ranks, DeviceChoice::cuda);
}

/// Returns the slopes of the linear part of a field along the axes on which the edges wrap around:
/// it is left out while the field is interpolated. @throws InputError  if it would be rotated
PerAxis<double> slopes_to_keep(ResampleOptions const& options, SnapshotInfo const& info) {
  if (options.edge_mode.value_or(EdgeMode::wrap) != EdgeMode::wrap) return {};
  PerAxis<double> const slopes = slopes_of(gains_over_periods(info), info.grid);
  for (int axis = 0; axis < 3; ++axis) {
    if (slopes[axis] == 0.0 || options.motion.rotation_deg == 0.0) continue;
    throw InputError(fmt::format(
        "--rotate: {} has a mean gradient along its periodic {} axis, and does not continue beyond "
        "its ends when it is turned (needs --edges clamp, mirror or zero)",
        options.files.input.string(), "xyz"[axis]));
  }
  return slopes;
}

/// Interpolates on the device.
template <class Real>
void interpolate_box(Queue& queue, ResampleOptions const& options, Resampling const& resampling,
                     GlobalBox box, FieldView<Real const> from, FieldView<Real> to) {
  if constexpr (std::is_same_v<Real, float>) {
    if (options.hardware) return resample_box_by_texture(queue, resampling, box, from, to);
  }
  resample_box<Real>(queue, resampling, box, from, to);
}

/// Returns the memory for both fields. A typing error in --points may request far more points than
/// fit into memory, so this is checked.
/// @param meanwhile  bytes of temporary memory in addition to both fields
template <class Real>
MemoryNeed need_of(Backend backend, GlobalBox read, GlobalBox made, std::size_t meanwhile) {
  MemoryNeed need;
  need.device = sum_of_bytes(Field<Real>::footprint(backend, read.extent(), {}),
                             Field<Real>::footprint(backend, made.extent(), {}));
  need.device = sum_of_bytes(need.device, meanwhile);
  need.host = std::max(dense_bytes<Real>(read.extent()), dense_bytes<Real>(made.extent()));
  return need;
}

/// Reads the box that this rank's part of the target depends on, interpolates, and writes. Ranks
/// exchange no values: the boxes that neighbouring ranks read overlap.
template <class Real>
void resample_field(mpi::Communicator const& ranks, ResampleOptions const& options,
                    SnapshotInfo info, Grid const& target, PerAxis<double> const& slopes) {
  Device const device = device_of(ranks, options);
  Subdomain const part(target, choose_parts(target, ranks, device), ranks.rank());
  Resampling const resampling = resampling_of(options, info.grid, target);
  // After a shift or rotation the box may lie anywhere in the source.
  GlobalBox const box = resampling.needed(part.owned_global());
  std::size_t const meanwhile =
      options.hardware ? Texture::footprint(box.extent())
                       : resampling_footprint(device.backend, resampling, part.owned_global());
  require_memory(ranks, device,
                 {need_of<Real>(device.backend, box, part.owned_global(), meanwhile)}, "resample",
                 "use more hosts, or fewer points");
  // Stage 1: read the box of the source.
  std::vector<Real> values(static_cast<std::size_t>(box.point_count()));
  read_snapshot_box(ranks, options.files.input, info, info.field, box, values.data());
  add_linear_part(info.grid, box, slopes, info.grid.lower, -1.0, values.data());

  // Stage 2: interpolate on the device.
  Queue queue(device.backend, device.number);
  Field<Real> field(queue, box.extent(), {});
  Field<Real> result(queue, part.extent(), {});
  HostStaging<Real>(queue, box.extent()).write(queue, field.view(), field.owned(), values.data());
  interpolate_box<Real>(queue, options, resampling, part.owned_global(),
                        std::as_const(field).view(), result.view());
  // Stage 3: copy the result to the host and write it; `values` is reused.
  values.resize(static_cast<std::size_t>(part.owned().point_count()));
  HostStaging<Real>(queue, part.extent())
      .read(queue, std::as_const(result).view(), part.owned(), values.data());
  PerAxis<double> const moved{info.grid.lower[0] + options.motion.shift[0],
                              info.grid.lower[1] + options.motion.shift[1],
                              info.grid.lower[2] + options.motion.shift[2]};
  add_linear_part(target, part.owned_global(), slopes, moved, 1.0, values.data());
  info.grid = target;
  bool const is_moved = options.motion != Motion{};
  write_result<Real>(ranks, options.files, info, part, values.data(),
                     {is_moved ? "moved" : "resampled", !is_moved});
}

}  // namespace

int resample(mpi::Communicator const& ranks, ResampleOptions const& asked) {
  ResampleOptions options = asked;
  // The output must not replace the file whose grid is used.
  if (options.like) options.files.also_read = {*options.like};
  SnapshotInfo const info = open_operation(ranks, options.files);
  Grid target;
  PerAxis<double> slopes;
  rethrow_on_all_ranks(ranks, [&] {
    check_shift(options, info.grid);
    target = target_grid(options, info.grid);
    // Fails before any values are read.
    (void)resampling_of(options, info.grid, target);
    check_hardware(options, info.stored_type, info.grid, target);
    slopes = slopes_to_keep(options, info);
  });
  with_precision(info.stored_type, [&]<class Real>(Real) {
    resample_field<Real>(ranks, options, info, target, slopes);
  });
  return exit_code::done;
}

}  // namespace isotherm::app
