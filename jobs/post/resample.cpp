#include "jobs/post/resample.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <numbers>
#include <tuple>
#include <utility>

#include "decomposition/field/staging.hpp"
#include "decomposition/ranks/together.hpp"
#include "io/snapshot/stored_field.hpp"
#include "jobs/basics/exit_code.hpp"
#include "jobs/machine/device_choice.hpp"
#include "kernels/core/byte_count.hpp"

namespace isotherm {

namespace {

/// From the first to the last point; to where a periodic axis closes.
double length_of(Grid const& grid, int axis) {
  bool const closes = grid.periodic[axis];
  return static_cast<double>(grid.points[axis] - (closes ? 0 : 1)) * grid.spacing[axis];
}

/// Where there is one point, as in a plane, there stays one.
Grid with_points(Grid const& grid, Extent3 points) {
  Grid other = grid;
  for (int axis = 0; axis < grid.dimension; ++axis) {
    std::int64_t const count = points[axis];
    bool const closes = grid.periodic[axis];
    if (count == grid.points[axis]) continue;
    if (grid.points[axis] == 1 || (count == 1 && !closes)) {
      throw InputError(
          fmt::format("--points: {} points on the {} axis, where the field has {} (one "
                      "point stays one, and more stay at least two)",
                      count, "xyz"[axis], grid.points[axis]));
    }
    other.points[axis] = count;
    other.spacing[axis] = length_of(grid, axis) / static_cast<double>(count - (closes ? 0 : 1));
  }
  if (exceeds_any_memory(LocalBox{{}, other.points})) {
    throw InputError("--points: more points than any memory holds");
  }
  return other;
}

Grid target_grid(ResampleOptions const& options, Grid const& source) {
  if (options.points && options.like) {
    throw InputError("resample: give one of --points and --like");
  }
  if (options.points) {
    int const given = options.points->z == 1 ? 2 : 3;
    if (given != source.dimension && source.points.z != options.points->z) {
      throw InputError(fmt::format("--points: {} is in {}D (needs points along x, y{})",
                                   options.files.input.string(), source.dimension,
                                   source.dimension == 2 ? " only" : " and z"));
    }
    return with_points(source, *options.points);
  }
  if (!options.like) return source;
  Grid const like = read_snapshot_info(*options.like).grid;
  if (like.dimension != source.dimension) {
    throw InputError(fmt::format("--like {}: its grid is in {}D, that of {} in {}D",
                                 options.like->string(), like.dimension,
                                 options.files.input.string(), source.dimension));
  }
  return like;
}

void check_place(PlaceOfPoint const& place) {
  for (int a = 0; a < 3; ++a) {
    double const sum = place.offset[a] + place.step[a][0] + place.step[a][1] + place.step[a][2];
    if (!std::isfinite(sum)) {
      throw InputError("--shift and --rotate, or the grid of --like, lead beyond all numbers");
    }
  }
}

/// Where the target's points lie in the source, in spacings from its first point. A field that is
/// moved is looked at in the other direction.
PlaceOfPoint place_of_points(ResampleOptions const& options, Grid const& source,
                             Grid const& target) {
  double const angle = options.rotation_deg * std::numbers::pi / 180.0;
  bool const turns = options.rotation_deg != 0.0;
  double const cosine = turns ? std::cos(angle) : 1.0;
  double const sine = turns ? std::sin(angle) : 0.0;
  PerAxis<PerAxis<double>> const back{
      PerAxis<double>{cosine, sine, 0.0}, {-sine, cosine, 0.0}, {0.0, 0.0, 1.0}};
  PlaceOfPoint place{};
  for (int a = 0; a < 3; ++a) {
    double const middle = turns ? source.lower[a] + 0.5 * length_of(source, a) : 0.0;
    double at = middle - source.lower[a];
    for (int b = 0; b < 3; ++b) {
      double const middle_b = turns ? source.lower[b] + 0.5 * length_of(source, b) : 0.0;
      at += back[a][b] * (target.lower[b] - options.shift[b] - middle_b);
      place.step[a][b] = back[a][b] * target.spacing[b] / source.spacing[a];
    }
    place.offset[a] = at / source.spacing[a];
  }
  check_place(place);
  return place;
}

PerAxis<Between> between_points(ResampleOptions const& options, Grid const& source) {
  PerAxis<Between> between{};
  for (int axis = 0; axis < 3; ++axis) {
    Beyond const usual = source.periodic[axis] ? Beyond::wrap : Beyond::clamp;
    between[axis].points = source.points[axis];
    between[axis].nodes =
        static_cast<int>(std::min<std::int64_t>(options.cubic ? 4 : 2, source.points[axis]));
    between[axis].beyond = axis < source.dimension ? options.beyond.value_or(usual) : usual;
  }
  return between;
}

/// From the first node to behind the last one of places between two. Beyond an axis' ends it may be
/// any of its points that are looked at.
std::pair<std::int64_t, std::int64_t> nodes_between(double least, double most,
                                                    Between const& axis) {
  auto const last = static_cast<double>(axis.points - 1);
  auto const nodes = static_cast<double>(axis.nodes);
  bool const goes_back = axis.beyond == Beyond::wrap || axis.beyond == Beyond::mirror;
  double const margin = axis.beyond == Beyond::wrap ? nodes : -1e-6;  // whose nodes go around, too
  if (goes_back && (least < margin || most > last - margin)) return {0, axis.points};
  double const first = std::clamp(std::floor(least) - nodes, 0.0, std::max(0.0, last - nodes));
  double const end = std::clamp(std::ceil(most) + nodes, std::min(last, nodes), last);
  return {static_cast<std::int64_t>(first), static_cast<std::int64_t>(end) + 1};
}

/// The points that are looked at from a box of the target: those around the places of its corners;
/// all of an axis that is left.
GlobalBox looked_at(PlaceOfPoint const& place, GlobalBox target, PerAxis<Between> const& between) {
  GlobalBox box{};
  for (int a = 0; a < 3; ++a) {
    double least = place.offset[a];
    double most = place.offset[a];
    for (int b = 0; b < 3; ++b) {
      double const first = place.step[a][b] * static_cast<double>(target.lower[b]);
      double const last = place.step[a][b] * static_cast<double>(target.upper[b] - 1);
      least += std::min(first, last);
      most += std::max(first, last);
    }
    std::tie(box.lower[a], box.upper[a]) = nodes_between(least, most, between[a]);
  }
  return box;
}

template <class Real>
std::vector<Real> read_box(mpi::Communicator const& ranks, std::filesystem::path const& path,
                           SnapshotInfo const& info, GlobalBox box) {
  on_root(ranks, [&] { verify_snapshot(path, info); });
  std::vector<Real> values(static_cast<std::size_t>(box.point_count()));
  together(ranks, [&] { StoredField(path, info).read(box, values.data()); });
  return values;
}

template <class Real>
void resample_field(mpi::Communicator const& ranks, ResampleOptions const& options,
                    SnapshotInfo info, Grid const& target) {
  Device const device = choose_device(ranks, options.device);
  Subdomain const part(target, choose_parts(target, ranks, device), ranks.rank());
  PlaceOfPoint place = place_of_points(options, info.grid, target);
  PerAxis<Between> between = between_points(options, info.grid);
  GlobalBox const box = looked_at(place, part.owned_global(), between);
  for (int axis = 0; axis < 3; ++axis) between[axis].first = box.lower[axis];
  place.first = part.owned_global().lower;
  std::vector<Real> values = read_box<Real>(ranks, options.files.input, info, box);

  Queue queue(device.backend, device.number);
  Field<Real> field(queue, box.extent(), {});
  Field<Real> result(queue, part.extent(), {});
  Staging<Real>(queue, box.extent()).write(queue, field.view(), field.owned(), values.data());
  interpolate<Real>(queue, std::as_const(field).view(), between, result.view(), part.owned(),
                    place);
  values.resize(static_cast<std::size_t>(part.owned().point_count()));
  Staging<Real>(queue, part.extent())
      .read(queue, std::as_const(result).view(), part.owned(), values.data());
  info.grid = target;
  write_result<Real>(ranks, options.files, info, part, values.data(), "resampled");
}

}  // namespace

int resample(mpi::Communicator const& ranks, ResampleOptions const& asked) {
  ResampleOptions options = asked;
  SnapshotInfo const info = open_operation(ranks, options.files);
  Grid target;
  together(ranks, [&] {
    target = target_grid(options, info.grid);
    (void)place_of_points(options, info.grid, target);
  });
  with_precision(info.stored_type,
                 [&]<class Real>(Real) { resample_field<Real>(ranks, options, info, target); });
  return exit_code::done;
}

}  // namespace isotherm
