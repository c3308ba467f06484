#include "io/picture/picture.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "decomposition/ranks/collective_errors.hpp"
#include "io/files/atomic_file.hpp"
#include "io/picture/figure/figure.hpp"
#include "io/picture/slice_sampling.hpp"

namespace isotherm {
namespace {

constexpr std::int64_t sample_limit = 720;  // samples per axis of a panel

/// Returns the range of the field's finite values, or 0 … 1 if it has none. Collective.
template <class Real>
Range range_of(mpi::Communicator const& ranks, Subdomain const& subdomain, Real const* owned,
               PointMask const& excluded) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  Range range{infinity, -infinity};
  for (std::int64_t i = 0; i < subdomain.owned().point_count(); ++i) {
    auto const value = static_cast<double>(owned[i]);
    // A single infinity would make the range useless for all other values.
    if (std::isfinite(value) && !excluded[static_cast<std::size_t>(i)]) {
      range.lower = std::min(range.lower, value);
      range.upper = std::max(range.upper, value);
    }
  }
  // A rank without finite values contributes +∞ and −∞, which change nothing.
  range = {ranks.min(range.lower), ranks.max(range.upper)};
  return range.lower <= range.upper ? range : Range{};
}

}  // namespace

double max_picture_bytes(PictureFormat format, bool contours) {
  constexpr double mebibyte = 1024.0 * 1024.0;
  constexpr double panels = 3.0 * mebibyte;  // at most 1200 × 660 pixels of three bytes
  if (format == PictureFormat::png) return panels;
  // SVG encodes images in base64: four characters for three bytes.
  return 4.0 / 3.0 * panels + mebibyte + (contours ? 16.0 * mebibyte : 0.0);
}

template <class Real>
void write_picture(mpi::Communicator const& ranks, std::filesystem::path const& path,
                   Subdomain const& subdomain, Real const* owned, PictureOptions const& options,
                   MayReplace const& may_replace, PointMask const& excluded) {
  Grid const& grid = subdomain.grid();
  Range const values =
      options.look.values ? *options.look.values : range_of(ranks, subdomain, owned, excluded);
  auto const slices = slices_of(grid, options.look.planes);
  // Collective work comes first: on_root() must not communicate.
  auto const samples =
      sample(ranks, subdomain, slices, sample_limit, owned, options.material, excluded);
  // If the root fails, all ranks throw.
  on_root(ranks, [&] {
    write_file_atomically(path, drawn_figure(grid, samples, values, options), may_replace);
  });
}

template void write_picture(mpi::Communicator const&, std::filesystem::path const&,
                            Subdomain const&, float const*, PictureOptions const&,
                            MayReplace const&, PointMask const&);
template void write_picture(mpi::Communicator const&, std::filesystem::path const&,
                            Subdomain const&, double const*, PictureOptions const&,
                            MayReplace const&, PointMask const&);

}  // namespace isotherm
