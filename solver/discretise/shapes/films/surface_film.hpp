#pragma once

#include <vector>

#include "solver/discretise/medium_units.hpp"
#include "solver/problem/problem.hpp"

// Films between the medium and fluids in insulated regions ([[convection]]).
//
// A surface of area S cuts the control volume of an unknown point. The fluid of temperature v
// beyond it exchanges the heat G (v − u) with the point:
//
//   G = S / (1/h + d/κ)
//
// with the heat transfer coefficient h, the conductivity κ along the normal, and the distance d of
// the point from the surface (fluid_surface.hpp). d is negative if the point lies in the fluid,
// which extrapolates u to the surface; it is at least −κ/(2h), so G is never negative. The heat is
// then second order accurate.
//
// The volume of a point on a Dirichlet face exchanges heat in the same way, with the given value.
// That is no part of the operator, but of the heat that the fluid receives, which the face
// supplies. If the next point lies in a fluid that is thin, or known at points only, the film on
// the link to it exchanges that heat.
//
// If surfaces radiate, or h depends on u or t (SurfaceExchange), the flux density q(s) is that at
// the value s of the surface, the root of
//
//   s = u + d/κ q(s)
//
// and 1/h becomes the reciprocal of q(s) / (v − s). The link to a point in a thin region then
// conducts nothing; its film is one more surface in the volume of the other point.

namespace isotherm {

/// The film of one fluid in a control volume, or of several that act on the same surface.
struct SurfaceFilm {
  int region;              ///< number of the fluid in Medium::fixed
  double conductance;      ///< G, in units
  double ambient = 0.0;    ///< v: the heat that enters the volume is G (v − u)
  double radiation = 0.0;  ///< the part of this heat that enters by radiation
};

/// The surface of one fluid in a control volume. Its conductance follows from the conductivity at
/// the point, which may depend on the solution and the time.
struct FilmSurface {
  int region;                        ///< number of the fluid in Medium::fixed
  double area;                       ///< S, in units of conductances per reciprocal resistance
  double film;                       ///< 1/h
  double distance;                   ///< d; negative in the fluid
  PerAxis<double> squared_normal{};  ///< squares of the normal's components; they sum to 1

  /// Returns the film if the point (global indices) has the value u at a time.
  [[nodiscard]] SurfaceFilm film_at(Problem const& problem, Index3 global, double u,
                                    double time_s) const;
};

/// Returns the surfaces of fluids in the control volume of a point: none at fixed points.
std::vector<FilmSurface> film_surfaces_at(Problem const& problem, MediumUnits const& units,
                                          Index3 global);

/// Returns the films in the control volume of a point (global indices): none at fixed points. No
/// fluid has two of them.
/// @param u, time_s  the value of the point and the time, on which its conductivity may depend
std::vector<SurfaceFilm> films_at(Problem const& problem, MediumUnits const& units, Index3 global,
                                  double u = 0.0, double time_s = 0.0);
/// Returns the films in the control volume of a point to which a face gives a value, and on its
/// links; else none. No fluid has two of them.
std::vector<SurfaceFilm> films_at_given(Problem const& problem, MediumUnits const& units,
                                        Index3 global, double u = 0.0, double time_s = 0.0);
/// True if there are fluids, and so films.
bool has_fluids(Problem const& problem);
/// Returns the area (in 2D: the length) of the surface on which a fluid acts, by control volumes,
/// and by links to points in a fluid that is thin or known at points only; those of points on
/// Dirichlet faces are included. Evaluated on all threads.
/// @param region  the number of the fluid in Medium::fixed
/// @param within  a box that contains all points of its region (global indices)
double film_area(Problem const& problem, int region, GlobalBox within);
/// Returns the sum of their conductances, in units.
double film_conductance(Problem const& problem, MediumUnits const& units, Index3 global);

}  // namespace isotherm
