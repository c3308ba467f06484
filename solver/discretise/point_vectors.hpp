#pragma once

#include <optional>
#include <vector>

#include "decomposition/field/values_around.hpp"
#include "decomposition/grid/subdomain.hpp"
#include "decomposition/ranks/mpi.hpp"
#include "solver/problem/problem.hpp"

// A field's gradient, or the flux density −κ∇u, as a vector at each point. Along an axis, what
// flows from a point to the next one is κ (u(here) − u(next)) / h, with the harmonic mean of both
// points' κ, as in the discrete equation; a gradient is the same with κ = −1. The component at a
// point is linear between what flows on its two sides, midway to its neighbours, which is the
// central difference of second order, with its true weights where gaps differ; on both sides of a
// jump of κ midway between two points it is the same flux. To a point that takes no part nothing
// flows. At a face the condition says what it is, where that is a derivative or a coefficient; at
// points that keep a given value it is linear from what flows between the next two pairs of points,
// which is the one-sided difference of second order.

namespace isotherm {

enum class VectorKind { gradient, flux };

/// The vectors of a rank's points. The same bits however the grid is cut.
class PointVectors {
 public:
  /// Looks at the conductivity at all points of this rank where it differs from one to another, and
  /// at what takes no part. What is passed by reference outlives the object. Collective.
  PointVectors(mpi::Communicator const& ranks, Subdomain subdomain, Problem const& problem,
               VectorKind kind);
  PointVectors(PointVectors const&) = delete;  // what lies around points into it
  PointVectors& operator=(PointVectors const&) = delete;

  /// Evaluates the conditions at faces at a moment. To be called before compute().
  void look_at(double time_s);

  /// Three numbers for each owned point, beside each other; of an axis that the grid does not have,
  /// or along which it has one point, 0.
  /// @return  the largest magnitude that is finite, but not as `Real`; 0 where there is none
  template <class Real>
  [[nodiscard]] double compute(ValuesAround<Real> const& field, Real* vectors) const;

  /// Memory that an object takes for so many points of a rank.
  static std::size_t bytes(Problem const& problem, VectorKind kind, std::size_t points);

 private:
  /// What a face says at one of its points: ∂u/∂n = slope + coefficient · (beyond − u).
  struct Condition {
    bool holds = false;  ///< else the point's value is given, or it takes no part
    double slope = 0.0;
    double coefficient = 0.0;
    double beyond = 0.0;
    double conductivity = 0.0;
  };
  /// The points of this rank on a face whose condition says something, x fastest.
  struct FacePoints {
    Face face;
    LocalBox box;
    std::vector<Condition> points;
  };

  /// Of all points; none where it is the same at each.
  struct Conductivity {
    double constant = 1.0;
    std::vector<double> values{};
    std::optional<ValuesAround<double>> around{};
  };

  [[nodiscard]] Condition condition_on(Face face, Index3 local, double time_s) const;
  [[nodiscard]] double conductivity_of(int axis, Index3 global) const;
  void look_at_conductivities(mpi::Communicator const& ranks);
  [[nodiscard]] Conductivity const& along(int axis) const;
  template <class Real>
  void row_along_x(std::int64_t j, std::int64_t k, ValuesAround<Real> const& field,
                   double* component) const;
  template <class Real>
  void row_across(int axis, std::int64_t j, std::int64_t k, ValuesAround<Real> const& field,
                  double* component) const;
  template <class Value>
  void put_conditions(Value const* owned, std::int64_t j, std::int64_t k, int axis,
                      double* component) const;

  Subdomain subdomain_;
  Problem const& problem_;
  VectorKind kind_;
  PerAxis<std::vector<double>> gaps_{};  ///< between this rank's points, and those around them
  std::vector<double> per_gap_x_{};      ///< 1 / gap
  std::vector<Conductivity> conductivities_{};  ///< one, or one an axis
  std::vector<FacePoints> faces_{};
};

}  // namespace isotherm
