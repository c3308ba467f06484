#pragma once

#include <optional>
#include <vector>

#include "decomposition/field/values_with_halo.hpp"
#include "decomposition/grid/subdomain.hpp"
#include "decomposition/ranks/mpi.hpp"
#include "solver/discretise/shapes/link_conductivity.hpp"
#include "solver/problem/problem.hpp"

// The gradient of a field, or the flux density −κ∇u, as a vector at each point.
//
// Along an axis, the flow from a point to the next one is κ (u(here) − u(next)) / h, as in the
// discrete equation. There κ is the harmonic mean of both conductivities. A gradient has κ = −1.
// The component at a point is interpolated linearly between the flows on its two sides. They belong
// to the midpoints, so this is the second-order central difference, with the correct weights on
// graded axes. Across a jump of κ midway between two points, the flux is the same on both sides.
//
// Nothing flows to insulated points. On a face with a Neumann or Robin condition, the condition
// determines the component. At points on faces with given values, it is extrapolated linearly from
// the next two flows (the second-order one-sided difference).

namespace isotherm {

/// Which vector is computed.
enum class VectorKind { gradient, flux };

/// Computes the vectors of a rank's points. Every decomposition yields the same bits.
class PointVectors {
 public:
  /// Evaluates the conductivity at all points of this rank, but only if it varies or some points
  /// are insulated. Collective. `problem` must outlive the object.
  PointVectors(mpi::Communicator const& ranks, Subdomain subdomain, Problem const& problem,
               VectorKind kind);
  PointVectors(PointVectors const&) = delete;  // `around` refers to `values`
  PointVectors& operator=(PointVectors const&) = delete;

  /// Evaluates the conditions at faces at time `time_s`.
  /// @pre  It is called before compute().
  void set_time(double time_s);

  /// Computes three components for each owned point, stored as (x, y, z) per point, x fastest. Runs
  /// on all threads. Components along missing axes, or axes of a single point, are 0.
  /// @param field    with two layers of neighbours' values
  /// @param vectors  receives 3 values per owned point
  /// @return  the largest magnitude that is finite, but overflows `Real`; 0 if there is none
  template <class Real>
  [[nodiscard]] double compute(ValuesWithHalo<Real> const& field, Real* vectors) const;

  /// Returns the bytes that an object allocates for this number of points.
  static std::size_t bytes(Problem const& problem, VectorKind kind, std::size_t points);

 private:
  /// The condition of a face at one of its points: ∂u/∂n = slope + coefficient · (beyond − u).
  struct Condition {
    bool holds = false;  ///< false: the point is fixed or insulated
    double slope = 0.0;
    double coefficient = 0.0;
    double beyond = 0.0;        ///< ambient value
    double conductivity = 0.0;  ///< κ, by which a flux is κ ∂u/∂n; 1 for gradients
  };
  /// This rank's points on a face with Neumann or Robin conditions, x fastest.
  struct FacePoints {
    Face face;
    LocalBox box;
    std::vector<Condition> points;
  };

  /// The conductivity at all points, or a single constant.
  struct Conductivity {
    double constant = 1.0;         ///< the same at all points, if `values` is empty
    std::vector<double> values{};  ///< dense, if it varies
    std::optional<ValuesWithHalo<double>> around{};  ///< with those of adjacent parts
  };

  /// Evaluates the condition of a face at a point.
  [[nodiscard]] Condition condition_on(Face face, Index3 local, double time_s) const;
  [[nodiscard]] double conductivity_of(int axis, Index3 global) const;
  /// Finds the conductivities. Collective.
  void evaluate_conductivities(mpi::Communicator const& ranks);
  /// Returns the conductivities along an axis.
  [[nodiscard]] Conductivity const& along(int axis) const;
  /// Computes the components along x of a row of points.
  template <class Real>
  void row_along_x(std::int64_t j, std::int64_t k, ValuesWithHalo<Real> const& field,
                   double* component) const;
  /// Computes the components along another axis of a row of points.
  template <class Real>
  void row_across(int axis, std::int64_t j, std::int64_t k, ValuesWithHalo<Real> const& field,
                  double* component) const;
  [[nodiscard]] std::optional<double> cut_link(int axis, Index3 lower) const;
  /// Computes the components along an axis again at points with links that surfaces cut.
  /// @param five_at  i returns the values and conductivities around point i of the row
  template <class FiveAt>
  void put_cut_links(int axis, std::int64_t j, std::int64_t k, FiveAt const& five_at,
                     double* component) const;
  /// Overwrites the components at face points whose condition determines them.
  template <class Value>
  void put_conditions(Value const* owned, std::int64_t j, std::int64_t k, int axis,
                      double* component) const;

  Subdomain subdomain_;
  Problem const& problem_;
  VectorKind kind_;
  PerAxis<std::vector<double>> gaps_{};  ///< between this rank's points, and two beyond each end
  std::vector<double> inverse_gap_x_{};  ///< 1 / gap
  std::vector<Conductivity> conductivities_{};  ///< a single one, or one per axis
  std::vector<FacePoints> faces_{};
  std::optional<LinkConductivity> links_{};  ///< if surfaces may cut links
};

}  // namespace isotherm
