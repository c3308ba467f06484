#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "decomposition/grid/grid.hpp"
#include "solver/discretise/mean_between.hpp"
#include "solver/discretise/shapes/cell.hpp"
#include "solver/problem/medium.hpp"

// One link between two points, with the materials that it crosses. See link_conductivity.hpp for
// the rule.

namespace isotherm {

/// Points within this fraction of a link from a surface belong to it, so shorter pieces at the ends
/// are neglected.
constexpr double link_slack = 1e-9;

/// A link between two neighbouring points.
struct Link {
  int axis = 0;
  Interval along{};  ///< the coordinates of both points
  /// The coordinates at which functions are evaluated for the two points. They differ from `along`
  /// for a link that closes a periodic axis, which ends at the axis's first point.
  PerAxis<double> lower_point{};
  PerAxis<double> upper_point{};
  /// The part that conducts. A fixed region at one end shortens it to the region's surface.
  Interval conducting{};
  /// Resistance of the fixed region's surface, per area: 1 / (film coefficient · |n|).
  double film_resistance = 0.0;
  /// True if a fixed region has the value of the point, so that no contact acts there.
  bool lower_is_fixed = false;
  bool upper_is_fixed = false;
  /// The geometry of the grid if the link leads along its radius, else Cartesian.
  Geometry geometry = Geometry::cartesian;
  /// True if that radius begins at 0; see Grid::conducting_gap().
  bool from_centre = false;
  Grid const* grid = nullptr;  ///< set by make_link(); must outlive the link
  ValuesOfLink values{};       ///< of the field at both points

  [[nodiscard]] double length() const { return along.length(); }
  /// True if a fixed region contains the lower point, and its surface cuts the link.
  [[nodiscard]] bool begins_at_surface() const { return conducting.lower > along.lower; }
  /// Returns the length of a piece as it resists the flow. The pieces of a link add up to length().
  ///
  /// The areas that a radial flow crosses grow, so an outer piece resists less than an inner one,
  /// if the flow is the same through both: ∫ dr / w(r). On a grid from the centre on, the flow of a
  /// uniform source grows by w(r) r, so pieces resist by ∫ r dr; see Grid::conducting_gap(). But a
  /// link that begins at the surface of a fixed region has ∫ dr / w(r) even there, in place of the
  /// conducting gap.
  [[nodiscard]] double resisting_length(double from, double to) const;
  /// Returns the factor by which the resistance per area of a surface at a place resists the flow:
  /// the ratio of the mean area of the link to that of the surface. On a grid from the centre on,
  /// the factor is exact for heat that is released uniformly within the surface only.
  [[nodiscard]] double resistance_factor(double at) const;
  /// Returns a place on the line through both points.
  [[nodiscard]] PerAxis<double> place(double at) const {
    PerAxis<double> place = lower_point;
    place[axis] = at;
    return place;
  }
  /// Returns the part of an interval within the link. Ends closer to the link's ends than the slack
  /// are moved there; the result is empty if nothing remains.
  [[nodiscard]] Interval trimmed(Interval part) const;
  /// Returns a bound on the difference of two coordinates that are equal but for their rounding.
  [[nodiscard]] double rounding() const;
  [[nodiscard]] bool is_whole(Interval part) const { return part == along; }
};

/// Returns the link from a point to the next one along an axis.
/// @param grid   must outlive the link
/// @param lower  global indices
Link make_link(Grid const& grid, int axis, Index3 lower);

/// Returns the faces through which the links along an axis of a row of points lead: cells that have
/// no length along the axis. There are several at the ends of periodic axes.
std::vector<Cell> sections_of(Grid const& grid, int axis, Index3 global);

/// Shortens a link to the surface of the fixed region that contains its upper (or lower) end, and
/// sets the surface's resistance. The conducting part keeps at least a thousandth of the length.
void shorten(Link& link, FixedRegion const& region, bool upper_is_fixed);

/// The minimum of normal_component().
constexpr double minimum_normal = 0.01;

/// Returns |n|, the magnitude of the component along `axis` of the unit normal of a region's
/// surface, at least `minimum_normal`. The sum of A |n| over the links that cross a surface is its
/// area; A is the area of a link's face.
/// @param place  a place on the surface
/// @param width  size of the cell over which the normal of an expression is averaged. What lies
///               beyond the grid does not count.
double normal_component(Region const& region, Grid const& grid, int axis,
                        PerAxis<double> const& place, double width);

/// Returns the part of a link that the sheet of an expression covers, if both of its surfaces lie
/// between the points of the link and are perpendicular to it. Else none.
std::optional<Interval> flat_sheet_between(Region const& region, Link const& link);

/// How much of a link or face a region covers, without a close examination.
enum class Coverage { none, all, some };

/// Returns `all` or `none` only if that is certain for the link and its whole face.
Coverage coverage_of(Region const& region, Link const& link, std::vector<Cell> const& sections);

/// How much of a link a layer covers: parts of its length, in a share of its face.
struct Cover {
  std::vector<Interval> parts{};
  double share = 1.0;
};

/// Layers in their order, without those that do not matter. The first one covers everything.
using LayerList = std::vector<MediumLayer const*>;

/// The layers of a link with their covers in one part of its face. The arguments of the constructor
/// must outlive the object.
class CoveredLink {
 public:
  /// @param face  a part of the link's face, which the flat surfaces of boxes do not cut
  /// @param contacts  thermal resistances between pairs of layers
  /// @param shutting  the regions beyond whose surfaces no contact acts
  CoveredLink(LayerList const& layers, Link const& link, Cell const& face,
              std::vector<Contact> const& contacts, std::vector<Region const*> const& shutting);

