#include "app/post/fields/project.hpp"

#include <array>
#include <fmt/format.h>
#include <utility>

#include "app/machine/device_choice.hpp"
#include "app/machine/memory_limits.hpp"
#include "app/post/fields/field_expression.hpp"
#include "case/basics/exit_code.hpp"
#include "decomposition/field/means.hpp"
#include "decomposition/field/staging/host_staging.hpp"
#include "decomposition/ranks/collective_errors.hpp"
#include "kernels/core/byte_count.hpp"
#include "kernels/filters/lines/projection.hpp"
#include "kernels/filters/lines/running.hpp"
#include "solver/discretise/evaluate.hpp"

namespace isotherm::app {

namespace {

/// Checks that the field has several points on the axis.
void check_axis(ProjectOptions const& options, Grid const& grid) {
  // A line of one point has no length, so its integral and mean are not defined.
  if (options.axis < grid.dimension && grid.points[options.axis] > 1) return;
  throw InputError(fmt::format("--axis {}: {} has only one point on this axis", "xyz"[options.axis],
                               options.files.input.string()));
}

/// Returns the grid of the projection: one point on `axis`, at the first coordinate of the field. A
/// projection along z is two-dimensional.
Grid projected(Grid grid, int axis) {
  grid.points[axis] = 1;
  // A single point has no gaps.
  grid.graded[axis] = {};
  grid.periodic[axis] = false;
  // A 2D grid has no z, so its values there are the defaults.
  if (axis == 2) {
    grid.dimension = 2;
    grid.lower[axis] = 0.0;
    grid.spacing[axis] = 1.0;
  }
  return grid;
}

/// Returns true if values must be multiplied by quadrature weights before they are summed. On a
/// graded axis the weight of a point is half the sum of its two gaps, relative to the mean gap h.
/// On a radius it is the area or volume around the point instead.
bool is_weighted(ProjectOptions const& options, Grid const& grid) {
  return !options.running && grid.is_graded(options.axis) &&
         (options.projection == Projection::integral || options.projection == Projection::mean);
}

/// Multiplies the values by the trapezoidal weights of a graded axis.
template <class Real>
void weigh(int axis, Subdomain const& part, std::vector<Real>& values) {
  std::vector<double> const weights = trapezoidal_weights(part.grid(), axis);
  LocalBox const owned = part.owned();
  std::int64_t const first = part.owned_global().lower[axis];
  (void)evaluate_dense(
      owned,
      [&](Index3 local) {
        // `values` is dense over the owned points, x fastest.
        auto const index = static_cast<std::size_t>(
            (local.z * owned.extent().y + local.y) * owned.extent().x + local.x);
        return weights[static_cast<std::size_t>(first + local[axis])] *
               static_cast<double>(values[index]);
      },
      values.data());
}

/// Enqueues the projection. The trapezoidal rule is h Σ w u, with w = 1/2 at the ends of a uniform
/// axis and w = 1 elsewhere. On a periodic axis all points have w = 1. On a graded axis weigh() has
/// already multiplied u by w, and h is the mean gap.
template <class Real>
void enqueue(Queue& queue, ProjectOptions const& options, Grid const& grid,
             FieldView<Real const> from, FieldView<Real> to, LocalBox box) {
  int const axis = options.axis;
  // On a graded axis the weights already halve the ends.
  bool const half_ends = !grid.periodic[axis] && !is_weighted(options, grid);
  double const h = grid.spacing[axis];
  // The weights of a radius add up to its measure, not to its length.
  double const intervals = grid.is_radial(axis)
                               ? grid.measure(axis, grid.lower[axis], grid.upper(axis)) / h
                               : static_cast<double>(grid.intervals(axis));
  switch (options.projection) {
    case Projection::integral:
      return sum_along(queue, from, to, box, axis, h, half_ends);
    // The length is intervals · h, so the mean is the integral without the factor h, divided by the
    // number of intervals.
    case Projection::mean:
      return sum_along(queue, from, to, box, axis, 1.0 / intervals, half_ends);
    case Projection::sum:
      return sum_along(queue, from, to, box, axis, 1.0, false);
    case Projection::maximum:
    case Projection::minimum:
      return extreme_along(queue, from, to, box, axis, options.projection == Projection::maximum);
  }
}

/// Returns the running operation that corresponds to a projection.
Running running_of(Projection projection) {
  switch (projection) {
    case Projection::integral:
      return Running::integral;
    case Projection::mean:
      return Running::mean;
    case Projection::sum:
      return Running::sum;
    case Projection::maximum:
      return Running::maximum;
    case Projection::minimum:
      return Running::minimum;
  }
  return Running::integral;
}

/// Describes the operation: "integral of exp(u) along z".
Derivation derivation_of(ProjectOptions const& options) {
  constexpr std::array names{"integral", "mean", "sum", "maximum", "minimum"};
  Projection const by = options.projection;
  bool const sums = by == Projection::integral || by == Projection::sum;
  return {"projected", options.running, !sums && !options.of,
          fmt::format("{}{} of {} along {}", options.running ? "running " : "",
                      names[static_cast<std::size_t>(by)], options.of.value_or("u"),
                      "xyz"[options.axis])};
}

/// Returns the distance of each point of an axis from the one before it; 0 for the first one.
/// Between two radii it is the area or volume that lies between them.
std::vector<double> gaps_before(Grid const& grid, int axis) {
  std::vector<double> gaps(static_cast<std::size_t>(grid.points[axis]));
  for (std::size_t m = 1; m < gaps.size(); ++m) {
    auto const before = static_cast<std::int64_t>(m) - 1;
    gaps[m] = grid.is_radial(axis) ? grid.measure(axis, grid.coordinate(axis, before),
                                                  grid.coordinate(axis, before + 1))
                                   : grid.gap(axis, before);
  }
  return gaps;
}

/// Projects each line, or replaces its values by running ones.
template <class Real>
void project_lines(Queue& queue, ProjectOptions const& options, Grid const& grid,
                   FieldView<Real const> from, FieldView<Real> to, LocalBox box) {
  if (!options.running) return enqueue<Real>(queue, options, grid, from, to, box);
  running_along<Real>(queue, from, to, box, options.axis, running_of(options.projection),
                      gaps_before(grid, options.axis));
}

/// Returns the memory for a part of the field and its projection.
template <class Real>
MemoryNeed need_of(Backend backend, ProjectOptions const& options, Extent3 part, Extent3 result) {
  std::size_t const meanwhile = options.running ? running_footprint(backend, part, options.axis)
                                                : sum_footprint(backend, part, options.axis);
  return {sum_of_bytes(sum_of_bytes(Field<Real>::footprint(backend, part, {}),
                                    Field<Real>::footprint(backend, result, {})),
                       meanwhile),
          dense_bytes<Real>(part)};
}

/// Reads, projects and writes. The field is cut into the same parts as its projection, so each line
/// is on one rank and no communication is needed.
template <class Real>
void project_field(mpi::Communicator const& ranks, ProjectOptions const& options,
                   SnapshotInfo info) {
  Device const device = choose_device(ranks, options.device);
  Grid const plane = projected(info.grid, options.axis);
  Grid const made = options.running ? info.grid : plane;
  // The plane's single point along the axis cannot be cut, so neither are the field's lines.
  Extent3 const parts = choose_parts(plane, ranks, device);
  Subdomain const part(info.grid, parts, ranks.rank());
  Subdomain const made_part(made, parts, ranks.rank());
  require_memory(ranks, device,
                 {need_of<Real>(device.backend, options, part.extent(), made_part.extent())},
                 "project", "use more hosts");
  // Stage 1: read this rank's values and evaluate the expression on the host.
  std::vector<Real> values(static_cast<std::size_t>(part.owned().point_count()));
  read_snapshot(ranks, options.files.input, part, values.data());
  if (options.of) {
    // An error at a point of one rank throws on all ranks.
    rethrow_on_all_ranks(ranks, [&] { evaluate(*options.of, part, info.time_s, values); });
  }
  // On the host, before the values go to the device.
  if (is_weighted(options, info.grid)) weigh(options.axis, part, values);

  // Stage 2: project on the device.
  Queue queue(device.backend, device.number);
  Field<Real> field(queue, part.extent(), {});
  Field<Real> result(queue, made_part.extent(), {});
  HostStaging<Real>(queue, part.extent()).write(queue, field.view(), part.owned(), values.data());
  project_lines<Real>(queue, options, info.grid, std::as_const(field).view(), result.view(),
                      part.owned());
  // Stage 3: copy the result to the host and write it; `values` is reused.
  values.resize(static_cast<std::size_t>(made_part.owned().point_count()));
  HostStaging<Real>(queue, made_part.extent())
      .read(queue, std::as_const(result).view(), made_part.owned(), values.data());
  info.grid = made;
  write_result<Real>(ranks, options.files, info, made_part, values.data(), derivation_of(options));
}

}  // namespace

int project(mpi::Communicator const& ranks, ProjectOptions const& asked) {
  ProjectOptions options = asked;
  SnapshotInfo const info = open_operation(ranks, options.files);
  rethrow_on_all_ranks(ranks, [&] {
    check_axis(options, info.grid);
    if (options.of) (void)expression_of(*options.of, info.grid);  // fail before all values are read
  });
  with_precision(info.stored_type,
                 [&]<class Real>(Real) { project_field<Real>(ranks, options, info); });
  return exit_code::done;
}

}  // namespace isotherm::app
