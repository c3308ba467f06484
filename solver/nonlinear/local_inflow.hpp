#pragma once

#include <cstdint>
#include <optional>
#include <unordered_map>
#include <vector>

#include "solver/discretise/medium_units.hpp"
#include "solver/discretise/shapes/films/surface_film.hpp"
#include "solver/problem/problem.hpp"

namespace isotherm {

/// The heat flow q(u) into the control volume of a point that does not come from its neighbours, as
/// a function of the point's value u, in units:
///
///   q(u) = V (f(u) − a u) + Σ over faces of A h(u) (v(u) − u) + Σ over films of G(u) (v − u)
///          + fluxes
///
/// It contains the source, the reaction term, the conditions of faces, and the films on the
/// surfaces of fluids (surface_film.hpp). Neither copyable nor movable, because it refers to the
/// problem.
class LocalInflow {
 public:
  /// @param problem  must outlive the object
  /// @param units    of the reference problem
  /// @param points   at which q is evaluated (global indices)
  LocalInflow(Problem const& problem, MediumUnits const& units, GlobalBox const& points);

  /// True if q is zero everywhere.
  [[nodiscard]] bool is_zero() const;
  /// True if q depends on u anywhere.
  [[nodiscard]] bool depends_on_u() const;

  /// True if any face or surface inside radiates.
  [[nodiscard]] bool radiates() const;
  /// Returns the value of u at the absolute zero of temperature at a point that radiates; none at
  /// others.
  [[nodiscard]] std::optional<double> zero_at(Index3 global) const;

  /// Sets the time of sources and of values beyond faces that vary in time.
  void set_time(double time_s) { time_s_ = time_s; }

  /// Returns q(u). @param global  the point, in global indices
  [[nodiscard]] double operator()(Index3 global, double u) const;
  /// Returns −q'(u), by central differences if a function depends on u. It is a reaction term of
  /// the linearised problem.
  [[nodiscard]] double slope(Index3 global, double u) const;
  /// Returns the longest part of a step from u by `step` that keeps a radiating point between a
  /// tenth of its absolute temperature and twice that, or rises by the magnitude of the given
  /// values if that is more; 1 at other points. (Steps from far below would otherwise reach
  /// temperatures whose fourth powers are huge.)
  [[nodiscard]] double longest_part(Index3 global, double u, double step) const;

 private:
  /// Returns the flow through the faces of the box.
  [[nodiscard]] double through_faces(Index3 global, double u) const;
  /// Finds the surfaces of fluids in the volumes of points, on all threads.
  void find_surfaces(GlobalBox const& points);
  [[nodiscard]] std::int64_t number_of(Index3 global) const;
  /// Returns the surfaces in the volume of a point; null if there are none.
  [[nodiscard]] std::vector<FilmSurface> const* surfaces_at(Index3 global) const;
  /// Returns the flow through the films of a point.
  [[nodiscard]] double through_films(Index3 global, double u) const;
  /// Returns the heat of the source, V f(u).
  [[nodiscard]] double of_source(Index3 global, double u) const;

  Problem const* problem_;
  MediumUnits units_;
  double time_s_ = 0.0;
  double scale_ = 1.0;             ///< magnitude of the given values
  std::vector<Face> open_{};       ///< the faces with Neumann or Robin conditions
  std::vector<Face> dependent_{};  ///< those with a Robin condition
  /// The surfaces of fluids, by the number of the point in the grid.
  std::unordered_map<std::int64_t, std::vector<FilmSurface>> surfaces_{};
  bool has_films_;  ///< on any rank
};

}  // namespace isotherm
