#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "decomposition/grid/grid.hpp"
#include "solver/discretise/mean_between.hpp"
#include "solver/discretise/medium_units.hpp"
#include "solver/problem/problem.hpp"

// The conductivity of links that material surfaces cut.
//
// A link leads from a point to the next one along an axis, through the face of area A between their
// control volumes. Surfaces that cross it divide its length h into pieces of length ℓ and
// conductivity κ. In series they conduct
//
//   g = A / Σ (ℓ / κ)                                                            (line rule)
//
// which has the coefficient of Liu, Fedkiw and Kang (J. Comput. Phys. 160, 151, 2000). It is exact
// for flow across a plane surface at any angle. Surfaces along the link divide the face instead;
// the parts conduct in parallel:
//
//   g = Σ A_part / Σ (ℓ / κ)
//
// Boxes divide the face into rectangles, so boxes and axis-parallel layers are exact. Balls,
// cylinders across the link and expressions are examined on the line through the two points; if
// their surface runs along the link, the face is divided by the share that they cover of it.

//
// A fixed region has its value v at its surface. If the surface cuts the link from an unknown point
// at the distance θ h, the link conducts g = A / (θ h / κ), so that u is second order (symmetric
// form of Shortley and Weller; Gibou, Fedkiw, Cheng and Kang, J. Comput. Phys. 176, 205, 2002). A
// film with the coefficient H on the surface, and a contact resistance R between two materials, are
// further resistances in series:
//
//   g = A / (Σ (ℓ / κ) + 1 / (H |n|) + R / |n|)
//
// A contact acts if both of its sides are open, so not on or within the surface of an insulated
// region. Here n is the component of the surface's unit normal along the link. Since Σ A |n| over
// all links that cross a surface is its true area, a staircase of links has the resistance of the
// surface.
//
// Insulated regions shut a part of the face; g is multiplied by its open share (open_shares.hpp).

namespace isotherm {

struct Link;

/// Computes the conductivities of links that surfaces of materials, of fixed or of insulated
/// regions cut.
class LinkConductivity {
 public:
  /// Consecutive points along x: first <= index < last.
  struct Range {
    std::int64_t first;
    std::int64_t last;
    friend bool operator==(Range const&, Range const&) = default;
  };
  /// True if one of the ranges contains a point. @param x  its index along x
  static bool contain(std::vector<Range> const& ranges, std::int64_t x);

  /// The surfaces of materials and of fixed regions matter only if problem.medium.layers is set.
  /// @param problem  must outlive the object
  explicit LinkConductivity(Problem const& problem);

  /// Returns the effective conductivity κ of a link, for which g = κ A / h, multiplied by the
  /// problem's diffusivity; 0 if insulation shuts the link. None if no surface cuts the link, or
  /// one cuts it in the middle alone; it is then the harmonic mean of the values at both points.
  /// None, too, if κ is not a positive number at a surface.
  /// @param lower  the lower point of the link, in global indices
  /// @param values  of the field at both points and the time, on which conductivities may depend
  [[nodiscard]] std::optional<double> operator()(int axis, Index3 lower,
                                                 ValuesOfLink const& values = {}) const;
  /// Returns the same without the factor of the open share of the link's face: the conductivity for
  /// the heat flux density in the open part.
  [[nodiscard]] std::optional<double> of_open_part(int axis, Index3 lower,
                                                   ValuesOfLink const& values = {}) const;
  /// Returns the open share of a link's face; 0 if the link leads into a fluid whose films belong
  /// to control volumes.
  [[nodiscard]] double open_share(int axis, Index3 lower) const;
  /// Returns the area of the surface of a thin fluid that a link from an unknown point crosses; 0
  /// if the link has no film. See is_in_thin_fluid().
  /// @param region  the number of the fluid in Medium::fixed
  [[nodiscard]] double area_of_film(int axis, Index3 lower, int region) const;
  /// The film on a link from the volume of a point to which a face gives its value. The fluid
  /// contains the next point, and is thinner than a control volume or known at points only.
  struct FilmOfGiven {
    int region;          ///< the number of the fluid in Medium::fixed
    double conductance;  ///< of the film and the medium up to it, in units
    double area;         ///< in the case's units
  };
  /// Returns that film, if a link has one.
  [[nodiscard]] std::optional<FilmOfGiven> film_of_given(MediumUnits const& units, int axis,
                                                         Index3 lower) const;
  /// A surface with exchanges (FixedRegion::exchanges) on a link to a point in a thin region.
  struct ExchangeOnLink {
    int region;       ///< its number in Medium::fixed
    double area;      ///< of the surface, in the case's units
    double distance;  ///< of the other point from the surface, along its normal
  };
  /// Returns that surface, if a link has one. The link then conducts nothing.
  [[nodiscard]] std::optional<ExchangeOnLink> exchange_on_link(int axis, Index3 lower) const;
  /// Adds the areas of the contacts that a link crosses. Over all links they add up to those of the
  /// surfaces. @param areas  of contacts, by Contact::table
  void add_contact_areas(int axis, Index3 lower, std::span<double> areas) const;
  /// True if insulation shuts the whole face of a link.
  [[nodiscard]] bool is_shut(int axis, Index3 lower) const;
  /// Returns the conductance g = κ A / h, in units, if the link is cut.
  [[nodiscard]] std::optional<double> conductance(MediumUnits const& units, int axis, Index3 lower,
                                                  ValuesOfLink const& values = {}) const;

