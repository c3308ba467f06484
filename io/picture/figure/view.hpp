#pragma once

#include <optional>
#include <string>
#include <vector>

#include "decomposition/grid/grid.hpp"
#include "io/picture/contours.hpp"
#include "io/picture/range.hpp"
#include "io/picture/slice_sampling.hpp"

namespace isotherm {

/// A rectangle of samples with its coordinates: what one panel of a figure shows. It does not need
/// the grid any more.
struct View {
  int right_axis = 0;  ///< 0: x, 1: y, 2: z
  int up_axis = 1;     ///< likewise
  /// Where x is a radius, it is labelled r, and y of an axisymmetric field z.
  Geometry geometry = Geometry::cartesian;
  std::string name{};         ///< above the panel, such as the name of a file; may be empty
  std::string normal_axis{};  ///< "z" in the caption "z = 0.5"; empty: no such caption
  double normal_place = 0.0;  ///< coordinate of the plane on that axis
  Range right{}, up{};        ///< coordinates of the first and the last samples
  double right_length = 1.0;  ///< in the picture; an axis of one point has the length of a gap
  double up_length = 1.0;
  SliceSamples samples{};
  std::vector<SlicePlace> marks{};  ///< places that get a small circle
};

/// Returns the label of an axis: "x", "y" or "z"; of a radius "r", of the axis of rotation "z".
std::string axis_label(View const& view, int axis);

/// Returns the views of the slices.
/// @param window   the points that are drawn
/// @param samples  of these slices, in the same order
std::vector<View> views_of(Grid const& grid, std::vector<Slice> const& slices,
                           GlobalBox const& window, std::vector<SliceSamples> samples);

/// Returns the places that a view of the slice marks, without those outside the view.
/// @param places  coordinates on the grid
std::vector<SlicePlace> marks_on(View const& view, Grid const& grid, Slice const& slice,
                                 std::vector<PerAxis<double>> const& places);

/// A vector in the plane of a view, drawn around a place of it.
struct Arrow {
  double right_place, up_place;  ///< from 0 to 1, as in SliceSamples::at
  double right, up;              ///< components
};

/// Returns the in-plane flux densities −κ∇u on a lattice over the view, without those at excluded
/// points. κ is 1 if the samples have no conductivities.
///
/// The derivatives are differences between neighbouring samples of the same material. On both sides
/// of a jump of κ they are one-sided.
///
/// @param pitch  the distance between arrows, in the unit of the view's lengths
std::vector<Arrow> arrows_on(View const& view, double pitch);

/// Returns the distance between arrows that suits all views of a figure, as a length.
double arrow_pitch(std::vector<View> const& views);

/// Returns the smallest distance between two arrows on the lattices of all views, as a length. It
/// differs a little from the pitch, because a side has a whole number of arrows.
double arrow_distance(std::vector<View> const& views);

/// Returns the magnitude that 95 % of the arrows of a figure do not exceed; 0 if there are none.
double typical_arrow(std::vector<View> const& views);

/// Returns the largest in-plane flux density at any sample, whether or not an arrow shows it.
double largest_flux(std::vector<View> const& views);

}  // namespace isotherm
