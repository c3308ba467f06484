#include "io/picture/picture.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <limits>

#include "decomposition/ranks/collective_errors.hpp"
#include "io/files/atomic_file.hpp"
#include "io/picture/figure/figure.hpp"
#include "io/picture/film/frame.hpp"
#include "io/picture/slice_sampling.hpp"

namespace isotherm {
namespace {

constexpr std::int64_t sample_limit = 720;  // samples per axis of a panel

/// Returns the range of the field's finite values in the window, or 0 … 1 if it has none.
/// Collective.
template <class Real>
Range range_of(mpi::Communicator const& ranks, Subdomain const& subdomain, Real const* owned,
               GlobalBox const& window, PointMask const& excluded) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  Range range{infinity, -infinity};
  bool const is_whole = window == subdomain.grid().box();
  Extent3 const n = subdomain.extent();
  for (std::int64_t i = 0; i < subdomain.owned().point_count(); ++i) {
    auto const value = static_cast<double>(owned[i]);
    // A single infinity would make the range useless for all other values.
    if (!std::isfinite(value) || excluded[static_cast<std::size_t>(i)]) continue;
    if (!is_whole) {
      Index3 const at = subdomain.to_global(Index3{i % n.x, i / n.x % n.y, i / (n.x * n.y)});
      if (!window.contains(at.x, at.y, at.z)) continue;
    }
    range.lower = std::min(range.lower, value);
    range.upper = std::max(range.upper, value);
  }
  // A rank without finite values contributes +∞ and −∞, which change nothing.
  range = {ranks.min(range.lower), ranks.max(range.upper)};
  return range.lower <= range.upper ? range : Range{};
}

/// Returns the smallest box that contains the owned points that are not excluded, as coordinates of
/// its first and last points on all ranks. Collective.
PerAxis<Range> reach_of_rest(mpi::Communicator const& ranks, Subdomain const& subdomain,
                             PointMask const& excluded) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  PerAxis<Range> reach;
  for (int axis = 0; axis < 3; ++axis) reach[axis] = {infinity, -infinity};
  Extent3 const n = subdomain.extent();
  for (std::int64_t i = 0; i < subdomain.owned().point_count(); ++i) {
    if (excluded[static_cast<std::size_t>(i)]) continue;
    Index3 const at = subdomain.to_global(Index3{i % n.x, i / n.x % n.y, i / (n.x * n.y)});
    for (int axis = 0; axis < 3; ++axis) {
      auto const index = static_cast<double>(at[axis]);  // exact: below 2⁵³
      reach[axis] = {std::min(reach[axis].lower, index), std::max(reach[axis].upper, index)};
    }
  }
  for (int axis = 0; axis < 3; ++axis) {
    reach[axis] = {ranks.min(reach[axis].lower), ranks.max(reach[axis].upper)};
  }
  return reach;
}

/// The pixels of a panel's longer side, and some more: surfaces are sampled as finely.
int surface_pixels(PictureLook const& look) { return std::max(1440, look.width.value_or(0)); }

}  // namespace

std::string title_at_time(std::string const& title, double time_s, std::string const& unit) {
  return fmt::format("{}, t = {:.6g}{}{}", title, time_s, unit.empty() ? "" : " ", unit);
}

double max_picture_bytes(PictureFormat format, PictureLook const& look) {
  constexpr double mebibyte = 1024.0 * 1024.0;
  constexpr double usual_width = 1200.0;
  // At most 1200 × 660 pixels of three bytes, or in proportion to the wanted width.
  double const enlarged = look.width ? *look.width / usual_width : 1.0;
  double const panels = 3.0 * mebibyte * std::max(1.0, enlarged * enlarged);
  if (format == PictureFormat::png) return panels;
  // SVG encodes images in base64: four characters for three bytes.
  return 4.0 / 3.0 * panels + mebibyte + (look.contours ? 16.0 * mebibyte : 0.0);
}

