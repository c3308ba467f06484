#include "app/post/fields/smooth.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "app/machine/device_choice.hpp"
#include "app/machine/memory_limits.hpp"
#include "app/post/fields/padded_read.hpp"
#include "app/post/fields/weight_file.hpp"
#include "app/post/mean_gradient.hpp"
#include "case/basics/exit_code.hpp"
#include "case/basics/text/text_file.hpp"
#include "decomposition/field/distributed_field.hpp"
#include "decomposition/field/regrid/linear_part.hpp"
#include "decomposition/field/staging/host_staging.hpp"
#include "decomposition/ranks/collective_errors.hpp"
#include "kernels/core/byte_count.hpp"
#include "kernels/core/text.hpp"
#include "kernels/filters/convolution.hpp"
#include "kernels/filters/correlation.hpp"
#include "kernels/filters/padding.hpp"
#include "kernels/filters/smoothing.hpp"

namespace isotherm::app {

namespace {

using Weights = std::vector<double>;

/// The convolution kernel: weights along each axis (a separable kernel), or a table. Weights along
/// an axis are an odd number, the middle one of which belongs to the point itself.
struct Kernel {
  PerAxis<Weights> along{};
  std::optional<WeightTable> table{};

  /// Returns how many points the weights along an axis reach to each side.
  [[nodiscard]] int radius(int axis) const { return static_cast<int>(along[axis].size() / 2); }
  /// Returns the maximum radius of all axes.
  [[nodiscard]] int largest_radius() const { return std::max({radius(0), radius(1), radius(2)}); }
};

/// Returns the axes that have more than one point.
std::vector<int> axes_of(Grid const& grid) {
  std::vector<int> axes;
  for (int axis = 0; axis < grid.dimension; ++axis) {
    if (grid.points[axis] > 1) axes.push_back(axis);
  }
  return axes;
}

/// Rejects graded axes: weights are defined for equally spaced points.
void check_even_distances(SmoothOptions const& options, Grid const& grid) {
  for (int const axis : axes_of(grid)) {
    if (!grid.is_graded(axis)) continue;
    throw InputError(fmt::format(
        "smooth: the spacing of {} varies on the {} axis (needs a field without graded axes)",
        options.files.input.string(), "xyz"[axis]));
  }
}

/// Rejects a table of several planes for a 2D field.
void check_planes(Grid const& grid, WeightTable const& table, std::filesystem::path const& file) {
  if (grid.dimension == 3 || table.extent.z == 1) return;
  throw InputError(
      fmt::format("{} has a table of {} planes of weights for a 3D field, but this field is 2D "
                  "(needs rows without blank lines between them)",
                  file.string(), table.extent.z));
}

/// Returns the weights of a Gaussian or a box. Errors name the option and the axis. @throws
/// InputError
Weights weights_of_width(SmoothOptions const& options, Grid const& grid, int axis) {
  double const points = *options.width / grid.spacing[axis];
  try {
    return options.box ? box_weights(points) : gaussian_weights(points);
  } catch (InputError const& fault) {
    throw InputError(fmt::format("--width {} is, on the {} axis, {}", shortest(*options.width),
                                 "xyz"[axis], fault.what()));
  }
}

/// Returns the kernel that the options describe. A width covers more points along an axis with a
/// smaller spacing.
Kernel kernel_of(SmoothOptions const& options, std::string const& weights_text, Grid const& grid) {
  // Either both or neither were given.
  if (options.weights.has_value() == options.width.has_value()) {
    throw InputError("smooth: give either --width or --weights");
  }
  Kernel kernel;
  WeightFile const given =
      options.weights ? weights_in(*options.weights, weights_text, grid.dimension) : WeightFile{};
  if (options.weights && given.is_table()) {
    check_planes(grid, given.table, *options.weights);
    kernel.table = given.table;
    return kernel;
  }
  for (int const axis : axes_of(grid)) {
    kernel.along[axis] =
        options.weights ? given.along_each_axis : weights_of_width(options, grid, axis);
  }
  return kernel;
}

/// Returns the boundary treatment of an axis: the requested one, or by default that of the grid.
EdgeMode edge_mode_on(Grid const& grid, int axis, std::optional<EdgeMode> wanted) {
  return wanted.value_or(grid.periodic[axis] ? EdgeMode::wrap : EdgeMode::mirror);
}

/// Checks that every point beyond an edge has a counterpart in the grid: a halo contains at most
/// one period or mirror image. (Tables have no halo, and may reach arbitrarily far beyond an edge.)
void check_reach(Grid const& grid, Kernel const& kernel, std::optional<EdgeMode> wanted) {
  for (int const axis : axes_of(grid)) {
    EdgeMode const edge_mode = edge_mode_on(grid, axis, wanted);
    std::int64_t const points = grid.points[axis];
    // Wrapping: one period. Mirroring about the end point: all points but that one. Clamping and
    // zero need no points of the grid.
    std::int64_t const maximum = edge_mode == EdgeMode::wrap     ? points
                                 : edge_mode == EdgeMode::mirror ? points - 1
                                                                 : max_radius;
    int const radius = kernel.radius(axis);
    if (radius <= maximum) continue;
    throw InputError(
        fmt::format("the weights extend {} points to each side, but the {} axis allows only {} "
                    "(needs a smaller width, or --edges clamp or zero)",
                    radius, "xyz"[axis], maximum));
  }
}

/// Returns the grid with the axes periodic on which the edges wrap around, so the halo exchange
/// fills them.
Grid with_edges(Grid grid, std::optional<EdgeMode> wanted) {
  Grid const as_it_is = grid;
  for (int axis = 0; axis < 3; ++axis) {
    // Axes of one point are not smoothed, and need no halo.
    grid.periodic[axis] =
        grid.points[axis] > 1 && edge_mode_on(as_it_is, axis, wanted) == EdgeMode::wrap;
  }
  return grid;
}

/// Returns a halo at both ends of one axis, as deep as the weights reach but at least 1.
HaloShape halo_shape(Grid const& grid, std::optional<EdgeMode> wanted, int axis, int radius) {
  HaloShape shape;
  shape.depth = std::max(1, radius);
  shape.axis = axis;
  EdgeMode const edge_mode = edge_mode_on(grid, axis, wanted);
  for (bool const upper : {false, true}) {
    // Without these flags the halo keeps its initial zeros, or is a copy of the other end on a
    // periodic axis.
    shape.mirrored[{axis, upper}] = edge_mode == EdgeMode::mirror;
    shape.extended[{axis, upper}] = edge_mode == EdgeMode::clamp;
  }
  return shape;
}

/// Returns parts along a single axis whose parts are at least as thick as its weights reach;
/// nothing if there is no such axis.
std::optional<Extent3> slabs(Grid const& grid, int ranks, Kernel const& kernel) {
  for (int axis = 2; axis >= 0; --axis) {
    // The thinnest part has points / ranks points, rounded down. z is tried first: slabs along z
    // are contiguous in memory.
    if (grid.points[axis] / ranks < std::max(1, kernel.radius(axis))) continue;
    Extent3 parts{1, 1, 1};
    parts[axis] = ranks;
    return parts;
  }
  return std::nullopt;
}

/// Returns the decomposition for a separable kernel: a halo of each axis must lie within the
/// neighbouring part.
/// @throws InputError  if no decomposition has parts that are thick enough
Extent3 parts_of(Grid const& grid, int ranks, Kernel const& kernel) try {
  return choose_decomposition(grid, ranks, std::max(1, kernel.largest_radius()));
} catch (InputError const&) {
  // choose_decomposition() needs parts that are thick enough along each axis that it cuts. Weights
  // may reach differently far on the axes, so slabs may still fit.
  if (auto const parts = slabs(grid, ranks, kernel)) return *parts;
  throw;
}

/// A field with its halo along one axis, together with the communication that fills the halo.
template <class Real>
struct FieldWithHalo {
  FieldSpace<Real> space;
  DistributedField<Real> field{space};

