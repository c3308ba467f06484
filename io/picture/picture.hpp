#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "decomposition/field/point_mask.hpp"
#include "decomposition/grid/subdomain.hpp"
#include "decomposition/ranks/mpi.hpp"
#include "io/files/atomic_file.hpp"
#include "io/picture/figure/view.hpp"
#include "io/picture/picture_format.hpp"
#include "io/picture/picture_look.hpp"
#include "io/picture/slice_sampling.hpp"

namespace isotherm {

/// What a picture shows in addition to the field, and how.
struct PictureOptions {
  std::string title;        ///< one line; characters that cannot be drawn are replaced
  std::string field = "u";  ///< name of the field, above the colour bar
  PictureFormat format = PictureFormat::png;
  PictureLook look{};
  /// The number of the material at a point (global indices), which its owner evaluates. A grey line
  /// is drawn where the number changes. A negative number is that of a body inside which nothing
  /// flows, such as an electrode: arrows do not enter it. Empty: no lines.
  MaterialNumber material{};
  /// The same at any place, if surfaces are known; −1 at excluded places. Lines, and the white of
  /// excluded places, then follow the surfaces. Empty: surfaces lie midway between points.
  PlaceMaterial material_at{};
  /// The conductivities at a point, by which arrows are fluxes. Empty: arrows are −∇u.
  PointConductivity conductivity{};
  /// The magnitude of an arrow of usual length; nullopt: that of the picture's own arrows.
  std::optional<double> typical_arrow{};
  /// True: a PNG also holds the samples, so that a film can draw it again with another range.
  bool keeps_samples = false;
};

/// Returns the title of a picture of a field in time: "warm-plate, t = 0.5 s".
/// @param unit  of time; may be empty
std::string title_at_time(std::string const& title, double time_s, std::string const& unit);

/// Returns an estimate of a picture's maximum size in bytes, as far as it can be known in advance.
/// It assumes that all pixels of the panels are noise, which compression does not shorten, and adds
/// axes, title and fonts. Contours of noise in "svg" and "pdf" may need more.
double max_picture_bytes(PictureFormat format, PictureLook const& look);

/// Returns an upper bound on the bytes that `PictureOptions::keeps_samples` adds to a picture.
double max_frame_bytes(Grid const& grid, PictureLook const& look);

/// A field's part in a figure.
struct FieldViews {
  Range values{};             ///< minimum and maximum of all points that are drawn, on every rank
  std::vector<View> views{};  ///< on the root only
};

/// Returns the points that a picture shows: the box of the look; without one, those around the
/// points that are not excluded. An axis is cropped only if that leaves out a tenth of its length.
/// Collective.
/// @param excluded  flags of the owned points
GlobalBox drawn_points(mpi::Communicator const& ranks, Subdomain const& subdomain,
                       PictureLook const& look, PointMask const& excluded);

/// Samples a field: in 2D the whole of it, in 3D the requested planes, at drawn_points(). Each
/// rank contributes its sampled points, at most a screenful in all. Collective.
/// @param owned     dense values of the owned points, x fastest
/// @param excluded  owned points that are left white and do not affect the colours
template <class Real>
FieldViews sampled_views(mpi::Communicator const& ranks, Subdomain const& subdomain,
                         Real const* owned, PictureOptions const& options,
                         PointMask const& excluded = {});

/// Returns the bytes of a picture of the views, with their samples if the options ask for them. Not
/// collective.
/// @throws Error  if drawing fails
std::string picture_bytes(std::vector<View> const& views, Range values,
                          PictureOptions const& options);

/// Draws a field with axes and a colour bar: in 2D the whole field, in 3D the requested planes.
/// Each rank contributes its sampled points, at most a screenful in all; the root draws the picture
/// and writes it atomically. Collective.
/// @param owned     dense values of the owned points, x fastest
/// @param excluded  owned points that are left white and do not affect the colours
/// @throws Error  if drawing or writing fails, on every rank; and whatever `may_replace` throws on
///   the root
///
///     write_picture(ranks, "u.png", subdomain, values.data(), {.title = "warm plate"});
template <class Real>
void write_picture(mpi::Communicator const& ranks, std::filesystem::path const& path,
                   Subdomain const& subdomain, Real const* owned, PictureOptions const& options,
                   MayReplace const& may_replace = {}, PointMask const& excluded = {});

}  // namespace isotherm