  /// Returns the regions of the layers that cover a part of the face, at most three.
  [[nodiscard]] std::vector<Region const*> partial_regions() const;
  /// Sets the fractions of the parts of the face, if layers do not cover them independently.
  /// @param fractions  by the partial regions inside which a part lies, as the bits of its number
  void set_fractions(std::vector<double> fractions) { fractions_ = std::move(fractions); }

  /// Returns Σ over the parts of the face of (its fraction) · h / Σ (ℓ / κ).
  ///
  /// Layers that cover a part of the face are inside in one part and outside in the other. Several
  /// such layers are treated as independent; from the fourth on they count as what covers more than
  /// half.
  [[nodiscard]] double conductivity() const;

  /// Adds the areas of the contacts that the link crosses: Σ A |n|.
  /// @param face_area  A, of the part of the face; of a radial link without Grid::metric()
  /// @param areas      of contacts, by Contact::table
  void add_contact_areas(double face_area, std::span<double> areas) const;

  /// True if the harmonic mean of the values at both points is the conductivity: nothing cuts the
  /// face, and the link is whole or cut in the middle, each half belonging to its point.
  [[nodiscard]] bool is_ordinary() const;

 private:
  /// An end of a part that a layer covers.
  struct End {
    double at;
    std::size_t layer;
    bool is_upper;
    double accuracy;  ///< of its place
  };
  [[nodiscard]] double thinnest_between(End const& below, End const& above) const;
  [[nodiscard]] std::vector<End> ends_of_parts(std::vector<bool> const& hidden) const;
  [[nodiscard]] std::vector<double> ends_of_pieces(std::vector<bool> const& hidden) const;
  [[nodiscard]] std::size_t top_between(double from, double to,
                                        std::vector<bool> const& hidden) const;
  [[nodiscard]] std::size_t top_at(PerAxis<double> const& point) const;
  [[nodiscard]] bool goes_on_beyond(std::size_t layer, double at,
                                    std::vector<bool> const& hidden) const;
  [[nodiscard]] bool runs_along(std::vector<double> const& ends, std::size_t layer,
                                std::vector<bool> const& hidden) const;
  [[nodiscard]] std::size_t top_at_end(PerAxis<double> const& point, double at,
                                       std::vector<bool> const& hidden) const;
  [[nodiscard]] double value(std::size_t layer, double at) const;
  /// Calls visit(hidden layers, fraction of the face) for the parts of the face.
  template <class Visit>
  void for_each_part(Visit const& visit) const;
  /// Calls visit(layer, next layer, place) for the surfaces between different layers on the link,
  /// those at its ends included. @param ends  ends_of_pieces(hidden)
  template <class Visit>
  void for_each_surface(std::vector<double> const& ends, std::vector<bool> const& hidden,
                        Visit const& visit) const;
  [[nodiscard]] Contact const* contact_between(std::size_t below, std::size_t above) const;
  /// What lies on both sides of a place: not the two layers, both open, or one of them shut.
  enum class Sides { others, open, shut };
  [[nodiscard]] Sides sides_of(std::size_t below, std::size_t above, PerAxis<double> place) const;
  [[nodiscard]] bool is_shut(std::size_t below, std::size_t above, double at) const;
  [[nodiscard]] Contact const* acting_contact(std::size_t below, std::size_t above,
                                              double at) const;
  [[nodiscard]] double normal_between(std::size_t below, std::size_t above, double at) const;
  [[nodiscard]] double contact_resistance(std::size_t below, std::size_t above, double at) const;
  [[nodiscard]] double in_series(std::vector<bool> const& hidden) const;

  LayerList const& layers_;
  Link const& link_;
  Cell const& face_;
  std::vector<Contact> const& contacts_;
  std::vector<Region const*> const& shutting_;
  std::vector<Cover> covers_;
  std::vector<std::size_t> partial_{};  ///< layers that cover a part of the face
  std::vector<double> fractions_{};     ///< see set_fractions(); empty: of independent layers
};

}  // namespace isotherm