  /// Returns a superset of the points of a row along x whose link along `axis` is cut, in ascending
  /// order and disjoint. Much cheaper than asking for each point.
  /// @param row  any point of the row, in global indices
  [[nodiscard]] std::vector<Range> candidates(int axis, Index3 row) const;

 private:
  bool shorten_to_surface(Link& link, Index3 lower) const;
  bool shorten_to_points(Link& link, Index3 lower) const;
  bool shorten_to_fixed(Link& link, Index3 lower) const;
  bool shorten_between(Link& link, Index3 lower, Index3 upper) const;
  bool shorten_to(int number, Link& link, Index3 fixed_end, bool upper_is_fixed) const;
  /// Return κ of the pieces, without regard to insulation.
  [[nodiscard]] std::optional<double> of_pieces(int axis, Index3 lower,
                                                ValuesOfLink const& values) const;
  [[nodiscard]] std::optional<double> of_pieces(Link const& link, Index3 lower,
                                                bool is_shortened) const;
  /// Returns the layers that matter for a link, and whether the surface of one may cut it.
  [[nodiscard]] std::pair<std::vector<MediumLayer const*>, bool> layers_of(
      Link const& link, std::vector<PerAxis<Interval>> const& sections) const;
  /// Returns the regions beyond whose surfaces no contact acts; none without contacts.
  [[nodiscard]] std::vector<Region const*> regions_without_contacts() const;
  [[nodiscard]] double area_of_film_on(Link const& link, Index3 lower, int region) const;
  /// Returns the regions of materials whose surfaces may cut links.
  [[nodiscard]] std::vector<Region const*> material_regions() const;

  Problem const* problem_;
  std::vector<MediumLayer> const* layers_;  ///< null if surfaces of materials are not known
  std::vector<Contact> contacts_{};         ///< their resistances multiplied by the diffusivity
  std::vector<int> surfaces_{};  ///< the fixed regions whose surfaces shorten links, ascending
  bool insulates_;               ///< insulated regions or fluids have surfaces
  bool has_films_;               ///< fluids have
  bool has_exchanges_;           ///< of fluids
};

/// Returns the areas of the surfaces of contacts (in 2D their lengths) on the whole grid, by
/// Contact::table. Uses all threads.
std::vector<double> contact_areas(Problem const& problem);

/// Returns the object if the medium has surfaces, else nothing.
std::optional<LinkConductivity> link_conductivity(Problem const& problem);

/// Returns the conductance g = κ A / h of a link, in units. It has the same bits from whichever
/// point it is asked for.
/// @param lower  the lower point of the link, in global indices
/// @param values  of the field at both points and the time, on which conductivities may depend
double conductance_of_link(Problem const& problem, MediumUnits const& units, int axis, Index3 lower,
                           ValuesOfLink const& values = {});
/// Returns the same. @param links  link_conductivity(problem)
double conductance_of_link(Problem const& problem, MediumUnits const& units,
                           std::optional<LinkConductivity> const& links, int axis, Index3 lower,
                           ValuesOfLink const& values);
/// Computes the conductances of links from consecutive points along x to the next ones along
/// `axis`, with the bits of conductance_of_link(). Faster, because only links that a surface may
/// cut are examined.
/// @param links  link_conductivity(problem)
/// @param first  the first point, in global indices
void find_conductances(Problem const& problem, MediumUnits const& units,
                       std::optional<LinkConductivity> const& links, int axis, Index3 first,
                       std::span<double> conductances);

}  // namespace isotherm