  FieldWithHalo(mpi::Communicator const& ranks, Subdomain const& part, Queue& queue,
                HaloShape const& shape)
      : space(ranks, part, queue, shape, TransportKind::automatic) {}
};

/// Returns the bytes of an FieldWithHalo. Faces are sent and received at both ends, which needs
/// four buffers.
template <class Real>
std::size_t footprint_ahead(Backend backend, Extent3 owned, int axis, int depth) {
  Index3 halo;
  halo[axis] = depth;
  Extent3 face = owned;
  face[axis] = depth;
  return sum_of_bytes(Field<Real>::footprint(backend, owned, halo),
                      sum_of_bytes(HostStaging<Real>::footprint(backend, owned),
                                   product_of_bytes(4, dense_bytes<Real>(face))));
}

/// Returns the memory for separable kernels: the dense values, and two fields with halos along
/// successive axes.
template <class Real>
MemoryNeed need_of_weights(Backend backend, Subdomain const& part, Kernel const& kernel) {
  std::vector<int> const axes = axes_of(part.grid());
  auto const ahead = [&](std::size_t i) {
    // The field that receives the last result has a halo along the last axis, which is not used.
    int const axis = axes[std::min(i, axes.size() - 1)];
    return footprint_ahead<Real>(backend, part.extent(), axis, std::max(1, kernel.radius(axis)));
  };
  MemoryNeed need;
  for (std::size_t i = 0; i < axes.size(); ++i) {
    // Two fields exist at the same time: source and target of one convolution.
    need.device = std::max(need.device, sum_of_bytes(ahead(i), ahead(i + 1)));
  }
  need.host = dense_bytes<Real>(part.extent());
  return need;
}

/// Convolves along each axis in turn. For a separable kernel this equals the convolution with the
/// product of the weights. The cost per point is the sum, not the product, of the numbers of
/// weights. Collective.
/// @param values  this rank's points, dense, x fastest; replaced by the result
template <class Real>
void convolve_all(mpi::Communicator const& ranks, SmoothOptions const& options,
                  Subdomain const& part, Queue& queue, PerAxis<Weights> const& along,
                  std::vector<Real>& values) {
  auto const ahead_of = [&](int axis) {
    return std::make_unique<FieldWithHalo<Real>>(
        ranks, part, queue,
        halo_shape(part.grid(), options.edge_mode, axis, static_cast<int>(along[axis].size() / 2)));
  };
  std::vector<int> const axes = axes_of(part.grid());
  if (axes.empty()) return;  // a single point
  auto from = ahead_of(axes.front());
  from->field.write(values);
  for (std::size_t i = 0; i < axes.size(); ++i) {
    // The target already has the halo that the next axis needs.
    auto to = ahead_of(axes[std::min(i + 1, axes.size() - 1)]);
    convolve<Real>(queue, from->field.with_halo(), to->field.writable(), part.owned(), axes[i],
                   along[axes[i]]);
    // The source is about to be destroyed, and must not be in use on the device.
    queue.wait();
    from = std::move(to);
  }
  from->field.read(values);
}

/// Returns the boundary treatment of all axes.
PerAxis<EdgeMode> edge_modes(Grid const& grid, std::optional<EdgeMode> wanted) {
  return {edge_mode_on(grid, 0, wanted), edge_mode_on(grid, 1, wanted),
          edge_mode_on(grid, 2, wanted)};
}

/// Reads the surroundings of a rank's points into a field without a halo. Collective.
template <class Real>
Field<Real> field_around(mpi::Communicator const& ranks, SmoothOptions const& options,
                         SnapshotInfo const& info, Queue& queue, PaddedRead const& all) {
  std::vector<Real> values(static_cast<std::size_t>(all.point_count()));
  read_snapshot_boxes<Real>(ranks, options.files.input, info, info.field, all.boxes(),
                            values.data());
  Field<Real> field(queue, all.extent, {});
  HostStaging<Real> staging(queue, all.extent);
  Real const* next = values.data();
  // The pieces of a wrapped axis are placed side by side.
  for (PaddedRead::Piece const& piece : all.pieces) {
    staging.write(queue, field.view(), piece.place, next);
    next += piece.place.point_count();
  }
  return field;
}

/// Returns the owned points with a halo as deep as the table reaches, filled by the boundary
/// treatment.
template <class Real>
Field<Real> padded(mpi::Communicator const& ranks, SmoothOptions const& options,
                   SnapshotInfo const& info, Subdomain const& part, Queue& queue,
                   PaddedRead const& all, Index3 reach) {
  auto const field = field_around<Real>(ranks, options, info, queue, all);
  Field<Real> padded_read(queue, part.extent(), reach);
  pad(queue, field.view(), padded_read.view(), all.ends);
  // `field` is destroyed on return, and must not be in use on the device.
  queue.wait();
  return padded_read;
}

/// Returns the memory for a table of weights, step by step: reading, filling the halo, correlating.
template <class Real>
std::vector<MemoryNeed> needs_of_table(Backend backend, PaddedRead const& all, Extent3 owned,
                                       Index3 reach) {
  std::size_t const field = Field<Real>::footprint(backend, all.extent, {});
  std::size_t const from = Field<Real>::footprint(backend, owned, reach);
  std::size_t const to = Field<Real>::footprint(backend, owned, {});
  // Each step releases the memory of the one before: the values that were read, then the field
  // without a halo.
  return {{field, dense_bytes<Real>(all.extent)},
          {sum_of_bytes(field, from), 0},
          {sum_of_bytes(from, to), dense_bytes<Real>(owned)}};
}

/// Applies a table of weights. Ranks exchange no halos: each one reads everything that it needs.
template <class Real>
std::vector<Real> correlate_all(mpi::Communicator const& ranks, SmoothOptions const& options,
                                SnapshotInfo const& info, Subdomain const& part,
                                Device const& device, Queue& queue, WeightTable const& table) {
  Index3 const reach = table.reach();
  PaddedRead const all = padded_read(part.owned_global(), part.grid().points, reach,
                                     edge_modes(part.grid(), options.edge_mode));
  require_memory(ranks, device, needs_of_table<Real>(device.backend, all, part.extent(), reach),
                 "smooth", "use more hosts");
  auto const from = padded<Real>(ranks, options, info, part, queue, all, reach);
  Field<Real> to(queue, part.extent(), {});
  correlate<Real>(queue, from.view(), to.view(), part.owned(), table);
  std::vector<Real> values(static_cast<std::size_t>(part.owned().point_count()));
  HostStaging<Real>(queue, part.extent())
      .read(queue, std::as_const(to).view(), part.owned(), values.data());
  return values;
}

/// Returns the slopes of the linear part of a field along the axes on which the edges wrap around:
/// it is left out while the field is smoothed. @throws InputError  if weights from a file would
/// change it
PerAxis<double> slopes_to_keep(SmoothOptions const& options, SnapshotInfo const& info) {
  PerAxis<double> slopes = slopes_of(gains_over_periods(info), info.grid);
  for (int axis = 0; axis < 3; ++axis) {
    if (edge_mode_on(info.grid, axis, options.edge_mode) != EdgeMode::wrap) slopes[axis] = 0.0;
    if (slopes[axis] == 0.0 || !options.weights) continue;
    throw InputError(fmt::format(
        "--weights: {} has a mean gradient along its periodic {} axis (needs --width, or --edges "
        "clamp, mirror or zero)",
        options.files.input.string(), "xyz"[axis]));
  }
  return slopes;
}

/// Reads, smooths and writes the field. `made` has the periodicity of the file, `part` that of the
/// chosen edges.
template <class Real>
void smooth_field(mpi::Communicator const& ranks, SmoothOptions const& options,
                  SnapshotInfo const& info, Kernel const& kernel, PerAxis<double> const& slopes) {
  Device const device = choose_device(ranks, options.device);
  Grid const grid = with_edges(info.grid, options.edge_mode);
  // A table needs no halo exchange, so its parts may have any thickness.
  Extent3 const parts =
      kernel.table ? choose_parts(info.grid, ranks, device) : parts_of(grid, ranks.size(), kernel);
  // Same points as `part` below; only the periodicity differs, which the file stores.
  Subdomain const made(info.grid, parts, ranks.rank());
  Queue queue(device.backend, device.number);
  std::vector<Real> values;
  if (kernel.table) {
    values = correlate_all<Real>(ranks, options, info, made, device, queue, *kernel.table);
  } else {
    Subdomain const part(grid, parts, ranks.rank());
    require_memory(ranks, device, {need_of_weights<Real>(device.backend, part, kernel)}, "smooth",
                   "use more hosts");
    values.resize(static_cast<std::size_t>(part.owned().point_count()));
    read_snapshot(ranks, options.files.input, part, values.data());
    GlobalBox const owned = part.owned_global();
    // The weights of a width are symmetric and sum to 1, so they would not change a linear field.
    add_linear_part(grid, owned, slopes, grid.lower, -1.0, values.data());
    convolve_all(ranks, options, part, queue, kernel.along, values);
    add_linear_part(grid, owned, slopes, grid.lower, 1.0, values.data());
  }
  write_result<Real>(ranks, options.files, info, made, values.data(), {"smoothed"});
}

}  // namespace

int smooth(mpi::Communicator const& ranks, SmoothOptions const& asked) {
  SmoothOptions options = asked;
  // The output must not replace the file of weights.
  if (options.weights) options.files.also_read = {*options.weights};
  SnapshotInfo const info = open_operation(ranks, options.files);
  std::string weights_text;  // read once, as it may come through a pipe
  on_root(ranks, [&] {
    if (options.weights) weights_text = read_text_file(*options.weights, "a file of weights");
  });
  weights_text = ranks.broadcast(weights_text);
  Kernel kernel;
  PerAxis<double> slopes;
  // All checks precede the reading of values, and fail on all ranks together.
  rethrow_on_all_ranks(ranks, [&] {
    check_even_distances(options, info.grid);
    kernel = kernel_of(options, weights_text, info.grid);
    check_reach(info.grid, kernel, options.edge_mode);
    slopes = slopes_to_keep(options, info);
  });
  with_precision(info.stored_type, [&]<class Real>(Real) {
    smooth_field<Real>(ranks, options, info, kernel, slopes);
  });
  return exit_code::done;
}

}  // namespace isotherm::app