double max_frame_bytes(Grid const& grid, PictureLook const& look) {
  constexpr double description = 4096.0;
  constexpr double surfaces = 8e6;  // at most: 10⁶ parts of cells, and the cells
  // Value and material of a sample, and two conductivities.
  double const bytes = look.arrows ? 16.0 : 8.0;
  Extent3 const points = look.box ? look.box->extent() : grid.points;
  auto const count = [&](int axis) {
    return static_cast<double>(std::min(points[axis], sample_limit));
  };
  double sum = description;
  for (Slice const& slice : slices_of(grid, look.planes, look.box)) {
    sum += bytes * count(slice.right) * count(slice.up) + surfaces;
  }
  return sum;
}

GlobalBox drawn_points(mpi::Communicator const& ranks, Subdomain const& subdomain,
                       PictureLook const& look, PointMask const& excluded) {
  constexpr double worthwhile = 0.1;  // share of an axis
  Grid const& grid = subdomain.grid();
  GlobalBox box = look.box.value_or(grid.box());
  if (look.box || excluded.empty()) return box;
  PerAxis<Range> const reach = reach_of_rest(ranks, subdomain, excluded);
  for (int axis = 0; axis < 3; ++axis) {
    if (!(reach[axis].lower <= reach[axis].upper)) return grid.box();
    // One point more on each side, between which and the body the surface lies.
    auto const first = std::max<std::int64_t>(0, static_cast<std::int64_t>(reach[axis].lower) - 1);
    auto const last = std::min<std::int64_t>(grid.points[axis] - 1,
                                             static_cast<std::int64_t>(reach[axis].upper) + 1);
    double const kept = grid.coordinate(axis, last) - grid.coordinate(axis, first);
    if (kept > (1.0 - worthwhile) * grid.length(axis)) continue;
    box.lower[axis] = first;
    box.upper[axis] = last + 1;
  }
  return box;
}

template <class Real>
FieldViews sampled_views(mpi::Communicator const& ranks, Subdomain const& subdomain,
                         Real const* owned, PictureOptions const& options,
                         PointMask const& excluded) {
  Grid const& grid = subdomain.grid();
  PictureLook const& look = options.look;
  GlobalBox const window = drawn_points(ranks, subdomain, look, excluded);
  auto const slices = slices_of(grid, look.planes, window);
  SampledFunctions functions{options.material, options.material_at};
  if (look.arrows) functions.conductivity = options.conductivity;
  functions.pixels = surface_pixels(look);
  FieldViews result;
  result.values = look.values ? *look.values : range_of(ranks, subdomain, owned, window, excluded);
  result.views =
      views_of(grid, slices, window,
               sample(ranks, subdomain, slices, window, sample_limit, owned, functions, excluded));
  // The root alone has views.
  for (std::size_t i = 0; i < result.views.size(); ++i) {
    result.views[i].marks = marks_on(result.views[i], grid, slices[i], look.marks);
  }
  return result;
}

std::string picture_bytes(std::vector<View> const& views, Range values,
                          PictureOptions const& options) {
  std::string bytes = drawn_figure(views, values, options);
  if (!options.keeps_samples || options.format != PictureFormat::png) return bytes;
  return with_frame(bytes, {views, values, options});
}

template <class Real>
void write_picture(mpi::Communicator const& ranks, std::filesystem::path const& path,
                   Subdomain const& subdomain, Real const* owned, PictureOptions const& options,
                   MayReplace const& may_replace, PointMask const& excluded) {
  // Collective work comes first: on_root() must not communicate.
  FieldViews const field = sampled_views(ranks, subdomain, owned, options, excluded);
  // If the root fails, all ranks throw.
  on_root(ranks, [&] {
    write_file_atomically(path, picture_bytes(field.views, field.values, options), may_replace);
  });
}

template FieldViews sampled_views(mpi::Communicator const&, Subdomain const&, float const*,
                                  PictureOptions const&, PointMask const&);
template FieldViews sampled_views(mpi::Communicator const&, Subdomain const&, double const*,
                                  PictureOptions const&, PointMask const&);
template void write_picture(mpi::Communicator const&, std::filesystem::path const&,
                            Subdomain const&, float const*, PictureOptions const&,
                            MayReplace const&, PointMask const&);
template void write_picture(mpi::Communicator const&, std::filesystem::path const&,
                            Subdomain const&, double const*, PictureOptions const&,
                            MayReplace const&, PointMask const&);

}  // namespace isotherm
